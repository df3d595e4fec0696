"""One trial: run a program with one configuration and evaluate the result."""

from __future__ import annotations

import dataclasses
import math
import os
import re
import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from adcl.errors import AdclError, UsageError
from adcl.launch import ANYWHERE, Job, Placement, nodes_of_allocation, run, strip_launcher_messages, usable_cores
from adcl.mpi_libraries import CleanEnvironment, clean_output
from adcl.tune.file import BadOutputError, Preparation
from adcl.tune.trial._energy import EnergyMeter
from adcl.tune.trial._folder import SetupFailedError, prepared_folder
from adcl.tune.trial._profiler import profiled, run_profiled, seconds_in_mpi
from adcl.tune.trial._slots import WHOLE, Slot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.launch import Launcher, Result, Stop
    from adcl.mpi_libraries import Catalog, MpiLibrary
    from adcl.tune.file import Measure, Objective
    from adcl.tune.space import Configuration
    from adcl.tune.trial._slurm import Submission

__all__ = ["Status", "TrialInterruptedError", "TrialOutcome", "Trials"]

Status: TypeAlias = Literal["ok", "crashed", "timeout", "bad_output", "ineffective"]

_KEPT_BYTES = 8 << 20
_KEPT_CHARACTERS = 64 << 10
_TAIL_LINES = 12
_TAIL_COLUMNS = 240
_ADDRESS = re.compile(r"\(\w*\+0x[0-9a-f]+\) ?\[0x[0-9a-f]+\]$")
"""Matches a line of a backtrace."""

_RULER = re.compile(r"\s*([-=*#_~])\1{9,}\s*$")
"""Matches a ruler around a message."""

_ASSERTION = re.compile(r"\bassert(?:ion)?\b.*\bfailed\b|\bassertion failed\b", re.IGNORECASE)


class TrialInterruptedError(AdclError):
    """A stop was requested during a trial; the trial has no result."""


@dataclass(frozen=True)
class TrialOutcome:
    """Result of a trial, none of whose processes is left."""

    status: Status
    seconds: float | None
    """Duration of the job; None if it was not started."""

    objectives: Mapping[str, float] = field(default_factory=dict)
    """Costs by `Objective.name`, to be minimized; empty unless the status is `ok`."""

    tail: str = ""
    """The last lines of the program's output."""

    reason: str = ""
    """One line about a status other than `ok`."""

    output: str = ""
    """Output of program and launcher, with the middle removed if it is long."""


