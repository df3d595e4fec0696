"""Cross-function rules on measurements and models, and the scales at which budgets are exceeded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.scale.judge import CONFIDENCE, JudgeMethod, Verdict, violates
from adcl.scale.model import Expression, Prediction, leading

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.scale.model import Series, Term
    from adcl.scale.study._study import Limit, Rule

__all__ = ["LimitCheck", "RuleCheck", "check_limit", "check_rule"]

_FARTHEST = 2.0**40
"""Largest predicted scale."""


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """Result of one rule for measurements and models."""

    rule: Rule
    measured: tuple[tuple[tuple[float, ...], float], ...]
    """Points at which the measurements significantly violate the rule beyond the tolerance, with the factor."""

    points: int
    """Number of points at which all functions were measured."""

    predicted: bool
    """Whether the models' leading terms violate the rule for growing parameters."""

    probability: float
    """Probability that the models' leading terms violate the rule, given the uncertainty of the models."""

    broken_from: float | None
    """Smallest scale, from the largest measured on, at which the models' values violate the rule; None: beyond the
    prediction.
    """

    confidence: float = CONFIDENCE
    method: JudgeMethod = JudgeMethod.EVIDENCE

    @property
    def broken(self) -> bool:
        """Whether the warning sign applies: for a measured violation, or a predicted one of enough confidence.

        With `JudgeMethod.PAPER` only the models decide (sections 2.4 and 4.2 of Shudler et al.).
        """
        if self.method is JudgeMethod.PAPER:
            return self.predicted
        return bool(self.measured) or (self.predicted and self.probability >= self.confidence)


class _Scatter:
    """Relative scatter of one function's jobs, assumed equal at all points."""

    def __init__(self, series: Series) -> None:
        several = [[math.log(job) for job in jobs] for jobs in series.jobs if len(jobs) > 1 and min(jobs) > 0]
        self.freedom = sum(len(jobs) - 1 for jobs in several)
        squares = math.fsum((job - math.fsum(jobs) / len(jobs)) ** 2 for jobs in several for job in jobs)
        self.variance = squares / self.freedom if self.freedom else 0.0
        self._jobs = {point: len(jobs) for point, jobs in zip(series.points, series.jobs, strict=False)}

    def of_value(self, point: tuple[float, ...]) -> float:
        """Return the variance of the logarithm of the median over the jobs at a point."""
        count = self._jobs.get(point, 1)
        return self.variance / count * (_MEDIAN if count > 2 else 1.0)  # noqa: PLR2004


_MEDIAN = math.pi / 2
"""Variance of the median divided by the variance of the mean, for many normally distributed values."""


def _measured(
    rule: Rule, left: Verdict, right: list[tuple[float, Verdict]], confidence: float
) -> tuple[list[tuple[tuple[float, ...], float]], int]:
    """Return the points at which the measurements violate a rule, and the number of common points.

    One-sided *t* tests of the logarithm of the ratio. The error probability is divided by the number of points
    (Bonferroni). If each setting has one job, the scatter is unknown, and only the tolerance decides.
    """
    from scipy.special import stdtrit

    values = [(factor, dict(zip(one.series.points, one.series.values, strict=True))) for factor, one in right]
    common = [
        (point, value)
        for point, value in zip(left.series.points, left.series.values, strict=True)
        if all(point in value for _, value in values)
    ]
    mine, theirs = _Scatter(left.series), [_Scatter(one.series) for _, one in right]
    freedom = min(one.freedom for one in (mine, *theirs))
    quantile = float(stdtrit(freedom, 1 - (1 - confidence) / len(common))) if freedom and common else 0.0
    broken = []
    for point, value in common:
        parts = [factor * value[point] for factor, value in values]
        total = math.fsum(parts)
        if not (total > 0 and value > total * (1 + rule.tolerance)):
            continue
        shared = [(part / total) ** 2 * one.of_value(point) for part, one in zip(parts, theirs, strict=True)]
        if math.log(value / total) > quantile * math.sqrt(mine.of_value(point) + math.fsum(shared)):
            broken.append((point, value / total))
    return broken, len(common)


