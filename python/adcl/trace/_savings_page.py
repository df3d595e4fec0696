"""HTML page of the interposer's report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.pages import Column, Facts, Headline, Page, Table, Text, bytes_text, seconds
from adcl.trace._savings_words import broken_guidelines, gain, outcome, passed, sentence

if TYPE_CHECKING:
    from adcl.pages import Block
    from adcl.trace._savings import SavingsReport

__all__ = ["savings_page"]


def savings_page(report: SavingsReport) -> Page:
    """Return the page: one sentence to quote, the conditions, and a row for each function and size class."""
    columns: tuple[Column | str, ...] = (
        "function",
        *(Column(name, numeric=True) for name in ("up to", "calls", "time")),
        "in use",
        "saved",
        "search",
    )
    rows = tuple(
        (
            row.call,
            bytes_text(row.up_to_bytes),
            row.calls,
            seconds(row.seconds),
            outcome(row),
            gain(row),
            seconds(row.search_seconds),
        )
        for row in report.searched
    )
    marked = tuple(place for place, row in enumerate(report.searched) if row.saved is not None and row.saved.low > 0)
    summary: list[Block] = [
        Headline(sentence(report), "good" if report.saved.low > 0 else "neutral"),
        Facts(
            {
                "program": report.program,
                "MPI library": report.mpi_library,
                "ranks": report.ranks,
                "time": seconds(report.seconds),
                "time in searched calls": seconds(report.collective_seconds),
                "cost of the searches": seconds(report.search_seconds),
                "bits of floating-point reductions": report.bits,
            }
        ),
    ]
    if rows:
        summary.append(Table(columns, rows, marked=marked))
    if lines := broken_guidelines(report):
        summary.append(Text(("Performance guidelines that the MPI library violates:", *lines)))
    if report.passed:
        summary.append(Text((passed(report),)))
    return Page(f"ADCL: collectives of {report.program}", tuple(summary), tool="adcl report")
