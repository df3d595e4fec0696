"""Which hypothesis explains the measurements: the evidence for each, for many series at once.

Residuals have an unknown relative size, the same at all points. Integrating it out leaves, for a hypothesis with k
coefficients and a weighted mean of squares S at n points, an evidence of about ``S^(-(n - k) / 2) n^(-k / 2)``. That is
multiplied by a prior: the expectation is preferred to a simple complexity, that to the odd ticks between them, and one
term to two. The products, made to sum to one, say how sure the choice is. The alternative is cross-validation with a
parsimony margin.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.scale._expression import leading
from adcl.scale._fit import (
    fitted,
    left_out_squares,
    squares_of_lines,
    squares_of_pairs,
    squares_of_sums,
    usable_columns,
)
from adcl.scale._space import SIMPLE
from adcl.scale._term import Term

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    _Group = tuple[NDArray[np.intp], Array]

__all__ = ["Candidates", "Choice", "ChoiceRule", "Hypothesis", "choose"]

Hypothesis = tuple[Term, ...]
"""Terms that are added to a constant; none for the constant alone."""

_EXPECTED = 3.0
_TICK = 0.03
_FURTHER = 0.5
"""Prior weights, where a simple complexity has 1; `_FURTHER` is for each further term. See `bench/models.py`."""

_POINTS_PER_TERM = 3

_EXACT = 1e-6
"""Relative differences that are rounding and not noise."""

_PASSES = 2
_AT_ONCE = 128
"""Series that are treated together: as many as the processor's cache holds the sums of."""

_SMALLEST = 1e-3
"""Values below this part of the largest count as that much where residuals are taken relatively."""


class ChoiceRule(enum.Enum):
    """How one hypothesis is chosen from those that fit."""

    EVIDENCE = "evidence"
    CROSS_VALIDATION = "cross_validation"
    """The simplest whose leave-one-out error is within the margin of the least."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The hypotheses that a model is chosen from, and how much each is preferred before measurements are seen."""

    hypotheses: tuple[Hypothesis, ...]
    prior: tuple[float, ...]
    margin: float = 1.2
    """For cross-validation: how much larger than the least the error of a preferred hypothesis may be."""

    @staticmethod
    def of(terms: Iterable[Term], expected: Hypothesis | None = None) -> Candidates:
        """Make candidates of one term each; the constant is always among them."""
        return Candidates.sums([(term,) if term.growths else () for term in terms], expected)

    @staticmethod
    def sums(hypotheses: Iterable[Hypothesis], expected: Hypothesis | None = None) -> Candidates:
        """Make candidates of these sums; the constant and the expectation are always among them."""
        wanted = () if expected is None else tuple(term for term in expected if term.growths)
        everything = tuple(dict.fromkeys([(), wanted, *hypotheses]))
        simple = set(SIMPLE)
        prior = []
        for one in everything:
            odd = sum(growth not in simple for term in one for _, growth in term.growths)
            weight = _TICK**odd
            if expected is not None and leading(one) == leading(wanted):
                # An expectation may be an odd tick itself.
                own = sum(growth not in simple for term in wanted for _, growth in term.growths)
                weight = _EXPECTED * _TICK ** (odd - own)
            prior.append(weight * _FURTHER ** max(len(one) - max(len(wanted), 1), 0))
        return Candidates(everything, tuple(prior))


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen for each of D series."""

    candidates: Candidates
    best: NDArray[np.intp]
    """D: indices into the candidates"""

    posterior: Array
    """D by H: probabilities of the candidates; 0 for those that cannot be"""

    weights: Array
    """D by n: one over the squared size of what the residuals are relative to"""

    def hypothesis(self, series: int) -> Hypothesis:
        """Return what was chosen for that series."""
        return self.candidates.hypotheses[int(self.best[series])]


def _relative_to(sizes: Array) -> Array:
    import numpy as np

    largest = np.abs(sizes).max(axis=1)[:, None]
    floor = np.where(largest > 0, _SMALLEST * largest, 1.0)
    return np.asarray(1.0 / np.maximum(np.abs(sizes), floor) ** 2)


def _groups(candidates: Candidates, points: Mapping[str, Array]) -> list[_Group]:
    """Columns of the hypotheses that can be told from a constant at these points, grouped by the number of terms."""
    import numpy as np

    cache: dict[Term, Array] = {}
    count = len(next(iter(points.values())))
    by_size: dict[int, list[tuple[int, Array]]] = {}
    with np.errstate(all="ignore"):
        for index, hypothesis in enumerate(candidates.hypotheses):
            for term in hypothesis:
                if term not in cache:
                    cache[term] = term.evaluate(points)
            columns = np.array([cache[term] for term in hypothesis]).reshape(-1, count)
            if count > _POINTS_PER_TERM * len(hypothesis) and usable_columns(columns).all():
                by_size.setdefault(len(columns), []).append((index, columns))
    return [
        (np.array([index for index, _ in rows]), np.stack([columns for _, columns in rows]))
        for rows in by_size.values()
    ]


def _squares(groups: list[_Group], total: int, values: Array, weights: Array) -> Array:
    import numpy as np

    squares = np.full((len(values), total), np.inf)
    for indices, columns in groups:
        if columns.shape[1] == 1:
            squares[:, indices] = squares_of_lines(columns[:, 0], values, weights)
        elif columns.shape[1] == 2:  # noqa: PLR2004
            squares[:, indices] = squares_of_pairs(columns[:, 0], columns[:, 1], values, weights)
        else:
            squares[:, indices] = squares_of_sums(columns, values, weights)
    return squares


def _predictions(groups: list[_Group], best: NDArray[np.intp], values: Array, weights: Array) -> Array:
    """Return what each series' best hypothesis predicts at the points, D by n."""
    import numpy as np

    predicted = np.zeros_like(values)
    for indices, columns in groups:
        place = {int(index): row for row, index in enumerate(indices)}
        rows = np.array([series for series, one in enumerate(best) if int(one) in place], dtype=np.intp)
        if len(rows):
            chosen = columns[[place[int(one)] for one in best[rows]]]
            predicted[rows] = fitted(chosen, values[rows], weights[rows])[0]
    return predicted


