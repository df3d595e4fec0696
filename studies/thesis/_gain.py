"""Gains of codelets, by the formulas of section 4.2.3."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcl.evaluate import Runs

__all__ = ["Gain", "gain"]


@dataclass(frozen=True)
class Gain:
    """Time reduction of the winner in percent, and its uncertainty (section 4.2.3)."""

    percent: float
    uncertainty: float

    @property
    def significant(self) -> bool:
        """True if the gain or the loss is larger than its uncertainty."""
        return abs(self.percent) > self.uncertainty

    def __str__(self) -> str:
        return f"{self.percent:.2f} ± {self.uncertainty:.2f}"


def gain(other: Runs, winner: Runs) -> Gain:
    """Return g_k and utot_k; `other` has the runs of the native codelet (k = n) or of the original program (k = o)."""
    percent = 100.0 * (other.average - winner.average) / other.average
    mine = winner.average / other.average**2 * (other.uncertainty or 0.0)
    return Gain(percent, 100.0 * math.hypot(mine, (winner.uncertainty or 0.0) / other.average))
