"""Fit every hypothesis of a search space to many series of measurements at once.

A hypothesis is a sum ``c0 + c1 t1(x) + c2 t2(x) + …``. Measurement errors are proportional to the size, so residuals
are relative: the caller passes weights, the inverse square of a preliminary model's predictions. Coefficients of terms
are positive; `ConstantRule` constrains the constant c0. Hypotheses that violate this are dropped. All results are
closed-form, including leave-one-out residuals (a residual divided by one minus the leverage of its point).

Shapes: D series, n points, H hypotheses of m terms.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = [
    "RARE_SIGN",
    "ConstantRule",
    "fitted",
    "left_out_squares",
    "prefers_negative_constant",
    "squares_of_constants",
    "squares_of_lines",
    "squares_of_pairs",
    "squares_of_sums",
    "usable_columns",
]


class ConstantRule(enum.Enum):
    """Constraint on the constant of a hypothesis."""

    CLIPPED = "clipped"
    """Nonnegative constant; a negative one, which costs and memory rarely have, is omitted."""

    NONE = "none"
    """No constant, so that decreasing functions decrease forever."""

    NEEDED = "needed"
    """Positive constant, the limit of a decreasing function."""


RARE_SIGN = 0.03
"""Prior weight of a negative constant (work that is saved, such as c (p - 1) messages), and of a constant minus a
decreasing term (c - c / p, the part that is sent to other ranks).
"""

_RANGE = 1e-9
"""Relative variation below which a column is constant."""

_DEVIATIONS = 2.0
_LEAST_SQUARES = 1e-12

_RIDGE = 1e-13
"""Keeps equations of nearly collinear columns solvable; columns are scaled to at most 1."""

_SMALLEST = 1e-15
"""Accuracy of sums of squares, relative to the sums of the values' squares."""


def usable_columns(columns: Array) -> NDArray[np.bool_]:
    """Return which columns (last axis: n points) are finite and vary, so that they differ from a constant."""
    import numpy as np

    finite = np.asarray(np.isfinite(columns).all(axis=-1))
    safe = np.where(finite[..., None], columns, 1.0)
    return np.asarray(finite & (np.ptp(safe, axis=-1) > _RANGE * np.abs(safe).max(axis=-1)))


def squares_of_constants(values: Array, weights: Array) -> Array:
    """Return weighted sums of squared residuals of the constant alone, D; at least the rounding error."""
    import numpy as np

    weighted = weights * values
    mean = weighted.sum(axis=1) / weights.sum(axis=1)
    squares = (weights * (values - mean[:, None]) ** 2).sum(axis=1)
    return np.asarray(np.maximum(squares, _SMALLEST * (weighted * values).sum(axis=1)))


def _reach_below(squares: Array, weights: Array, count: int) -> Array:
    """Return how far below 0 noise can move the beginning of a line, for these weights.

    Saved work, as in c (p - 1), is nearly 0 at the first of the `count` points.
    """
    import numpy as np

    return np.asarray(_DEVIATIONS * np.sqrt(np.maximum(squares, 0.0) / max(count - 2, 1) / weights))


def prefers_negative_constant(free: Array, through: Array, values: Array, weights: Array) -> NDArray[np.bool_]:
    """Return whether lines with a negative constant are preferred to lines through the origin.

    Both arguments are (…, n), the result is (…).
    """
    import numpy as np

    count = values.shape[-1]
    squares = [(weights * (values - one) ** 2).sum(axis=-1) + _LEAST_SQUARES for one in (free, through)]
    better = squares[0] * RARE_SIGN ** (-2 / max(count - 2, 1)) < squares[1]
    lowest = free.argmin(axis=-1)[..., None]
    least, weight = (np.take_along_axis(one, lowest, axis=-1)[..., 0] for one in (free, weights))
    return np.asarray(better & (least >= -_reach_below(squares[0], weight, count)))


