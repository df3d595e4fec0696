"""A model of one series: its coefficients, how well it fits, and what it predicts."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.scale._choose import constant_rule
from adcl.scale._error_model import ErrorModel
from adcl.scale._expression import Expression, big_o, leading
from adcl.scale._fit import RARE_SIGN, ConstantRule, left_out_squares
from adcl.scale._mixture import intervals
from adcl.scale._term import ONE, Term

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from adcl.scale._choose import Hypothesis
    from adcl.scale._series import Series

    Array = NDArray[np.float64]

__all__ = ["Coefficient", "Model", "Part", "Prediction", "make_model"]

_EXACT = 1e-12

_SINGULAR = 1e-9
"""Determinants below this part of the diagonal's product are left to the pseudo-inverse."""

_UNLIKELY = 0.01
"""Error models that are less probable than this do not move an interval."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A term's coefficient and its 95 % confidence interval, given that the terms are right."""

    term: Term
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a model says of one point, and where a new measurement there lies with 95 % probability."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Part:
    """What one error model says of a sum of terms. The intervals of a model are those of all its parts together."""

    chance: float
    error: ErrorModel
    terms: tuple[Term, ...]
    coefficients: Array
    covariance: Array
    noise: float
    freedom: int

    def predict(self, measured: Array, point: Mapping[str, float]) -> tuple[float, float]:
        """Return the value at a point, and the standard deviation of a new measurement there from it."""
        import numpy as np

        columns = np.array([term.value(**point) for term in self.terms])
        value = float(columns @ self.coefficients)
        if not np.isfinite(value):
            return value, 0.0
        size = float(self.error.sizes(np.array([[value]]), measured[None])[0, 0]) if len(measured) else abs(value)
        return value, float(columns @ self.covariance @ columns + (self.noise * size) ** 2) ** 0.5


@dataclass(frozen=True, eq=False)
class Model:
    """A sum of terms with coefficients, fitted to a series.

    What only some readers want, such as intervals, is computed when it is asked for.
    """

    series: Series
    hypothesis: Hypothesis
    adjusted_r_squared: float | None
    """The adjusted coefficient of determination; None for a constant, which explains no variation."""

    relative_error: float
    """Standard deviation of the measurements around the model, relative to it."""

    typical: float
    """What residuals under the error model are multiplied by to be relative to the measurements."""

    first: Part
    """The fit under the most probable error model."""

    weights: Array
    """Those of that error model."""

    others: tuple[tuple[float, ErrorModel, Array], ...] = ()
    """Further error models, with their probabilities and weights."""

    @property
    def freedom(self) -> int:
        """Points less coefficients."""
        return self.first.freedom

    @property
    def measured(self) -> tuple[float, ...]:
        """The values that it was made of."""
        return self.series.values

    @functools.cached_property
    def parts(self) -> tuple[Part, ...]:
        """The first is that of the most probable error model, and the model's own; the chances sum to one."""
        rest = [_part(self.series, self.hypothesis, one, error, chance) for chance, error, one in self.others]
        return (self.first, *rest)

    @functools.cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """The coefficients with their intervals."""
        return _coefficients(self.parts, self.series.bias)

    @functools.cached_property
    def left_out_error(self) -> float:
        """The same as `relative_error` at points that were left out of the fit, one after the other."""
        import numpy as np

        values = np.array([self.series.values])
        moving = tuple(term for term in self.hypothesis if term != ONE)
        columns = _columns(moving, self.series.columns(), values.shape[1])[None]
        squares = left_out_squares(columns, values, self.weights[None], constant_rule(self.hypothesis))[0, 0]
        return float((squares / values.shape[1]) ** 0.5) * self.typical

    @functools.cached_property
    def expression(self) -> Expression:
        """The model as an expression."""
        return Expression(tuple(zip(self.first.coefficients.tolist(), self.first.terms, strict=True)))

    @functools.cached_property
    def leading(self) -> tuple[Term, ...]:
        """What of it matters when the parameters grow."""
        return leading(self.first.terms)

    @property
    def growth(self) -> str:
        """Its growth in big O."""
        return big_o(self.leading)

    def predict(self, **point: float) -> Prediction:
        """Predict a measurement at a point. The interval knows of noise, and not of other models that would fit."""
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
    """Move both ends outwards by the bias.

    The first quartile of symmetric noise is that far below the truth, and that of noise which only adds is at most that
    far above it.
    """
    return low - abs(bias * value), high + abs(bias * value)


def _columns(terms: Hypothesis, points: Mapping[str, Array], count: int) -> Array:
    import numpy as np

    return np.array([term.evaluate(points) for term in terms]).reshape(-1, count)


