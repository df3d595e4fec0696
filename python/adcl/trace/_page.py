"""HTML page of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from adcl.pages import (
    Block,
    Column,
    Facts,
    Headline,
    Page,
    Section,
    Table,
    Text,
    ratio,
    seconds,
)
from adcl.trace._pictures import close_up, distributions, timeline
from adcl.trace._words import SPEEDUP, facts, gain_range, headline, title, untried

if TYPE_CHECKING:
    from adcl.trace._columns import Measurements
    from adcl.trace._read import Recording
    from adcl.trace._records import Gain
    from adcl.trace._searches import Trace, TracedSearch

__all__ = ["trace_page"]

_WHOLE = 4
"""Maximum number of searches with figures; the longest searches have figures."""

_SECTIONS = 24
"""Number of searches with a section; the table at the top has all."""

_ROWS = 60


def _table(search: TracedSearch) -> Table:
    decision = search.decision
    rows = []
    marked = []
    without = untried(search)
    shown = [row for row in search.rows if row.codelet not in without]
    for place, row in enumerate(shown[:_ROWS]):
        what = ""
        if decision is not None and row.codelet == decision.winner:
            what = "winner"
            marked.append(place)
        elif decision is not None and row.codelet in decision.ties:
            what = "tie"
        rows.append(
            (
                row.codelet,
                what,
                None if row.judged_s is None else seconds(row.judged_s),
                None if row.mean_s is None else seconds(row.mean_s),
                row.outliers if row.measurements else None,
                row.measurements,
                row.remark,
            )
        )
    heads: tuple[Column | str, ...] = (
        "codelet",
        "",
        *(Column(name, numeric=True) for name in ("judged", "mean", "outliers", "measured")),
        "removed because",
    )
    return Table(heads, tuple(rows), marked=tuple(marked))


def _events(search: TracedSearch) -> list[Block]:
    """Return decisions and withdrawals in order, if there is more than one."""
    if len(search.decisions) + len(search.reopenings) < 2:  # noqa: PLR2004 - more than one
        return []
    found: list[tuple[int, str, str, str]] = [
        (
            one.start,
            "provisional" if one.provisional else "confirmed" if one.confirmed else "decided",
            one.winner,
            one.reason + (f" Ties: {', '.join(one.ties)}." if one.ties else ""),
        )
        for one in search.decisions
    ]
    found += [(one.start, "reopened", one.winner, one.reason) for one in search.reopenings]
    found.sort(key=lambda one: one[0])
    return [Table(("start", "what", "codelet", "why"), tuple(found[:_ROWS]), "Events in order")]


def _ranks(search: TracedSearch, ranks: dict[int, Measurements]) -> list[tuple[str, str]]:
    if search.decision is None or len(ranks) < 2:  # noqa: PLR2004 - ranks differ
        return []
    found = []
    for rank, part in ranks.items():
        times = part.of(search.decision.winner).seconds
        if len(times):
            found.append((float(np.median(times)), rank))
    if len(found) < 2:  # noqa: PLR2004
        return []
    (low, fast), (high, slow) = min(found), max(found)
    return [("ranks", f"the winner's median is {seconds(low)} on rank {fast} and {seconds(high)} on rank {slow}")]


def _production(search: TracedSearch, mine: Measurements | None) -> list[tuple[str, str]]:
    if mine is None or search.decision is None or not search.production:
        return []
    times = mine.of(search.decision.winner, production=True).seconds
    if not len(times):
        return []
    return [("production", f"median {seconds(float(np.median(times)))} in {len(times)} measured starts")]


def _section(search: TracedSearch, recording: Recording, *, several_runs: bool, whole: bool, alone: bool) -> Section:
    ranks = recording.of(search.key)
    rank = recording.trace.rank
    mine = ranks.get(rank)
    entries = [*facts(search), *_production(search, mine), *_ranks(search, ranks)]
    blocks: list[Block] = [Facts(dict(_joined(entries)))]
    if not alone:
        blocks.insert(0, Headline(headline(search), _tone(search)))
    if whole and mine is not None and len(mine):
        pictures = (timeline(search, mine, rank), close_up(search, mine, rank), distributions(search, ranks))
        blocks += [one for one in pictures if one is not None]
    blocks += [*_events(search), _table(search)]
    without = untried(search)
    if len(search.rows) - len(without) > _ROWS:
        blocks.append(Text((f"Further candidates, not shown: {len(search.rows) - len(without) - _ROWS}.",)))
    if without:
        blocks.append(Text((f"Not tried: {', '.join(without)}.",)))
    return Section(title(search, several_runs=several_runs), tuple(blocks))


def _joined(entries: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return one entry for each name."""
    joined: dict[str, list[str]] = {}
    for name, words in entries:
        joined.setdefault(name, []).append(words)
    return [(name, "; then ".join(words)) for name, words in joined.items()]


def _tone(search: TracedSearch) -> Literal["good", "neutral"]:
    return "good" if search.gain is not None and search.gain.low > 1.0 else "neutral"