def squares_of_lines(
    columns: Array, values: Array, weights: Array, constant: ConstantRule = ConstantRule.CLIPPED
) -> Array:
    """Return weighted sums of squared residuals, D by H, of hypotheses with one term each: `columns` is H by n.

    Infinite if the slope is not positive. A negative constant increases the residuals by the equivalent of `RARE_SIGN`
    in the evidence. The function computes only sums over the points, never individual residuals.
    """
    import numpy as np

    scaled = columns / np.abs(columns).max(axis=1)[:, None]
    total = weights.sum(axis=1)[:, None]
    weighted = weights * values
    sum_yy = (weighted * values).sum(axis=1)[:, None]
    sum_tt, sum_ty = weights @ (scaled**2).T, weighted @ scaled.T
    with np.errstate(divide="ignore", invalid="ignore"):
        through = sum_yy - sum_ty**2 / sum_tt
    if constant is ConstantRule.NONE:
        return np.asarray(np.where(sum_ty > 0, np.maximum(through, _SMALLEST * sum_yy), np.inf))
    mean_y = weighted.sum(axis=1)[:, None] / total
    centerd_yy = (weights * (values - mean_y) ** 2).sum(axis=1)[:, None]
    mean_t = weights @ scaled.T / total
    centerd_ty = sum_ty - total * mean_t * mean_y
    centerd_tt = sum_tt - total * mean_t**2
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = centerd_ty / centerd_tt
        both = centerd_yy - slope * centerd_ty
    first = mean_y - slope * mean_t
    rare = np.maximum(both, _SMALLEST * sum_yy) * RARE_SIGN ** (-2 / max(values.shape[1] - 2, 1))
    rises = slope > 0
    least = first + np.where(rises, scaled.min(axis=1), scaled.max(axis=1)) * slope
    places = np.where(rises, weights[:, scaled.argmin(axis=1)], weights[:, scaled.argmax(axis=1)])
    rare = np.where(least >= -_reach_below(both, places, values.shape[1]), rare, np.inf)
    if constant is ConstantRule.NEEDED:
        squares = np.where(slope > 0, np.maximum(both, _SMALLEST * sum_yy), rare)
        return np.asarray(np.where((first > 0) & (slope != 0), squares, np.inf))
    squares = np.where(first > 0, both, through)
    squares = np.maximum(squares, _SMALLEST * sum_yy)
    return np.asarray(np.where(centerd_ty > 0, np.where(first > 0, squares, np.minimum(squares, rare)), np.inf))


def squares_of_pairs(
    first: Array, second: Array, values: Array, weights: Array, constant: ConstantRule = ConstantRule.CLIPPED
) -> Array:
    """Return sums as in `squares_of_lines` for hypotheses with two terms each: `first` and `second` are H by n."""
    import numpy as np

    a, b = (one / np.abs(one).max(axis=1)[:, None] for one in (first, second))
    weighted = weights * values
    sum_yy = (weighted * values).sum(axis=1)[:, None]
    sums = (weights @ (a**2).T, weights @ (b**2).T, weights @ (a * b).T, weighted @ a.T, weighted @ b.T)
    through_a, through_b = _slopes(*sums)
    through = sum_yy - through_a * sums[3] - through_b * sums[4]
    if constant is ConstantRule.NONE:
        squares, possible = through, np.minimum(through_a, through_b) > 0
        return np.asarray(np.where(possible, np.maximum(squares, _SMALLEST * sum_yy), np.inf))
    total = weights.sum(axis=1)[:, None]
    mean_y = weighted.sum(axis=1)[:, None] / total
    centerd_yy = (weights * (values - mean_y) ** 2).sum(axis=1)[:, None]
    mean_a, mean_b = weights @ a.T / total, weights @ b.T / total
    means = (mean_a**2, mean_b**2, mean_a * mean_b, mean_a * mean_y, mean_b * mean_y)
    centerd = tuple(one - total * mean for one, mean in zip(sums, means, strict=True))
    slope_a, slope_b = _slopes(*centerd)
    squares = centerd_yy - slope_a * centerd[3] - slope_b * centerd[4]
    origin = ~(mean_y > slope_a * mean_a + slope_b * mean_b)
    possible = np.minimum(slope_a, slope_b) > 0
    if constant is ConstantRule.NEEDED:
        possible &= ~origin
    else:
        squares = np.where(origin, through, squares)
        possible = np.where(origin, np.minimum(through_a, through_b) > 0, possible)
    return np.asarray(np.where(possible, np.maximum(squares, _SMALLEST * sum_yy), np.inf))


