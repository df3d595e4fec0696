"""Statements of the thesis that records decide, and the formulas of its chapter 4."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies._catalog import Agreement
from studies._page import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.evaluate import Runs

__all__ = ["Gain", "Statement", "counted", "gain", "statement_table"]


@dataclass(frozen=True)
class Statement:
    """A statement of the thesis, and what the records say of it."""

    text: str
    section: str
    here: str
    """The figures that decide."""

    holds: bool


def statement_table(every: Sequence[Statement]) -> str:
    """Return a table of statements, with what was found here."""
    rows = [(one.text, one.section, one.here, "yes" if one.holds else "no") for one in every]
    return table(("the thesis states", "section", "here", "holds"), rows)


def counted(every: Sequence[Statement]) -> Agreement:
    """Count the statements that hold."""
    return Agreement("statements of the thesis that hold", sum(one.holds for one in every), len(every))


@dataclass(frozen=True)
class Gain:
    """How much less time the winner takes, in percent, and the uncertainty of that (section 4.2.3)."""

    percent: float
    uncertainty: float

    @property
    def significant(self) -> bool:
        """Whether the gain or the loss is larger than its uncertainty."""
        return abs(self.percent) > self.uncertainty

    def __str__(self) -> str:
        return f"{self.percent:.2f} ± {self.uncertainty:.2f}"


def gain(other: Runs, winner: Runs) -> Gain:
    """Return g_k and utot_k: `other` are the runs of the native codelet (n) or of the original program (o)."""
    percent = 100.0 * (other.average - winner.average) / other.average
    mine = winner.average / other.average**2 * (other.uncertainty or 0.0)
    return Gain(percent, 100.0 * math.hypot(mine, (winner.uncertainty or 0.0) / other.average))