def _probability(left: Verdict, right: list[Verdict]) -> float:
    """Return the probability that the left function outgrows all on the right, with independent uncertainties."""
    sums: dict[tuple[Term, ...], float] = {(): 1.0}
    for one in right:
        wider: dict[tuple[Term, ...], float] = {}
        for known, chance in sums.items():
            for likely in one.likely:
                key = leading((*known, *likely.leading))
                wider[key] = wider.get(key, 0.0) + chance * likely.probability
        sums = wider
    return math.fsum(
        mine.probability * chance for mine in left.likely for key, chance in sums.items() if violates(mine.leading, key)
    )


def _broken_from(rule: Rule, left: Verdict, right: list[tuple[float, Verdict]]) -> float | None:
    if len(left.series.parameters) != 1:
        return None
    name = left.series.parameters[0]
    total = Expression.of((factor * a, term) for factor, one in right for a, term in one.model.expression.parts)

    def excess(x: float) -> float:
        return left.model.expression.value(**{name: x}) - total.value(**{name: x}) * (1 + rule.tolerance)

    return _first(excess, float(max(left.series.column(name))))


def _first(excess: Callable[[float], float], start: float = 1.0) -> float | None:
    """Return the smallest scale from `start` on with a positive excess, by doubling and bisection."""
    low, high = start, start
    while high <= _FARTHEST and not excess(high) > 0:
        low, high = high, high * 2
    if high > _FARTHEST:
        return None
    while high - low > 1:
        middle = float(math.floor((low + high) / 2))
        low, high = (low, middle) if excess(middle) > 0 else (middle, high)
    return high


def check_rule(
    rule: Rule, verdicts: dict[str, Verdict], confidence: float = CONFIDENCE, method: JudgeMethod = JudgeMethod.EVIDENCE
) -> RuleCheck:
    """Check a rule; `verdicts` has one verdict for each function in the rule, with the same parameters.

    The models are combined before their leading terms are compared (section 2.4 of Shudler et al.).
    """
    left = verdicts[rule.left]
    right = [(factor, verdicts[name]) for factor, name in rule.right]
    measured, count = _measured(rule, left, right, confidence)
    combined = [term for _, one in right for term in one.model.leading]
    predicted = violates(left.model.leading, combined)
    chance = float(predicted) if method is JudgeMethod.PAPER else _probability(left, [one for _, one in right])
    return RuleCheck(
        rule=rule,
        measured=tuple(measured),
        points=count,
        predicted=predicted,
        probability=chance,
        broken_from=_broken_from(rule, left, right),
        confidence=confidence,
        method=method,
    )


@dataclass(frozen=True, slots=True)
class LimitCheck:
    """Scale at which the model of a cost reaches its budget."""

    limit: Limit
    scale: float | None
    """Smallest integer value of the parameter at which the model exceeds the budget; None: beyond the prediction."""

    at_target: Prediction | None
    """Prediction for `Limit.up_to`, times the factor."""

    @property
    def broken(self) -> bool:
        """Whether the model exceeds the limit at or before the target scale."""
        return self.limit.up_to is not None and self.scale is not None and self.scale <= self.limit.up_to


def check_limit(limit: Limit, verdict: Verdict) -> LimitCheck:
    """Predict the scale at which a budget is exceeded; other parameters have their largest measured values."""
    series = verdict.series
    others = {name: float(max(series.column(name))) for name in series.parameters if name != limit.parameter}
    expression = verdict.model.expression

    def excess(x: float) -> float:
        return limit.times * expression.value(**{**others, limit.parameter: x}) - limit.at_most

    target = None
    if limit.up_to is not None:
        one = verdict.model.predict(**{**others, limit.parameter: limit.up_to})
        target = Prediction(one.value * limit.times, one.low * limit.times, one.high * limit.times)
    return LimitCheck(limit, _first(excess), target)
