"""The HTML page of replays."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from adcl.report import (
    Block,
    Cell,
    Column,
    Facts,
    Headline,
    Page,
    PlotSeries,
    Section,
    Table,
    Text,
    heatmap,
    percent,
    seconds,
    xy_figure,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.replay._results import Replay, ReplayedDecision, ReplayedSearch, Standing
    from adcl.report import Figure

__all__ = ["replay_page"]

_WHOLE = 6
"""Searches with figures and tables of their own."""

_DECISIONS = 400


def _names(decisions: Sequence[ReplayedDecision]) -> tuple[list[str], list[str]]:
    """Selection logics and statistical methods, in their order."""
    return list(dict.fromkeys(one.search for one in decisions)), list(dict.fromkeys(one.outliers for one in decisions))


def _mean_percent(decisions: Sequence[ReplayedDecision]) -> float | None:
    distances = [100.0 * one.distance for one in decisions if one.distance is not None]
    return statistics.fmean(distances) if distances else None


def _by_measurements(decisions: Sequence[ReplayedDecision], logic: str) -> Figure:
    """Distance over the number of measurements, a line for each statistical method."""
    series = []
    for outliers in _names(decisions)[1]:
        mine = [one for one in decisions if (one.search, one.outliers) == (logic, outliers)]
        counts = sorted({one.measurements_per_codelet for one in mine})
        known = [
            (count, value)
            for count in counts
            if (value := _mean_percent([one for one in mine if one.measurements_per_codelet == count])) is not None
        ]
        labels = [f"{outliers}, {count} measurements: {value:.2f} %" for count, value in known]
        series.append(PlotSeries(outliers, [x for x, _ in known], [y for _, y in known], "line+points", labels=labels))
    return xy_figure(
        series,
        x_title="measurements per codelet",
        y_title="% more time than the best",
        caption=f"{logic}: how much longer the chosen codelet takes than the best one, by statistical method.",
        height=300,
    )


def _by_method(decisions: Sequence[ReplayedDecision]) -> Figure:
    logics, methods = _names(decisions)
    values = [
        [
            _mean_percent([one for one in decisions if (one.search, one.outliers) == (logic, method)])
            for method in methods
        ]
        for logic in logics
    ]
    return heatmap(
        methods,
        logics,
        values,
        value_title="% more time",
        caption="How much longer the chosen codelet takes than the best one, averaged over all that was tried.",
        height=90 + 44 * len(logics),
    )


def _truth(search: ReplayedSearch) -> Table:
    ordered = sorted(search.truth, key=lambda name: search.truth[name])
    rows = tuple(
        (
            name,
            seconds(search.truth[name]),
            percent(search.distance(name) or 0.0),
            search.recorded[name],
            "verification runs" if name in search.verified else "the recording",
        )
        for name in ordered
    )
    numeric = (Column("time", numeric=True), Column("over the best", numeric=True), Column("recorded", numeric=True))
    return Table(("codelet", *numeric, "known from"), rows, "What is true of each codelet", marked=(0,))


def _decisions(search: ReplayedSearch) -> Table:
    rows = tuple(
        (
            one.search,
            one.outliers,
            one.measurements_per_codelet,
            one.winner or None,
            None if one.distance is None else percent(one.distance),
            one.measurements,
            one.reused,
            seconds(one.seconds),
        )
        for one in search.decisions[:_DECISIONS]
    )
    numbers = [Column(name, numeric=True) for name in ("over the best", "measured", "reused", "searching")]
    heads: tuple[Column | str, ...] = ("search", "outliers", Column("per codelet", numeric=True), "winner", *numbers)
    return Table(heads, rows, "Every replay")


def _section(search: ReplayedSearch) -> Section:
    facts: dict[str, Cell] = {
        "trace": search.trace,
        "ranks": search.ranks,
        "best": f"{search.best}, {seconds(search.truth[search.best])}",
        "truth": f"{search.known_from}, judged by {search.truth_by}",
    }
    distance = search.distance(search.decided)
    if distance is not None:
        facts["the run itself chose"] = f"{search.decided}, {percent(distance)} over the best"
    if search.unmeasured:
        facts["take no part"] = f"{', '.join(search.unmeasured)}: not measured in the trace"
    if search.too_many:
        facts["left out"] = f"{', '.join(map(str, search.too_many))} measurements per codelet: none has so many"
    logics = _names(search.decisions)[0]
    blocks: list[Block] = [Facts(facts), _by_method(search.decisions)]
    if len({one.measurements_per_codelet for one in search.decisions}) > 1:
        blocks.append(_by_measurements(search.decisions, "brute_force" if "brute_force" in logics else logics[0]))
    return Section(search.title, (*blocks, _truth(search), _decisions(search)))


def _overall(standings: Sequence[Standing]) -> Table:
    rows = tuple(
        (
            one.search,
            one.outliers,
            percent(one.right),
            percent(one.mean_distance),
            percent(one.worst_distance),
            round(one.measurements),
            one.replays,
        )
        for one in standings
    )
    names = ("within 2 %", "over the best", "at worst", "measured", "replays")
    return Table(("search", "outliers", *(Column(name, numeric=True) for name in names)), rows, marked=(0,))


def replay_page(replay: Replay) -> Page:
    """Make the page: which way to decide would have been right how often, and what it measures for that."""
    best = replay.standings[0]
    right = [one for one in replay.standings if one.right == best.right]
    words = (
        f"{best.search} with outliers by {best.outliers} was right in {percent(best.right)} of {best.replays} replays, "
        f"with {best.measurements:.0f} measurements"
    )
    others = len(right) - 1
    detail = f"{others} other combination{'s were' if others > 1 else ' was'} as often right. " if others else ""
    detail += "Right is what is at most 2 % slower than the best codelet."
    summary: list[Block] = [
        Headline(words, "good" if best.right >= 1.0 else "neutral", detail),
        _overall(replay.standings),
    ]
    if replay.too_few:
        summary.append(Text((f"Too little was recorded of {', '.join(replay.too_few)}.",)))
    shown = replay.searches[:_WHOLE]
    if len(shown) < len(replay.searches):
        summary.append(Text((f"Below are the first {len(shown)} of {len(replay.searches)} searches.",)))
    return Page("What other searches would have decided", tuple(summary), tuple(map(_section, shown)), "adcl replay")
