"""Format relative times for the terminal and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.evaluate._statistics import CONFIDENCE, Average, TimeChange
from adcl.pages import seconds

if TYPE_CHECKING:
    from adcl.evaluate._analysis import RunSpread

__all__ = ["SIGN", "change_text", "interval_text", "percent_text", "runs_text", "share_text", "spread_text"]

SIGN = (
    f"Percentages are time differences relative to the reference: negative is faster, positive is slower. The "
    f"{CONFIDENCE:.0%} interval is in brackets; a dash marks a single run, which has no interval."
)
"""Introduction to the first table."""

UNDETERMINED = "undetermined"
"""Text shown for a percentage whose interval is too wide."""


def percent_text(value: float) -> str:
    """Format a percentage with its sign."""
    return f"{value:+.1f} %"


def interval_text(one: TimeChange | Average) -> str:
    """Format an interval."""
    return f"{one.low:+.1f} to {one.high:+.1f}"


def change_text(one: TimeChange | Average | None) -> str | None:
    """Format a percentage with its interval; None if there is no percentage."""
    if one is None:
        return None
    if not one.determined:
        return UNDETERMINED
    return f"{percent_text(one.percent)} ({interval_text(one)})"


def runs_text(one: TimeChange | None) -> str | None:
    """Format the numbers of runs of both compared programs."""
    return None if one is None else f"{one.runs} and {one.reference_runs}"


def share_text(share: float | None, interval: tuple[float, float] | None) -> str | None:
    """Format a share with its interval."""
    if share is None or interval is None:
        return None
    return f"{100 * share:.0f} % ({100 * interval[0]:.0f} to {100 * interval[1]:.0f})"


def spread_text(one: RunSpread | None) -> str | None:
    """Format the runs with the largest spread."""
    if one is None:
        return None
    return f"{one.what}: {seconds(one.low_s)} to {seconds(one.high_s)} in {one.runs} runs"
