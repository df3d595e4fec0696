"""Fewer points that look the same: what is drawn of a million measurements. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adcl.trace._columns import Measurements

__all__ = ["TimeSpread", "outliers_of", "spread_of", "stretches"]

_OUTSIDE = 12
"""Values beyond the whiskers that are drawn, at most."""


def stretches(x: NDArray[np.int64], y: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """Places of at most `most` points: of each stretch of `x` the shortest, the median and the longest `y`.

    All places where there are no more than that; in the order of `x`, which ascends.
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
    """Which measurements took more than `bound` times as long as their codelet's shortest one."""
    shortest = np.full(len(measurements.codelets), np.inf)
    np.minimum.at(shortest, measurements.codelet, measurements.seconds)
    return np.asarray(measurements.seconds > bound * shortest[measurements.codelet], dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class TimeSpread:
    """How times scatter, in seconds. The whiskers leave out a twentieth at either end."""

    count: int
    low: float
    lower: float
    median: float
    upper: float
    high: float
    outside: tuple[float, ...]
    """Of those above the upper whisker: all, or some that stand for them, the longest among them."""


def spread_of(seconds: NDArray[np.float64]) -> TimeSpread:
    """Sum up one time or more."""
    low, lower, median, upper, high = (float(value) for value in np.quantile(seconds, (0.05, 0.25, 0.5, 0.75, 0.95)))
    outside = np.sort(seconds[seconds > high])
    if len(outside) > _OUTSIDE:
        outside = outside[np.linspace(0, len(outside) - 1, _OUTSIDE).astype(np.int64)]
    return TimeSpread(len(seconds), low, lower, median, upper, high, tuple(float(value) for value in outside))
