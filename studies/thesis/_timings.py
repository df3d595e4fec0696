"""Timing techniques of chapter 6: their choices, their rankings, and the statements of the thesis."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies._bars import Ranged, RangedPanel, ranged_panels
from studies._page import table
from studies._statements import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adcl.evaluate import SettingResult, TunedResult

__all__ = ["TIMINGS", "Case", "ranking_picture", "timing_statements", "timing_table"]

TIMINGS = ("nobarrier", "barrier", "timer", "timer_multistep")
_SMALL_ERROR = 5.0
_NEARLY = 1.0
"""Difference in percentage points up to which rankings count as nearly the same."""


@dataclass(frozen=True)
class Case:
    """One problem on one machine."""

    machine: str
    setting: SettingResult

    @property
    def name(self) -> str:
        """Name as in the thesis: system, number of processes, and size."""
        size = "".join(self.setting.parameters.values())
        between = "_" if size[:1].isdigit() else ""
        return f"{self.machine}_{self.setting.ranks}{between}{size}"

    @property
    def winner(self) -> str:
        """Codelet whose verification runs have the smallest mean."""
        return self.setting.codelets[0].name

    def tuned(self, timing: str) -> TunedResult:
        """Return the runs with one timing technique."""
        return next(one for one in self.setting.tuned if one.combination.timing == timing)

    def largest_error(self, timing: str) -> float:
        """Return the largest error of a pair, mean over the runs (Figure 6.7)."""
        return statistics.fmean(one.worst for one in self.tuned(timing).ranking)

    def sum_of_errors(self, timing: str) -> float:
        """Return the sum of all errors, mean over the runs (Figure 6.8)."""
        return statistics.fmean(one.sum for one in self.tuned(timing).ranking)


def _mean(cases: Sequence[Case], timings: Sequence[str], value: Callable[[Case, str], float]) -> float:
    return statistics.fmean(value(case, timing) for case in cases for timing in timings)


def timing_statements(cases: Sequence[Case]) -> list[Statement]:
    """Return the statements of section 6.3.2, decided by these cases."""
    largest = [case.largest_error(timing) for case in cases for timing in TIMINGS]
    small = sum(one <= _SMALL_ERROR for one in largest)
    means = {timing: _mean(cases, [timing], Case.largest_error) for timing in TIMINGS}
    sums = {timing: _mean(cases, [timing], Case.sum_of_errors) for timing in TIMINGS}
    plain = statistics.fmean((means["barrier"], means["nobarrier"]))
    found = [
        Statement(
            "In most cases the largest error of a ranking is between 0 and 5 %.",
            "6.3.2",
            f"in {small} of {len(largest)} cases",
            2 * small > len(largest),
            ("Figure 6.7",),
        ),
        Statement(
            "`timer` ranks nearly the same as `barrier` and `nobarrier`: the largest errors differ by a percentage "
            "point at most.",
            "6.3.2",
            f"mean largest error {means['timer']:.2f} % with timer, {plain:.2f} % with the other two",
            abs(means["timer"] - plain) <= _NEARLY,
            ("Figure 6.7",),
        ),
        Statement(
            "`timer_multistep` ranks better than `barrier` and `nobarrier`.",
            "6.4",
            "mean sum of errors " + ", ".join(f"{name} {value:.2f} %" for name, value in sums.items()),
            sums["timer_multistep"] < min(sums["barrier"], sums["nobarrier"]),
            ("Figure 6.8",),
        ),
    ]
    if len(cases) > 1:
        ranked = sorted(cases, key=lambda case: case.setting.instability)
        stable, unstable = (_mean([case], TIMINGS, Case.largest_error) for case in (ranked[0], ranked[-1]))
        found.append(
            Statement(
                "The errors of all timing techniques tend to grow with the instability.",
                "6.3.2",
                f"{stable:.2f} % in {ranked[0].name}, the most stable case, {unstable:.2f} % in {ranked[-1].name}",
                unstable > stable,
                ("Figure 6.7",),
            )
        )
    return found


def timing_table(cases: Sequence[Case]) -> str:
    """Return a row for each case and timing: the choices of the runs, their loss, and the errors of the rankings."""
    rows = []
    for case in cases:
        for timing in TIMINGS:
            tuned = case.tuned(timing)
            chosen = Counter(name or "undecided" for name in tuned.chosen)
            losses = [loss for loss in tuned.losses_percent if loss is not None]
            rows.append(
                (
                    case.name,
                    timing,
                    ", ".join(f"{name} {times}×" for name, times in chosen.most_common()),
                    f"{sum(tuned.among_winners)} of {len(tuned.chosen)}",
                    f"{statistics.fmean(losses):.1f}" if losses else "–",
                    f"{case.largest_error(timing):.2f}",
                    f"{case.sum_of_errors(timing):.2f}",
                )
            )
    return table(
        ("test case", "timing", "chosen", "among the best", "mean loss [%]", "largest error [%]", "sum [%]"), rows
    )


def ranking_picture(cases: Sequence[Case]) -> str:
    """Return Figures 6.7 and 6.8."""
    names = [case.name for case in cases]
    every = []
    for title, members in (
        ("6.7: largest error of a pair, %", ("worst", "worst_low", "worst_high")),
        ("6.8: sum of all errors, %", ("sum", "sum_low", "sum_high")),
    ):
        series = []
        for timing in TIMINGS:
            values = []
            for case in cases:
                found = case.tuned(timing).ranking
                middle, low, high = (statistics.fmean(getattr(one, member) for one in found) for member in members)
                values.append((middle, low, high))
            series.append(Ranged(timing, values))
        every.append(RangedPanel(title, names, series))
    return ranged_panels(every)
