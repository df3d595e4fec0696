"""Settings as they are told to people and to programs, with what paired runs have shown of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcl.tune.space import Value

__all__ = ["NOT_CONFIRMED", "NotConfirmed", "Setting", "interval_text", "without_it"]

NOT_CONFIRMED = "not confirmed, and no part of the advice"


def without_it(slower: float | None, *, failed: bool) -> str:
    """Say what runs without a setting have shown; empty where there are none, since it cannot be taken out alone."""
    if failed:
        return "without it the program fails"
    return "" if slower is None else f"without it {slower:.2f} times slower"


def interval_text(interval: tuple[float, float] | None, confidence: float | None, pairs: int) -> str:
    """Write an interval with the number of paired runs that it is from."""
    if interval is None or confidence is None or pairs < 2:  # noqa: PLR2004
        return "no paired runs"
    low, high = interval
    return f"{low:.2f} to {high:.2f} in {pairs} paired runs, confidence {confidence:.1%}"


@dataclass(frozen=True)
class Setting:
    """A setting that differs from the library's default."""

    name: str
    value: Value
    default: Value | None
    slower_without: float | None = None
    """How many times slower paired runs without it were; None where it cannot be taken out alone."""

    needed: bool = False
    """Whether the program does not run without it, where the others are set."""

    def line(self) -> str:
        """Say it in words."""
        default = "" if self.default is None else f"  (default {self.default})"
        shown = without_it(self.slower_without, failed=self.needed)
        return f"{self.name} = {self.value}{default}" + (f"; {shown}" if shown else "")


@dataclass(frozen=True)
class NotConfirmed:
    """Settings that looked better than what is advised."""

    settings: tuple[Setting, ...]
    ratio: float
    """How many times better than the defaults they were."""

    interval: tuple[float, float] | None
    """None: they were not run beside the defaults in turns."""

    confidence: float
    pairs: int
    reason: str

    def lines(self) -> list[str]:
        """Say it in words."""
        found = [f"{NOT_CONFIRMED}: {self.sentence()}"]
        return [*found, *(f"  {setting.line()}" for setting in self.settings)]

    def sentence(self) -> str:
        """Say what they did, and why they are not advised."""
        several = "with these settings" if len(self.settings) > 1 else "with this setting"
        seen = interval_text(self.interval, self.confidence, self.pairs)
        return f"{several} it was {self.ratio:.2f} times better than the defaults ({seen}), but {self.reason}"
