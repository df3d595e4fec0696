"""What a trial is judged by."""

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
    """A program did not print what it is judged by."""


@dataclass(frozen=True)
class Objective:
    """A number that is to become small. Raises `UsageError` for an invalid combination.

    `wall` is the time of the whole program in seconds, `mpi` the largest time that a rank spent in MPI, `energy` what
    this machine's processors used in joules, and `output` a number that the program prints.
    """

    measure: Measure = "wall"
    pattern: str | None = None
    """For `output`: a regular expression whose only group is the number."""

    take: Take = "last"
    """For `output`: which of several matches, or what is made of them."""

    larger_is_better: bool = False
    """For `output`: the cost is then the reciprocal of the number, so that ratios stay what they are."""

    def __post_init__(self) -> None:
        """Refuse patterns that are missing, superfluous or wrong."""
        if (self.pattern is None) == (self.measure == "output"):
            raise UsageError('the measure "output" needs a pattern, and no other measure takes one')
        if self.measure != "output" and (self.take != "last" or self.larger_is_better):
            raise UsageError(f"the measure {self.measure} is one number that should be small")
        if self.pattern is not None and self._expression.groups != 1:
            raise UsageError(
                f"the pattern {self.pattern!r} needs one group, the number, and has {self._expression.groups}"
            )

    @functools.cached_property
    def _expression(self) -> re.Pattern[str]:
        try:
            return re.compile(self.pattern or "", re.MULTILINE)
        except re.error as error:
            raise UsageError(f"the pattern {self.pattern!r} is not a valid regular expression: {error}") from error

    @property
    def name(self) -> str:
        """What it is called in tables and journals."""
        return self.measure

    def printed(self, output: str) -> float:
        """Read the cost from what a program printed. Raises `BadOutputError`."""
        texts = [match[1] for match in self._expression.finditer(output)]
        if not texts:
            raise BadOutputError(f"nothing in the output matches {self.pattern!r}")
        value = _combined([self._number(text) for text in texts], self.take)
        if not self.larger_is_better:
            return value
        if value <= 0:
            raise BadOutputError(f"{value:g} was printed where a number above 0 was expected")
        return 1 / value

    def _number(self, text: str | None) -> float:
        try:
            value = float(text or "")
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise BadOutputError(f"{(text or '')[:_SHOWN]!r} was printed where a number was expected")
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
