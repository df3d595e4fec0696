"""Paired comparison of finalists with the defaults. Pure.

Every round runs the defaults and each finalist once, in random order, so that drift affects all equally. The comparison
uses logarithms of ratios within a round. Their mean has a paired t interval; under equality their distribution is
symmetric, and the t interval is conservative for heavy tails. If single runs are several times slower or faster than
others, the t interval is too wide to show a gain. Therefore, with ten or more pairs, the interval of the median (sign
test), which ignores the size of outliers, is also computed. The error probability is divided by the number of
finalists, of evaluations, and of intervals (Bonferroni).
"""

from __future__ import annotations

import itertools
import math
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.tune.space import Coordinates

__all__ = ["PairedComparison", "StudyVerdict", "UnconfirmedGain", "compare"]


@dataclass(frozen=True)
class PairedComparison:
    """Speedup of a finalist over the defaults, with its interval."""

    ratio: float
    """Defaults divided by finalist, geometric mean or median: above 1 the finalist is faster."""

    low: float
    high: float
    confidence: float
    """Confidence of the interval, after the correction."""

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
class UnconfirmedGain:
    """Settings that looked better than the defaults but are not advised, because not all were shown to matter."""

    scenario: Coordinates
    comparison: PairedComparison
    """Comparison with the defaults; without pairs if the value comes from the search."""

    reason: str
    """Reason for not advising the settings, a clause to follow 'but'."""


@dataclass(frozen=True)
class StudyVerdict:
    """Advice of a study: settings that each matter according to paired runs, or the defaults."""

    scenario: Coordinates | None
    """Advised scenario; None: keep the defaults."""

    comparison: PairedComparison | None
    """Comparison of the scenario (if the defaults are kept: the best finalist) with the defaults; None: not made."""

    confirmed: bool
    """Whether the comparison is complete."""

    reason: str
    needed: Mapping[int, float] = field(default_factory=dict)
    """Slowdown of paired runs without each setting, by place. Settings that cannot be removed alone are missing."""

    unconfirmed: UnconfirmedGain | None = None
    """Settings that looked better than the advice."""


def compare(defaults: Sequence[float], finalist: Sequence[float], *, outside: float) -> PairedComparison:
    """Compare pairs of positive numbers.

    The two-sided interval has error probability `outside`: the probability of a wrong verdict on any finalist in any
    evaluation, divided by the number of finalists and of evaluations. With fewer than two pairs the interval is
    unbounded. Of the intervals of mean and median, which hold simultaneously with that probability, return the one that
    excludes 1, otherwise the narrower one.
    """
    ratios = [math.log(default / other) for default, other in zip(defaults, finalist, strict=True)]
    by_signs = _median(ratios, outside / 2.0)
    if by_signs is None:
        return _result(_mean(ratios, outside), outside, len(ratios))
    both = (_mean(ratios, outside / 2.0), by_signs)
    chosen = min(both, key=lambda interval: (interval[1] <= 0.0 <= interval[2], interval[2] - interval[1]))
    return _result(chosen, outside, len(ratios))


_Interval: TypeAlias = tuple[float, float, float]
"""Estimate, lower and upper end, as logarithms."""


def _result(interval: _Interval, outside: float, pairs: int) -> PairedComparison:
    ratio, low, high = (math.exp(value) for value in interval)
    return PairedComparison(ratio, low, high, 1.0 - outside, pairs)


def _mean(ratios: Sequence[float], outside: float) -> _Interval:
    """Return the mean with its t interval."""
    from scipy.special import stdtrit  # importing scipy.stats takes a second

    mean = statistics.fmean(ratios) if ratios else 0.0
    if len(ratios) < 2:  # noqa: PLR2004
        return mean, -math.inf, math.inf
    width = float(stdtrit(len(ratios) - 1, 1.0 - outside / 2.0)) * statistics.stdev(ratios) / math.sqrt(len(ratios))
    return mean, mean - width, mean + width


def _median(ratios: Sequence[float], outside: float) -> _Interval | None:
    """Return the median with the interval of the sign test, whose ends are two of the ratios.

    Returns None if there are too few ratios.
    """
    pairs, ordered = len(ratios), sorted(ratios)
    tails = itertools.accumulate(math.comb(pairs, below) for below in range(pairs // 2))
    left_out = sum(1 for tail in tails if 2 * tail <= outside * 2**pairs) - 1
    return None if left_out < 0 else (statistics.median(ordered), ordered[left_out], ordered[-1 - left_out])
