"""The runs of one configuration, and what those of the defaults say about the machine: pure numbers."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcl.tune._plan import Care

__all__ = ["Arm", "deviation", "drift"]

_DRIFT_DEVIATIONS = 3.0
_LEAST_DEVIATION = 0.002
_MAD_TO_DEVIATION = 1.4826
_RECENT = 3


@dataclass
class Arm:
    """The runs of one configuration."""

    samples: list[tuple[float, ...]] = field(default_factory=list)
    failures: int = 0
    late: bool = False
    """Whether a repetition was stopped although the scenario had been fast."""

    def mean(self) -> tuple[float, ...]:
        """Geometric mean of each objective."""
        return tuple(statistics.geometric_mean(column) for column in zip(*self.samples, strict=True))


def deviation(defaults: Arm) -> float:
    """How much runs of the defaults differ: the standard deviation of the logarithm, robustly."""
    logs = [math.log(one[0]) for one in defaults.samples]
    if len(logs) < 2:  # noqa: PLR2004
        return _LEAST_DEVIATION
    middle = statistics.median(logs)
    spread = _MAD_TO_DEVIATION * statistics.median(abs(one - middle) for one in logs)
    return max(spread, _LEAST_DEVIATION)


def drift(defaults: Arm, care: Care) -> float:
    """How many times slower the machine is than at the beginning; 1 unless the defaults say so clearly."""
    samples = [one[0] for one in defaults.samples]
    first, last = samples[: care.defaults_first], samples[-_RECENT:]
    if len(samples) < care.defaults_first + _RECENT:
        return 1.0
    change = math.log(statistics.median(last) / statistics.median(first))
    return math.exp(change) if abs(change) > _DRIFT_DEVIATIONS * deviation(defaults) else 1.0
