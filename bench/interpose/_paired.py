"""Run a program with and without the interposer in turns, and estimate the ratio of its times with an interval."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import math
import os
import shutil
import statistics
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcl.errors import AdclError
from adcl.launch import Job, Placement, detect, preload, run
from adcl.testbed import on_cluster
from bench._clusters import measure_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from adcl.launch import Launcher
    from bench._form import Figures

__all__ = [
    "FEWEST_PAIRS",
    "MOST",
    "Measuring",
    "Pairs",
    "Program",
    "Ratio",
    "figures_of_pairs",
    "measure_machines",
    "measure_pairs",
    "measured",
    "ratio_of",
]

MOST = 1.01
"""Largest ratio at which a program counts as not slower."""

FEWEST_PAIRS = 6
"""Smallest number of pairs for which an interval exists."""

_TAIL = 0.025
_REPORT = "adcl-interpose.json"


@dataclass(frozen=True)
class Ratio:
    """The Hodges-Lehmann estimate of a ratio with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """Verdict on the time with the interposer relative to the time without it, from the interval."""
        if self.high < 1.0:
            return "faster"
        if self.high <= MOST:
            return "not slower"
        return "slower" if self.low > MOST else "undecided"

    @property
    def inverse(self) -> Ratio:
        """The ratio of the other time to this one."""
        return Ratio(1.0 / self.value, 1.0 / self.high, 1.0 / self.low)


def _order_of_interval(count: int) -> int:
    """Return the largest k so that at most 2.5 % of the sums of signed ranks are below k."""
    most = count * (count + 1) // 2
    sums = [1] + [0] * most
    for rank in range(1, count + 1):
        for at in range(most, rank - 1, -1):
            sums[at] += sums[at - rank]
    below = 0
    for k, number in enumerate(sums):
        below += number
        if below > _TAIL * 2**count:
            return k
    raise AssertionError


