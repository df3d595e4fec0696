"""Ticks of a logarithmic axis whose labels do not overlap. Pure."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["log_ticks"]

_LINE = 17.0
"""Minimum pixels between labels of a vertical axis."""

_LETTER = 7.5
"""Pixels of a digit; labels of a horizontal axis are two digits apart."""

_MOST_PLACES = 9
_DECADE = 10.0
_STEPS = (1.0, 2.0, 5.0)


def log_ticks(ends: tuple[float, float], places: set[float], pixels: float, *, vertical: bool) -> list[float]:
    """Return the ticks of an axis of the given length in pixels, vertical if `vertical`, otherwise horizontal.

    Ticks are at the values if there are only a few, otherwise at round numbers. If two labels of a list would overlap,
    drop the second of each pair, or use a coarser list.
    """
    low, high = min(ends), max(ends)
    length = math.log(high / low)

    def room(one: float, other: float) -> bool:
        wanted = _LINE if vertical else _LETTER * (2 + (len(f"{one:g}") + len(f"{other:g}")) / 2)
        return abs(math.log(other / one)) / length * pixels >= wanted

    inside = sorted(place for place in places if low <= place <= high)
    if 1 < len(inside) <= _MOST_PLACES:
        return _thinned(inside, room)
    ticks: list[float] = []
    for ticks in _round_numbers(low, high):
        if len(ticks) > 1 and all(room(one, other) for one, other in itertools.pairwise(ticks)):
            return ticks
    return ticks


def _thinned(values: Sequence[float], room: Callable[[float, float], bool]) -> list[float]:
    """Drop values whose labels would overlap with a neighbor's label; keep the last value."""
    kept = [values[-1]]
    for value in reversed(values[:-1]):
        if room(value, kept[-1]):
            kept.append(value)
    return kept[::-1]


def _round_numbers(low: float, high: float) -> Iterator[list[float]]:
    """Return lists of round numbers, the finest first."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    if high < _DECADE * low:
        for parts in (5, 4, 3, 2):
            yield _evenly(low, high, parts)
    for steps in (_STEPS, (1.0, 3.0)):
        ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
        yield [tick for tick in ticks if low <= tick <= high]
    for stride in range(1, last - first + 2):
        ticks = [10.0**power for power in range(first, last + 1) if power % stride == 0]
        yield [tick for tick in ticks if low <= tick <= high]


def _evenly(low: float, high: float, parts: int) -> list[float]:
    """Return multiples of a round number, at most `parts` plus two."""
    least = (high - low) / parts
    power = 10.0 ** math.floor(math.log10(least))
    step = next(one * power for one in (*_STEPS, _DECADE) if one * power >= least * (1.0 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [float(f"{number * step:.12g}") for number in range(first, math.floor(high / step + 1e-9) + 1) if number > 0]
