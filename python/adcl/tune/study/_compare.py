"""Paired comparison of finalists with the defaults: pure numbers, no clock.

Every round runs the defaults and each finalist once, in random order, so that a drift of the machine meets all of them.
What is compared are logarithms of ratios within a round. Their mean has a paired t interval; under equality their
distribution is symmetric, where the t interval errs on the safe side with heavy tails. But where single runs are
several times slower or faster than others, it is so wide that it shows no gain. So with ten pairs and more their median
has an interval too, that of the sign test, where it does not matter how far off single runs are. The error probability
is divided by the number of finalists, by the number of times that the numbers are looked at, and by the number of
intervals (Bonferroni).
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
    """How many times faster than the defaults a finalist is, with its interval."""

    ratio: float
    """Of default / finalist, the geometric mean or the median: above 1 the finalist is faster."""

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
class UnconfirmedGain:
    """Settings that looked better than the defaults and are not advised: it was not shown that each of them matters."""

    scenario: Coordinates
    comparison: PairedComparison
    """With the defaults; without pairs where it is what the search has seen."""

    reason: str
    """Why they are not advised, to follow 'but'."""


@dataclass(frozen=True)
class StudyVerdict:
    """The advice of a study: settings each of which was shown to matter in paired runs, or the defaults."""

    scenario: Coordinates | None
    """None: keep the defaults."""

    comparison: PairedComparison | None
    """Of the scenario with the defaults; of the best finalist when the defaults are kept; None without one."""

    confirmed: bool
    """Whether the comparison was made to its end."""

    reason: str
    needed: Mapping[int, float] = field(default_factory=dict)
    """For places of the scenario's settings: how many times slower paired runs were without it. One that is not there
    cannot be taken out alone."""

    unconfirmed: UnconfirmedGain | None = None
    """What looked better than the advice."""


def compare(defaults: Sequence[float], finalist: Sequence[float], *, outside: float) -> PairedComparison:
    """Compare pairs of positive numbers.

    The two-sided interval leaves `outside` outside: the probability of a wrong verdict on any finalist at any look,
    divided by the number of finalists and of looks. With fewer than two pairs the interval is unbounded. Of the
    intervals of the mean and of the median, both of which hold at once with that probability, it is the one that
    has 1 outside, or else the narrower one.
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
    """The mean with its t interval."""
    from scipy.special import stdtrit  # scipy.stats takes a second to load

    mean = statistics.fmean(ratios) if ratios else 0.0
    if len(ratios) < 2:  # noqa: PLR2004
        return mean, -math.inf, math.inf
    width = float(stdtrit(len(ratios) - 1, 1.0 - outside / 2.0)) * statistics.stdev(ratios) / math.sqrt(len(ratios))
    return mean, mean - width, mean + width


def _median(ratios: Sequence[float], outside: float) -> _Interval | None:
    """The median with the interval of the sign test, which ends at two of the ratios; None: they are too few."""
    pairs, ordered = len(ratios), sorted(ratios)
    tails = itertools.accumulate(math.comb(pairs, below) for below in range(pairs // 2))
    left_out = sum(1 for tail in tails if 2 * tail <= outside * 2**pairs) - 1
    return None if left_out < 0 else (statistics.median(ordered), ordered[left_out], ordered[-1 - left_out])
