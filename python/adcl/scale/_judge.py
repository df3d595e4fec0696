"""The verdict on one series: its model, how that diverges from the expectation, and what the measurements can tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.errors import AdclError
from adcl.scale._candidates import candidates_for
from adcl.scale._choose import ChoiceRule, choose
from adcl.scale._expression import leading
from adcl.scale._match import Limits, Match, divergence, match
from adcl.scale._model import Model, make_model
from adcl.scale._term import ONE

if TYPE_CHECKING:
    from adcl.scale._choose import Hypothesis
    from adcl.scale._expression import Expression
    from adcl.scale._series import Series
    from adcl.scale._space import Refinement
    from adcl.scale._term import Term

__all__ = ["CONFIDENCE", "Expected", "Likely", "Verdict", "judge"]

CONFIDENCE = 0.97
"""So probable must it be that the true growth is outside the deviation limits before that is said."""

_DOUBT = 0.2
"""From this probability of being outside on, being inside is not said either."""

_KEPT = 1e-4


@dataclass(frozen=True, slots=True)
class Expected:
    """What a user expects of one metric of one function."""

    growth: Expression
    deviation: Term | None = None
    """None is the default of section 2.3."""

    refinement: Refinement | None = None


@dataclass(frozen=True, slots=True)
class Likely:
    """Leading terms that the measurements allow, and how probable they are."""

    leading: tuple[Term, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one series, with an expectation or without."""

    series: Series
    model: Model
    likely: tuple[Likely, ...]
    """The most probable first, down to one in ten thousand."""

    limits: Limits | None = None
    match: Match | None = None
    """None without an expectation."""

    divergence: str | None = None
    outside: float = 0.0
    """Probability that the true growth is outside the deviation limits."""


def _restricted(expected: Expected, series: Series) -> tuple[Term, ...]:
    """The expectation's leading terms; raises when it names a parameter that does not vary here."""
    terms = leading(expected.growth)
    names = {name for term in terms for name in term.parameters}
    missing = sorted(names - set(series.parameters))
    if missing:
        raise AdclError(
            f"{series.function}: the expectation {expected.growth} names {missing[0]}, which does not vary; "
            f"what varies is {', '.join(series.parameters) or 'nothing'}"
        )
    return terms


def _leading(hypothesis: Hypothesis, model: Model) -> tuple[Term, ...]:
    """Return a hypothesis' leading terms. What falls ends at the constant, if the model has one beyond doubt."""
    constant = bool(hypothesis) and ONE in model.leading
    return leading((*hypothesis, ONE) if constant else hypothesis)


def judge(
    series: Series,
    expected: Expected | None = None,
    *,
    rule: ChoiceRule = ChoiceRule.EVIDENCE,
    confidence: float = CONFIDENCE,
) -> Verdict:
    """Make the model of a series, and rank it against an expectation.

    Outside of the deviation limits is what is so with at least this confidence; inside, what is outside with a
    probability of at most 0.2. Anything between is undecided. Raises `AdclError` for a series with too few points.
    """
    import numpy as np

    reason = series.too_few()
    if reason is not None:
        raise AdclError(reason)
    terms = None if expected is None else _restricted(expected, series)
    candidates = candidates_for(series, terms, None if expected is None else expected.refinement)
    choice = choose(series.columns(), np.array([series.values]), candidates, rule=rule)
    hypothesis = choice.hypothesis(0)
    model = make_model(series, hypothesis, choice.weights[0])
    chances: dict[tuple[Term, ...], float] = {}
    for one, chance in zip(candidates.hypotheses, choice.posterior[0], strict=True):
        key = _leading(one, model)
        chances[key] = chances.get(key, 0.0) + float(chance)
    ordered = sorted(chances.items(), key=lambda item: -item[1])
    likely = tuple(Likely(key, chance) for key, chance in ordered if chance >= _KEPT)
    if expected is None or terms is None:
        return Verdict(series, model, likely)
    limits = Limits.of(terms, expected.deviation)
    outside = sum(chance for key, chance in chances.items() if match(key, limits) is Match.NONE)
    found = _leading(hypothesis, model)
    rank = match(found, limits)
    if (rank is Match.NONE and outside < confidence) or (rank is not Match.NONE and outside > _DOUBT):
        rank = Match.UNDECIDED
    return Verdict(series, model, likely, limits, rank, divergence(found, terms), outside)