def _slopes(aa: Array, bb: Array, ab: Array, ay: Array, by: Array) -> tuple[Array, Array]:
    """Solve two equations in two unknowns; the result is NaN if they are singular."""
    import numpy as np

    determinant = aa * bb - ab**2
    determinant = np.where(determinant > _RIDGE * aa * bb, determinant, np.nan)
    return (ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant


def _solved(design: Array, values: Array, weights: Array) -> tuple[Array, Array]:
    """Return coefficients and inverse matrices of designs (…, m, n); values and weights are broadcast to (…, n)."""
    import numpy as np

    weighted = design * weights[..., None, :]
    products = weighted @ np.swapaxes(design, -1, -2)
    trace = np.trace(products, axis1=-2, axis2=-1)[..., None, None]
    inverse = np.linalg.inv(products + _RIDGE * trace * np.eye(design.shape[-2]))
    return (inverse @ (weighted @ values[..., :, None]))[..., 0], inverse


def fitted(
    columns: Array,
    values: Array,
    weights: Array,
    *,
    constant: ConstantRule = ConstantRule.CLIPPED,
    with_leverages: bool = False,
) -> tuple[Array, Array, Array]:
    """Fit hypotheses of m terms: return predictions and leverages (…, n), and whether all slopes are positive (…).

    `columns` is (…, m, n); values and weights can be broadcast to (…, n). Without terms, fit the constant alone.
    Leverages are 0 unless requested.
    """
    import numpy as np

    weights = np.broadcast_to(weights, (*columns.shape[:-2], columns.shape[-1]))
    values = np.broadcast_to(values, weights.shape)
    scaled = columns / np.abs(columns).max(axis=-1)[..., None] if columns.shape[-2] else columns
    design = np.concatenate([np.ones_like(weights)[..., None, :], np.broadcast_to(scaled, columns.shape)], axis=-2)
    coefficients, inverse = _solved(design, values, weights)
    possible = np.ones(coefficients.shape[:-1], dtype=bool)
    if columns.shape[-2]:
        origin = ~(coefficients[..., 0] > 0)
        if constant is ConstantRule.NEEDED:
            possible, origin = ~origin, np.zeros_like(origin)
        elif constant is ConstantRule.NONE:
            origin = np.ones_like(origin)
        slopes, through = _solved(scaled, values, weights)
        if constant is ConstantRule.CLIPPED and columns.shape[-2] == 1:
            lines = (coefficients[..., None, :] @ design)[..., 0, :], (slopes[..., None, :] @ scaled)[..., 0, :]
            origin &= ~(prefers_negative_constant(*lines, values, weights) & (coefficients[..., 1] > 0))
        coefficients[origin, 0], coefficients[origin, 1:] = 0.0, slopes[origin]
        inverse[origin] = 0.0
        inverse[origin, 1:, 1:] = through[origin]
    predicted = (coefficients[..., None, :] @ design)[..., 0, :]
    leverages = np.zeros_like(weights)
    if with_leverages:
        leverages = weights * ((inverse @ design) * design).sum(axis=-2)
    return predicted, leverages, np.asarray(possible & (coefficients[..., 1:] > 0).all(axis=-1))


def squares_of_sums(
    columns: Array, values: Array, weights: Array, constant: ConstantRule = ConstantRule.CLIPPED
) -> Array:
    """Return weighted sums of squared residuals, D by H, of hypotheses with m terms each: `columns` is H by m by n."""
    import numpy as np

    shape = (len(values), *columns.shape)
    predicted, _, possible = fitted(
        np.broadcast_to(columns, shape), values[:, None], weights[:, None], constant=constant
    )
    squares = (weights[:, None] * (values[:, None] - predicted) ** 2).sum(axis=-1)
    least = _SMALLEST * (weights * values**2).sum(axis=1)[:, None]
    return np.where(possible, np.maximum(squares, least), np.inf)


def left_out_squares(
    columns: Array, values: Array, weights: Array, constant: ConstantRule = ConstantRule.CLIPPED
) -> Array:
    """Return sums as in `squares_of_sums` of leave-one-out residuals; m may be 0."""
    import numpy as np

    shape = (len(values), *columns.shape)
    predicted, leverages, possible = fitted(
        np.broadcast_to(columns, shape), values[:, None], weights[:, None], constant=constant, with_leverages=True
    )
    residuals = (values[:, None] - predicted) / np.maximum(1 - leverages, 1e-9)
    return np.where(possible, (weights[:, None] * residuals**2).sum(axis=-1), np.inf)
