"""Objectives of trials."""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from adcl.errors import AdclError, UsageError

__all__ = ["MEASURES", "TAKES", "BadOutputError", "Measure", "Objective", "Take"]

Measure: TypeAlias = Literal["wall", "output", "mpi", "energy"]
Take: TypeAlias = Literal["last", "first", "smallest", "largest", "sum", "mean"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
TAKES: tuple[Take, ...] = get_args(Take)

_SHOWN = 60


class BadOutputError(AdclError):
    """The program's output lacks the objective."""


@dataclass(frozen=True)
class Objective:
    """A number to minimize. Raises `UsageError` for an invalid combination.

    `wall` is the time of the whole program in seconds, `mpi` the largest time of a rank in MPI, `energy` the energy of
    this machine's processors in joules, and `output` a number that the program prints.
    """

    measure: Measure = "wall"
    pattern: str | None = None
    """For `output`: a regular expression whose only group is the number."""

    take: Take = "last"
    """For `output`: selection or combination of several matches."""

    larger_is_better: bool = False
    """For `output`: use the reciprocal of the number as cost, which preserves ratios."""

    def __post_init__(self) -> None:
        """Reject missing, superfluous or invalid patterns."""
        if (self.pattern is None) == (self.measure == "output"):
            raise UsageError('the measure "output" requires a pattern; other measures do not accept one')
        if self.measure != "output" and (self.take != "last" or self.larger_is_better):
            raise UsageError(f"the measure {self.measure} is a single number to minimize; remove take and goal")
        if self.pattern is not None and self._expression.groups != 1:
            raise UsageError(
                f"the pattern {self.pattern!r} must have one group, the number, but has {self._expression.groups}"
            )

    @functools.cached_property
    def _expression(self) -> re.Pattern[str]:
        try:
            return re.compile(self.pattern or "", re.MULTILINE)
        except re.error as error:
            raise UsageError(f"the pattern {self.pattern!r} is not a valid regular expression: {error}") from error

    @property
    def name(self) -> str:
        """Name in tables and journals."""
        return self.measure

    def printed(self, output: str) -> float:
        """Parse the cost in a program's output. Raises `BadOutputError`."""
        texts = [match[1] for match in self._expression.finditer(output)]
        if not texts:
            raise BadOutputError(f"nothing in the output matches {self.pattern!r}")
        value = _combined([self._number(text) for text in texts], self.take)
        if not self.larger_is_better:
            return value
        if value <= 0:
            raise BadOutputError(f"the output contains {value:g}, expected a number above 0")
        return 1 / value

    def _number(self, text: str | None) -> float:
        try:
            value = float(text or "")
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise BadOutputError(f"the output contains {(text or '')[:_SHOWN]!r}, expected a number")
        return value


def _combined(values: list[float], take: Take) -> float:
    match take:
        case "first":
            return values[0]
        case "last":
            return values[-1]
        case "smallest":
            return min(values)
        case "largest":
            return max(values)
        case "sum":
            return math.fsum(values)
        case "mean":
            return math.fsum(values) / len(values)
