"""Runs of one configuration, and the drift of the machine estimated from the defaults. Pure."""

from __future__ import annotations

import itertools
import math
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.tune.study._plan import StudyPolicy

__all__ = ["Arm", "deviation", "levels"]

_DRIFT_DEVIATIONS = 3.0
_LEAST_DEVIATION = 0.002
_DIFFERENCE_TO_DEVIATION = math.sqrt(math.pi) / 2
"""Mean absolute difference of two standard normal numbers."""

_RECENT = 3


@dataclass
class Arm:
    """Runs of one configuration."""

    samples: list[tuple[float, ...]] = field(default_factory=list)
    """Values of the runs; values of scenarios are corrected for drift."""

    taken: list[tuple[int, tuple[float, ...]]] = field(default_factory=list)
    """For each of the last samples, the number of earlier runs of the defaults, and the raw values."""

    failures: int = 0
    late: bool = False
    """Whether a repetition was stopped although the scenario had been fast."""

    rechecked: bool = False
    """Whether the first run was so slow that it is repeated."""

    def correct_drift(self, levels: Sequence[float]) -> bool:
        """Correct the samples for the current drift estimate; return whether a sample changed."""
        known = len(self.samples) - len(self.taken)
        found = [(values[0] / levels[before], *values[1:]) for before, values in self.taken]
        changed = found != self.samples[known:]
        self.samples[known:] = found
        return changed

    def forget(self) -> None:
        """Remove all samples."""
        self.samples.clear()
        self.taken.clear()

    def mean(self) -> tuple[float, ...]:
        """Return the geometric mean of each objective."""
        return tuple(statistics.geometric_mean(column) for column in zip(*self.samples, strict=True))

    def typical(self) -> float:
        """Return the median of the first objective, which is robust against one exceptionally fast run in three."""
        values = [sample[0] for sample in self.samples]
        return statistics.median(values) if len(values) >= _RECENT else statistics.geometric_mean(values)


def deviation(defaults: Arm) -> float:
    """Return the standard deviation of the logarithm between successive runs of the defaults.

    Successive differences reduce the influence of drifts and steps, which this value helps to detect.
    """
    logs = [math.log(sample[0]) for sample in defaults.samples]
    if len(logs) < 2:  # noqa: PLR2004
        return _LEAST_DEVIATION
    spread = _DIFFERENCE_TO_DEVIATION * statistics.fmean(abs(b - a) for a, b in itertools.pairwise(logs))
    return max(spread, _LEAST_DEVIATION)


def levels(defaults: Arm, policy: StudyPolicy, at_once: int = 1) -> list[float]:
    """Return the slowdown of the machine at each run of the defaults, relative to the beginning.

    The slowdown is 1 unless the defaults differ clearly. Between two different runs of the defaults, the faster level
    applies to the trials: slow trials must then be repeated, but no trial looks faster than it is. A slower level
    applies to later trials only if the defaults are slow twice with trials between, because the last `at_once` runs
    were consecutive and may share a short disturbance.
    """
    samples = [sample[0] for sample in defaults.samples]
    first, limit = policy.defaults_first, _DRIFT_DEVIATIONS * deviation(defaults)

    smooth = [
        statistics.median(samples[max(0, min(at - 1, len(samples) - _RECENT)) :][:_RECENT])
        for at in range(len(samples))
    ]

    def level(run: int) -> float:
        if run < first:
            return 1.0
        change = math.log(min(smooth[run - 1 : run + 1]) / statistics.median(samples[:first]))
        return math.exp(change) if abs(change) > limit else 1.0

    found = [level(run) for run in range(len(samples) + 1)]
    return [*found[:-1], min(found[-1], found[max(len(samples) - at_once, 0)])]
