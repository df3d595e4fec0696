"""Tables of ``adcl report``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from adcl.pages import seconds
from adcl.trace import facts, title, untried

if TYPE_CHECKING:
    from rich.console import Console

    from adcl.trace import CandidateRow, Trace, TracedSearch

__all__ = ["print_trace"]

_WIDEST = 100


def _time(value: float | None) -> str:
    return "–" if value is None else seconds(value)


def _mark(row: CandidateRow, search: TracedSearch) -> str:
    decision = search.decision
    if decision is None:
        return ""
    return "*" if row.codelet == decision.winner else "=" if row.codelet in decision.ties else ""


def _candidates(search: TracedSearch) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("codelet", no_wrap=True)
    for header in ("judged", "mean", "outliers", "measured"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("removed because", overflow="fold")
    without = untried(search)
    for row in search.rows:
        if row.codelet in without:
            continue
        table.add_row(
            _mark(row, search),
            Text(row.codelet),
            _time(row.judged_s),
            _time(row.mean_s),
            str(row.outliers) if row.measurements else "–",
            str(row.measurements),
            Text(row.remark),
        )
    return table


def print_trace(console: Console, trace: Trace) -> None:
    """Print one block for each search."""
    width = min(console.width, _WIDEST)
    of_files = f" of {trace.files}" if trace.files > 1 else ""
    console.print(Text(f"rank {trace.rank}{of_files}: {trace.path}"), width=width, soft_wrap=True)
    if trace.cut:
        console.print("the last record is incomplete: the program ended while writing it", style="yellow")
    if not trace.searches:
        console.print("the program created no ADCL request")
    several = len(trace.runs) > 1
    for search in trace.searches:
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(style="bold", no_wrap=True)
        table.add_column(overflow="fold")
        for name, value in facts(search):
            table.add_row(name, Text(value))
        console.print("")
        console.print(Text(title(search, several_runs=several), style="bold"), width=width)
        console.print(table, width=width)
        console.print(_candidates(search), width=width)
        if without := untried(search):
            console.print(Text(f"not tried: {', '.join(without)}"), width=width)
