"""Draw figures as SVG with Matplotlib, so that pages need no scripts."""

from __future__ import annotations

import html
import io
import re
from typing import TYPE_CHECKING, Any

from adcl.pages._figures import PALETTE, BarChart, BoxChart, HeatMap, PlotSeries, XyPlot
from adcl.pages._ticks import log_ticks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from adcl.pages._model import Figure

__all__ = ["picture", "themed"]

_WIDTH = 640
"""Pixels. Pages shrink pictures on narrow screens, where the text must remain readable."""

_DPI = 72
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "adcl",
    "font.family": "sans-serif",
    "font.size": 12,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "text.color": "#222222",
    "axes.edgecolor": "#888888",
    "axes.labelcolor": "#222222",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "legend.frameon": False,
    "text.parse_math": False,
}
_FONT = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif"
_NAMES_UPRIGHT = 60
"""Number of characters that fit on a horizontal axis with names."""

_LONGEST = 34
_CROWDED = 250
"""Number of points above which markers are drawn smaller."""

_BESIDES = 110
"""Approximate pixels of a picture's width or height outside the axes."""


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _name_ticks(axes: Axes, names: Sequence[str], middle: float = 0.0) -> None:
    slanted = sum(map(len, names)) > _NAMES_UPRIGHT
    ticks = [place + middle for place in range(len(names))]
    shown = [_short(name) for name in names]
    axes.set_xticks(ticks, shown, rotation=35 if slanted else 0, ha="right" if slanted else "center")


def _log_ticks(axis: Axis, ends: tuple[float, float], places: set[float], pixels: float, *, vertical: bool) -> None:
    """Place the ticks of `log_ticks` on an axis of the given length in pixels."""
    from matplotlib import ticker

    axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    ticks = log_ticks(ends, places, pixels, vertical=vertical)
    axis.set_major_locator(ticker.FixedLocator(ticks))


def _series(axes: Axes, one: PlotSeries, places: Sequence[float], color: str, group: str) -> None:
    style: dict[str, Any] = {"color": color, "label": one.name}
    known = [(x, y) for x, y in zip(places, one.y, strict=True) if y is not None]
    if one.low is not None and one.high is not None:
        if one.kind == "points":
            below = [0.0 if y is None else y - low for y, low in zip(one.y, one.low, strict=True)]
            above = [0.0 if y is None else high - y for y, high in zip(one.y, one.high, strict=True)]
            bars = [pair for pair, y in zip(zip(below, above, strict=True), one.y, strict=True) if y is not None]
            xs, ys = zip(*known, strict=True) if known else ((), ())
            spread = [[pair[0] for pair in bars], [pair[1] for pair in bars]]
            axes.errorbar(xs, ys, yerr=spread, fmt="none", ecolor=color, elinewidth=1.2)
        else:
            axes.fill_between(places, one.low, one.high, color=color, alpha=0.15, linewidth=0)
    if one.kind != "points":
        line = {**style, "linewidth": 2, "linestyle": "--" if one.dashed else "-"}
        if one.kind == "steps":
            axes.step(places, [float("nan") if y is None else y for y in one.y], where="post", **line)
        else:
            axes.plot(places, [float("nan") if y is None else y for y in one.y], **line)
        style.pop("label")
    if one.kind in ("points", "line+points") and known:
        xs, ys = zip(*known, strict=True)
        size = (26 if one.marker == "o" else 36) * (1.0 if len(known) <= _CROWDED else 0.4)
        axes.scatter(xs, ys, s=size, gid=group, zorder=3, marker=one.marker, **style)


def _labels(one: PlotSeries) -> list[str]:
    """Return the tooltip of each drawn point."""
    named = one.labels if one.labels is not None else [one.name] * len(one.y)
    if not named:
        return []
    return [label for label, y in zip(named, one.y, strict=True) if y is not None]


