"""Method of the paper: S. Shudler et al., Exascaling Your Library (ICS 2015), sections 2.3 and 2.4.

It intentionally differs from the default method: no prior, no probability, no misfit test. docs/scale.md lists every
difference with its reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.errors import AdclError, UsageError
from adcl.scale.judge._judge import Verdict, restricted
from adcl.scale.judge._match import Limits, Match, divergence, match
from adcl.scale.model import MINIMUM_POINTS, ONE, ErrorModel, Growth, Model, Part, Term, leading, search_space

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from adcl.scale.judge._judge import Expected
    from adcl.scale.model import Series

    Array = NDArray[np.float64]

__all__ = ["adjusted_determination", "judge_as_paper", "paper_model", "paper_terms"]

_RANGE = 1e-9
"""Values whose relative difference is smaller are constant."""

_FEWEST_OF_FIT = 3
"""Minimum number of points for the adjusted coefficient of determination of two coefficients."""

_SMALLEST = 1e-24
"""Relative residuals up to this value are attributed to rounding; models with such residuals fit equally well."""


def paper_terms(parameter: str, expected: Expected, growth: Growth) -> tuple[Term, ...]:
    """Return the search space between B_l and B_u, slowest first (section 2.3).

    `growth` is the leading growth of the expectation in `parameter`. B_l is 1 and B_u is E squared unless
    `Expected.refinement` says otherwise. Terms of other expectations are not added.
    """
    return tuple(Term.of({parameter: one}) for one in search_space(growth, expected.refinement))


def adjusted_determination(values: Array, predicted: Array, slopes: int) -> float:
    """Return the adjusted coefficient of determination, not limited to [0, 1] (section 2.3).

    `values` and `predicted` have n numbers each; `slopes` is the number of coefficients besides the constant. With
    residual squares S and squares V around the mean it is ``1 - S / V * (n - 1) / (n - slopes - 1)``. V must not be 0.
    """
    import numpy as np

    count = len(values)
    variation = float(((values - np.mean(values)) ** 2).sum())
    return 1 - float(((values - predicted) ** 2).sum()) / variation * (count - 1) / (count - slopes - 1)


def paper_model(series: Series, terms: Iterable[Term]) -> Model:
    """Fit each term with a coefficient and a constant, and return the best model by adjusted R² (section 2.3).

    `series` has one parameter and five points or more. Residuals are not weighted. If models fit equally well, the
    first one is returned, so pass `terms` slowest first. The paper does not state the sign of coefficients; a term with
    a negative coefficient would decrease without bound and is skipped. The constant may have any sign. If no term
    increases with the measurements, the model is their mean.
    """
    import numpy as np

    values = np.array(series.values)
    columns = series.columns()
    largest = float(np.abs(values).max())
    best, chosen = 0.0, _fitted(values, (ONE,), np.ones((1, len(values))))
    if np.ptp(values) > _RANGE * largest:
        variation = float(((values - values.mean()) ** 2).sum())
        for term in terms:
            column = term.evaluate(columns)
            if term == ONE or not np.isfinite(column).all() or not np.ptp(column) > 0:
                continue
            part = _fitted(values, (ONE, term), np.stack([np.ones_like(column), column]))
            predicted = part.coefficients @ np.stack([np.ones_like(column), column])
            if ((values - predicted) ** 2).sum() < _SMALLEST * variation:
                predicted = values
            fit = adjusted_determination(values, predicted, 1)
            if part.coefficients[1] > 0 and fit > best:
                best, chosen = fit, part
    hypothesis = tuple(term for term in chosen.terms if term != ONE)
    weights = np.full(len(values), 1.0 if largest == 0 else largest**-2)
    return Model(series, hypothesis, chosen, weights, fewest_of_fit=_FEWEST_OF_FIT)


def _fitted(values: Array, terms: tuple[Term, ...], design: Array) -> Part:
    """Fit by ordinary least squares; `design` has a row of n numbers for each term."""
    import numpy as np

    scale = np.abs(design).max(axis=1)
    scaled = design / scale[:, None]
    inverse = np.linalg.pinv(scaled @ scaled.T, hermitian=True)
    coefficients = (inverse @ (scaled @ values)) / scale
    freedom = len(values) - len(terms)
    variance = float(((values - coefficients @ design) ** 2).sum()) / max(freedom, 1)
    largest = float(np.abs(values).max()) or 1.0
    covariance = variance * inverse / np.outer(scale, scale)
    return Part(1.0, ErrorModel.CONSTANT, terms, coefficients, covariance, variance**0.5 / largest, freedom)


def judge_as_paper(series: Series, expected: Expected | None) -> Verdict:
    """Return model, divergence model, and match of a series (sections 2.3 and 2.4).

    The match is total, approximate, or none; a model below the lower deviation limit is also no match, since "if a
    model falls outside these limits, we classify this as a scalability bug". `Verdict.likely` is empty, because the
    method has no probabilities. Raises `UsageError` without an expectation or with several parameters, and `AdclError`
    for fewer than five points.
    """
    if expected is None:
        raise UsageError(
            f'{series.function}: method "paper" requires an expectation for its search space; write growth = "…"'
        )
    if len(series.points) < MINIMUM_POINTS or not series.parameters:
        raise AdclError(series.too_few() or f"{series.function}: no parameter varies")
    if len(series.parameters) > 1:
        raise UsageError(
            f'{series.function}: method "paper" supports one parameter, but {" and ".join(series.parameters)} vary; '
            f"write over = … or where = {{…}}"
        )
    wanted = leading(restricted(expected, series))
    parameter = series.parameters[0]
    growth = max(term.growth(parameter) for term in wanted)
    model = paper_model(series, paper_terms(parameter, expected, growth))
    limits = Limits.of(wanted, expected.deviation)
    rank = match(model.leading, limits)
    if rank is Match.BETTER:
        rank = Match.NONE
    return Verdict(series, model, (), limits, rank, divergence(model.leading, limits.expectation))
