"""Model of one series: coefficients, quality of the fit, and predictions."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.scale.model._choose import constant_rule
from adcl.scale.model._error_model import ErrorModel
from adcl.scale.model._fit import ConstantRule, left_out_squares, prefers_negative_constant
from adcl.scale.model._mixture import intervals
from adcl.scale.model._sum_of_terms import Expression, big_o, leading
from adcl.scale.model._term import ONE, Term

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from adcl.scale.model._choose import Hypothesis
    from adcl.scale.model._series import Series

    Array = NDArray[np.float64]

__all__ = ["Coefficient", "Model", "Part", "Prediction", "make_model", "make_models"]

_EXACT = 1e-12

_POINTS_OF_FIT = 7
"""Minimum number of points for a meaningful coefficient of determination."""

_SINGULAR = 1e-9
"""Determinant, relative to the diagonal's product, below which the pseudo-inverse is used."""

_UNLIKELY = 0.01
"""Error models with a smaller probability are omitted from intervals."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A term's coefficient and its 95 % confidence interval, given that the terms are correct."""

    term: Term
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Prediction:
    """Prediction for one point, and the 95 % interval of a new measurement there."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Part:
    """A sum of terms fitted under one error model. A model's intervals combine all its parts."""

    chance: float
    error: ErrorModel
    terms: tuple[Term, ...]
    coefficients: Array
    covariance: Array
    noise: float
    freedom: int

    def predict(self, measured: Array, point: Mapping[str, float]) -> tuple[float, float]:
        """Return the value at a point, and the standard deviation of a new measurement there."""
        import numpy as np

        columns = np.array([term.value(**point) for term in self.terms])
        with np.errstate(over="ignore", invalid="ignore"):
            value = float(columns @ self.coefficients)
        if not np.isfinite(value):
            return value, 0.0
        size = float(self.error.sizes(np.array([[value]]), measured[None])[0, 0]) if len(measured) else abs(value)
        # Squares of extreme values, such as 2^800, overflow.
        largest = max(float(np.abs(columns).max(initial=0.0)), 1.0)
        parts = columns / largest
        return value, math.hypot(largest * max(float(parts @ self.covariance @ parts), 0.0) ** 0.5, self.noise * size)