def _draw_xy(axes: Axes, plot: XyPlot, height: int) -> dict[str, list[str]]:
    names = list(dict.fromkeys(str(value) for one in plot.series for value in one.x)) if plot.named else []
    tooltips: dict[str, list[str]] = {}
    for place, one in enumerate(plot.series):
        where = [names.index(str(value)) if plot.named else float(value) for value in one.x]
        _series(axes, one, where, one.color or PALETTE[place % len(PALETTE)], f"points{place}")
        if one.kind in ("points", "line+points"):
            tooltips[f"points{place}"] = _labels(one)
    for mark in plot.marks:
        axes.axvline(mark.x, color="#888888", linewidth=1, linestyle=":")
        side = "right" if mark.x > sum(axes.get_xlim()) / 2 else "left"
        axes.text(mark.x, 0.99, f" {mark.text} ", transform=axes.get_xaxis_transform(), va="top", ha=side, fontsize=10)
    if plot.named:
        _name_ticks(axes, names)
    if plot.x_log:
        axes.set_xscale("log")
        places = {float(value) for one in plot.series for value in one.x if not isinstance(value, str)}
        _log_ticks(axes.xaxis, axes.get_xlim(), places, _WIDTH - _BESIDES, vertical=False)
    if plot.y_log:
        axes.set_yscale("log")
        _log_ticks(axes.yaxis, axes.get_ylim(), set(), height - _BESIDES, vertical=True)
    axes.set_xlabel(plot.x_title)
    axes.set_ylabel(plot.y_title)
    if len(plot.series) > 1:
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, borderaxespad=0.2, fontsize=11)
    return tooltips


def _draw_bars(axes: Axes, chart: BarChart) -> dict[str, list[str]]:
    count = max(len(chart.groups), 1)
    thick = 0.8 / count
    tooltips: dict[str, list[str]] = {}
    for place, group in enumerate(chart.groups):
        where = [name + (place - (count - 1) / 2) * thick for name in range(len(chart.names))]
        bars = axes.barh(
            where, group.values, thick, color=group.color or PALETTE[place % len(PALETTE)], label=group.name
        )
        for number, bar in enumerate(bars):
            bar.set_gid(f"bar{place}.{number}")
            tooltips[f"bar{place}.{number}"] = [f"{chart.names[number]}: {group.values[number]:.4g}"]
        if group.low is not None and group.high is not None:
            below = [value - low for value, low in zip(group.values, group.low, strict=True)]
            above = [high - value for value, high in zip(group.values, group.high, strict=True)]
            axes.errorbar(group.values, where, xerr=[below, above], fmt="none", ecolor="#333333", elinewidth=1.2)
    axes.set_yticks(range(len(chart.names)), [_short(name) for name in chart.names])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    if chart.log:
        axes.set_xscale("log")
        _log_ticks(axes.xaxis, axes.get_xlim(), set(), _WIDTH - 2 * _BESIDES, vertical=False)
    axes.set_xlabel(chart.value_title)
    if len(chart.groups) > 1:
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, borderaxespad=0.2, fontsize=11)
    return tooltips


def _draw_boxes(axes: Axes, chart: BoxChart) -> dict[str, list[str]]:
    tooltips: dict[str, list[str]] = {}
    for place, box in enumerate(chart.boxes):
        axes.plot([box.low, box.high], [place, place], color=PALETTE[0], linewidth=1.5)
        bars = axes.barh([place], [box.upper - box.lower], 0.5, left=[box.lower], color=PALETTE[5])
        bars[0].set_gid(f"bar0.{place}")
        tooltips[f"bar0.{place}"] = [f"{box.name}: median {box.median:.4g}, quartiles {box.lower:.4g}, {box.upper:.4g}"]
        axes.plot([box.median, box.median], [place - 0.32, place + 0.32], color=PALETTE[0], linewidth=2.5)
        axes.scatter(box.outside, [place] * len(box.outside), s=22, marker="x", color=PALETTE[1], linewidths=1)
    judged = [(box.judged, place) for place, box in enumerate(chart.boxes) if box.judged is not None]
    if judged:
        xs, ys = zip(*judged, strict=True)
        axes.scatter(xs, ys, s=40, marker="D", color=PALETTE[2], label=chart.judged_title, zorder=4)
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2, fontsize=11)
    axes.set_yticks(range(len(chart.boxes)), [_short(box.name) for box in chart.boxes])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    if chart.log:
        axes.set_xscale("log")
        _log_ticks(axes.xaxis, axes.get_xlim(), set(), _WIDTH - 2 * _BESIDES, vertical=False)
    axes.set_xlabel(chart.value_title)
    return tooltips


