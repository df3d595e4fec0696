"""Statistics of runs: overlap, winners, stability, relative times, ranking errors. Pure.

The formulas are from chapters 4 to 6 of the thesis on ADCL. Times are in seconds, shares in percent.
"""

from __future__ import annotations

import itertools
import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "CONFIDENCE",
    "STABILITY",
    "WITHIN_PERCENT",
    "Average",
    "RankingError",
    "Runs",
    "TimeChange",
    "average",
    "instability",
    "losers",
    "loss_percent",
    "over",
    "overlap",
    "ranking_error",
    "share_interval",
    "stability",
    "winners",
]

CONFIDENCE = 0.95
"""Confidence of all intervals."""

WITHIN_PERCENT = 2.0
"""A decision is right if its codelet is at most this much slower than the best codelet, in percent."""

_FEWEST = 2
_NORMAL = statistics.NormalDist().inv_cdf(0.5 + CONFIDENCE / 2.0)
_MOST_APART = 10.0
_LARGEST_LOG = 50.0
"""Bound that keeps the ends of the widest intervals finite."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Times of repeated runs (eq. 5.8 to 5.10). Raises `ValueError` if there are none."""

    times: tuple[float, ...]

    def __post_init__(self) -> None:
        """Reject an empty tuple."""
        if not self.times or not all(0.0 < time < math.inf for time in self.times):
            raise ValueError(f"expected at least one time, all finite and above 0, found {self.times}")

    @property
    def average(self) -> float:
        """Mean time."""
        return statistics.fmean(self.times)

    @property
    def low(self) -> float:
        """Shortest time."""
        return min(self.times)

    @property
    def high(self) -> float:
        """Longest time."""
        return max(self.times)

    @property
    def uncertainty(self) -> float | None:
        """Standard deviation of the mean (section 4.2.3); None for a single run."""
        if len(self.times) < 2:  # noqa: PLR2004
            return None
        return statistics.stdev(self.times) / math.sqrt(len(self.times))

    @classmethod
    def together(cls, several: Iterable[Runs]) -> Runs:
        """Return the runs of several codelets, pooled."""
        return cls(tuple(time for runs in several for time in runs.times))


def overlap(one: Runs, other: Runs) -> bool:
    """Return whether the ranges of the times overlap, so that the ranking is not certain (eq. 5.11)."""
    return not (one.low > other.high or one.high < other.low)


def winners(verified: Mapping[str, Runs]) -> tuple[str, ...]:
    """Return the codelet with the shortest run, and all codelets whose runs overlap with its runs."""
    if not verified:
        return ()
    best = min(verified, key=lambda name: verified[name].low)
    return tuple(name for name, runs in verified.items() if overlap(runs, verified[best]))


def losers(verified: Mapping[str, Runs]) -> tuple[str, ...]:
    """Return the codelet with the longest run, and all codelets whose runs overlap with its runs."""
    if not verified:
        return ()
    worst = max(verified, key=lambda name: verified[name].high)
    return tuple(name for name, runs in verified.items() if overlap(runs, verified[worst]))


def instability(verified: Mapping[str, Runs]) -> dict[str, float]:
    """Return, for each codelet, the share of the other codelets whose runs overlap with its runs (section 6.3.1)."""
    others = max(len(verified) - 1, 1)
    return {
        name: sum(overlap(runs, other) for also, other in verified.items() if also != name) / others
        for name, runs in verified.items()
    }


STABILITY = ((0.2, "++", "very stable"), (0.4, "+", "stable"), (0.6, "o", "fair"), (0.8, "-", "unstable"))
"""Upper limit, sign and name of each class of instability; values above the last limit are `--`, very unstable."""


def stability(share: float) -> str:
    """Return the sign of an instability's class: ++, +, o, - or --."""
    return next((sign for limit, sign, _ in STABILITY if share < limit), "--")


def loss_percent(codelet: str, verified: Mapping[str, Runs]) -> float | None:
    """Return the percentage by which a codelet's mean time exceeds the best codelet's mean time; None without runs."""
    if codelet not in verified:
        return None
    best = min(runs.average for runs in verified.values())
    return 100.0 * (verified[codelet].average / best - 1.0)


@dataclass(frozen=True, slots=True)
class TimeChange:
    """Change of a time relative to a reference, in percent; negative is faster. With a 95 % confidence interval."""

    percent: float
    low: float
    high: float
    runs: int
    reference_runs: int

    @property
    def determined(self) -> bool:
        """Whether the interval is narrow enough to be shown."""
        return _determined(self.low, self.high)


