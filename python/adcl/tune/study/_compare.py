"""Paired comparison of finalists with the defaults: pure numbers, no clock.

Every round runs the defaults and each finalist once, in random order, so that a drift of the machine meets all of
them. What is compared are logarithms of ratios within a round. Their mean has a paired t interval; under equality
their distribution is symmetric, where the t interval errs on the safe side with heavy tails. The error probability is
divided by the number of finalists and by the number of times that the numbers are looked at (Bonferroni).
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.tune.space import Coordinates

__all__ = ["PairedComparison", "StudyVerdict", "compare"]


@dataclass(frozen=True)
class PairedComparison:
    """How many times faster than the defaults a finalist is, with its interval."""

    ratio: float
    """Geometric mean of default / finalist: above 1 the finalist is faster."""

    low: float
    high: float
    confidence: float
    """Of the interval, after the correction."""

    pairs: int

    @property
    def better(self) -> bool:
        """Whether the whole interval is above 1."""
        return self.low > 1.0

    @property
    def worse(self) -> bool:
        """Whether the whole interval is below 1."""
        return self.high < 1.0


@dataclass(frozen=True)
class StudyVerdict:
    """The advice of a study."""

    scenario: Coordinates | None
    """None: keep the defaults."""

    comparison: PairedComparison | None
    """Of the scenario with the defaults; of the best finalist when the defaults are kept; None without one."""

    confirmed: bool
    """Whether the comparison was made to its end."""

    reason: str
    needed: frozenset[int] = frozenset()
    """Places of the scenario's settings without which paired runs were slower."""

    unsimplified: str = ""
    """Why some of the settings were not put back to the defaults to see whether they matter; empty: all were."""


def compare(defaults: Sequence[float], finalist: Sequence[float], *, outside: float) -> PairedComparison:
    """Compare pairs of positive numbers.

    The two-sided interval leaves `outside` outside: the probability of a wrong verdict on any finalist at any look,
    divided by the number of finalists and of looks. With fewer than two pairs the interval is unbounded.
    """
    from scipy.special import stdtrit  # scipy.stats takes a second to load

    ratios = [math.log(default / other) for default, other in zip(defaults, finalist, strict=True)]
    mean = statistics.fmean(ratios) if ratios else 0.0
    if len(ratios) < 2:  # noqa: PLR2004
        return PairedComparison(math.exp(mean), 0.0, math.inf, 1.0 - outside, len(ratios))
    width = float(stdtrit(len(ratios) - 1, 1.0 - outside / 2.0)) * statistics.stdev(ratios) / math.sqrt(len(ratios))
    return PairedComparison(math.exp(mean), math.exp(mean - width), math.exp(mean + width), 1.0 - outside, len(ratios))
