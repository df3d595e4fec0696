"""Select the hypothesis that best explains the measurements: compute the evidence for each, for many series at once.

The scale of the residuals, relative to the error model, is unknown. Integrating it out gives, for a hypothesis with k
coefficients and a weighted mean of squares S at n points, an evidence of about ``S^(-(n - k) / 2) n^(-k / 2)``; the
weights w of the error model add ``(w1 w2 … wn)^((n - k) / 2n)``. A prior multiplies it: the expectation is preferred to
a simple complexity, which is preferred to the less common ticks between them; one term is preferred to two. The
products, normalized to sum to one, are probabilities. The alternative is cross-validation with a parsimony margin.
"""

from __future__ import annotations

import enum
import functools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adcl.scale.model._error_model import ErrorModel
from adcl.scale.model._fit import (
    ConstantRule,
    fitted,
    left_out_squares,
    squares_of_constants,
    squares_of_lines,
    squares_of_pairs,
    squares_of_sums,
    usable_columns,
)
from adcl.scale.model._growth import Factor, Growth
from adcl.scale.model._space import commonness, simple_growths
from adcl.scale.model._sum_of_terms import leading
from adcl.scale.model._term import ONE, Term

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    _Group = tuple[NDArray[np.intp], Array, ConstantRule]

__all__ = ["Candidates", "Choice", "ChoiceRule", "Hypothesis", "choose", "constant_rule", "is_decreasing"]

Hypothesis = tuple[Term, ...]
"""Terms added to a constant; none for the constant alone. If a term falls, `constant_rule` applies."""

_EXPECTED = 3.0
_FURTHER = 0.7
"""Prior weights, multiplied by `commonness`; `_FURTHER` is for each further term. See `bench/scale/models.py`."""

_BESIDE = 0.1
"""Prior weight of a parameter that is in a product and also has another growth, as in ``sqrt p + n log p``."""

_FALLS = 0.03
"""Prior weight of a decreasing term if the expectation has none."""

_POINTS_PER_TERM = 3
_POINTS_OF_TICK = 7
"""Minimum number of points for an unexpected growth that is not a simple complexity.

With fewer points, some of the many hypotheses would fit any measurements.
"""

_REACH = 1e-4
"""Part of its largest value that a steep term must reach at `Factor.seen_at` points; otherwise it represents only the
last point.
"""

_EXACT = 1e-6
"""Relative differences up to this value are attributed to rounding, not noise."""

_AT_ONCE = 1 << 15
"""Number of pairs of series and hypothesis that are processed together, so that their sums fit into the cache."""


def is_decreasing(term: Term) -> bool:
    """Return whether a term decreases with some parameter."""
    return any(growth < Growth() for _, growth in term.growths)


def constant_rule(hypothesis: Hypothesis) -> ConstantRule:
    """Return the constraint on the constant of a hypothesis.

    With a decreasing term, the constant determines the behavior at large scales: a hypothesis with the term 1 has a
    positive constant; without it, the constant is 0.
    """
    if ONE in hypothesis:
        return ConstantRule.NEEDED
    return ConstantRule.NONE if any(map(is_decreasing, hypothesis)) else ConstantRule.CLIPPED


def _common(growths: Iterable[Growth]) -> float:
    return math.prod(commonness(one) for one in growths if one > Growth())


def _prior(hypothesis: Hypothesis, wanted: Hypothesis, *, expected: bool) -> float:
    terms = [term for term in hypothesis if term != ONE]
    weight = _common(growth for term in terms for _, growth in term.growths)
    own = [growth for term in wanted for _, growth in term.growths]
    if expected and leading(hypothesis) == leading(wanted):
        # The expectation may be an uncommon growth.
        weight = _EXPECTED * min(weight / _common(own), 1.0)
    for factor in _unexpected(terms, own):
        weight *= factor.unexpected
    if any(map(is_decreasing, terms)) and not any(map(is_decreasing, wanted)):
        weight *= _FALLS
    if leading(hypothesis) != leading(wanted):
        weight *= _BESIDE ** _mixed(terms)
    least = max(len([term for term in wanted if term != ONE]), 1)
    return weight * _FURTHER ** max(len(terms) - least, 0)


