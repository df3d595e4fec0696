"""Tables of ``adcl report`` for the interposer's report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.cli._console import say, show_table
from adcl.pages import bytes_text, seconds
from adcl.trace import broken_guidelines, gain, history_sentence, outcome, passed, sentence

if TYPE_CHECKING:
    from adcl.trace import SavingsReport

__all__ = ["print_savings"]


def print_savings(report: SavingsReport) -> None:
    """Print one sentence, a row per function and size class, the calls that were passed through, and the history."""
    dry = report.mode == "measure"
    say(sentence(report))
    if report.searched:
        say("")
        show_table(
            ("function", "up to", "calls", "time", "in use", "would save" if dry else "saved"),
            [
                [
                    (row.call, ""),
                    (bytes_text(row.up_to_bytes) if row.up_to_bytes else "any size", ""),
                    (str(row.calls), ""),
                    (seconds(row.seconds), ""),
                    (outcome(row), ""),
                    (gain(row), ""),
                ]
                for row in report.searched
            ],
        )
    if lines := broken_guidelines(report):
        say("")
        say("guidelines that the MPI library violates:")
        for line in lines:
            say(f"- {line}")
    if report.passed:
        say("")
        say(passed(report))
    say("")
    say(history_sentence(report))
