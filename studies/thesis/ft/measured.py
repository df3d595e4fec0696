"""Figure 3.1: whether the measurements of a search represent long runs."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl.evaluate import read_evaluation
from studies._bars import Ranged, RangedPanel, ranged_panels
from studies._page import table
from studies._statements import Statement
from studies.thesis._evaluated import runs_of
from studies.thesis._resampled import RecordingExecutor, read_decided

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from adcl.evaluate import EvaluationRun, RecordedSearch
    from adcl.trace import Recording
    from studies._catalog import Place
    from studies.thesis._timings import Case

__all__ = ["Compared", "MeanOfRanks", "compared", "compared_picture", "compared_statement", "compared_table"]

_UNLIKE = 0.1
"""Relative difference from the long-run time above which a mean does not represent it."""


class MeanOfRanks(RecordingExecutor):
    """Keeps each measurement's mean over the ranks, which Figure 3.1 shows."""

    def kept(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean over the ranks."""
        means: NDArray[np.float64] = rows.mean(axis=0)
        return means

    def line(self, planned: EvaluationRun, own: RecordedSearch, whole: Recording) -> dict[str, Any]:  # noqa: ARG002
        """Return the measurements."""
        return {"setting": planned.setting.name, "run": planned.number, "samples": self.samples(own)}


@dataclass(frozen=True)
class Compared:
    """One codelet of one case in microseconds."""

    case: str
    codelet: str
    measured: tuple[float, ...]
    """All measurements of a search, in their order."""

    long_run: float
    """Time of an exchange in the verification runs."""

    @property
    def mean(self) -> float:
        """Mean of the measurements."""
        return statistics.fmean(self.measured)

    @property
    def difference(self) -> float:
        """The mean minus the long-run time, relative to the long-run time."""
        return self.mean / self.long_run - 1.0


def _iterations(place: Place, machine: str) -> int:
    file = Path(__file__).with_name("quick.toml" if place.quick else f"{machine}.toml")
    arguments = read_evaluation(file).arguments
    return int(arguments[arguments.index("--iterations") + 1])


def compared(place: Place, case: Case) -> list[Compared]:
    """Compare the first recorded search of a case with the verification runs.

    A verification run has one exchange in each iteration. Its time contains the computation, which is equal for all
    codelets. A codelet's time of an exchange is therefore the winner's measured mean plus the difference of the two
    runs per iteration.
    """
    run = next((one for one in read_decided(place, case.machine) if one.setting == case.setting.name), None)
    if run is None or case.winner not in run.samples:
        return []
    base = statistics.fmean(run.samples[case.winner])
    least, iterations = case.setting.codelets[0].average_s, _iterations(place, case.machine)
    return [
        Compared(
            case.name,
            one.name,
            run.samples[one.name],
            base + 1e6 * (runs_of(case.setting, one.name).average - least) / iterations,
        )
        for one in case.setting.codelets
        if one.name in run.samples
    ]


def compared_statement(both: Sequence[Compared]) -> Statement:
    """Return the statement that Figure 3.1 illustrates."""
    unlike = [one for one in both if abs(one.difference) > _UNLIKE]
    shown = ", ".join(f"{one.codelet} {one.difference:+.0%} ({one.case})" for one in unlike)
    return Statement(
        "For some codelets (4 of 8) twenty measurements do not represent a long run.",
        "3.4.3",
        f"{len(unlike)} of {len(both)} differ by more than {_UNLIKE:.0%}{': ' if unlike else ''}{shown}",
        bool(unlike),
        ("Figure 3.1",),
    )


def compared_table(both: Sequence[Compared]) -> str:
    """Return a row for each codelet."""
    rows = [
        (
            one.case,
            one.codelet,
            f"{one.mean:.1f}",
            f"{min(one.measured):.1f} to {max(one.measured):.1f}",
            f"{one.long_run:.1f}",
            f"{100 * one.difference:+.1f}",
        )
        for one in both
    ]
    return table(("test case", "codelet", "mean [µs]", "measurements [µs]", "long run [µs]", "difference [%]"), rows)


def compared_picture(both: Sequence[Compared]) -> str:
    """Return a panel for each case: measurements of each codelet, their mean, and the long-run time."""
    every = []
    for case in dict.fromkeys(one.case for one in both):
        own = [one for one in both if one.case == case]
        series = [
            Ranged("measured", [(one.mean, min(one.measured), max(one.measured)) for one in own]),
            Ranged("long run", [(one.long_run, one.long_run, one.long_run) for one in own]),
        ]
        every.append(
            RangedPanel(f"3.1 {case}: mean and range of 20 measurements, µs", [o.codelet for o in own], series)
        )
    return ranged_panels(every)
