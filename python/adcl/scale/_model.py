"""A model of one series: its coefficients, how well it fits, and what it predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.scale._expression import Expression, big_o, leading
from adcl.scale._fit import left_out_squares
from adcl.scale._term import ONE, Term

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from adcl.scale._choose import Hypothesis
    from adcl.scale._series import Series

    Array = NDArray[np.float64]

__all__ = ["Coefficient", "Model", "Prediction", "make_model"]

_LEVEL = 0.95


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
class Model:
    """A sum of terms with coefficients, fitted to a series."""

    coefficients: tuple[Coefficient, ...]
    adjusted_r_squared: float | None
    """The adjusted coefficient of determination; None for a constant, which explains no variation."""

    relative_error: float
    """Standard deviation of the measurements around the model, relative to it."""

    left_out_error: float
    """The same at points that were left out of the fit, one after the other."""

    freedom: int
    """Points less coefficients."""

    covariance: tuple[tuple[float, ...], ...]

    @property
    def expression(self) -> Expression:
        """The model as an expression."""
        return Expression(tuple((coefficient.value, coefficient.term) for coefficient in self.coefficients))

    @property
    def leading(self) -> tuple[Term, ...]:
        """What of it matters when the parameters grow. A constant beside falling terms does if it is surely above 0."""
        rising = [
            coefficient.term for coefficient in self.coefficients if coefficient.term != ONE or coefficient.low > 0
        ]
        return leading(rising or (coefficient.term for coefficient in self.coefficients))

    @property
    def growth(self) -> str:
        """Its growth in big O."""
        return big_o(self.leading)

    def predict(self, **point: float) -> Prediction:
        """Predict a measurement at a point. The interval knows of noise, and not of other models that would fit."""
        import numpy as np

        columns = np.array([coefficient.term.value(**point) for coefficient in self.coefficients])
        value = float(columns @ np.array([coefficient.value for coefficient in self.coefficients]))
        spread = float(columns @ np.array(self.covariance) @ columns) + (self.relative_error * value) ** 2
        reach = _quantile(self.freedom) * spread**0.5
        return Prediction(value, max(value - reach, 0.0), value + reach)


def _quantile(freedom: int) -> float:
    """Return Student's t for a two-sided interval."""
    from scipy.special import stdtrit

    return float(stdtrit(max(freedom, 1), 0.5 + _LEVEL / 2))


def _columns(terms: Hypothesis, points: Mapping[str, Array], count: int) -> Array:
    import numpy as np

    return np.array([term.evaluate(points) for term in terms]).reshape(-1, count)


def make_model(series: Series, hypothesis: Hypothesis, weights: Array) -> Model:
    """Fit a hypothesis to a series with these weights of its points; a negative constant becomes 0.

    The adjusted coefficient of determination is that of the unweighted residuals, as is usual.
    """
    import numpy as np

    values, points = np.array(series.values), series.columns()
    count = len(values)
    terms = (ONE, *hypothesis)
    columns = _columns(terms, points, count)
    coefficients, inverse = _weighted(columns, values, weights)
    if hypothesis and coefficients[0] <= 0:
        terms, columns = terms[1:], columns[1:]
        coefficients, inverse = _weighted(columns, values, weights)
    residuals = values - coefficients @ columns
    freedom = count - len(terms)
    noise = float((weights * residuals**2).sum() / max(freedom, 1))
    reach = _quantile(freedom) * np.sqrt(noise * np.diag(inverse))
    squares, variation = float((residuals**2).sum()), float(((values - values.mean()) ** 2).sum())
    slopes = len([term for term in terms if term != ONE])
    adjusted = None
    if slopes and variation > 0 and freedom > 0:
        adjusted = max(0.0, 1 - squares / variation * (count - 1) / max(count - slopes - 1, 1))
    left_out = left_out_squares(_columns(hypothesis, points, count)[None], values[None], weights[None])[0, 0]
    return Model(
        coefficients=tuple(
            Coefficient(term, float(value), float(value - one), float(value + one))
            for term, value, one in zip(terms, coefficients, reach, strict=True)
        ),
        adjusted_r_squared=adjusted,
        relative_error=noise**0.5,
        left_out_error=float((left_out / count) ** 0.5),
        freedom=freedom,
        covariance=tuple(tuple(float(one) for one in row) for row in noise * inverse),
    )


def _weighted(columns: Array, values: Array, weights: Array) -> tuple[Array, Array]:
    """Weighted least squares: coefficients, and the inverse of the normal matrix."""
    import numpy as np

    scale = np.abs(columns).max(axis=1)
    scaled = columns / scale[:, None]
    matrix = (scaled * weights) @ scaled.T
    inverse = np.linalg.pinv(matrix, hermitian=True)
    return (inverse @ ((scaled * weights) @ values)) / scale, inverse / np.outer(scale, scale)
