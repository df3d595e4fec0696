"""The runs of one configuration, and what those of the defaults say about the machine: pure numbers."""

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
"""Of the mean absolute difference of two normal numbers."""

_RECENT = 3


@dataclass
class Arm:
    """The runs of one configuration."""

    samples: list[tuple[float, ...]] = field(default_factory=list)
    """What the runs took; of scenarios, as if the machine had stayed as it was."""

    taken: list[tuple[int, tuple[float, ...]]] = field(default_factory=list)
    """For the last of the samples: how many runs of the defaults there were before, and what was measured."""

    failures: int = 0
    late: bool = False
    """Whether a repetition was stopped although the scenario had been fast."""

    doubted: bool = False
    """Whether its first run was so slow that it is run once more."""

    def relevel(self, levels: Sequence[float]) -> bool:
        """Correct the samples for what is known by now of the machine; return whether that changed anything."""
        known = len(self.samples) - len(self.taken)
        found = [(values[0] / levels[before], *values[1:]) for before, values in self.taken]
        changed = found != self.samples[known:]
        self.samples[known:] = found
        return changed

    def forget(self) -> None:
        """Forget all samples."""
        self.samples.clear()
        self.taken.clear()

    def mean(self) -> tuple[float, ...]:
        """Geometric mean of each objective."""
        return tuple(statistics.geometric_mean(column) for column in zip(*self.samples, strict=True))

    def typical(self) -> float:
        """The median of the first objective, so that one lucky run of three does not count."""
        values = [sample[0] for sample in self.samples]
        return statistics.median(values) if len(values) >= _RECENT else statistics.geometric_mean(values)


def deviation(defaults: Arm) -> float:
    """How much a run of the defaults differs from the next one: the standard deviation of the logarithm.

    From successive differences, so that a drift or a step, which is looked for with it, counts little.
    """
    logs = [math.log(sample[0]) for sample in defaults.samples]
    if len(logs) < 2:  # noqa: PLR2004
        return _LEAST_DEVIATION
    spread = _DIFFERENCE_TO_DEVIATION * statistics.fmean(abs(b - a) for a, b in itertools.pairwise(logs))
    return max(spread, _LEAST_DEVIATION)


def levels(defaults: Arm, policy: StudyPolicy, at_once: int = 1) -> list[float]:
    """How many times slower the machine was than at the beginning, after each run of the defaults and before the first.

    It is 1 unless the defaults say so clearly. Between two runs of the defaults that differ the faster level holds as
    soon as the slower one is past: what was slow there will have to be run again, but nothing looks faster than it is.
    So a slower level holds for what follows only when the defaults are slow twice with trials between: the last
    `at_once` runs were made one after the other, perhaps in seconds in which something disturbed the machine.
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
