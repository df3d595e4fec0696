"""Figures of a model of two parameters: its surface, slices, and residuals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from adcl import pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from adcl.scale.judge import Verdict

    _Surface = Callable[[float, float], float]

__all__ = ["surface_figures"]

_FURTHER = 2
"""Number of doublings of the largest setting by which a surface extends beyond the measurements."""

_SLICES = 5
_STEPS = 24
_PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00")
_MOST_SETTINGS = 16


def surface_figures(verdict: Verdict) -> Iterator[pages.Figure]:
    """Draw a model over its first two parameters; all other parameters have their largest values."""
    series = verdict.series
    first, second = series.parameters[:2]
    rest = {name: float(series.column(name).max()) for name in series.parameters[2:]}
    others = "".join(f", {name} = {value:g}" for name, value in rest.items())
    measured = {
        (point[0], point[1]): value
        for point, value in zip(series.points, series.values, strict=True)
        if dict(zip(series.parameters[2:], point[2:], strict=True)) == rest
    }
    xs, ys = (_chosen(sorted({*map(float, series.column(name))})) for name in (first, second))

    def predicted(x: float, y: float) -> float:
        return verdict.model.expression.value(**{first: x, second: y}, **rest)

    yield _surface(verdict, (xs, ys), (first, second), predicted, others)
    yield _slices(verdict, measured, (xs, ys), (first, second), predicted, others=others)
    off = [[_relative(measured.get((x, y)), predicted(x, y)) for x in xs] for y in ys]
    if any(value is not None for row in off for value in row):
        yield pages.heatmap(
            [f"{x:g}" for x in xs],
            [f"{y:g}" for y in ys],
            off,
            x_title=first,
            y_title=second,
            value_title="(measured / model − 1), %",
            diverging=True,
            height=300,
            caption=f"Residuals of the model{others}; red: slower than the model.",
        )


def _relative(value: float | None, model: float) -> float | None:
    return None if value is None or not (model > 0 and math.isfinite(model)) else 100 * (value / model - 1)


def _chosen(settings: list[float]) -> list[float]:
    """Return the settings; if there are many, only some, including the first and the last setting."""
    if len(settings) <= _MOST_SETTINGS:
        return settings
    step = (len(settings) - 1) / (_MOST_SETTINGS - 1)
    return [settings[round(at * step)] for at in range(_MOST_SETTINGS)]


def _surface(
    verdict: Verdict,
    settings: tuple[list[float], list[float]],
    names: tuple[str, str],
    predicted: _Surface,
    others: str,
) -> pages.Figure:
    xs, ys = ([*one, *(one[-1] * 2.0**n for n in range(1, _FURTHER + 1))] for one in settings)

    def height(x: float, y: float) -> float | None:
        value = predicted(x, y)
        return math.log10(value) if value > 0 and math.isfinite(value) else None

    return pages.heatmap(
        [f"{x:g}" for x in xs],
        [f"{y:g}" for y in ys],
        [[height(x, y) for x in xs] for y in ys],
        x_title=names[0],
        y_title=names[1],
        value_title=f"log10 of {verdict.series.metric}",
        caption=f"Model {verdict.model.expression}{others}. The last {_FURTHER} columns and rows are extrapolated.",
    )


def _slices(
    verdict: Verdict,
    measured: dict[tuple[float, float], float],
    settings: tuple[list[float], list[float]],
    names: tuple[str, str],
    predicted: _Surface,
    *,
    others: str,
) -> pages.Figure:
    xs, ys = settings
    lines: list[pages.PlotSeries] = []
    scales = [xs[0] * (2 * xs[-1] / xs[0]) ** (at / _STEPS) for at in range(_STEPS + 1)] if xs[0] > 0 else xs
    for y, color in zip(_spread(ys), _PALETTE, strict=False):
        at = [x for x in xs if (x, y) in measured]
        label = f"{names[1]} = {y:g}"
        labels = [f"{names[0]} = {x:g}, {label}: {measured[x, y]:.4g}" for x in at]
        lines.append(pages.PlotSeries(label, at, [measured[x, y] for x in at], "points", labels=labels, color=color))
        curve = [predicted(x, y) for x in scales]
        shown = [value if math.isfinite(value) and value > 0 else None for value in curve]
        lines.append(pages.PlotSeries(f"model, {label}", scales, shown, color=color))
    return pages.xy_figure(
        lines,
        x_title=names[0],
        y_title=verdict.series.metric,
        x_log=xs[0] > 0,
        y_log=all(value > 0 for value in verdict.series.values),
        caption=f"Slices at fixed {names[1]}{others}.",
        height=420,
    )


def _spread(settings: Sequence[float]) -> list[float]:
    if len(settings) <= _SLICES:
        return list(settings)
    return [settings[round(at * (len(settings) - 1) / (_SLICES - 1))] for at in range(_SLICES)]
