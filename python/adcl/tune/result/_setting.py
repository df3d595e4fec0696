"""Settings and the results of paired runs for each, as text and data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcl.tune.space import Value

__all__ = ["NOT_CONFIRMED", "NotConfirmed", "Setting", "interval_text", "removal_text"]

NOT_CONFIRMED = "not confirmed, and not part of the advice"


def removal_text(slower: float | None, *, failed: bool) -> str:
    """Return the result of runs without a setting; empty if the setting cannot be removed alone."""
    if failed:
        return "without it, the program fails"
    return "" if slower is None else f"without it, the program is {slower:.2f} times slower"


def interval_text(interval: tuple[float, float] | None, confidence: float | None, pairs: int) -> str:
    """Format an interval with its number of paired runs."""
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
    """Slowdown of paired runs without the setting; None if the setting cannot be removed alone."""

    needed: bool = False
    """Whether the program fails without the setting while the other settings are set."""

    def line(self) -> str:
        """Format the setting as text."""
        default = "" if self.default is None else f"  (default {self.default})"
        shown = removal_text(self.slower_without, failed=self.needed)
        return f"{self.name} = {self.value}{default}" + (f"; {shown}" if shown else "")


@dataclass(frozen=True)
class NotConfirmed:
    """Settings that looked better than the advice."""

    settings: tuple[Setting, ...]
    ratio: float
    """Speedup over the defaults."""

    interval: tuple[float, float] | None
    """Interval of the speedup; None: there were no paired runs."""

    confidence: float
    pairs: int
    reason: str

    def lines(self) -> list[str]:
        """Format the result as text."""
        found = [f"{NOT_CONFIRMED}: {self.sentence()}"]
        return [*found, *(f"  {setting.line()}" for setting in self.settings)]

    def sentence(self) -> str:
        """Return the result and the reason for not advising the settings."""
        several = "these settings were" if len(self.settings) > 1 else "this setting was"
        seen = interval_text(self.interval, self.confidence, self.pairs)
        return f"{several} {self.ratio:.2f} times better than the defaults ({seen}), but {self.reason}"