def _factors(terms: Iterable[Term]) -> set[Factor]:
    return {factor for term in terms for _, growth in term.growths for factor, _ in growth.factors}


def _unexpected(terms: Iterable[Term], expected: Iterable[Growth]) -> set[Factor]:
    """Return the factors that do not occur in any expected growth."""
    return _factors(terms) - {factor for growth in expected for factor, _ in growth.factors}


def _mixed(terms: list[Term]) -> bool:
    """Return whether the hypothesis has a product of parameters and another growth of a factor of the product."""
    products = [term for term in terms if len(term.growths) > 1]
    return any(
        one.growth(name) != growth
        for product in products
        for name, growth in product.growths
        for one in terms
        if one.growth(name) != Growth()
    )


def _fewest_points(hypothesis: Hypothesis, wanted: Hypothesis) -> int:
    """Return the minimum number of points for a hypothesis."""
    terms = [term for term in hypothesis if term != ONE]
    fewest = _POINTS_PER_TERM * (len(terms) - (constant_rule(hypothesis) is ConstantRule.NONE)) + 1
    expected = {growth for term in wanted for _, growth in term.growths}
    for growth in {growth for term in terms for _, growth in term.growths} - expected:
        if growth > Growth() and growth not in simple_growths():
            fewest = max(fewest, _POINTS_OF_TICK)
    return max([fewest, *(factor.fewest_points for factor in _unexpected(terms, expected))])


