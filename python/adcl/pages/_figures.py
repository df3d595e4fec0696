"""Figures as plain data; `_draw` draws them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from adcl.pages._model import Figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "PALETTE",
    "BarChart",
    "Bars",
    "Box",
    "BoxChart",
    "HeatMap",
    "Mark",
    "PlotSeries",
    "XyPlot",
    "bar_figure",
    "box_figure",
    "heatmap",
    "xy_figure",
]

# Okabe and Ito's colors, distinguishable with color blindness.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d00", "#444444")

Number = float | int


@dataclass(frozen=True, slots=True)
class PlotSeries:
    """Points of one kind. `low` and `high` are interval ends: a band for lines, error bars for points."""

    name: str
    x: Sequence[Number | str]
    y: Sequence[Number | None]
    kind: Literal["points", "line", "steps", "line+points"] = "line"
    low: Sequence[Number] | None = None
    high: Sequence[Number] | None = None
    labels: Sequence[str] | None = None
    """Tooltips of the points (default: the name). Many points need no labels: ()."""

    color: str | None = None
    dashed: bool = False
    marker: Literal["o", "x"] = "o"


@dataclass(frozen=True, slots=True)
class Mark:
    """An event on the horizontal axis: a vertical line with a word at its top."""

    x: float
    text: str


@dataclass(frozen=True, slots=True)
class Box:
    """Distribution as a box: whisker ends, quartiles, median, and outliers."""

    name: str
    low: float
    lower: float
    median: float
    upper: float
    high: float
    outside: Sequence[float] = ()
    judged: float | None = None
    """Value used for the comparison; marked if known."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars of one kind, one for each name on the axis, with error bars if `low` and `high` are given."""

    name: str
    values: Sequence[Number]
    low: Sequence[Number] | None = None
    high: Sequence[Number] | None = None
    color: str | None = None


@dataclass(frozen=True, slots=True)
class XyPlot:
    """Points and lines over a common axis; the axis has names if all series have strings there."""

    series: tuple[PlotSeries, ...]
    x_title: str
    y_title: str
    x_log: bool
    y_log: bool
    marks: tuple[Mark, ...] = ()

    @property
    def named(self) -> bool:
        """Whether the axis has names instead of numbers."""
        return bool(self.series) and all(isinstance(value, str) for one in self.series for value in one.x)


@dataclass(frozen=True, slots=True)
class BarChart:
    """Horizontal bars, the first name at the top."""

    names: tuple[str, ...]
    groups: tuple[Bars, ...]
    value_title: str
    log: bool


@dataclass(frozen=True, slots=True)
class BoxChart:
    """Horizontal boxes, the first at the top."""

    boxes: tuple[Box, ...]
    value_title: str
    log: bool
    judged_title: str


@dataclass(frozen=True, slots=True)
class HeatMap:
    """`values[y][x]` as colors."""

    x_names: tuple[str, ...]
    y_names: tuple[str, ...]
    values: tuple[tuple[Number | None, ...], ...]
    x_title: str
    y_title: str
    value_title: str
    diverging: bool


def _require_finite(numbers: Iterable[Number | str | None]) -> None:
    for number in numbers:
        if isinstance(number, float) and not math.isfinite(number):
            raise ValueError(f"{number} cannot be drawn")


def xy_figure(
    series: Sequence[PlotSeries],
    *,
    x_title: str,
    y_title: str,
    x_log: bool = False,
    y_log: bool = False,
    marks: Sequence[Mark] = (),
    caption: str = "",
    height: int = 380,
) -> Figure:
    """Return a figure of points and lines over a common axis. Raises `ValueError` for numbers that are not finite."""
    for one in series:
        _require_finite([*one.x, *one.y, *(one.low or ()), *(one.high or ())])
    return Figure(XyPlot(tuple(series), x_title, y_title, x_log, y_log, tuple(marks)), caption, height)


def bar_figure(
    names: Sequence[str],
    groups: Sequence[Bars],
    *,
    value_title: str,
    log: bool = False,
    caption: str = "",
    height: int | None = None,
) -> Figure:
    """Return a figure of horizontal bars, the first at the top. Raises `ValueError` for numbers that are not finite."""
    for group in groups:
        _require_finite([*group.values, *(group.low or ()), *(group.high or ())])
    chart = BarChart(tuple(names), tuple(groups), value_title, log)
    return Figure(chart, caption, height or 110 + 26 * len(names) * len(groups))


def box_figure(
    boxes: Sequence[Box],
    *,
    value_title: str,
    log: bool = False,
    judged_title: str = "decision value",
    caption: str = "",
    height: int | None = None,
) -> Figure:
    """Return a figure of distributions, the first at the top. Raises `ValueError` for numbers that are not finite."""
    for box in boxes:
        _require_finite([box.low, box.lower, box.median, box.upper, box.high, *box.outside, box.judged])
    return Figure(BoxChart(tuple(boxes), value_title, log, judged_title), caption, height or 90 + 26 * len(boxes))


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
    """Return a figure of `values[y][x]` as colors; `diverging` puts the neutral color at 0.

    Raises `ValueError` for numbers that are not finite.
    """
    _require_finite(value for row in values for value in row)
    rows = tuple(tuple(row) for row in values)
    plot = HeatMap(tuple(x_names), tuple(y_names), rows, x_title, y_title, value_title, diverging)
    return Figure(plot, caption, height)