@dataclass(frozen=True)
class Trials:
    """Runs one program with any configuration. Raises `UsageError` for an invalid combination."""

    program: str
    arguments: tuple[str, ...]
    ranks: int
    launcher: Launcher
    library: MpiLibrary
    catalog: Catalog
    objectives: tuple[Objective, ...]
    expect: re.Pattern[str] | None = None
    environment: Mapping[str, str | None] = field(default_factory=dict)
    cwd: Path | None = None
    placement: Placement = ANYWHERE
    grace_s: float = 5.0
    profiler: Path | None = None
    """Library that measures the time in MPI; required only for the objective `mpi`."""

    clean_environment: CleanEnvironment = field(default_factory=CleanEnvironment)
    """Variables and options of the launcher with which jobs use the study's defaults."""

    preparation: Preparation = field(default_factory=Preparation)
    scratch: Path | None = None
    """Parent of the runs' separate folders; visible to all nodes."""

    submission: Submission | None = None
    """Submits trials as batch jobs; None: start them from this process."""

    reading: bool = False
    """Whether trials are only described and not run, so that no file needs to exist."""

    def __post_init__(self) -> None:
        """Reject combinations that cannot be evaluated."""
        if self.reading:
            return
        if self.ranks < 2:  # noqa: PLR2004
            ranks = "1 rank" if self.ranks == 1 else f"{self.ranks} ranks"
            raise UsageError(f"a program of {ranks} has no communication to tune; run 2 or more ranks with -n")
        if (self.submission or not self.placement.local) and self._uses_measure("energy"):
            raise UsageError(
                "the objective energy is measured on this machine: run the trials here, without batch jobs"
            )
        waits = self.launcher.kind.of_batch_system and self.submission is None and "SLURM_JOB_ID" not in os.environ
        if waits and self._uses_measure("wall", "energy"):
            raise UsageError(
                "outside an allocation, srun waits for nodes, and the measurement would include this wait: run adcl "
                "within salloc or sbatch, or submit each trial as a job with --submit"
            )
        if self.profiler is None and self._uses_measure("mpi"):
            raise UsageError(
                "the objective mpi requires the profiler, libadcl-profile.so; build ADCL, or pass the profiler's path "
                "with --profiler"
            )

    def _uses_measure(self, *measures: Measure) -> bool:
        return any(objective.measure in measures for objective in self.objectives)

    def run(
        self,
        configuration: Configuration,
        *,
        timeout_s: float | None = None,
        slot: Slot | None = None,
        stop: Stop | None = None,
    ) -> TrialOutcome:
        """Run the program with a configuration; the empty configuration selects the MPI library's defaults.

        A trial that crashes, hangs or prints invalid output has an outcome and raises nothing. Raises `AdclError` if
        the program cannot be run at all, and `TrialInterruptedError` if `stop` is requested.
        """
        with ExitStack() as cleanup:
            try:
                folder = cleanup.enter_context(prepared_folder(self.preparation, self.cwd, self.scratch))
            except SetupFailedError as error:
                return TrialOutcome("crashed", None, reason=str(error))
            profile = None
            if self.profiler is not None and self._uses_measure("mpi"):
                profile = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="adcl-", dir=self._shared())))
            job = self.job(configuration, timeout_s=timeout_s, slot=slot or WHOLE, profile=profile, cwd=folder)
            meter = EnergyMeter() if self._uses_measure("energy") else None
            if slot is not None and slot.cores:
                # Affinity of this thread, which its child processes inherit.
                before = os.sched_getaffinity(0)
                os.sched_setaffinity(0, slot.cores)
                cleanup.callback(os.sched_setaffinity, 0, before)
            if self.submission is None:
                result = run(job, self.launcher, stop=stop)
            else:
                result = self.submission.run(job, self.launcher, stop=stop)
            if stop is not None and stop.requested:
                raise TrialInterruptedError("interrupted")
            return self._judge(configuration, result, profile, meter.joules() if meter else None)

    def profile(self, folder: Path, *, timeout_s: float | None = None) -> None:
        """Run the program once with the defaults and the profiler, which writes a file for each rank into `folder`.

        Raises `AdclError` if the program fails or the profiler has written nothing.
        """
        with prepared_folder(self.preparation, self.cwd, self.scratch) as cwd:
            job = self.job({}, timeout_s=timeout_s, profile=folder.absolute(), cwd=cwd)
            run_profiled(job, self.launcher, folder, run if self.submission is None else self.submission.run)

    def launch_s(self) -> float | None:
        """Return the time to start and end as many ranks of a trivial program, seconds; None if that fails.

        The result is the shorter of two times, because the first start may load files from disk.
        """
        job = dataclasses.replace(self.job({}), program=shutil.which("true") or "/bin/true", arguments=())
        results = [run(job, self.launcher) for _ in range(2)]
        return min(result.seconds for result in results) if all(result.ok for result in results) else None

    def _shared(self) -> Path | None:
        """Return a folder that is visible to all ranks, if required."""
        if self.submission is not None:
            return self.submission.folder
        alone = self.placement.local and nodes_of_allocation() == 1
        return None if alone else Path.cwd()

    def oversubscribed(self, slot: Slot) -> bool:
        """Whether a node has more ranks than cores, if known."""
        if self.placement.oversubscribe is not None:
            return self.placement.oversubscribe
        local = self.placement.local and not slot.hosts and nodes_of_allocation() == 1
        here = local and self.launcher.kind in self.library.launchers
        return here and self.ranks > (slot.count or usable_cores())

    def job(
        self,
        configuration: Configuration,
        *,
        timeout_s: float | None = None,
        slot: Slot = WHOLE,
        profile: Path | None = None,
        cwd: Path | None = None,
    ) -> Job:
        """Return the job of a trial."""
        oversubscribed = self.oversubscribed(slot)
        passed = self.library.passed(configuration, self.launcher, oversubscribed=oversubscribed)
        options = [*self.clean_environment.options, *self.placement.launcher_options, *passed.options]
        if self.launcher.kind.of_batch_system:
            options.insert(0, "--quiet")
        if slot.cores:
            for name, value in self.library.when_sharing.items():
                options += [] if name in options else [name, value]
        environment: dict[str, str | None] = {**self.environment, **passed.environment, **self.library.proof}
        if profile is not None and self.profiler is not None:
            environment = profiled(environment, self.profiler, profile)
        return Job(
            self.program,
            self.arguments,
            ranks=self.ranks,
            environment=environment,
            launcher_environment=self.clean_environment.environment,
            timeout_s=timeout_s,
            grace_s=self.grace_s,
            cwd=cwd or self.cwd,
            placement=dataclasses.replace(
                self.placement.on(slot.hosts),
                oversubscribe=oversubscribed and not passed.own_oversubscription,
                launcher_options=tuple(options),
            ),
            output_limit=_KEPT_BYTES,
        )

    def _judge(
        self, configuration: Configuration, result: Result, profile: Path | None, joules: float | None
    ) -> TrialOutcome:
        printed = f"{result.stdout}\n{result.stderr}"
        output = clean_output(self.library, printed)
        own = output if result.ok else strip_launcher_messages(output, self.launcher)
        tail = _tail(own)

        def failed(status: Status, reason: str) -> TrialOutcome:
            return TrialOutcome(status, result.seconds, tail=tail, reason=reason, output=_bounded(output))

        if result.timed_out:
            return failed("timeout", result.ending())
        if not result.ok:
            last = _crash_message(own)
            return failed("crashed", result.ending() + (f": {last}" if last else ""))
        objections = self.ineffective(configuration, printed)
        if objections:
            return failed("ineffective", "; ".join(objections))
        if self.expect is not None and not self.expect.search(output):
            return failed("bad_output", f"nothing in the output matches {self.expect.pattern!r}")
        try:
            costs = {
                objective.name: self._cost(objective, result, output, profile, joules) for objective in self.objectives
            }
            _check_costs(costs)
        except BadOutputError as error:
            return failed("bad_output", str(error))
        return TrialOutcome("ok", result.seconds, costs, tail, output=_bounded(output))

    def _cost(
        self, objective: Objective, result: Result, output: str, profile: Path | None, joules: float | None
    ) -> float:
        match objective.measure:
            case "wall":
                return result.seconds
            case "output":
                if result.left_out_bytes and objective.take not in ("last", "first"):
                    raise BadOutputError(
                        f"the program printed more than {_KEPT_BYTES >> 20} MB, so part of its output was discarded "
                        f"and the {objective.take} of all numbers is unknown; print less"
                    )
                return objective.printed(output)
            case "energy":
                return joules if joules is not None else 0.0
            case "mpi":
                return seconds_in_mpi(profile, self.ranks)

    def ineffective(self, configuration: Configuration, printed: str) -> list[str]:
        """Return the settings without effect according to the library's reports; empty if all had an effect."""
        from adcl.mpi_libraries import split

        named = {self.library.full_name(name): value for name, value in split(configuration).settings.items()}
        named = {name: value for name, value in named.items() if self.library.provable(name)}
        if not named:
            return []
        evidence = self.library.evidence(printed)
        if evidence is None:
            problem = f"{self.library.title} did not report the settings in use"
            return [f"{problem}; check that {self.program} is a program of this library that calls MPI_Init"]
        objections = []
        for name, value in named.items():
            variable = self.catalog.variables.get(name)
            used = evidence.effective.get(name)
            if name in evidence.ignored:
                objections.append(f"{name} had no effect: {evidence.ignored[name]}")
            elif used is None:
                objections.append(
                    f"{name} had no effect: it is not among the settings that {self.library.title} reports as used"
                )
            elif variable is not None and not variable.same(used, value):
                objections.append(f"{name} had no effect: {self.library.title} uses {used} instead of {value}")
        return objections