def _draw_heat(axes: Axes, plot: HeatMap) -> dict[str, list[str]]:
    values = [[float("nan") if value is None else value for value in row] for row in plot.values]
    known = [value for row in plot.values for value in row if value is not None]
    most = max((abs(value) for value in known), default=1.0) or 1.0
    ends = {"vmin": -most, "vmax": most, "cmap": "RdBu_r"} if plot.diverging else {"cmap": "viridis"}
    mesh = axes.pcolormesh(range(len(plot.x_names) + 1), range(len(plot.y_names) + 1), values, **ends)
    _name_ticks(axes, plot.x_names, 0.5)
    axes.set_yticks([place + 0.5 for place in range(len(plot.y_names))], [_short(name) for name in plot.y_names])
    axes.grid(visible=False)
    axes.set_xlabel(plot.x_title)
    axes.set_ylabel(plot.y_title)
    axes.figure.colorbar(mesh, ax=axes, label=plot.value_title)
    return {}


def _add_tooltips(svg: str, tooltips: dict[str, list[str]]) -> str:
    """Add tooltips to the points and bars of a group, in order."""
    for group, labels in tooltips.items():
        begin = svg.find(f'id="{group}">')
        end = svg.find("</g>\n  </g>" if group.startswith("points") else "</g>", begin)
        if begin < 0 or end < 0:
            continue
        waiting: Iterator[str] = iter(labels)

        def add_tooltips(match: re.Match[str], waiting: Iterator[str] = waiting) -> str:
            label = next(waiting, None)
            if label is None:
                return match[0]
            return f"<{match[1]}{match[2]}><title>{html.escape(label)}</title></{match[1]}>"

        pattern = r"<(use)((?:[^>/]|/(?!>))*)/>" if group.startswith("points") else r"<(path)((?:[^>/]|/(?!>))*)/>"
        svg = svg[:begin] + re.sub(pattern, add_tooltips, svg[begin:end]) + svg[end:]
    return svg


_COLOR = re.compile(r"(fill|stroke): (#[0-9a-f]{6})")
_INKS = {"#222222": "ink", "#333333": "ink", "#444444": "faint", "#888888": "line", "#e4e4e4": "grid"}
_COLORS = {**{color: f"c{place}" for place, color in enumerate(PALETTE)}, **_INKS}
"""Colors that the page's style replaces in dark mode."""


def _colored(match: re.Match[str]) -> str:
    named = _COLORS.get(match[2])
    return match[0] if named is None else f"{match[1]}: var(--{named}, {match[2]})"


def themed(svg: str) -> str:
    """Replace colors by variables of the page's style."""
    return _COLOR.sub(_colored, svg)


_POINTS = re.compile(r'<g id="points\d+">.*?</g>\s*</g>', re.DOTALL)
_POINT_STYLE = re.compile(r'(<use [^>]*?) style="([^"]*)"')


def _share_style(match: re.Match[str]) -> str:
    """Write common attributes of all points of a group once."""
    styles = _POINT_STYLE.findall(match[0])
    if len({style for _, style in styles}) != 1:
        return match[0]
    plain = _POINT_STYLE.sub(r"\1", match[0])
    return plain.replace('<g id="', f'<g style="{styles[0][1]}" id="', 1)


def picture(figure: Figure, number: int) -> str:
    """Return the figure as an SVG element; `number` makes its ids unique on the page."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    with mpl.rc_context(_STYLE):
        canvas = Canvas(figsize=(_WIDTH / _DPI, figure.height / _DPI), dpi=_DPI, layout="constrained")
        axes = canvas.add_subplot()
        match figure.plot:
            case XyPlot():
                tooltips = _draw_xy(axes, figure.plot, figure.height)
            case BarChart():
                tooltips = _draw_bars(axes, figure.plot)
            case BoxChart():
                tooltips = _draw_boxes(axes, figure.plot)
            case HeatMap():
                tooltips = _draw_heat(axes, figure.plot)
        file = io.StringIO()
        FigureCanvasSVG(canvas).print_svg(file, metadata={"Date": None, "Creator": None})  # type: ignore[no-untyped-call]
    svg = _add_tooltips(file.getvalue(), tooltips)
    svg = _POINTS.sub(_share_style, svg)
    svg = re.sub(r"^.*?(?=<svg)", "", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r'\1 role="img"', svg, count=1)
    svg = re.sub(r"font: ([0-9.]+px) [^;\"]*", rf"font: \1 {_FONT}", svg)
    # Make references within the picture unique on the page.
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\1f{number}-", svg)
    return svg.strip()