class ChoiceRule(enum.Enum):
    """Rule for selecting one hypothesis."""

    EVIDENCE = "evidence"
    CROSS_VALIDATION = "cross_validation"
    """Select the simplest hypothesis whose leave-one-out error is within the margin of the smallest error."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Hypotheses for a model, with their prior weights."""

    hypotheses: tuple[Hypothesis, ...]
    prior: tuple[float, ...]
    fewest_points: tuple[int, ...]
    """Minimum number of points for each hypothesis."""

    margin: float = 1.2
    """For cross-validation: factor by which the error of a preferred hypothesis may exceed the smallest."""

    constants: tuple[ConstantRule, ...] = field(init=False)
    """Constraint on the constant of each hypothesis."""

    leading: tuple[Hypothesis, ...] = field(init=False)
    """Leading terms of each hypothesis."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "constants", tuple(map(constant_rule, self.hypotheses)))
        object.__setattr__(self, "leading", tuple(map(leading, self.hypotheses)))

    @functools.cached_property
    def coefficients(self) -> Array:
        """Number of coefficients of each hypothesis."""
        import numpy as np

        rows = zip(self.hypotheses, self.constants, strict=True)
        return np.array([len(one) + (rule is ConstantRule.CLIPPED) for one, rule in rows], dtype=float)

    @staticmethod
    def of(terms: Iterable[Term], expected: Hypothesis | None = None) -> Candidates:
        """Return candidates of one term each, including the constant."""
        return Candidates.sums([(term,) if term.growths else () for term in terms], expected)

    @staticmethod
    def sums(
        hypotheses: Iterable[Hypothesis], expected: Hypothesis | None = None, *, chosen: bool = False
    ) -> Candidates:
        """Return candidates for these sums, including the constant and the expectation.

        `chosen`: the user has selected them, so a small number of points excludes none.
        """
        wanted = () if expected is None else tuple(term for term in expected if term.growths)
        if expected is not None and ONE in expected and any(map(is_decreasing, wanted)):
            wanted = (*wanted, ONE)
        everything = tuple(dict.fromkeys([(), wanted, *hypotheses]))
        prior = [_prior(one, wanted, expected=expected is not None) for one in everything]
        fewest = [_fewest_points(one, one if chosen else wanted) for one in everything]
        return Candidates(everything, tuple(prior), tuple(fewest))


@dataclass(frozen=True, slots=True)
class Choice:
    """Selected hypothesis and probabilities for each of D series."""

    candidates: Candidates
    best: NDArray[np.intp]
    """D: indices into the candidates"""

    posterior: Array
    """D by H: probabilities of the candidates; 0 for excluded candidates"""

    weights: Array
    """D by n: inverse square of the reference size of the residuals"""

    errors: NDArray[np.intp]
    """D: index of the error model that explains the selected hypothesis best"""

    chances: Array
    """D by M: probabilities of the M error models, given the selected hypothesis"""

    every: Array
    """D by M by n: the weights of each error model"""

    alone: Array
    """D: largest logarithm of prior times evidence, with residuals relative to the measurements"""

    def hypothesis(self, series: int) -> Hypothesis:
        """Return the selected hypothesis of a series."""
        return self.candidates.hypotheses[int(self.best[series])]

    def error_models(self, series: int) -> tuple[ErrorModel, list[tuple[float, ErrorModel, Array]]]:
        """Return the error model of a series, and all other error models with their probabilities and weights."""
        models, found = tuple(ErrorModel), int(self.errors[series])
        others = [
            (float(self.chances[series, at]), model, self.every[series, at])
            for at, model in enumerate(models)
            if at != found
        ]
        return models[found], others


def _reaches(columns: Array, points: int) -> bool:
    """Return whether each column exceeds `_REACH` of its largest value at `points` points or more."""
    import numpy as np

    sizes = np.abs(columns)
    return bool(((sizes > _REACH * sizes.max(axis=-1)[:, None]).sum(axis=-1) >= points).all())


def _groups(candidates: Candidates, points: Mapping[str, Array]) -> list[_Group]:
    """Return the hypotheses that differ from a constant at these points, grouped by the shape of their columns."""
    return _known_groups(candidates, tuple((name, column.tobytes()) for name, column in points.items()))


@functools.lru_cache(maxsize=64)
def _known_groups(candidates: Candidates, settings: tuple[tuple[str, bytes], ...]) -> list[_Group]:
    import numpy as np

    points = {name: np.frombuffer(column) for name, column in settings}
    cache: dict[Term, Array] = {}
    count = len(next(iter(points.values())))
    by_shape: dict[tuple[int, ConstantRule], list[tuple[int, Array]]] = {}
    with np.errstate(all="ignore"):
        for index, (hypothesis, rule) in enumerate(zip(candidates.hypotheses, candidates.constants, strict=True)):
            if count < candidates.fewest_points[index]:
                continue
            terms = [term for term in hypothesis if term != ONE]
            for term in terms:
                if term not in cache:
                    cache[term] = term.evaluate(points)
            columns = np.array([cache[term] for term in terms]).reshape(-1, count)
            if not usable_columns(columns).all():
                continue
            seen_at = max((factor.seen_at for factor in _factors(terms)), default=0)
            if seen_at and not _reaches(columns, seen_at):
                continue
            by_shape.setdefault((len(columns), rule), []).append((index, columns))
    return [
        (np.array([index for index, _ in rows]), np.stack([columns for _, columns in rows]), rule)
        for (_, rule), rows in by_shape.items()
    ]


def _squares(groups: list[_Group], total: int, values: Array, weights: Array) -> Array:
    import numpy as np

    squares = np.full((len(values), total), np.inf)
    for indices, columns, rule in groups:
        if columns.shape[1] == 0:
            squares[:, indices] = squares_of_constants(values, weights)[:, None]
        elif columns.shape[1] == 1:
            squares[:, indices] = squares_of_lines(columns[:, 0], values, weights, rule)
        elif columns.shape[1] == 2:  # noqa: PLR2004
            squares[:, indices] = squares_of_pairs(columns[:, 0], columns[:, 1], values, weights, rule)
        else:
            squares[:, indices] = squares_of_sums(columns, values, weights, rule)
    return squares


def _predictions(groups: list[_Group], best: NDArray[np.intp], values: Array, weights: Array) -> Array:
    """Return the predictions of each series' best hypothesis at the points, D by n."""
    import numpy as np

    predicted = np.zeros_like(values)
    for indices, columns, rule in groups:
        place = {int(index): row for row, index in enumerate(indices)}
        rows = np.array([series for series, one in enumerate(best) if int(one) in place], dtype=np.intp)
        if len(rows):
            chosen = columns[[place[int(one)] for one in best[rows]]]
            predicted[rows] = fitted(chosen, values[rows], weights[rows], constant=rule)[0]
    return predicted


