"""Figures over one parameter on logarithmic axes: a function with its model, its runs, and its efficiency."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from adcl import pages
from adcl.scale.model import Growth, big_o, make_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from adcl.scale.judge import Verdict
    from adcl.scale.model import Term
    from adcl.scale.study import EfficiencyCheck

__all__ = ["curves", "efficiency_figure", "runs_figure", "verdict_figure"]

_STEPS = 60
_IN_SIGHT = 1e7
"""Largest scale of a figure."""

_MODEL, _EXPECTED, _LIMIT, _POINT = "#0072b2", "#009e73", "#e69f00", "#444444"
_PALETTE = (_MODEL, "#d55e00", _EXPECTED, "#cc79a7", _LIMIT, "#56b4e9", "#8a6d00", _POINT)


def _scales(verdict: Verdict) -> list[float]:
    """Return logarithmically spaced values of the parameter from the smallest measured to beyond the largest."""
    own = verdict.series.column(verdict.series.parameters[0])
    low, high = float(own.min()), float(own.max())
    fastest = {Growth().fastest, *(growth.fastest for term in verdict.model.leading for _, growth in term.growths)}
    high = min(factor.drawn_to(low, high) for factor in fastest)
    return [low * (high / low) ** (at / _STEPS) for at in range(_STEPS + 1)] if low > 0 else [low, high]


def _through(terms: Sequence[Term], name: str, scales: list[float], anchor: tuple[float, float]) -> list[float]:
    """Return a sum of terms scaled to pass through a point; only its slope matters. Empty if it is 0 there."""
    base = sum(term.value(**{name: anchor[0]}) for term in terms)
    if not base > 0:
        return []
    return [anchor[1] * sum(term.value(**{name: x}) for term in terms) / base for x in scales]


def _line(name: str, scales: list[float], values: Iterable[float], color: str, *, dashed: bool) -> pages.PlotSeries:
    """Return a line, cut before values overflow, as exponentials soon do."""
    drawn = list(itertools.takewhile(math.isfinite, values))
    return pages.PlotSeries(name, scales[: len(drawn)], drawn, color=color, dashed=dashed)


def curves(verdict: Verdict) -> list[pages.PlotSeries]:
    """Return the curves for one verdict whose series has one parameter."""
    import numpy as np

    series, name = verdict.series, verdict.series.parameters[0]
    scales = _scales(verdict)
    measured = [float(x) for x in series.column(name)]
    predictions = list(
        itertools.takewhile(lambda one: math.isfinite(one.high), (verdict.model.predict(**{name: x}) for x in scales))
    )
    spread = [tuple(sorted(job)) for job in series.jobs] or [(value,) for value in series.values]
    found = [
        pages.PlotSeries(
            "measured",
            measured,
            list(series.values),
            "points",
            low=[one[0] for one in spread],
            high=[one[-1] for one in spread],
            color=_POINT,
            labels=[
                f"{name} = {x:g}: {y:.4g}{' †' if oversubscribed else ''}"
                for x, y, oversubscribed in zip(
                    measured, series.values, series.oversubscribed or (False,) * len(measured), strict=True
                )
            ],
        ),
        pages.PlotSeries(
            f"model {verdict.model.growth}",
            scales[: len(predictions)],
            [prediction.value for prediction in predictions],
            low=[max(prediction.low, prediction.value * 1e-3) for prediction in predictions],
            high=[prediction.high for prediction in predictions],
            color=_MODEL,
        ),
    ]
    if verdict.limits is None:
        return found
    values = np.array(series.values)
    weights = 1 / np.maximum(values, values.max() * 1e-3 or 1.0) ** 2
    expected = make_model(series, verdict.limits.expectation, weights)
    found.append(
        _line(
            f"expected {big_o(verdict.limits.expectation)}",
            scales,
            (expected.predict(**{name: x}).value for x in scales),
            _EXPECTED,
            dashed=True,
        )
    )
    anchors = [(x, expected.predict(**{name: x}).value) for x in scales if x > 1]
    for label, terms in (("lower limit", verdict.limits.lower), ("upper limit", verdict.limits.upper)):
        if anchors and terms != verdict.limits.expectation:
            line = _through(terms, name, scales, anchors[0])
            found.append(_line(f"{label} {big_o(terms)}", scales, line, _LIMIT, dashed=True))
    return found


def verdict_figure(verdict: Verdict) -> pages.Figure:
    """Return a figure of the measurements of a function of one parameter with model, expectation and limits."""
    return pages.xy_figure(
        curves(verdict),
        x_title=verdict.series.parameters[0],
        y_title=verdict.series.metric,
        x_log=True,
        y_log=all(value > 0 for value in verdict.series.values),
        caption="Limits pass through the first point; only their slope matters. Error bars show the range of jobs; "
        "the band is the 95 % interval of a new measurement.",
    )


def efficiency_figure(check: EfficiencyCheck) -> pages.Figure:
    """Return a figure of measured, modeled and required efficiency."""
    one, name = check.efficiency, check.parameter
    ends = [end for end in (check.ends_at, check.fastest_at) if end is not None and end < _IN_SIGHT]
    last = max([check.points[-1] * 2, *ends])
    scales = [check.points[0] * (last / check.points[0]) ** (at / _STEPS) for at in range(_STEPS + 1)]
    lines = [
        pages.PlotSeries(
            "measured",
            check.points,
            check.measured,
            "points",
            color=_POINT,
            labels=[f"{name} = {x:g}: {y:.1%}" for x, y in zip(check.points, check.measured, strict=True)],
        ),
        pages.PlotSeries("model", scales, [check.modeled(x) for x in scales], color=_MODEL),
        pages.PlotSeries(
            f"required: {one.at_least:.0%}", [scales[0], scales[-1]], [one.at_least] * 2, color=_LIMIT, dashed=True
        ),
    ]
    return pages.xy_figure(
        lines,
        x_title=name,
        y_title="efficiency",
        x_log=True,
        caption=f"Relative to {name} = {check.base[0]:g}, where the cost is {check.base[1]:.4g} ({one.metric}).",
    )


def runs_figure(label: str, verdicts: list[tuple[str, Verdict]]) -> pages.Figure:
    """Return a figure of the measurements and models of one function in several runs."""
    series = verdicts[0][1].series
    name = series.parameters[0]
    lines = []
    for at, (run, verdict) in enumerate(verdicts):
        color = _PALETTE[at % len(_PALETTE)]
        measured = [float(x) for x in verdict.series.column(name)]
        scales = _scales(verdict)
        lines.append(pages.PlotSeries(run, measured, list(verdict.series.values), "points", color=color))
        values = (verdict.model.predict(**{name: x}).value for x in scales)
        lines.append(_line(f"{run}: {verdict.model.growth}", scales, values, color, dashed=False))
    return pages.xy_figure(lines, x_title=name, y_title=series.metric, x_log=True, y_log=True, caption=label)