def _scores(squares: Array, candidates: Candidates, count: int) -> Array:
    """Logarithms of prior times evidence, D by H."""
    import numpy as np

    size = np.array([1.0 + len(hypothesis) for hypothesis in candidates.hypotheses])
    mean = squares / count + _EXACT**2
    scores: Array = np.log(candidates.prior) - (count - size) / 2 * np.log(mean) - size / 2 * np.log(count)
    return scores


def _cross_validated(groups: list[_Group], candidates: Candidates, values: Array, weights: Array) -> NDArray[np.intp]:
    """Return the shortest and then most preferred hypothesis whose error is within the margin of the least."""
    import numpy as np

    errors = np.full((len(values), len(candidates.hypotheses)), np.inf)
    for indices, columns in groups:
        errors[:, indices] = np.sqrt(left_out_squares(columns, values, weights) / values.shape[1]) + _EXACT
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
) -> Choice:
    """Choose a hypothesis for each of D series (D by n), all measured at the same n points.

    `points` has n values of each parameter. Values must be finite and not negative. Weights come from the values first
    and then from what the best hypothesis predicts, so that a value that is low by chance does not weigh more.
    """
    import numpy as np

    groups = _groups(candidates, points)
    parts = [
        _chosen(groups, candidates, values[at : at + _AT_ONCE], rule) for at in range(0, max(len(values), 1), _AT_ONCE)
    ]
    best, posterior, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Choice(candidates, best, posterior, weights)


def _chosen(
    groups: list[_Group], candidates: Candidates, values: Array, rule: ChoiceRule
) -> tuple[NDArray[np.intp], Array, Array]:
    """Choose for some series: the best, the probabilities of all, and the weights."""
    import numpy as np

    count, total = values.shape[1], len(candidates.hypotheses)
    weights = _relative_to(values)
    for last in range(_PASSES):
        scores = _scores(_squares(groups, total, values, weights), candidates, count)
        best = scores.argmax(axis=1)
        if last < _PASSES - 1:
            weights = _relative_to(_predictions(groups, best, values, weights))
    posterior = np.exp(scores - scores.max(axis=1)[:, None])
    posterior /= posterior.sum(axis=1)[:, None]
    if rule is ChoiceRule.CROSS_VALIDATION:
        best = _cross_validated(groups, candidates, values, weights)
    return best, posterior, weights