def _scores(squares: Array, candidates: Candidates, weights: Array, unit: Array) -> Array:
    """Return logarithms of prior times evidence, D by H.

    `unit` (D) is the mean logarithm of weights that count as 1.
    """
    import numpy as np

    count = weights.shape[1]
    size = candidates.coefficients
    mean = squares / count + _EXACT**2
    part = (count - size) / 2
    scores: Array = (
        np.log(candidates.prior)
        - part * np.log(mean)
        - size / 2 * np.log(count)
        + part * (np.log(weights).mean(axis=1) - unit)[:, None]
    )
    return scores


def _cross_validated(groups: list[_Group], candidates: Candidates, values: Array, weights: Array) -> NDArray[np.intp]:
    """Return the shortest and then most preferred hypothesis whose error is within the margin of the smallest."""
    import numpy as np

    errors = np.full((len(values), len(candidates.hypotheses)), np.inf)
    for indices, columns, constant in groups:
        squares = left_out_squares(columns, values, weights, constant)
        errors[:, indices] = np.sqrt(squares / values.shape[1]) + _EXACT
    least = errors.min(axis=1)[:, None]
    size = np.array([len(hypothesis) for hypothesis in candidates.hypotheses])
    penalty = size * 1e3 - np.log(candidates.prior) + 1e-3 * errors / least
    return np.asarray(np.where(errors <= candidates.margin * least, penalty, np.inf).argmin(axis=1))


def choose(
    points: Mapping[str, Array],
    values: Array,
    candidates: Candidates,
    *,
    rule: ChoiceRule = ChoiceRule.EVIDENCE,
    support: Array | None = None,
) -> Choice:
    """Select a hypothesis for each of D series (D by n) with the same n points.

    `points` has n values of each parameter. Values must be finite and not negative. Residuals are relative first to the
    values and then to the predictions of the best hypothesis, so that a value that is low by chance has no larger
    weight. `support` is prior evidence on the error models.
    """
    import numpy as np

    groups = _groups(candidates, points)
    known = np.zeros((len(values), len(ErrorModel))) if support is None else support
    known = known + np.log([model.prior for model in ErrorModel])
    step = max(_AT_ONCE // len(candidates.hypotheses), 1)
    parts = [
        _chosen(groups, candidates, values[at : at + step], rule, known[at : at + step])
        for at in range(0, max(len(values), 1), step)
    ]
    best, posterior, chances, every, alone = (np.concatenate(part) for part in zip(*parts, strict=True))
    errors = chances.argmax(axis=1)
    weights = every[np.arange(len(values)), errors]
    return Choice(candidates, best, posterior, weights, errors, chances, every, alone)


def _chosen(
    groups: list[_Group], candidates: Candidates, values: Array, rule: ChoiceRule, known: Array
) -> tuple[NDArray[np.intp], Array, Array, Array, Array]:
    """Select for some series: best, posterior, chances, every and alone of `Choice`."""
    import numpy as np

    total = len(candidates.hypotheses)
    weights = 1 / ErrorModel.RELATIVE.sizes(values, values) ** 2
    unit = np.log(weights).mean(axis=1)
    scores = _scores(_squares(groups, total, values, weights), candidates, weights, unit)
    alone = scores.max(axis=1)
    predicted = _predictions(groups, scores.argmax(axis=1), values, weights)
    tried, evidence = [], []
    for at, model in enumerate(ErrorModel):
        tried.append(1 / model.sizes(predicted, values) ** 2)
        squares = _squares(groups, total, values, tried[-1])
        evidence.append(_scores(squares, candidates, tried[-1], unit) + known[:, [at]])
    scores = np.stack(evidence)
    highest = scores.max(axis=(0, 2))
    chances = np.exp(scores - highest[None, :, None])
    posterior = chances.sum(axis=0)
    posterior /= posterior.sum(axis=1)[:, None]
    best = posterior.argmax(axis=1)
    every, rows = np.stack(tried, axis=1), np.arange(len(values))
    of_errors = chances.sum(axis=2).T
    if rule is ChoiceRule.CROSS_VALIDATION:
        best = _cross_validated(groups, candidates, values, every[rows, of_errors.argmax(axis=1)])
    of_best = chances[:, rows, best].T
    of_best = np.where(of_best.sum(axis=1, keepdims=True) > 0, of_best, of_errors)
    return best, posterior, of_best / of_best.sum(axis=1, keepdims=True), every, alone
