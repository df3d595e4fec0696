"""The runs of one configuration, and what those of the defaults say about the machine: pure numbers."""

from __future__ import annotations

import itertools
import math
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcl.tune.study._plan import StudyPolicy

__all__ = ["Arm", "deviation", "drift"]

_DRIFT_DEVIATIONS = 3.0
_LEAST_DEVIATION = 0.002
_DIFFERENCE_TO_DEVIATION = math.sqrt(math.pi) / 2
"""Of the mean absolute difference of two normal numbers."""

_RECENT = 3


@dataclass
class Arm:
    """The runs of one configuration."""

    samples: list[tuple[float, ...]] = field(default_factory=list)
    failures: int = 0
    late: bool = False
    """Whether a repetition was stopped although the scenario had been fast."""

    doubted: bool = False
    """Whether its first run was so slow that it is run once more."""

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


def drift(defaults: Arm, policy: StudyPolicy) -> float:
    """How many times slower the machine is than at the beginning; 1 unless the defaults say so clearly."""
    samples = [sample[0] for sample in defaults.samples]
    first, last = samples[: policy.defaults_first], samples[-_RECENT:]
    if len(samples) < policy.defaults_first + _RECENT:
        return 1.0
    change = math.log(statistics.median(last) / statistics.median(first))
    return math.exp(change) if abs(change) > _DRIFT_DEVIATIONS * deviation(defaults) else 1.0
