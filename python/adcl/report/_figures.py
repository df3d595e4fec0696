"""Figures in the pages' style, as the plain data that plotly.js takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from adcl.report._model import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["PALETTE", "Bars", "PlotSeries", "bar_figure", "heatmap", "xy_figure"]

# Okabe and Ito's colours, which people with colour-blindness can tell apart.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d00", "#444444")

Number = float | int


@dataclass(frozen=True, slots=True)
class PlotSeries:
    """Points of one kind. `low` and `high` are the ends of intervals: a band for lines, bars for points."""

    name: str
    x: Sequence[Number | str]
    y: Sequence[Number | None]
    kind: Literal["points", "line", "steps", "line+points"] = "line"
    low: Sequence[Number] | None = None
    high: Sequence[Number] | None = None
    labels: Sequence[str] | None = None
    """What is shown when the pointer is over a point."""

    colour: str | None = None
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars of one kind, one for each name on the axis, with intervals where `low` and `high` are given."""

    name: str
    values: Sequence[Number]
    low: Sequence[Number] | None = None
    high: Sequence[Number] | None = None
    colour: str | None = None


def _axis(title: str, *, log: bool, powers_of_two: bool = False) -> dict[str, Any]:
    axis: dict[str, Any] = {"title": {"text": title}, "type": "log" if log else "-"}
    if log and powers_of_two:
        axis["dtick"] = "D2"
    return axis


def _errors(values: Sequence[Number | None], low: Sequence[Number], high: Sequence[Number]) -> dict[str, Any]:
    known = [0.0 if value is None else value for value in values]
    return {
        "type": "data",
        "symmetric": False,
        "array": [top - value for top, value in zip(high, known, strict=True)],
        "arrayminus": [value - bottom for bottom, value in zip(low, known, strict=True)],
        "thickness": 1.2,
    }


def _band(series: PlotSeries, colour: str) -> dict[str, Any]:
    low, high = list(series.low or ()), list(series.high or ())
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*series.x, *reversed(series.x)],
        "y": [*high, *reversed(low)],
        "fill": "toself",
        "fillcolor": f"{colour}26",
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
        "name": f"{series.name}, interval",
    }


def _trace(series: PlotSeries, colour: str) -> dict[str, Any]:
    modes = {"points": "markers", "line": "lines", "steps": "lines", "line+points": "lines+markers"}
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": modes[series.kind],
        "name": series.name,
        "x": list(series.x),
        "y": list(series.y),
        "marker": {"color": colour, "size": 7},
        "line": {"color": colour, "width": 2, "dash": "dash" if series.dashed else "solid"},
    }
    if series.kind == "steps":
        trace["line"]["shape"] = "hv"
    if series.labels is not None:
        trace["text"] = list(series.labels)
        trace["hovertemplate"] = "%{text}<extra></extra>"
    if series.kind == "points" and series.low is not None and series.high is not None:
        trace["error_y"] = {**_errors(series.y, series.low, series.high), "color": colour}
    return trace


def xy_figure(
    series: Sequence[PlotSeries],
    *,
    x_title: str,
    y_title: str,
    x_log: bool = False,
    y_log: bool = False,
    caption: str = "",
    height: int = 380,
) -> Figure:
    """Draw points and lines over a common axis."""
    traces: list[Mapping[str, Any]] = []
    for place, one in enumerate(series):
        colour = one.colour or PALETTE[place % len(PALETTE)]
        if one.kind != "points" and one.low is not None and one.high is not None:
            traces.append(_band(one, colour))
        traces.append(_trace(one, colour))
    x_axis = _axis(x_title, log=x_log)
    if series and all(isinstance(value, str) for one in series for value in one.x):
        x_axis["type"] = "category"  # or plotly.js takes texts of digits for numbers
    layout = {
        "xaxis": x_axis,
        "yaxis": _axis(y_title, log=y_log),
        "showlegend": len(series) > 1,
    }
    return Figure(tuple(traces), layout, caption, height)


def bar_figure(
    names: Sequence[str],
    groups: Sequence[Bars],
    *,
    value_title: str,
    log: bool = False,
    caption: str = "",
    height: int | None = None,
) -> Figure:
    """Draw horizontal bars, the first name at the top."""
    traces = []
    for place, group in enumerate(groups):
        trace: dict[str, Any] = {
            "type": "bar",
            "orientation": "h",
            "name": group.name,
            "x": list(group.values),
            "y": list(names),
            "marker": {"color": group.colour or PALETTE[place % len(PALETTE)]},
        }
        if group.low is not None and group.high is not None:
            trace["error_x"] = {**_errors(group.values, group.low, group.high), "color": "#333333"}
        traces.append(trace)
    layout = {
        "xaxis": _axis(value_title, log=log),
        "yaxis": {"autorange": "reversed", "automargin": True, "type": "category"},
        "barmode": "group",
        "showlegend": len(groups) > 1,
    }
    return Figure(tuple(traces), layout, caption, height or 110 + 26 * len(names) * len(groups))


def heatmap(
    x_names: Sequence[str],
    y_names: Sequence[str],
    values: Sequence[Sequence[Number | None]],
    *,
    x_title: str = "",
    y_title: str = "",
    value_title: str = "",
    diverging: bool = False,
    caption: str = "",
    height: int = 380,
) -> Figure:
    """Draw `values[y][x]` as colours; `diverging` puts the neutral colour at 0."""
    trace: dict[str, Any] = {
        "type": "heatmap",
        "x": list(x_names),
        "y": list(y_names),
        "z": [list(row) for row in values],
        "colorscale": "RdBu" if diverging else "Viridis",
        "colorbar": {"title": {"text": value_title, "side": "right"}},
        "hoverongaps": False,
    }
    if diverging:
        trace |= {"zmid": 0, "reversescale": True}
    layout = {
        "xaxis": {"title": {"text": x_title}, "type": "category", "automargin": True},
        "yaxis": {"title": {"text": y_title}, "type": "category", "automargin": True},
    }
    return Figure((trace,), layout, caption, height)
