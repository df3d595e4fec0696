"""One trial: a program run with one configuration, and what came of it."""

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
from adcl.launch import ANYWHERE, Job, Placement, nodes_of_allocation, run, usable_cores, without_farewell
from adcl.mpi_libraries import Bare, clean_output
from adcl.tune.file import BadOutputError, Preparation
from adcl.tune.trial._energy import EnergyMeter
from adcl.tune.trial._folder import SetupFailedError, prepared_folder
from adcl.tune.trial._profiler import profiled, seconds_in_mpi, take_profile
from adcl.tune.trial._slots import WHOLE, Slot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.launch import Launcher, Result, Stop
    from adcl.mpi_libraries import Catalogue, MpiLibrary
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
"""A line of a backtrace."""

_RULER = re.compile(r"\s*([-=*#_~])\1{9,}\s*$")
"""A line that frames a message."""

_ASSERTION = re.compile(r"\bassert(?:ion)?\b.*\bfailed\b|\bassertion failed\b", re.IGNORECASE)


class TrialInterruptedError(AdclError):
    """Somebody asked for the end while a trial was running; it says nothing about its configuration."""


@dataclass(frozen=True)
class TrialOutcome:
    """What came of a trial. No process of it is left."""

    status: Status
    seconds: float | None
    """How long the job took; None when it was never started."""

    objectives: Mapping[str, float] = field(default_factory=dict)
    """Costs by `Objective.name`, all to become small; empty unless the status is `ok`."""

    tail: str = ""
    """The last lines that the program printed."""

    reason: str = ""
    """One line about a status other than `ok`."""

    output: str = ""
    """What program and launcher printed, the middle left out where it is long."""