def _took(search: TracedSearch) -> float:
    return 0.0 if search.decision is None else search.decision.searching_s + search.decision.preparation_s


def _overall(searches: tuple[TracedSearch, ...]) -> Headline:
    if not searches:
        return Headline("The program created no ADCL request.")
    if len(searches) == 1:
        return Headline(headline(searches[0]), _tone(searches[0]), _cost(searches))
    faster = [one.gain for one in searches if one.gain is not None and one.gain.low > 1.0]
    decided = [one for one in searches if one.decision is not None]
    same = sum(one.gain is not None and one.gain.low <= 1.0 for one in decided)
    kept = sum(one.decision is not None and one.decision.winner == one.decision.first for one in decided)
    unknown = len(decided) - len(faster) - same - kept
    found = []
    if faster:
        found.append(f"{len(faster)} found a faster codelet (speedup {_range(faster)} over the first candidate)")
    if same:
        found.append(f"{same} found no measurable difference from the first candidate")
    if kept:
        found.append(f"{kept} kept the first candidate")
    if unknown:
        found.append(f"{unknown} found a winner whose speedup was not measured")
    if len(decided) < len(searches):
        found.append(f"{len(searches) - len(decided)} ended without a winner")
    formula = f"{SPEEDUP[0].upper()}{SPEEDUP[1:]}." if faster else ""
    return Headline(
        f"Searches: {len(searches)}; {', '.join(found)}.",
        "good" if faster else "neutral",
        " ".join(part for part in (formula, _cost(searches)) if part),
    )


def _range(gains: list[Gain]) -> str:
    """Format the smallest and the largest speedup."""
    ends = sorted(one.speedup for one in gains)
    return ratio(ends[0]) if len(ends) == 1 else f"{ratio(ends[0])} to {ratio(ends[-1])}"


def _cost(searches: tuple[TracedSearch, ...]) -> str:
    decided = [one.decision for one in searches if one.decision is not None]
    if not decided:
        return ""
    known = sum(one.history is not None and one.history.kind != "similar searches" for one in searches)
    reopened = sum(len(one.reopenings) for one in searches)
    words = (
        f"The overhead of searching was {seconds(sum(one.lost_s for one in decided))}, compared with the same number "
        "of starts of the winners."
    )
    if known:
        words += (
            f" {known} searches started from the history." if known > 1 else " One search started from the history."
        )
    if reopened:
        words += f" {reopened} decisions were withdrawn." if reopened > 1 else " One decision was withdrawn."
    return words


def _overview(searches: tuple[TracedSearch, ...], *, several_runs: bool) -> Table:
    rows = tuple(
        (
            title(one, several_runs=several_runs),
            None if one.decision is None else one.decision.winner,
            None if one.gain is None else f"{ratio(one.gain.speedup)} ({gain_range(one)})",
            None if one.decision is None else seconds(one.decision.lost_s),
            one.measurements,
        )
        for one in searches
    )
    heads: tuple[Column | str, ...] = (
        "search",
        "winner",
        "speedup over the first candidate",
        *(Column(name, numeric=True) for name in ("cost", "measured")),
    )
    return Table(heads, rows)


def _ranks_of_runs(trace: Trace) -> str:
    if len({run.ranks for run in trace.runs}) == 1:
        return str(trace.runs[0].ranks)
    return ", ".join(f"run {run.number}: {run.ranks}" for run in trace.runs)


def trace_page(recording: Recording) -> Page:
    """Return the page: winners, speedups, measurements, reasons, and overhead.

    The page contains only data of the trace. Points are reduced before drawing, so that the page of a million
    measurements is smaller than 1 MB.
    """
    trace = recording.trace
    searches = trace.searches
    several = len(trace.runs) > 1
    ordered = sorted(searches, key=_took, reverse=True)
    whole = {search.key for search in [one for one in ordered if one.measurements or one.production][:_WHOLE]}
    shown = [one for one in searches if one.key in {search.key for search in ordered[:_SECTIONS]}]
    summary: list[Block] = [_overall(searches)]
    if trace.cut:
        summary.append(Text(("The last record is incomplete: the program ended while writing it.",)))
    total = sum(len(one) for found in recording.ranks.values() for one in found.values())
    summary.append(
        Facts(
            {
                "trace": trace.path,
                "ranks": f"{_ranks_of_runs(trace)}, seen from rank {trace.rank}",
                "measurements": total,
            }
        )
    )
    if len(searches) > 1:
        summary.append(_overview(searches[: 2 * _ROWS], several_runs=several))
        if len(shown) < len(searches) or len(whole) < len(searches):
            words = (
                f"Details follow for the {len(shown)} searches that took longest; {len(whole)} of them have figures."
            )
            summary.append(Text((words,)))
    sections = [
        _section(one, recording, several_runs=several, whole=one.key in whole, alone=len(searches) == 1)
        for one in shown
    ]
    return Page("What ADCL measured and decided", tuple(summary), tuple(sections), "adcl report")
