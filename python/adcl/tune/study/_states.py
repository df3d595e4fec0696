"""Whether a machine was in two states while a study ran: pure numbers, no clock.

A virtual core that its host moves, another job on the node, a processor that becomes warm: runs take twice as long from
one moment to another, and minutes later they do not any more. What a setting gains may differ from one such state to
the other. So the runs of the defaults are looked at in their order: they are split in two groups so that the logarithms
differ least within each. Two states are there when the groups are far apart compared with what is left within them, and
the runs of each follow one another more often than chance would have it.
"""

from __future__ import annotations

import itertools
import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MachineStates", "machine_states"]

_FEWEST = 8
_FEWEST_EACH = 3
_APART = 1.25
"""So many times longer runs of the slower state take than those of the faster one, at least."""

_LEFT_WITHIN = 0.2
"""Part of the sum of squares that may be left within the groups; of numbers that spread evenly a quarter would be."""

_CHANGES = 0.5
"""So many changes from one group to the other there may be, in parts of what chance would have."""


@dataclass(frozen=True)
class MachineStates:
    """Two states, the faster one first."""

    typical: tuple[float, float]
    """What the defaults took in each: the median."""

    runs: tuple[int, int]
    """Of the defaults, in each."""

    boundary: float
    """Runs of the defaults that took less were made in the faster state."""


def _squares(values: Sequence[float]) -> float:
    """Sum of the squared differences to the mean."""
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values)


def machine_states(samples: Sequence[float]) -> MachineStates | None:
    """Return the two states that runs of the defaults show, positive numbers in their order; None: it was one."""
    if len(samples) < _FEWEST:
        return None
    logs = sorted(math.log(value) for value in samples)

    def within(faster: int) -> float:
        return _squares(logs[:faster]) + _squares(logs[faster:])

    size = min(range(_FEWEST_EACH, len(logs) - _FEWEST_EACH + 1), key=within)
    faster, slower = logs[:size], logs[size:]
    apart = statistics.median(slower) - statistics.median(faster)
    if apart < math.log(_APART) or within(size) > _LEFT_WITHIN * _squares(logs):
        return None
    boundary = math.exp((faster[-1] + slower[0]) / 2)
    changes = sum((a < boundary) != (b < boundary) for a, b in itertools.pairwise(samples))
    if changes > _CHANGES * 2 * len(faster) * len(slower) / len(logs):
        return None
    typical = (math.exp(statistics.median(faster)), math.exp(statistics.median(slower)))
    return MachineStates(typical, (len(faster), len(slower)), boundary)
