"""A Gaussian process over the scenarios of a space that predicts the time of a scenario."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from adcl._one_thread import np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adcl.tune.space import Coordinates, Parameter, Space

    Vector = NDArray[np.float64]
    Positions = NDArray[np.intp]

__all__ = ["GaussianProcess", "expected_improvement"]

_WIDE = 8.0
_JITTER = 1e-8
_NOISE = (1e-3, 1.5)
"""Prior median and spread (of the logarithm) of the noise's share of the variance."""

_RATE_SPREAD = 1.6
_WEIGHT_SPREAD = 1.5
_ADDITIVE = 1.0
"""Prior share of all additive parts together, relative to the product."""


def _distances(parameter: Parameter) -> Vector:
    """Return the distances between a parameter's values, 0 to 1; the last row and column are for *inactive*."""
    count = len(parameter.values)
    table = np.ones((count + 1, count + 1))
    if parameter.ordered and count > 1:
        numbers = np.array([int(value) for value in parameter.values], dtype=float)
        if numbers[0] >= 0 and numbers[-1] >= _WIDE * max(numbers[0], 1.0):
            numbers = np.log2(np.maximum(numbers, 0.5 if numbers[0] < 1 else 1.0))
        scaled = (numbers - numbers[0]) / (numbers[-1] - numbers[0])
        table[:count, :count] = np.abs(scaled[:, None] - scaled[None, :])
    np.fill_diagonal(table, 0.0)
    return table


class GaussianProcess:
    """Prior: rough effects of single parameters plus a rough effect of all together.

    The kernel is a sum: for each parameter weight * exp(-rate * distance), which suits the steps that thresholds cause,
    and the product of the same factors. Rates (0 for a parameter without effect), weights and the noise maximize the
    posterior density.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self._tables = [_distances(parameter) for parameter in space.parameters]
        dimensions = len(self._tables)
        self._expected = math.log(1.5 / math.sqrt(max(dimensions, 1)))
        self._share = math.log(_ADDITIVE / max(dimensions, 1))
        self._setting = np.array([self._expected] * dimensions + [self._share] * dimensions + [math.log(_NOISE[0])])

    def encode(self, scenarios: Sequence[Coordinates]) -> Positions:
        """Return positions for `fit` and `predict`: one row for each scenario, with inactive parameters marked."""
        rows = [
            [
                position if active else count
                for position, active, count in zip(
                    scenario, self._space.active_mask(scenario), self._space.shape, strict=True
                )
            ]
            for scenario in scenarios
        ]
        return np.array(rows, dtype=np.intp).reshape(len(rows), len(self._tables))

    def fit(self, positions: Positions, values: Vector, *, learn: bool = True) -> None:
        """Condition on these measurements; with `learn`, also re-estimate rates and noise."""
        from scipy.linalg import solve_triangular
        from scipy.optimize import minimize

        self._center = float(np.mean(values))
        self._scale = max(float(np.std(values)), 1e-9)
        self._known = positions
        target = (values - self._center) / self._scale
        if learn and len(values) > 2:  # noqa: PLR2004
            apart = [table[np.ix_(column, column)] for table, column in zip(self._tables, positions.T, strict=True)]
            dimensions = len(self._tables)
            bounds = [(self._expected - 5.0, self._expected + 4.0)] * dimensions
            bounds += [(self._share - 6.0, self._share + 6.0)] * dimensions + [(-14.0, 1.0)]
            fitted = minimize(
                self._negative_posterior,
                self._setting,
                args=(apart, target),
                jac=True,
                method="L-BFGS-B",
                bounds=bounds,
                options={"maxiter": 40},
            )
            self._setting = fitted.x
        kernel = self._kernel(positions, positions)
        kernel[np.diag_indices_from(kernel)] += math.exp(self._setting[-1]) + _JITTER
        self._root = np.linalg.cholesky(kernel)
        whitened = solve_triangular(self._root, target, lower=True)
        self._weights = solve_triangular(self._root.T, whitened, lower=False)
        self._amplitude = float((whitened @ whitened + 1.0) / (len(values) + 1.0))

    def predict(self, positions: Positions) -> tuple[Vector, Vector]:
        """Return mean and standard deviation, without measurement noise, in the units of the values."""
        from scipy.linalg import solve_triangular

        cross = self._kernel(positions, self._known)
        mean = cross @ self._weights
        whitened = solve_triangular(self._root, cross.T, lower=True)
        prior = 1.0 + float(np.exp(self._setting[len(self._tables) : -1]).sum())
        variance = self._amplitude * np.maximum(prior - np.einsum("ij,ij->j", whitened, whitened), 1e-12)
        return self._center + self._scale * mean, self._scale * np.sqrt(variance)

    def relevance(self) -> tuple[float, ...]:
        """Return, for each parameter, the share of its own effect that changes over its whole range; 0: no effect."""
        return tuple(float(1.0 - math.exp(-math.exp(setting))) for setting in self._setting[: len(self._tables)])

    def _kernel(self, left: Positions, right: Positions) -> Vector:
        product = np.ones((len(left), len(right)))
        total = np.zeros_like(product)
        weights = np.exp(self._setting[len(self._tables) : -1])
        for place, table in enumerate(self._tables):
            factor = np.exp(-math.exp(self._setting[place]) * table)[left[:, place]][:, right[:, place]]
            product *= factor
            total += weights[place] * factor
        return total + product

    def _negative_posterior(self, setting: Vector, apart: list[Vector], target: Vector) -> tuple[float, Vector]:
        """Return the negative logarithm of the posterior density of rates and noise, and its gradient.

        The amplitude is integrated out under a vague inverse gamma prior.
        """
        count, dimensions = len(target), len(apart)
        rates, shares = np.exp(setting[:dimensions]), np.exp(setting[dimensions:-1])
        factors = [np.exp(-rate * distance) for rate, distance in zip(rates, apart, strict=True)]
        product = np.prod(factors, axis=0)
        noise = math.exp(setting[-1])
        kernel = product + sum(share * factor for share, factor in zip(shares, factors, strict=True))
        kernel[np.diag_indices(count)] += noise + _JITTER
        try:
            root = np.linalg.cholesky(kernel)
        except np.linalg.LinAlgError:
            return 1e25, np.zeros_like(setting)
        inverse = np.linalg.inv(kernel)
        weights = inverse @ target
        misfit = float(target @ weights) + 1.0
        value = 0.5 * (count + 1) * math.log(misfit) + float(np.log(np.diag(root)).sum())
        outer = 0.5 * inverse - 0.5 * (count + 1) / misfit * np.outer(weights, weights)
        gradient = np.empty_like(setting)
        for place in range(dimensions):
            change = -rates[place] * apart[place]
            own = shares[place] * factors[place]
            gradient[place] = np.sum(outer * change * (own + product))
            gradient[dimensions + place] = np.sum(outer * own)
        gradient[-1] = noise * np.trace(outer)
        expected = np.array([self._expected] * dimensions + [self._share] * dimensions + [math.log(_NOISE[0])])
        spread = np.array([_RATE_SPREAD] * dimensions + [_WEIGHT_SPREAD] * dimensions + [_NOISE[1]])
        away = (setting - expected) / spread
        value += 0.5 * float(away @ away)
        gradient += away / spread
        return value, gradient


def expected_improvement(mean: Vector, deviation: Vector, best: float) -> Vector:
    """Return the expected amount by which a value is below `best`."""
    from scipy.special import ndtr

    score = (best - mean) / deviation
    density = np.exp(-0.5 * score**2) / math.sqrt(2.0 * math.pi)
    improvement: Vector = deviation * (score * ndtr(score) + density)
    return improvement
