"""Tests that reject a model even if it is the most probable candidate.

A model does not fit if its residuals exceed the scatter of the jobs, or if a curve through the residuals fits
significantly better than 0. Also, a program may switch algorithms between small and large scales, which no sum of terms
describes.
"""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.scale.model import ErrorModel, Term, parse_term, squares_of_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from adcl.scale.model import Model, Series

    Array = NDArray[np.float64]

__all__ = ["ChangePoint", "change_points", "misfits_of"]

_SIGNIFICANCE = 1e-3
_HARMLESS = 0.01
"""Relative residuals up to this value are ignored."""

_NOTHING = 1e-14
"""Relative size of residuals that is attributed to rounding."""

_CURVES = 2
_LEAST_FREEDOM = 3

_SIDE = 4
"""Minimum number of points on each side of a change."""

_JUMP = 0.25
"""Minimum relative step of a change; noise must not explain the step.

A change of algorithm needs no higher prior than a sum of terms: a step is evidence against sums, which are smooth.
"""

_DEVIATIONS = 4.0
_PIECES = tuple(parse_term(text).growth("x") for text in ("1 / x", "log x", "log^2 x", "sqrt x", "x", "x log x", "x^2"))


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """Setting at which another algorithm begins."""

    at: float
    """Smallest measured setting of the second algorithm."""

    first: int
    """Index of the second algorithm's first point."""


def misfits_of(models: Sequence[Model], points: Mapping[str, Array]) -> list[str | None]:
    """Return, for each model, why it does not describe its measurements, or None. All models have these points."""
    import numpy as np

    found: list[str | None] = [None] * len(models)
    by_terms: dict[tuple[Term, ...], list[int]] = defaultdict(list)
    for at, model in enumerate(models):
        if model.freedom >= 1:
            by_terms[model.first.terms].append(at)
    for terms, group in by_terms.items():
        columns, freedom = _columns(terms, points), models[group[0]].freedom
        weights = np.array([models[at].weights for at in group])
        predicted = np.array([models[at].first.coefficients for at in group]) @ columns
        residuals = (np.array([models[at].series.values for at in group]) - predicted) * np.sqrt(weights)
        large = np.sqrt((residuals**2).sum(axis=1) / residuals.shape[1]) > _HARMLESS
        patterned = []
        for row in np.flatnonzero(large).tolist():
            at = group[row]
            factor = _beyond_scatter(models[at].series, residuals[row], weights[row], freedom)
            if factor is None:
                patterned.append(row)
            else:
                found[at] = f"the model does not fit: its residuals are {factor:.1f} times the scatter of the jobs"
        if not patterned or len(points) > 1 or freedom - _CURVES < _LEAST_FREEDOM:
            continue
        own = (predicted[patterned], residuals[patterned], weights[patterned])
        for row, has in zip(patterned, _have_pattern(columns, points, own, freedom).tolist(), strict=True):
            if has:
                found[group[row]] = "the model does not fit: its values alternate between too high and too low"
    return found


def _columns(terms: tuple[Term, ...], points: Mapping[str, Array]) -> Array:
    return _known_columns(terms, tuple((name, column.tobytes()) for name, column in points.items()))


@functools.lru_cache(maxsize=256)
def _known_columns(terms: tuple[Term, ...], settings: tuple[tuple[str, bytes], ...]) -> Array:
    import numpy as np

    points = {name: np.frombuffer(column) for name, column in settings}
    return np.array([term.evaluate(points) for term in terms])


def _beyond_scatter(series: Series, residuals: Array, weights: Array, freedom: int) -> float | None:
    """Return the ratio of the residuals to the scatter of the jobs, if significant (an F test)."""
    import numpy as np

    jobs = [len(one) for one in series.jobs]
    if not len(jobs) == len(series.spreads) == len(residuals) or min(jobs) < 2:  # noqa: PLR2004
        return None
    counts = np.array(jobs, dtype=float)
    within = float(sum(one.squares * weight for one, weight in zip(series.spreads, weights, strict=True)))
    degrees = sum(one.freedom for one in series.spreads)
    of_medians = np.where(counts > 2, math.pi / 2, 1.0) / counts  # noqa: PLR2004
    if not within > 0:
        return None
    ratio = float((residuals**2 / of_medians).sum()) / freedom / (within / degrees)
    if ratio <= 1:  # never significant
        return None
    from scipy.special import fdtrc  # importing it takes 0.2 s

    return math.sqrt(ratio) if fdtrc(freedom, degrees, ratio) < _SIGNIFICANCE else None


