"""Reasons not to believe a model, however probable it is among those that were tried.

A model misfits when its residuals are larger than the scatter of the jobs explains, or when they have a pattern: a
curve through them fits significantly better. And a program may use one algorithm at small scales and another at large
ones, which no sum of terms describes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.scale._error_model import ErrorModel
from adcl.scale._fit import squares_of_lines
from adcl.scale._parse import parse_term
from adcl.scale._series import MINIMUM_POINTS
from adcl.scale._term import Term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adcl.scale._model import Model
    from adcl.scale._series import Series

    Array = NDArray[np.float64]

__all__ = ["ChangePoint", "change_point", "leaves", "misfit"]

_SIGNIFICANCE = 1e-3
_HARMLESS = 0.01
"""Relative residuals up to this are not worth a doubt, however regular they are."""

_OUTGROWN, _SURE = 1.5, 0.01
"""By how much, and how surely, measurements outgrow a limit before that counts without a model that fits."""

_CURVES = 2
_LEAST_FREEDOM = 3

_SIDE = 4
"""Points that each side of a change has at least."""

_JUMP = 0.25
"""A change is a step by at least this part, and one that noise does not make. It need not be more probable beforehand
than a sum of terms: such a step is evidence that sums, which are smooth, do not have."""

_DEVIATIONS = 4.0
_PIECES = tuple(parse_term(text).growth("x") for text in ("1 / x", "log x", "log^2 x", "sqrt x", "x", "x log x", "x^2"))


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """Where another algorithm begins."""

    at: float
    """The smallest measured setting that has it."""

    first: int
    """The index of its first point."""


def misfit(series: Series, model: Model, weights: Array) -> str | None:
    """Say why the model does not describe the measurements, or None."""
    import numpy as np

    values, points = np.array(series.values), series.columns()
    predicted = model.expression.evaluate(points)
    residuals = (values - np.broadcast_to(predicted, values.shape)) * np.sqrt(weights)
    if math.sqrt(float((residuals**2).mean())) <= _HARMLESS or model.freedom < 1:
        return None
    factor = _beyond_scatter(series, residuals, weights, model.freedom)
    if factor is not None:
        return f"the model misfits: it is off by {factor:.1f} times what the scatter of the jobs explains"
    if len(series.parameters) == 1 and _has_pattern(series, model, residuals, weights):
        return "the model misfits: it is too high and too low by turns"
    return None


def _beyond_scatter(series: Series, residuals: Array, weights: Array, freedom: int) -> float | None:
    """How much larger residuals are than the scatter of the jobs explains, if significantly (an F test)."""
    import numpy as np
    from scipy.special import fdtrc

    counts = np.array([len(jobs) for jobs in series.jobs], dtype=float)
    if not len(counts) == len(series.spreads) == len(residuals) or counts.min() < 2:  # noqa: PLR2004
        return None
    within = float(sum(one.squares * weight for one, weight in zip(series.spreads, weights, strict=True)))
    degrees = sum(one.freedom for one in series.spreads)
    of_medians = np.where(counts > 2, math.pi / 2, 1.0) / counts  # noqa: PLR2004
    if not within > 0:
        return None
    ratio = float((residuals**2 / of_medians).sum()) / freedom / (within / degrees)
    return math.sqrt(ratio) if fdtrc(freedom, degrees, ratio) < _SIGNIFICANCE else None


def _has_pattern(series: Series, model: Model, residuals: Array, weights: Array) -> bool:
    """Whether a curve explains the residuals significantly (an F test)."""
    import numpy as np
    from scipy.special import fdtrc

    freedom = model.freedom - _CURVES
    if freedom < _LEAST_FREEDOM:
        return False
    x = np.log(np.maximum(series.column(series.parameters[0]), 1e-300))
    x = 2 * (x - x.min()) / max(float(np.ptp(x)), 1e-300) - 1
    points = series.columns()
    columns = [coefficient.term.evaluate(points) for coefficient in model.coefficients]
    predicted = np.broadcast_to(model.expression.evaluate(points), x.shape)
    curves = [predicted * np.polynomial.legendre.legval(x, [0.0] * n + [1.0]) for n in (2, 3)]
    design = np.array([*(np.broadcast_to(one, x.shape) for one in columns), *curves]) * np.sqrt(weights)
    design = design / np.maximum(np.abs(design).max(axis=1), 1e-300)[:, None]
    answer = np.linalg.lstsq(design.T, residuals, rcond=None)[0]
    left = float(((residuals - answer @ design) ** 2).sum())
    gained = float((residuals**2).sum()) - left
    if left <= 0:
        return gained > 0
    return bool(fdtrc(_CURVES, freedom, gained / _CURVES / (left / freedom)) < _SIGNIFICANCE)


def leaves(series: Series, upper: tuple[Term, ...]) -> bool:
    """Whether the measurements outgrow the upper limit by themselves, whatever model would describe them.

    Over the larger half of the settings, and at least four of them, what was measured over the limit has to rise from
    each setting to the next, by a factor of 1.5 in all, and along a straight line on logarithmic axes more surely than
    chance explains (a one-sided t test).
    """
    import numpy as np
    from scipy.special import stdtr

    if len(series.parameters) != 1 or len(series.values) < MINIMUM_POINTS:
        return False
    count = max(_SIDE, (len(series.values) + 1) // 2)
    points = {name: column[-count:] for name, column in series.columns().items()}
    values = np.array(series.values[-count:])
    limit = np.sum([term.evaluate(points) for term in upper], axis=0)
    if not (values.min() > 0 and np.isfinite(limit).all() and np.min(limit) > 0):
        return False
    ratio = np.log(values / limit)
    if not (np.diff(ratio) > 0).all() or ratio[-1] - ratio[0] < math.log(_OUTGROWN):
        return False
    x = np.log(points[series.parameters[0]])
    x = x - x.mean()
    slope = float((x * ratio).sum() / (x * x).sum())
    left = float(((ratio - ratio.mean() - slope * x) ** 2).sum()) / (count - 2)
    deviation = math.sqrt(left / float((x * x).sum()))
    return deviation == 0 or float(stdtr(count - 2, -slope / deviation)) < _SURE


def change_point(series: Series, alone: float) -> ChangePoint | None:
    """Find where another algorithm begins, if that explains the measurements better than one sum of terms.

    `alone` is the logarithm of prior times evidence of the best sum, see `adcl.scale._choose.Choice`. Each side is a
    constant, or a constant and one simple term. There must be a step between the sides.
    """
    import numpy as np

    count = len(series.values)
    if len(series.parameters) != 1 or count < 2 * _SIDE:
        return None
    name, values = series.parameters[0], np.array([series.values])
    weights = 1 / ErrorModel.RELATIVE.sizes(values, values) ** 2
    with np.errstate(all="ignore"):
        columns = np.array([Term.of({name: one}).evaluate(series.columns()) for one in _PIECES])
    if not np.isfinite(columns).all():
        return None
    found = []
    for first in range(_SIDE, count - _SIDE + 1):
        sides = (slice(first), slice(first, None))
        parts = [_best_side(columns[:, at], values[:, at], weights[:, at]) for at in sides]
        found.append((sum(part[0] for part in parts), sum(part[1] for part in parts), first))
    together, coefficients, first = min(found)
    # The place of the change is a coefficient as well.
    both = coefficients + 1
    part = (count - both) / 2
    evidence = -part * math.log(together / count + 1e-12) - both / 2 * math.log(count)
    if evidence < alone:
        return None
    noise = math.sqrt(together / (count - both))
    if abs(_step(columns, values[0], weights[0], first)) < max(_JUMP, _DEVIATIONS * noise):
        return None
    return ChangePoint(float(series.column(name)[first]), first)


def _best_side(columns: Array, values: Array, weights: Array) -> tuple[float, int]:
    """Sum of squares, and number of coefficients, of the piece that explains one side best."""
    import numpy as np

    mean = float((weights * values).sum() / weights.sum())
    constant = float((weights * (values - mean) ** 2).sum())
    with np.errstate(all="ignore"):
        lines = squares_of_lines(columns, values, weights)[0]
    least = float(np.nanmin(np.where(np.isfinite(lines), lines, np.inf)))
    # A term for each side costs what one degree of freedom is worth.
    return (least, 2) if least < constant * 0.5 else (constant, 1)


def _step(columns: Array, values: Array, weights: Array, first: int) -> float:
    """How far the first value of the second side is from what the first side predicts, relatively; its smallest size.

    The piece that fits best on the first side predicts, and its slope is that of the two last points where none does.
    """
    import numpy as np

    left = slice(first)
    best, predicted = float("inf"), float((weights[left] * values[left]).sum() / weights[left].sum())
    for column in columns:
        design = np.array([np.ones(first), column[left]]) * np.sqrt(weights[left])
        answer = np.linalg.lstsq(design.T, values[left] * np.sqrt(weights[left]), rcond=None)[0]
        squares = float(((values[left] * np.sqrt(weights[left]) - answer @ design) ** 2).sum())
        if squares < best:
            best, predicted = squares, float(answer[0] + answer[1] * column[first])
    larger = max(abs(predicted), abs(float(values[first])), 1e-300)
    return (float(values[first]) - predicted) / larger