@dataclass(frozen=True, eq=False)
class Model:
    """A sum of terms with coefficients, fitted to a series.

    Intervals and other optional results are computed on access.
    """

    series: Series
    hypothesis: Hypothesis
    first: Part
    """Fit under the most probable error model."""

    weights: Array
    """Weights of that error model."""

    others: tuple[tuple[float, ErrorModel, Array], ...] = ()
    """Further error models with their probabilities and weights."""

    fewest_of_fit: int = _POINTS_OF_FIT
    """Minimum number of points for `adjusted_r_squared`."""

    @property
    def freedom(self) -> int:
        """Number of points minus number of coefficients."""
        return self.first.freedom

    @property
    def measured(self) -> tuple[float, ...]:
        """The measured values."""
        return self.series.values

    @functools.cached_property
    def adjusted_r_squared(self) -> float | None:
        """Adjusted coefficient of determination of the unweighted residuals.

        None for a constant, which explains no variation, and for few points, where the best of many terms always yields
        a value near 1.
        """
        import numpy as np

        values = np.array(self.series.values)
        count, terms = len(values), self.first.terms
        residuals = values - self.first.coefficients @ _columns(terms, self.series.columns(), count)
        squares, variation = float((residuals**2).sum()), float(((values - values.mean()) ** 2).sum())
        slopes = len([term for term in terms if term != ONE])
        if not (slopes and variation > 0 and count >= self.fewest_of_fit):
            return None
        return max(0.0, 1 - squares / variation * (count - 1) / max(count - slopes - 1, 1))

    @functools.cached_property
    def typical(self) -> float:
        """Factor that makes residuals under the error model relative to the measurements."""
        import numpy as np

        if self.first.error is not ErrorModel.CONSTANT:
            return 1.0
        sizes = np.abs(np.array(self.series.values))
        least = _EXACT * float(sizes.max() or 1.0)
        return float(np.median(1 / np.sqrt(self.weights) / np.maximum(sizes, least)))

    @property
    def relative_error(self) -> float:
        """Relative standard deviation of the measurements around the model."""
        return self.first.noise * self.typical

    @functools.cached_property
    def parts(self) -> tuple[Part, ...]:
        """The first part belongs to the most probable error model and the model itself.

        The probabilities sum to one.
        """
        import numpy as np

        if not self.others:
            return (self.first,)
        values = np.array([self.series.values] * len(self.others))
        weights = np.array([one for _, _, one in self.others])
        errors = [(chance, error) for chance, error, _ in self.others]
        return (self.first, *_parts(self.hypothesis, self.series.columns(), values, weights, errors))

    @functools.cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Coefficients with their intervals."""
        return _coefficients(self.parts, self.series.bias)

    @functools.cached_property
    def left_out_error(self) -> float:
        """`relative_error` for leave-one-out predictions."""
        import numpy as np

        values = np.array([self.series.values])
        moving = tuple(term for term in self.hypothesis if term != ONE)
        columns = _columns(moving, self.series.columns(), values.shape[1])[None]
        squares = left_out_squares(columns, values, self.weights[None], constant_rule(self.hypothesis))[0, 0]
        return float((squares / values.shape[1]) ** 0.5) * self.typical

    @functools.cached_property
    def expression(self) -> Expression:
        """Model as an expression."""
        return Expression(tuple(zip(self.first.coefficients.tolist(), self.first.terms, strict=True)))

    @functools.cached_property
    def leading(self) -> tuple[Term, ...]:
        """Leading terms for growing parameters."""
        return leading(self.first.terms)

    @property
    def growth(self) -> str:
        """Growth in big O."""
        return big_o(self.leading)

    def predict(self, **point: float) -> Prediction:
        """Predict a measurement at a point. The interval includes noise, but not other models that would fit."""
        import numpy as np

        measured = np.array(self.measured)
        value = self.parts[0].predict(measured, point)[0]
        if not np.isfinite(value):
            return Prediction(value, value, value)
        values, scales = zip(*(part.predict(measured, point) for part in self.parts), strict=True)
        freedoms = np.array([part.freedom for part in self.parts], dtype=float)
        lows, highs = intervals(
            np.array([[part.chance for part in self.parts]]), np.array([values]), np.array([scales]), freedoms
        )
        low, high = _widened(float(lows[0]), float(highs[0]), value, self.series.bias)
        return Prediction(value, max(low, 0.0), high)


def _widened(low: float, high: float, value: float, bias: float) -> tuple[float, float]:
    """Extend both ends by the bias.

    The first quartile of symmetric noise is below the true value by the bias; that of purely additive noise is at most
    the bias above it.
    """
    return low - abs(bias * value), high + abs(bias * value)


def _columns(terms: Hypothesis, points: Mapping[str, Array], count: int) -> Array:
    import numpy as np

    return np.array([term.evaluate(points) for term in terms]).reshape(-1, count)


def _with_constant(hypothesis: Hypothesis, columns: Array, values: Array, weights: Array) -> NDArray[np.bool_]:
    """Return a mask of the models that have a constant; the first column belongs to the constant."""
    import numpy as np

    rule = constant_rule(hypothesis)
    if rule is not ConstantRule.CLIPPED or not hypothesis:
        return np.full(len(values), rule is not ConstantRule.NONE)
    free, _ = _weighted(columns, values, weights)
    positive = np.asarray(free[:, 0] > 0)
    if len(hypothesis) > 1 or positive.all():
        return positive
    through, _ = _weighted(columns[1:], values, weights)
    fits = free @ columns, through @ columns[1:]
    possible = prefers_negative_constant(*fits, values, weights) & (free[:, 1] >= 0) & np.isfinite(free).all(axis=1)
    return np.asarray(positive | possible)


def _parts(
    hypothesis: Hypothesis,
    points: Mapping[str, Array],
    values: Array,
    weights: Array,
    errors: Sequence[tuple[float, ErrorModel]],
) -> list[Part]:
    """Fit a hypothesis to D series of n values, each with weights and an error model with its probability."""
    import numpy as np

    count = values.shape[1]
    terms = (ONE, *(term for term in hypothesis if term != ONE))
    columns = _columns(terms, points, count)
    constant = _with_constant(hypothesis, columns, values, weights)
    found: dict[int, Part] = {}
    for begin in (0, 1):
        rows = np.flatnonzero(constant == (begin == 0))
        if not len(rows):
            continue
        own, used = columns[begin:], terms[begin:]
        coefficients, inverse = _weighted(own, values[rows], weights[rows])
        freedom = count - len(used)
        noise = (weights[rows] * (values[rows] - coefficients @ own) ** 2).sum(axis=1) / max(freedom, 1)
        covariance, deviations = noise[:, None, None] * inverse, np.sqrt(noise).tolist()
        for place, row in enumerate(rows.tolist()):
            found[row] = Part(*errors[row], used, coefficients[place], covariance[place], deviations[place], freedom)
    return [found[row] for row in range(len(values))]


def _coefficients(parts: tuple[Part, ...], bias: float) -> tuple[Coefficient, ...]:
    """Return the coefficients of the first part, and the estimates of all parts that have them."""
    import numpy as np

    terms = parts[0].terms
    shape = (len(terms), len(parts))
    chances, centers, scales = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for column, part in enumerate(parts):
        deviations = np.sqrt(np.maximum(np.diag(part.covariance), 0.0))
        for row, term in enumerate(terms):
            if term in part.terms:
                at = part.terms.index(term)
                chances[row, column], scales[row, column] = part.chance, deviations[at]
                centers[row, column] = part.coefficients[at]
    freedoms = np.array([part.freedom for part in parts], dtype=float)
    lows, highs = intervals(chances / chances.sum(axis=1)[:, None], centers, scales, freedoms)
    return tuple(
        Coefficient(term, value, *_widened(low, high, value, bias))
        for term, value, low, high in zip(terms, centers[:, 0].tolist(), lows.tolist(), highs.tolist(), strict=True)
    )


def make_model(series: Series, hypothesis: Hypothesis, weights: Array) -> Model:
    """Fit a hypothesis to one series with these weights of its points; errors are proportional to size."""
    return make_models([series], [hypothesis], weights[None], [(ErrorModel.RELATIVE, [])])[0]


def make_models(
    series: Sequence[Series],
    hypotheses: Sequence[Hypothesis],
    weights: Array,
    errors: Sequence[tuple[ErrorModel, list[tuple[float, ErrorModel, Array]]]],
) -> list[Model]:
    """Fit a hypothesis to each of D series with the same n points.

    `weights` (D by n) belong to one error model; further error models come with their probabilities and weights, which
    intervals take into account.
    """
    import numpy as np

    values, points = np.array([one.values for one in series]), series[0].columns()
    likely = [[one for one in others if one[0] >= _UNLIKELY] for _, others in errors]
    totals = [
        1 - sum(one[0] for one in others) + sum(one[0] for one in kept)
        for (_, others), kept in zip(errors, likely, strict=True)
    ]
    by_hypothesis: dict[Hypothesis, list[int]] = defaultdict(list)
    for at, hypothesis in enumerate(hypotheses):
        by_hypothesis[hypothesis].append(at)
    found: dict[int, Model] = {}
    for hypothesis, rows in by_hypothesis.items():
        own = [(1 - sum(one[0] for one in likely[at]) / totals[at], errors[at][0]) for at in rows]
        parts = _parts(hypothesis, points, values[rows], weights[rows], own)
        for at, part in zip(rows, parts, strict=True):
            others = tuple((chance / totals[at], other, one) for chance, other, one in likely[at])
            found[at] = Model(series[at], hypothesis, part, weights[at], others)
    return [found[at] for at in range(len(series))]


def _weighted(columns: Array, values: Array, weights: Array) -> tuple[Array, Array]:
    """Solve weighted least squares for D series (D by n): coefficients, and the inverses of the normal matrices."""
    import numpy as np

    scale = np.abs(columns).max(axis=1)
    scaled = columns / scale[:, None]
    weighted = scaled * weights[:, None]
    inverse = _inverse(weighted @ scaled.T)
    return (inverse @ (weighted @ values[..., None]))[..., 0] / scale, inverse / np.outer(scale, scale)


def _inverse(matrices: Array) -> Array:
    """Return the inverses of normal matrices, or the pseudo-inverse for nearly collinear columns."""
    import numpy as np

    size = matrices.shape[-1]
    if size > 2:  # noqa: PLR2004
        return np.asarray(np.linalg.pinv(matrices, hermitian=True))
    found = np.empty_like(matrices)
    if size == 1:
        regular = matrices[:, 0, 0] > 0
        found[regular] = 1 / matrices[regular]
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            diagonal = matrices[:, 0, 0] * matrices[:, 1, 1]
            determinants = diagonal - matrices[:, 0, 1] ** 2
            regular = determinants > _SINGULAR * diagonal
        exchanged = matrices[regular][:, ::-1, ::-1] * np.array([[1.0, -1.0], [-1.0, 1.0]])
        found[regular] = exchanged / determinants[regular][:, None, None]
    if not regular.all():
        found[~regular] = np.linalg.pinv(matrices[~regular], hermitian=True)
    return found