def _have_pattern(
    columns: Array, points: Mapping[str, Array], rows: tuple[Array, Array, Array], freedom: int
) -> NDArray[np.bool_]:
    """Return whether curves explain the residuals of models with the same terms significantly (an F test).

    `rows` are predictions, weighted residuals and weights, D by n each.
    """
    import numpy as np

    predicted, residuals, weights = rows
    x = np.log(np.maximum(next(iter(points.values())), 1e-300))
    x = 2 * (x - x.min()) / max(float(np.ptp(x)), 1e-300) - 1
    # Legendre polynomials of degree 2 and 3.
    curves = [predicted * (3 * x**2 - 1) / 2, predicted * (5 * x**3 - 3 * x) / 2]
    terms = [np.broadcast_to(one, predicted.shape) for one in columns]
    design = np.stack([*terms, *curves], axis=1) * np.sqrt(weights)[:, None]
    design = design / np.maximum(np.abs(design).max(axis=2), 1e-300)[..., None]
    basis = np.linalg.qr(np.swapaxes(design, 1, 2)).Q
    along = (np.swapaxes(basis, 1, 2) @ residuals[..., None])[..., 0]
    total = (residuals**2).sum(axis=1)
    gained = (along**2).sum(axis=1)
    left = total - gained
    free = freedom - _CURVES
    exact = left <= _NOTHING * total
    # Tail of an F distribution with two numerator degrees of freedom at gained / 2 / (left / free).
    chance = (1 + gained / np.where(exact, 1.0, left)) ** (-free / 2)
    return np.asarray(np.where(exact, gained > 0, chance < _SIGNIFICANCE))


def change_points(series: Sequence[Series], values: Array, alone: Array) -> list[ChangePoint | None]:
    """Find a change of algorithm that explains the measurements better than one sum of terms.

    The D series share their points; `values` is D by n. `alone` has the logarithms of prior times evidence of the best
    sum, see `adcl.scale._choose.Choice`. Each side is a constant, or a constant and one simple term. There must be a
    step between the sides.
    """
    import numpy as np

    found: list[ChangePoint | None] = [None] * len(series)
    count = values.shape[1]
    if len(series[0].parameters) != 1 or count < 2 * _SIDE:
        return found
    name = series[0].parameters[0]
    points = series[0].columns()
    weights = 1 / ErrorModel.RELATIVE.sizes(values, values) ** 2
    with np.errstate(all="ignore"):
        columns = np.array([Term.of({name: one}).evaluate(points) for one in _PIECES])
    if not np.isfinite(columns).all():
        return found
    least, coefficients, firsts = np.full(len(values), np.inf), np.zeros(len(values)), np.zeros(len(values), dtype=int)
    for first in range(_SIDE, count - _SIDE + 1):
        parts = (slice(first), slice(first, None))
        sides = [_best_sides(columns[:, at], values[:, at], weights[:, at]) for at in parts]
        together = sides[0][0] + sides[1][0]
        better = together < least
        least = np.where(better, together, least)
        coefficients = np.where(better, sides[0][1] + sides[1][1], coefficients)
        firsts = np.where(better, first, firsts)
    # The position of the change is also a coefficient.
    both = coefficients + 1
    part = (count - both) / 2
    evidence = -part * np.log(least / count + 1e-12) - both / 2 * math.log(count)
    for at in np.flatnonzero(evidence >= alone).tolist():
        noise, first = math.sqrt(float(least[at]) / (count - float(both[at]))), int(firsts[at])
        if abs(_step(columns, values[at], weights[at], first)) >= max(_JUMP, _DEVIATIONS * noise):
            found[at] = ChangePoint(float(series[at].column(name)[first]), first)
    return found


def _best_sides(columns: Array, values: Array, weights: Array) -> tuple[Array, Array]:
    """Return sums of squares and numbers of coefficients of the best pieces on one side of each series."""
    import numpy as np

    mean = (weights * values).sum(axis=1) / weights.sum(axis=1)
    constant = (weights * (values - mean[:, None]) ** 2).sum(axis=1)
    with np.errstate(all="ignore"):
        lines = squares_of_lines(columns, values, weights)
    least = np.where(np.isfinite(lines), lines, np.inf).min(axis=1)
    # A term per side costs one degree of freedom.
    line = least < constant * 0.5
    return np.where(line, least, constant), np.where(line, 2, 1)


def _step(columns: Array, values: Array, weights: Array, first: int) -> float:
    """Return the relative distance of the second side's first value from the first side's prediction, and its minimum.

    The best piece on the first side predicts the value; if there is none, the slope of its last two points does.
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
