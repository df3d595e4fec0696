"""The tables of ``adcl report``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from adcl.report import seconds

if TYPE_CHECKING:
    from rich.console import Console

    from adcl.trace import CandidateRow, Trace, TracedSearch

__all__ = ["print_trace"]

_WIDEST = 100


def _feature(name: str, value: float | str) -> str:
    return f"{name.replace('_', ' ')} {value if isinstance(value, str) else f'{value:.15g}'}"


def _problem(search: TracedSearch) -> list[tuple[str, str]]:
    facts = [("problem", search.problem)]
    features = [_feature(name, value) for name, value in search.features.items() if name != "pattern"]
    if features:
        facts.append(("features", ", ".join(features)))
    return facts


def _history(search: TracedSearch) -> list[tuple[str, str]]:
    return [
        ("reopened", f"after start {one.start}, {one.production} in production with {one.winner}: {one.reason}")
        for one in search.reopenings
    ]


def _facts(search: TracedSearch) -> list[tuple[str, str]]:
    decision = search.decision
    before = [*_problem(search), *_history(search)]
    measured = f"{search.measurements} measurements on this rank"
    if decision is None:
        reason = (
            "the program ended while searching" if search.mode else "the request was not started, or never measured"
        )
        return [*before, ("winner", f"none: {reason}"), ("search", measured)]
    facts = [*before, ("winner", decision.winner), ("because", decision.reason)]
    if decision.ties:
        what = "it" if len(decision.ties) == 1 else "them"
        facts.append(("ties", f"{', '.join(decision.ties)}: the measurements do not separate {what} from the winner"))
    if search.gain is not None and decision.winner != decision.first:
        facts.append(("gain", f"{search.gain:.2f} times as fast as {decision.first}, the first of the table"))
    spent = f"{seconds(decision.searching_s)} in the starts, {seconds(decision.preparation_s)} in plans and agreements"
    facts.append(("search", f"{decision.searching_starts} starts, {measured}; {spent}"))
    if decision.winner_s is not None:
        facts.append(("cost", f"{seconds(decision.lost_s)} more than the same number of starts of the winner"))
    return facts


def _title(search: TracedSearch, *, several_runs: bool) -> Text:
    parts = [f"{search.function_set} #{search.number}"]
    if several_runs:
        parts.insert(0, f"run {search.run}:")
    if search.names:
        parts.append(", ".join(search.names))
    shared = f", {search.requests} requests" if search.requests > 1 else ""
    used = f", used by {search.mode}" if search.mode else ""
    ranks = "1 rank" if search.ranks == 1 else f"{search.ranks} ranks"
    return Text(f"{' '.join(parts)} on {ranks}{shared}{used}", style="bold")


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
    table.add_column("codelet", overflow="fold")
    for header in ("judged", "mean", "outliers", "measured"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("removed because", overflow="fold")
    for row in search.rows:
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
    """One block for each search."""
    width = min(console.width, _WIDEST)
    of_files = f" of {trace.files}" if trace.files > 1 else ""
    console.print(Text(f"rank {trace.rank}{of_files}: {trace.path}"), width=width, soft_wrap=True)
    if trace.cut:
        console.print("the last record has no end: the program was ended while it wrote", style="yellow")
    if not trace.searches:
        console.print("no request was created")
    several = any(search.run > 1 for search in trace.searches)
    for search in trace.searches:
        facts = Table(box=None, pad_edge=False, show_header=False)
        facts.add_column(style="bold", no_wrap=True)
        facts.add_column(overflow="fold")
        for name, value in _facts(search):
            facts.add_row(name, Text(value))
        console.print("")
        console.print(_title(search, several_runs=several), width=width)
        console.print(facts, width=width)
        console.print(_candidates(search), width=width)