@dataclass(frozen=True)
class Trials:
    """Runs one program with any configuration. Raises `UsageError` for an invalid combination."""

    program: str
    arguments: tuple[str, ...]
    ranks: int
    launcher: Launcher
    library: MpiLibrary
    catalogue: Catalogue
    objectives: tuple[Objective, ...]
    expect: re.Pattern[str] | None = None
    environment: Mapping[str, str | None] = field(default_factory=dict)
    cwd: Path | None = None
    placement: Placement = ANYWHERE
    grace_s: float = 5.0
    profiler: Path | None = None
    """The library that measures the time in MPI; needed for the objective `mpi` only."""

    bare: Bare = field(default_factory=Bare)
    """How the launcher is started so that the defaults are what they are said to be."""

    preparation: Preparation = field(default_factory=Preparation)
    scratch: Path | None = None
    """Where the folders of runs that have one of their own are made; all nodes see it."""

    submission: Submission | None = None
    """How to submit trials as batch jobs; None starts them from this process."""

    reading: bool = False
    """Nothing will be run, so nothing has to be there."""

    def __post_init__(self) -> None:
        """Refuse what no trial could be judged by."""
        if self.reading:
            return
        if self.ranks < 2:  # noqa: PLR2004
            ranks = "1 rank" if self.ranks == 1 else f"{self.ranks} ranks"
            raise UsageError(f"a program of {ranks} has no communication to tune; give it 2 or more with -n")
        if (self.submission or not self.placement.local) and self._judged_by("energy"):
            raise UsageError("the objective energy is read on this machine: run the trials on it, without batch jobs")
        waits = self.launcher.kind.of_batch_system and self.submission is None and "SLURM_JOB_ID" not in os.environ
        if waits and self._judged_by("wall", "energy"):
            raise UsageError(
                "outside an allocation srun waits for nodes, and that would be measured too: run adcl within salloc "
                "or sbatch, or submit each trial as a job with --submit"
            )
        if self.profiler is None and self._judged_by("mpi"):
            raise UsageError(
                "the objective mpi needs the profiler, libadcl-profile.so; build ADCL, or name it with --profiler"
            )

    def _judged_by(self, *measures: Measure) -> bool:
        return any(objective.measure in measures for objective in self.objectives)

    def run(
        self,
        configuration: Configuration,
        *,
        timeout_s: float | None = None,
        slot: Slot | None = None,
        stop: Stop | None = None,
    ) -> TrialOutcome:
        """Run the program with that configuration; the empty one leaves the MPI library its defaults.

        A trial that crashes, hangs or prints garbage is an outcome and no error. Raises `AdclError` where nothing
        could be run at all, and `TrialInterruptedError` when `stop` was requested meanwhile.
        """
        with ExitStack() as cleanup:
            try:
                folder = cleanup.enter_context(prepared_folder(self.preparation, self.cwd, self.scratch))
            except SetupFailedError as error:
                return TrialOutcome("crashed", None, reason=str(error))
            profile = None
            if self.profiler is not None and self._judged_by("mpi"):
                profile = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="adcl-", dir=self._shared())))
            job = self.job(configuration, timeout_s=timeout_s, slot=slot or WHOLE, profile=profile, cwd=folder)
            meter = EnergyMeter() if self._judged_by("energy") else None
            if slot is not None and slot.cores:
                # Of this thread alone; what it starts inherits it.
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

        Raises `AdclError` when the program fails or the profiler has written nothing.
        """
        with prepared_folder(self.preparation, self.cwd, self.scratch) as cwd:
            job = self.job({}, timeout_s=timeout_s, profile=folder.absolute(), cwd=cwd)
            take_profile(job, self.launcher, folder, run if self.submission is None else self.submission.run)

    def launch_s(self) -> float | None:
        """Return how long the launcher takes to start as many ranks of a program that ends at once; None if it fails.

        The shorter one of two times: the first start may load files that the second one finds in memory.
        """
        job = dataclasses.replace(self.job({}), program=shutil.which("true") or "/bin/true", arguments=())
        results = [run(job, self.launcher) for _ in range(2)]
        return min(result.seconds for result in results) if all(result.ok for result in results) else None

    def _shared(self) -> Path | None:
        """A folder that all ranks see, where that matters."""
        if self.submission is not None:
            return self.submission.folder
        alone = self.placement.local and nodes_of_allocation() == 1
        return None if alone else Path.cwd()

    def crowded(self, slot: Slot) -> bool:
        """Whether a node has more ranks than cores, as far as that is known."""
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
        """Describe the job of a trial."""
        crowded = self.crowded(slot)
        passed = self.library.passed(configuration, self.launcher, oversubscribed=crowded)
        options = [*self.bare.options, *self.placement.launcher_options, *passed.options]
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
            launcher_environment=self.bare.environment,
            timeout_s=timeout_s,
            grace_s=self.grace_s,
            cwd=cwd or self.cwd,
            placement=dataclasses.replace(
                self.placement.on(slot.hosts),
                oversubscribe=crowded and not passed.own_oversubscription,
                launcher_options=tuple(options),
            ),
            output_limit=_KEPT_BYTES,
        )

    def _judge(
        self, configuration: Configuration, result: Result, profile: Path | None, joules: float | None
    ) -> TrialOutcome:
        said = f"{result.stdout}\n{result.stderr}"
        output = clean_output(self.library, said)
        own = output if result.ok else without_farewell(output, self.launcher)
        tail = _tail(own)

        def failed(status: Status, reason: str) -> TrialOutcome:
            return TrialOutcome(status, result.seconds, tail=tail, reason=reason, output=_bounded(output))

        if result.timed_out:
            return failed("timeout", result.ending())
        if not result.ok:
            last = _telling_line(own)
            return failed("crashed", result.ending() + (f": {last}" if last else ""))
        objections = self.ineffective(configuration, said)
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
                        f"the program printed more than {_KEPT_BYTES >> 20} MB, of which a part was dropped, so that "
                        f"the {objective.take} of all numbers is not known"
                    )
                return objective.printed(output)
            case "energy":
                return joules if joules is not None else 0.0
            case "mpi":
                return seconds_in_mpi(profile, self.ranks)

    def ineffective(self, configuration: Configuration, said: str) -> list[str]:
        """Say which settings had no effect, by what the library has told about itself. Empty when all had."""
        from adcl.mpi_libraries import split

        named = {self.library.full_name(name): value for name, value in split(configuration).settings.items()}
        named = {name: value for name, value in named.items() if self.library.provable(name)}
        if not named:
            return []
        evidence = self.library.evidence(said)
        if evidence is None:
            told = f"{self.library.title} did not tell which settings it uses"
            return [f"{told}; is {self.program} a program of this library that calls MPI_Init?"]
        objections = []
        for name, value in named.items():
            variable = self.catalogue.variables.get(name)
            used = evidence.effective.get(name)
            if name in evidence.ignored:
                objections.append(f"{name} had no effect: {evidence.ignored[name]}")
            elif used is None:
                objections.append(
                    f"{name} had no effect: it is not among the settings that {self.library.title} says it uses"
                )
            elif variable is not None and not variable.same(used, value):
                objections.append(f"{name} had no effect: {self.library.title} uses {used} instead of {value}")
        return objections


def _check_costs(costs: Mapping[str, float]) -> None:
    for name, cost in costs.items():
        if not 0.0 < cost < math.inf:
            raise BadOutputError(f"{name} is {cost:g}, and must be above 0")


def _bounded(output: str) -> str:
    if len(output) <= _KEPT_CHARACTERS:
        return output
    half = _KEPT_CHARACTERS // 2
    return f"{output[:half]}\n… {len(output) - 2 * half} characters left out …\n{output[-half:]}"


def _own_lines(output: str) -> list[str]:
    """The lines that say something: without a backtrace's addresses, which nobody reads, and what frames a message."""
    lines = [line.rstrip()[:_TAIL_COLUMNS] for line in output.splitlines() if line.strip()]
    lines = [line for line in lines if not _RULER.match(line)]
    return [line for line in lines if not _ADDRESS.search(line)] or lines


def _tail(output: str) -> str:
    return "\n".join(_own_lines(output)[-_TAIL_LINES:])


def _framed(output: str) -> str:
    """The message between two rulers that the output ends with, as a launcher has it that starts nothing."""
    lines = [line.strip() for line in output.strip().splitlines()]
    rulers = [place for place, line in enumerate(lines) if _RULER.match(line)]
    if len(rulers) < 2 or rulers[-1] != len(lines) - 1:  # noqa: PLR2004
        return ""
    return " ".join(line for line in lines[rulers[-2] + 1 : rulers[-1]] if line)[:_TAIL_COLUMNS]


def _telling_line(output: str) -> str:
    """What a program that has crashed said about it: an assertion that failed, or else its last words."""
    lines = _own_lines(output)
    last = _framed(output) or (lines[-1] if lines else "")
    return next((line for line in reversed(lines) if _ASSERTION.search(line)), last)