def over(ours: Runs, reference: Runs) -> TimeChange | None:
    """Compare two means; None if either has a single run, which has no interval.

    The interval is Welch's for the difference of the logarithms; the standard error of a logarithm is the standard
    error of the average divided by the average.
    """
    counts = len(ours.times), len(reference.times)
    if min(counts) < _FEWEST:
        return None
    ratio = ours.average / reference.average
    parts = [((one.uncertainty or 0.0) / one.average) ** 2 for one in (ours, reference)]
    variance = sum(parts)
    width = 1.0
    if variance > 0.0:
        freedom = variance**2 / sum(part**2 / (count - 1) for part, count in zip(parts, counts, strict=True))
        width = math.exp(min(_quantile(freedom) * math.sqrt(variance), _LARGEST_LOG))
    return TimeChange(100.0 * (ratio - 1.0), 100.0 * (ratio / width - 1.0), 100.0 * (ratio * width - 1.0), *counts)


@dataclass(frozen=True, slots=True)
class Average:
    """Average of percentages, with a 95 % confidence interval."""

    percent: float
    low: float
    high: float
    count: int

    @property
    def determined(self) -> bool:
        """Whether the interval is narrow enough to be shown."""
        return _determined(self.low, self.high)


def _determined(low: float, high: float) -> bool:
    """Return whether the times at the two ends of an interval of percentages differ by less than a factor of 10."""
    return 100.0 + high < _MOST_APART * (100.0 + low)


def average(known: Sequence[TimeChange]) -> Average | None:
    """Return the mean of several comparisons; None for fewer than two.

    The interval is the wider of two: one from the spread of the comparisons, one from the mean of their own intervals,
    which assumes that all errors have the same direction.
    """
    if len(known) < _FEWEST:
        return None
    values = [one.percent for one in known]
    mean = statistics.fmean(values)
    width = _quantile(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    low = min(mean - width, statistics.fmean(one.low for one in known))
    return Average(mean, low, max(mean + width, statistics.fmean(one.high for one in known)), len(values))


def share_interval(good: int, count: int) -> tuple[float, float]:
    """Return Wilson's interval for a share, with 95 % confidence."""
    share, squared = good / count, _NORMAL**2
    middle = (share + squared / (2 * count)) / (1 + squared / count)
    width = _NORMAL / (1 + squared / count) * math.sqrt(share * (1 - share) / count + squared / (4 * count**2))
    return max(0.0, middle - width), min(1.0, middle + width)


def _quantile(freedom: float) -> float:
    from scipy.special import stdtrit  # scipy.stats takes a second to load

    return float(stdtrit(freedom, 0.5 + CONFIDENCE / 2.0))


@dataclass(frozen=True, slots=True)
class RankingError:
    """Errors of a ranking, in percent of the best codelet's time (section 6.3.2)."""

    worst_low: float
    worst: float
    worst_high: float
    """Largest e_min, e_avg and e_max of a pair (Fig. 6.7)."""

    sum_low: float
    sum: float
    sum_high: float
    """Sums of e_min, e_avg and e_max over all pairs (Fig. 6.8)."""


def _overheads(values: Mapping[str, float]) -> dict[str, float]:
    best = min(values.values())
    return {name: 100.0 * (value / best - 1.0) for name, value in values.items()}


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def ranking_error(verified: Mapping[str, Runs], estimated: Mapping[str, float]) -> RankingError | None:
    """Compare the ranking by estimated times with the ranking by verification runs.

    An error is a pair in the opposite order whose runs do not overlap; its size is the distance between the runs.
    Codelets without both times are ignored; None if fewer than two remain.
    """
    names = [name for name in verified if name in estimated]
    if len(names) < 2:  # noqa: PLR2004
        return None
    average = _overheads({name: verified[name].average for name in names})
    low = _overheads({name: verified[name].low for name in names})
    high = _overheads({name: verified[name].high for name in names})
    guess = _overheads({name: estimated[name] for name in names})
    errors = [(0.0, 0.0, 0.0)]
    for one, other in itertools.permutations(names, 2):
        if overlap(verified[one], verified[other]):
            continue
        if _sign(guess[one] - guess[other]) == _sign(average[one] - average[other]):
            continue
        ends = (low[one] - high[other], high[one] - low[other])
        weight = average[one] - average[other]
        if weight > 0:
            # The shortest, average and longest runs are scaled separately, so both ends may lie on one side.
            errors.append((max(0.0, min(*ends, weight)), weight, max(*ends, weight)))
    lows, averages, highs = zip(*errors, strict=True)
    return RankingError(max(lows), max(averages), max(highs), sum(lows), sum(averages), sum(highs))
