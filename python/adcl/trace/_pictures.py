"""Figures of a search: measurements over time, and their distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from adcl.pages import Box, Mark, PlotSeries, box_figure, xy_figure
from adcl.trace._reduce import TimeSpread, outliers_of, reduced_indices, spread_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adcl.pages import Figure
    from adcl.trace._columns import Measurements
    from adcl.trace._searches import TracedSearch

__all__ = ["close_up", "distributions", "timeline"]

_POINTS = 600
"""Maximum number of points of one kind in a figure."""

_BOXES = 16
_CLOSE_UPS = 4
_BOUND = 2.0
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def _unit(values: NDArray[np.float64]) -> tuple[float, str]:
    """Return the unit that fits the median, and its length in seconds."""
    middle = float(np.median(values)) if len(values) else 1.0
    return next((unit for unit in _UNITS if middle >= unit[0]), _UNITS[-1])


def _bound(search: TracedSearch) -> float:
    value = search.options.get("ADCL_OUTLIER_BOUND", _BOUND)
    return float(value) if isinstance(value, int | float) else _BOUND


def _points(
    name: str, x: NDArray[np.int64], y: NDArray[np.float64], color: str, marker: str = "o"
) -> PlotSeries | None:
    if len(x) == 0:
        return None
    kept = reduced_indices(x, y, _POINTS)
    return PlotSeries(
        name,
        [int(value) for value in x[kept]],
        [float(value) for value in y[kept]],
        "points",
        labels=(),
        color=color,
        marker="x" if marker == "x" else "o",
    )


_WINNER, _OUTLIER, _FIRST, _NEXT, _OTHER = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#888888"


def _roles(search: TracedSearch) -> dict[str, tuple[str, str]]:
    """Return the codelets that get their own color, with their roles."""
    roles: dict[str, tuple[str, str]] = {}
    winners = [one.winner for one in (*search.reopenings, *((search.decision,) if search.decision else ()))]
    for place, winner in enumerate(dict.fromkeys(reversed(winners))):
        roles[winner] = (
            f"{winner}, {'the winner' if place == 0 else 'an earlier winner'}",
            (_WINNER, "#e69f00")[place > 0],
        )
    if search.decision is not None:
        roles.setdefault(search.decision.first, (f"{search.decision.first}, the first candidate", _FIRST))
    best = [row.codelet for row in search.rows if row.judged_s is not None and row.codelet not in roles]
    if best:
        roles[best[0]] = (f"{best[0]}, the next fastest", _NEXT)
    return roles


def _marks(search: TracedSearch) -> list[Mark]:
    """Return the marks of decisions and withdrawals; only the first and the last marks if there are many."""
    found = [Mark(one.start, "provisional" if one.provisional else "decided") for one in search.decisions]
    found += [Mark(one.start, "reopened") for one in search.reopenings]
    found.sort(key=lambda one: one.x)
    most = 8
    return found if len(found) <= most else [*found[: most // 2], *found[-most // 2 :]]


def timeline(search: TracedSearch, mine: Measurements, rank: int) -> Figure:
    factor, unit = _unit(mine.seconds)
    outside = outliers_of(mine, _bound(search))
    y = mine.seconds / factor
    roles = _roles(search)
    places = {name: place for place, name in enumerate(mine.codelets)}
    special = np.isin(mine.codelet, [places[name] for name in roles if name in places])
    series = [_points("all others", mine.start[~special & ~outside], y[~special & ~outside], _OTHER)]
    for name, (words, color) in reversed(roles.items()):
        chosen = (mine.codelet == places.get(name, -1)) & ~outside
        series.append(_points(words, mine.start[chosen], y[chosen], color))
    series.append(_points("outliers", mine.start[outside], y[outside], _OUTLIER, "x"))
    drawn = [one for one in series if one is not None]
    shown = sum(len(one.x) for one in drawn)
    reduced = (
        ""
        if shown == len(mine)
        else f" {shown} of {len(mine)} points are drawn: the shortest, the median and the longest of each interval."
    )
    after = " Some starts after the decision were also measured." if bool(mine.production.any()) else ""
    return xy_figure(
        drawn,
        x_title="start of the operation",
        y_title=f"{unit} on rank {rank}",
        y_log=True,
        marks=_marks(search),
        caption=f"All measurements on rank {rank}. Crosses: more than {_bound(search):g} times the codelet's shortest "
        f"time.{after}{reduced}",
    )


def close_up(search: TracedSearch, mine: Measurements, rank: int) -> Figure | None:
    """Return a figure of the fastest codelets: the n-th measurement of each."""
    leading = [row.codelet for row in search.rows if row.judged_s is not None][:_CLOSE_UPS]
    parts = [(name, mine.of(name, production=False)) for name in leading]
    parts = [(name, part) for name, part in parts if len(part)]
    if len(parts) < 2:  # noqa: PLR2004 - side by side
        return None
    factor, unit = _unit(np.concatenate([part.seconds for _, part in parts]))
    colors = (_WINNER, _FIRST, _NEXT, "#e69f00")
    series: list[PlotSeries | None] = []
    far: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
    for (name, part), color in zip(parts, colors, strict=False):
        number = np.arange(1, len(part) + 1)
        outside = outliers_of(part, _bound(search))
        series.append(_points(name, number[~outside], part.seconds[~outside] / factor, color))
        far.append((number[outside], part.seconds[outside] / factor))
    x = np.concatenate([one for one, _ in far])
    y = np.concatenate([one for _, one in far])
    order = np.argsort(x, kind="stable")
    series.append(_points("outliers", x[order], y[order], _OUTLIER, "x"))
    return xy_figure(
        [one for one in series if one is not None],
        x_title="measurement number (per codelet)",
        y_title=f"{unit} on rank {rank}",
        y_log=True,
        caption="The fastest candidates. The x axis counts each codelet's own measurements in the search.",
        height=320,
    )


def _spreads(search: TracedSearch, ranks: dict[int, Measurements]) -> list[tuple[str, TimeSpread]]:
    """Return the distribution of each measured codelet over all ranks, sorted by agreed time."""
    found = []
    for row in search.rows:
        parts = [part.of(row.codelet, production=False).seconds for part in ranks.values()]
        if not any(map(len, parts)):
            parts = [part.of(row.codelet).seconds for part in ranks.values()]
        all_ranks = np.concatenate(parts) if parts else np.empty(0)
        if len(all_ranks):
            found.append((row.codelet, spread_of(all_ranks)))
    return found


def distributions(search: TracedSearch, ranks: dict[int, Measurements]) -> Figure | None:
    spreads = _spreads(search, ranks)
    if not spreads:
        return None
    factor, unit = _unit(np.array([spread.median for _, spread in spreads]))
    judged = {row.codelet: row.judged_s for row in search.rows}
    boxes = []
    for name, spread in spreads[:_BOXES]:
        known = judged[name]
        boxes.append(
            Box(
                name,
                spread.low / factor,
                spread.lower / factor,
                spread.median / factor,
                spread.upper / factor,
                spread.high / factor,
                [value / factor for value in spread.outside],
                None if known is None else known / factor,
            )
        )
    left = f" The figure shows the {_BOXES} fastest of {len(spreads)} codelets." if len(spreads) > _BOXES else ""
    where = "all ranks" if len(ranks) > 1 else f"rank {next(iter(ranks))}"
    return box_figure(
        boxes,
        value_title=f"{unit} on {where}",
        log=True,
        judged_title="agreed time, which the decision uses",
        caption=f"Distribution of the times of each codelet on {where}: median, quartiles, and the range from 5 to 95 "
        f"%. The agreed time is the slowest rank's.{left}",
    )