def _with_constant(hypothesis: Hypothesis, columns: Array, values: Array, weights: Array) -> bool:
    """Whether the model has a constant; the first of the columns is that of the constant."""
    import numpy as np

    rule = constant_rule(hypothesis)
    if rule is not ConstantRule.CLIPPED or not hypothesis:
        return rule is not ConstantRule.NONE
    free, _ = _weighted(columns, values, weights)
    if free[0] > 0:
        return True
    if len(hypothesis) > 1 or (free @ columns).min() < 0 or free[1:].min() < 0:
        return False
    through, _ = _weighted(columns[1:], values, weights)
    squares = [float((weights * (values - one) ** 2).sum()) + _EXACT for one in (free @ columns, through @ columns[1:])]
    return bool(squares[0] * RARE_SIGN ** (-2 / max(len(values) - 2, 1)) < squares[1]) and bool(np.isfinite(free).all())


def _part(series: Series, hypothesis: Hypothesis, weights: Array, error: ErrorModel, chance: float) -> Part:
    import numpy as np

    values, points = np.array(series.values), series.columns()
    terms = (ONE, *(term for term in hypothesis if term != ONE))
    columns = _columns(terms, points, len(values))
    if not _with_constant(hypothesis, columns, values, weights):
        terms, columns = terms[1:], columns[1:]
    coefficients, inverse = _weighted(columns, values, weights)
    residuals = values - coefficients @ columns
    freedom = len(values) - len(terms)
    noise = float((weights * residuals**2).sum() / max(freedom, 1))
    return Part(chance, error, terms, coefficients, noise * inverse, noise**0.5, freedom)


def _coefficients(parts: tuple[Part, ...], bias: float) -> tuple[Coefficient, ...]:
    """Return the coefficients of the first part, and what all parts that have them say of them."""
    import numpy as np

    terms = parts[0].terms
    shape = (len(terms), len(parts))
    chances, centres, scales = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for column, part in enumerate(parts):
        deviations = np.sqrt(np.maximum(np.diag(part.covariance), 0.0))
        for row, term in enumerate(terms):
            if term in part.terms:
                at = part.terms.index(term)
                chances[row, column], scales[row, column] = part.chance, deviations[at]
                centres[row, column] = part.coefficients[at]
    freedoms = np.array([part.freedom for part in parts], dtype=float)
    lows, highs = intervals(chances / chances.sum(axis=1)[:, None], centres, scales, freedoms)
    return tuple(
        Coefficient(term, value, *_widened(low, high, value, bias))
        for term, value, low, high in zip(terms, centres[:, 0].tolist(), lows.tolist(), highs.tolist(), strict=True)
    )


def make_model(
    series: Series,
    hypothesis: Hypothesis,
    weights: Array,
    error: ErrorModel = ErrorModel.RELATIVE,
    others: Sequence[tuple[float, ErrorModel, Array]] = (),
) -> Model:
    """Fit a hypothesis to a series with these weights of its points, which are those of an error model.

    `others` are further error models: the probability of each and its weights. Intervals take them into account. The
    adjusted coefficient of determination is that of the unweighted residuals, as is usual.
    """
    import numpy as np

    values, points = np.array(series.values), series.columns()
    count = len(values)
    likely = [one for one in others if one[0] >= _UNLIKELY]
    total = 1 - sum(one[0] for one in others) + sum(one[0] for one in likely)
    first = _part(series, hypothesis, weights, error, (total - sum(one[0] for one in likely)) / total)
    residuals = values - first.coefficients @ _columns(first.terms, points, count)
    squares, variation = float((residuals**2).sum()), float(((values - values.mean()) ** 2).sum())
    slopes = len([term for term in first.terms if term != ONE])
    adjusted = None
    if slopes and variation > 0 and first.freedom > 0:
        adjusted = max(0.0, 1 - squares / variation * (count - 1) / max(count - slopes - 1, 1))
    least = _EXACT * float(np.abs(values).max() or 1.0)
    typical = 1.0
    if error is ErrorModel.CONSTANT:
        typical = float(np.median(1 / np.sqrt(weights) / np.maximum(np.abs(values), least)))
    return Model(
        series=series,
        hypothesis=hypothesis,
        adjusted_r_squared=adjusted,
        relative_error=first.noise * typical,
        typical=typical,
        first=first,
        weights=weights,
        others=tuple((chance / total, other, one) for chance, other, one in likely),
    )


def _weighted(columns: Array, values: Array, weights: Array) -> tuple[Array, Array]:
    """Weighted least squares: coefficients, and the inverse of the normal matrix."""
    import numpy as np

    scale = np.abs(columns).max(axis=1)
    scaled = columns / scale[:, None]
    matrix = (scaled * weights) @ scaled.T
    inverse = _inverse(matrix)
    return (inverse @ ((scaled * weights) @ values)) / scale, inverse / np.outer(scale, scale)


def _inverse(matrix: Array) -> Array:
    """The inverse of a normal matrix, or its pseudo-inverse where columns are nearly multiples of each other."""
    import numpy as np

    if len(matrix) == 1 and matrix[0, 0] > 0:
        return np.asarray(1 / matrix)
    if len(matrix) == 2:  # noqa: PLR2004
        (a, b), (_, c) = matrix.tolist()
        determinant = a * c - b * b
        if determinant > _SINGULAR * a * c:
            return np.array([[c / determinant, -b / determinant], [-b / determinant, a / determinant]])
    return np.asarray(np.linalg.pinv(matrix, hermitian=True))
