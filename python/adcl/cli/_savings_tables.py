"""Tables of ``adcl report`` for the interposer's report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.cli._console import say, show_table
from adcl.report import bytes_text, seconds
from adcl.trace import outcome, sentence

if TYPE_CHECKING:
    from adcl.trace import Saved, SavingsReport

__all__ = ["print_savings"]


def _saved(saved: Saved | None) -> str:
    return "–" if saved is None else f"{seconds(saved.seconds)} ({seconds(saved.low)} to {seconds(saved.high)})"


def print_savings(report: SavingsReport) -> None:
    """Print one sentence, then a row for each function and size class, then the calls that were passed through."""
    say(sentence(report))
    if report.searched:
        say("")
        show_table(
            ("call", "up to", "calls", "seconds", "runs", "saved"),
            [
                [
                    (row.call, ""),
                    (bytes_text(row.up_to_bytes), ""),
                    (str(row.calls), ""),
                    (seconds(row.seconds), ""),
                    (outcome(row), ""),
                    (_saved(row.saved), ""),
                ]
                for row in report.searched
            ],
        )
    if report.passed:
        say("")
        say("passed through: " + ", ".join(f"{number} {name}" for name, number in report.passed.items()))
