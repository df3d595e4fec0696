"""The tables of ``adcl replay``."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from rich.text import Text

from adcl.cli._console import plain_table
from adcl.replay import CLOSE
from adcl.report import percent, seconds

if TYPE_CHECKING:
    from rich.console import Console

    from adcl.replay import Replay, ReplayedDecision, ReplayedSearch

__all__ = ["print_replay"]

_WIDEST = 100
_FAR = 9.99


def _cell(replays: list[ReplayedDecision]) -> Text:
    distances = [one.distance for one in replays if one.distance is not None]
    if not distances:
        return Text("–")
    mean = statistics.fmean(distances)
    reused = "*" if any(one.reused for one in replays) else ""
    shown = f"{100.0 * mean:.1f}" if mean < _FAR else f">{100.0 * _FAR:.0f}"
    return Text(f"{shown}{reused}", style="" if mean <= CLOSE else "bold red")


def _print_search(console: Console, search: ReplayedSearch, width: int) -> None:
    console.print("")
    console.print(Text(search.title, style="bold"), width=width)
    where = f"{search.known_from}, judged by {search.truth_by}"
    console.print(Text(f"best    {search.best}, {seconds(search.truth[search.best])} by {where}"), width=width)
    distance = search.distance(search.decided)
    if distance is not None:
        console.print(
            Text(f"chosen  {search.decided} in the run itself, {percent(distance)} over the best"), width=width
        )
    if search.unmeasured:
        console.print(Text(f"without {', '.join(search.unmeasured)}: not measured in the trace"), width=width)
    counts = list(dict.fromkeys(one.measurements_per_codelet for one in search.decisions))
    heads = [str(count) for count in counts]
    table = plain_table("search", "outliers", *heads, "measured", numbers=(*heads, "measured"))
    for logic, outliers in dict.fromkeys((one.search, one.outliers) for one in search.decisions):
        mine = [one for one in search.decisions if (one.search, one.outliers) == (logic, outliers)]
        cells = [_cell([one for one in mine if one.measurements_per_codelet == count]) for count in counts]
        table.add_row(logic, outliers, *cells, f"{statistics.fmean(one.measurements for one in mine):.0f}")
    for column in table.columns:
        column.no_wrap = True
    console.print(table, width=width)
    if any(one.reused for one in search.decisions):
        console.print("* some times were read again: fewer were recorded than the search asked for", width=width)


def print_replay(console: Console, replay: Replay) -> None:
    """For each recorded search, how much slower than the best is what would have been chosen; then who did best."""
    width = min(console.width, _WIDEST)
    words = "% by which the chosen codelet is slower than the best one, by measurements per codelet"
    console.print(words, width=width)
    for search in replay.searches:
        _print_search(console, search, width)
    for name in replay.too_few:
        console.print(Text(f"left out, since too little was recorded: {name}"), width=width)
    console.print("")
    names = ("within 2 %", "mean", "worst", "measured")
    table = plain_table("search", "outliers", *names, numbers=names)
    for one in replay.standings:
        cells = (percent(one.right), percent(one.mean_distance), percent(one.worst_distance), f"{one.measurements:.0f}")
        table.add_row(one.search, one.outliers, *cells)
    console.print(table, width=width)
