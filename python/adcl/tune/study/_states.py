"""Detect two states of the machine during a study. Pure.

A host may move a virtual core, another job may start on the node, or a processor may become warm: runs suddenly take
twice as long, and minutes later they take as long as before. The effect of a setting may depend on the state. Therefore
the runs of the defaults are split into two groups that minimize the differences of the logarithms within each group.
Two states exist if the groups are far apart compared with the differences within them, and if runs of the same group
follow one another more often than by chance.
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
"""Minimum ratio of the times in the slower and the faster state."""

_LEFT_WITHIN = 0.2
"""Maximum share of the sum of squares within the groups; uniformly distributed numbers have a share of 0.25."""

_CHANGES = 0.5
"""Maximum number of changes between the groups, relative to the number expected by chance."""


@dataclass(frozen=True)
class MachineStates:
    """Two states, the faster state first."""

    typical: tuple[float, float]
    """Median of the defaults in each state."""

    runs: tuple[int, int]
    """Number of runs of the defaults in each state."""

    boundary: float
    """Runs of the defaults below this value belong to the faster state."""


def _squares(values: Sequence[float]) -> float:
    """Return the sum of the squared differences from the mean."""
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values)


def machine_states(samples: Sequence[float]) -> MachineStates | None:
    """Return the two states of the defaults' runs (positive numbers in order); None if there is one state."""
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