def ratio_of(times: Sequence[float], references: Sequence[float]) -> Ratio:
    """Return the median of all means of two logarithms of ratios, with the interval of Wilcoxon's signed ranks.

    The estimate and its interval require that the logarithms are symmetric around their median, which interchangeable
    runs are. Source: Hollander, Wolfe, "Nonparametric Statistical Methods" (1999), sections 3.2 and 3.3. Raises
    `ValueError` for too few pairs.
    """
    logs = [math.log(time / reference) for time, reference in zip(times, references, strict=True)]
    if len(logs) < FEWEST_PAIRS:
        raise ValueError(f"{len(logs)} pairs have no interval; {FEWEST_PAIRS} are required")
    means = sorted((one + logs[j]) / 2.0 for i, one in enumerate(logs) for j in range(i, len(logs)))
    middle = (means[(len(means) - 1) // 2] + means[len(means) // 2]) / 2.0
    order = _order_of_interval(len(logs))
    return Ratio(math.exp(middle), math.exp(means[order - 1]), math.exp(means[-order]))


def _lines_without_times(_folder: Path, output: str) -> str:
    return "\n".join(line for line in output.splitlines() if "seconds" not in line)


@dataclass(frozen=True)
class Program:
    """An MPI program that does not use ADCL."""

    machine: str
    title: str
    file: Path
    arguments: tuple[str, ...]
    ranks: int
    pairs: int
    history: bool = False
    """Whether each pair has a second run with the results of the first one."""

    limit_s: float = 600.0
    prepare: Callable[[Path], None] | None = None
    """Writes the input of the program to its working folder."""

    results: Callable[[Path, str], str] = _lines_without_times
    """Returns the results that must be equal in two runs, from the working folder and the standard output."""

    @property
    def name(self) -> str:
        """Name of the setting, unique in its bench."""
        return f"{self.machine}.{self.title}"


@dataclass
class Pairs:
    """Seconds of whole jobs, from the start of the launcher to its end."""

    plain_s: list[float]
    tuned_s: list[float]
    second_s: list[float]
    """Runs that read the results of the run in `tuned_s`."""

    report: dict[str, Any]
    """The interposer's report of the last run."""


def measured(ratio: Ratio, **more: Any) -> dict[str, Any]:
    """Return the entries of a figure."""
    return {"value": ratio.value, "interval": [ratio.low, ratio.high], "verdict": ratio.verdict, **more}


def figures_of_pairs(results: Mapping[Program, Mapping[str, Any]]) -> Figures:
    """Return a figure for each program, and the figures of all together."""
    figures: Figures = {}
    ratios = []
    for program, found in results.items():
        ratios.append(ratio_of(found["tuned_s"], found["plain_s"]))
        plain_s = statistics.median(found["plain_s"])
        more = measured(ratios[-1], plain_s=plain_s, pairs=len(found["plain_s"]))
        figures[f"program_over_plain.{program.name}"] = more
    verdicts = [one.verdict for one in ratios]
    return figures | {
        "worst_program_over_plain": measured(max(ratios, key=lambda one: one.value)),
        "geometric_mean_over_plain": statistics.geometric_mean([one.value for one in ratios]),
        "programs_slower": verdicts.count("slower"),
        "programs_undecided": verdicts.count("undecided"),
    }


@contextlib.contextmanager
def _machine(name: str, ranks: int) -> Iterator[Placement]:
    """Enter the machine `shared`, which is this one, or an emulated cluster for that number of ranks."""
    if name == "shared":
        yield Placement()
        return
    with on_cluster(name, Placement(), ranks) as (placement, _):
        yield placement


class _Runs:
    """The runs of a program. All must have the same results."""

    def __init__(self, program: Program, placement: Placement, launcher: Launcher, library: Path, folder: Path) -> None:
        self._program, self._launcher, self._library, self._folder = program, launcher, library, folder
        self._job = Job(str(program.file), program.arguments, ranks=program.ranks, timeout_s=program.limit_s)
        self._job = dataclasses.replace(self._job, placement=placement)
        self._history = folder / "history"
        self._expected: str | None = None
        self.report: dict[str, Any] = {}

    def forget(self) -> None:
        """Empty the history."""
        shutil.rmtree(self._history, ignore_errors=True)
        self._history.mkdir(parents=True)

    def seconds(self, *, tuned: bool) -> float:
        """Run the program in a new folder, and return the seconds of the job. Ends the bench if the results differ."""
        here = self._folder / ("tuned" if tuned else "plain")
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir(parents=True)
        if self._program.prepare is not None:
            self._program.prepare(here)
        variables: dict[str, str | None] = {"OMP_NUM_THREADS": "1"}
        if tuned:
            history = str(self._history) if self._program.history else "off"
            variables |= {"ADCL_INTERPOSE_REPORT": str(here / _REPORT), "ADCL_INTERPOSE_HISTORY": history}
            variables = preload(variables, self._library)
        done = run(dataclasses.replace(self._job, environment=variables, cwd=here), self._launcher).check()
        self._compare(self._program.results(here, done.stdout), here)
        if tuned:
            self.report = json.loads((here / _REPORT).read_text(encoding="utf-8"))
        return done.seconds

    def _compare(self, results: str, here: Path) -> None:
        if not results:
            sys.exit(f"{self._program.name}: the program printed no results; see {here}")
        if self._expected is None:
            self._expected = results
        if results != self._expected:
            (here / "results.txt").write_text(results, encoding="utf-8")
            (here / "expected.txt").write_text(self._expected, encoding="utf-8")
            sys.exit(f"{self._program.name}: the results differ; see {here}/results.txt and expected.txt")


def measure_pairs(program: Program, placement: Placement, launcher: Launcher, library: Path, folder: Path) -> Pairs:
    """Run the pairs, which begin with alternating sides, after a pair that does not count.

    Raises `AdclError` if a run fails, and ends the bench if two runs have different results.
    """
    pairs = Pairs([], [], [], {})
    runs = _Runs(program, placement, launcher, library, folder)
    for number in range(-1, program.pairs):
        times: dict[bool, float] = {}
        second_s = None
        for tuned in (number % 2 != 0, number % 2 == 0):
            runs.forget()
            times[tuned] = runs.seconds(tuned=tuned)
            if tuned and program.history:
                second_s = runs.seconds(tuned=True)
        if number < 0:
            continue
        pairs.plain_s.append(times[False])
        pairs.tuned_s.append(times[True])
        if second_s is not None:
            pairs.second_s.append(second_s)
    pairs.report = runs.report
    return pairs


class Measuring:
    """Measures programs and prints a line for each; for `measure_missing`."""

    def __init__(self, build: Path, folder: Path, pairs: int) -> None:
        """Prepare runs with the library of a build; `pairs` replaces the number of pairs unless it is 0."""
        self._library = build / "lib" / "libadcl-interpose.so"
        self._folder, self._pairs, self._begun = folder, pairs, time.monotonic()
        self.failed: list[str] = []

    @property
    def seconds(self) -> float:
        """Seconds since the creation."""
        return time.monotonic() - self._begun

    def __call__(self, program: Program, placement: Placement) -> dict[str, Any] | None:
        """Return the times of a program and its last report; None if a run failed."""
        own = dataclasses.replace(program, pairs=self._pairs) if self._pairs else program
        launcher = detect(None if placement.local else "openmpi4", program=program.file)
        try:
            pairs = measure_pairs(own, placement, launcher, self._library, self._folder / program.name)
        except AdclError as error:
            self.failed.append(f"{program.name}: {error}")
            print(f"  {self.failed[-1]}", flush=True)
            return None
        ratio = ratio_of(pairs.tuned_s, pairs.plain_s)
        print(
            f"  {program.name}: {statistics.median(pairs.plain_s):.2f} s, {ratio.value:.3f} ({ratio.low:.3f} to "
            f"{ratio.high:.3f}) of it with the interposer: {ratio.verdict}; {self.seconds:.0f} s",
            flush=True,
        )
        return vars(pairs)


def measure_machines(
    programs: Sequence[Program],
    folder: Path,
    measure: Measuring,
    *,
    only: str = "",
    keep: bool = False,
) -> tuple[dict[Program, dict[str, Any]], dict[str, str]]:
    """Measure the programs on this machine and, as root, on emulated clusters.

    Returns the results, and for each machine without results the reason. For the other arguments see
    `measure_missing`.
    """
    results: dict[Program, dict[str, Any]] = {}
    left_out = {}
    for machine in dict.fromkeys(one.machine for one in programs):
        if machine != "shared" and os.geteuid() != 0:
            left_out[machine] = "needs root"
            continue
        own = [one for one in programs if one.machine == machine]
        enter = functools.partial(_machine, machine, own[0].ranks)
        results |= measure_missing(own, folder, enter, measure, only=only, keep=keep)
    return results, left_out
