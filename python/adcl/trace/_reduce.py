"""Select some of millions of points, so that a drawing looks similar. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adcl.trace._columns import Measurements

__all__ = ["TimeSpread", "outliers_of", "reduced_indices", "spread_of"]

_OUTSIDE = 12
"""Maximum number of drawn values beyond the whiskers."""


def reduced_indices(x: NDArray[np.int64], y: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """Return indices of at most `most` points: the shortest, the median and the longest `y` of each interval of `x`.

    Returns all indices if there are at most `most` points, in the order of `x`, which must be ascending.
    """
    if len(x) <= most:
        return np.arange(len(x))
    count = max(1, most // 3)
    width = (int(x[-1]) - int(x[0]) + 1) / count
    stretch = np.minimum(((x - x[0]) / width).astype(np.int64), count - 1)
    order = np.lexsort((y, stretch))
    edges = np.flatnonzero(np.diff(stretch[order])) + 1
    first = np.concatenate(([0], edges))
    last = np.concatenate((edges, [len(order)])) - 1
    return np.unique(order[np.concatenate((first, (first + last) // 2, last))])


def outliers_of(measurements: Measurements, bound: float) -> NDArray[np.bool_]:
    """Return which measurements exceed `bound` times the shortest of their codelet."""
    shortest = np.full(len(measurements.codelets), np.inf)
    np.minimum.at(shortest, measurements.codelet, measurements.seconds)
    return np.asarray(measurements.seconds > bound * shortest[measurements.codelet], dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class TimeSpread:
    """Distribution of times, in seconds. The whiskers exclude 5 % at either end."""

    count: int
    low: float
    lower: float
    median: float
    upper: float
    high: float
    outside: tuple[float, ...]
    """Values above the upper whisker: all, or a sample that includes the longest."""


def spread_of(seconds: NDArray[np.float64]) -> TimeSpread:
    """Summarize one or more times."""
    low, lower, median, upper, high = (float(value) for value in np.quantile(seconds, (0.05, 0.25, 0.5, 0.75, 0.95)))
    outside = np.sort(seconds[seconds > high])
    if len(outside) > _OUTSIDE:
        outside = outside[np.linspace(0, len(outside) - 1, _OUTSIDE).astype(np.int64)]
    return TimeSpread(len(seconds), low, lower, median, upper, high, tuple(float(value) for value in outside))