def _check_costs(costs: Mapping[str, float]) -> None:
    for name, cost in costs.items():
        if not 0.0 < cost < math.inf:
            raise BadOutputError(f"{name} is {cost:g}, but must be above 0")


def _bounded(output: str) -> str:
    if len(output) <= _KEPT_CHARACTERS:
        return output
    half = _KEPT_CHARACTERS // 2
    return f"{output[:half]}\n… {len(output) - 2 * half} characters omitted …\n{output[-half:]}"


def _informative_lines(output: str) -> list[str]:
    """Return the informative lines: without addresses of a backtrace and rulers of messages."""
    lines = [line.rstrip()[:_TAIL_COLUMNS] for line in output.splitlines() if line.strip()]
    lines = [line for line in lines if not _RULER.match(line)]
    return [line for line in lines if not _ADDRESS.search(line)] or lines


def _tail(output: str) -> str:
    return "\n".join(_informative_lines(output)[-_TAIL_LINES:])


def _framed_message(output: str) -> str:
    """Return the message between two rulers at the end of the output, which launchers print if they start nothing."""
    lines = [line.strip() for line in output.strip().splitlines()]
    rulers = [place for place, line in enumerate(lines) if _RULER.match(line)]
    if len(rulers) < 2 or rulers[-1] != len(lines) - 1:  # noqa: PLR2004
        return ""
    return " ".join(line for line in lines[rulers[-2] + 1 : rulers[-1]] if line)[:_TAIL_COLUMNS]


def _crash_message(output: str) -> str:
    """Return a crashed program's own message: a failed assertion, otherwise its last line."""
    lines = _informative_lines(output)
    last = _framed_message(output) or (lines[-1] if lines else "")
    return next((line for line in reversed(lines) if _ASSERTION.search(line)), last)
