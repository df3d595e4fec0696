"""Verdict on one series: its model, the divergence from the expectation, and the certainty."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from adcl.errors import AdclError, UsageError
from adcl.scale.judge._match import Limits, Match, divergence, match
from adcl.scale.judge._misfit import ChangePoint, change_points, misfits_of
from adcl.scale.judge._outgrown import outgrown
from adcl.scale.model import (
    MINIMUM_POINTS,
    Candidates,
    ChoiceRule,
    Model,
    Term,
    big_o,
    candidates_for,
    choose,
    is_decreasing,
    leading,
    make_models,
    support,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from adcl.scale.model import Choice, Expression, Hypothesis, Refinement, Series

    Array = NDArray[np.float64]

_T = TypeVar("_T")

__all__ = ["CONFIDENCE", "Expected", "Likely", "Verdict", "judge_all", "judge_series", "restricted"]

CONFIDENCE = 0.97
"""Minimum probability of being outside the deviation limits for the verdicts "above" and "below"."""

_DOUBT = 0.2
"""Minimum probability of being outside the limits that rules out the verdict "inside"."""

_DOUBT_OF_END = 0.08
"""`_DOUBT` for expectations that decrease toward 0, where measurements barely reveal a final constant."""

_WITHOUT_ONE = 0.5
"""Minimum probability of growth above the limits if any single point is omitted, so that no single value decides."""

_LEFT_OUT_FROM = MINIMUM_POINTS + 1
_KEPT = 1e-4


@dataclass(frozen=True, slots=True)
class Expected:
    """Expectation of a user for one metric of one function."""

    growth: Expression
    deviation: Term | None = None
    """Deviation; None: the default of section 2.3."""

    refinement: Refinement | None = None


@dataclass(frozen=True, slots=True)
class Likely:
    """Leading terms that the measurements allow, and their probability."""

    leading: tuple[Term, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result for one series, with or without an expectation."""

    series: Series
    model: Model
    likely: tuple[Likely, ...]
    """Leading terms, the most probable first, down to 1e-4; empty if the method has no probabilities."""

    limits: Limits | None = None
    match: Match | None = None
    """Match rank; None without an expectation."""

    divergence: str | None = None
    above: float = 0.0
    """Probability that the true growth is faster than the deviation limits allow."""

    below: float = 0.0
    """Probability that the true growth is slower than the deviation limits allow."""

    misfit: str | None = None
    """Why the model does not describe the measurements, or None."""

    outgrown: float | None = None
    """Factor by which the measurements outgrow the upper limit, if no model shows this growth with certainty."""

    changes_at: float | None = None
    """Setting at which the algorithm changes; the verdict applies to the second algorithm. None: no change."""

    @property
    def finding_text(self) -> str:
        """Description of the finding if the verdict is "broken"."""
        if self.outgrown is None:
            return f"found {self.model.growth}"
        limits = "" if self.limits is None else f" {big_o(self.limits.upper)}"
        return f"outgrows the limit{limits} by a factor of {self.outgrown:.1f}"

    @property
    def own_cores_only(self) -> bool:
        """Whether the verdict uses only settings at which each rank has its own core."""
        return any(self.series.oversubscribed) and not any(self.model.series.oversubscribed)

    @property
    def outside(self) -> float:
        """Probability that the true growth is outside the deviation limits."""
        return min(self.above + self.below, 1.0)

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for readers of the verdict."""
        found = [] if self.misfit is None else [self.misfit]
        name = "" if not self.series.parameters else self.series.parameters[0]
        points = len(self.series.points)
        if points < MINIMUM_POINTS:
            found.append(f"{points} settings are too few for a model; the minimum is {MINIMUM_POINTS}")
        if self.outgrown is not None:
            found.append(f"the measurements themselves outgrow the limits by a factor of {self.outgrown:.1f}")
        if self.own_cores_only:
            found.append(f"settings with more {name} than cores are not evaluated")
        if self.changes_at is not None:
            found.append(f"another algorithm is active from {name} = {self.changes_at:g} on")
        if self.series.left_out:
            found.append("measurements at 0 are omitted from models")
        if self.series.together:
            names = " and ".join(self.series.together)
            found.append(
                f"{names} varied together with {' and '.join(self.series.parameters)}; either may be the cause"
            )
        return tuple(found)


def restricted(expected: Expected, series: Series) -> tuple[Term, ...]:
    """Return the expectation's terms without constant parameters. Raises `UsageError` for an unknown parameter."""
    fixed = dict(series.fixed)
    names = {name for term in expected.growth.terms for name in term.parameters}
    missing = sorted(names - set(series.parameters) - set(fixed))
    if missing:
        raise UsageError(
            f"{series.function}: the expectation {expected.growth} names {missing[0]}, but the measurements have no "
            f"such parameter; they have {', '.join((*series.parameters, *fixed)) or 'none'}"
        )
    if names and not names & set(series.parameters):
        still = min(names)
        raise UsageError(
            f"{series.function}: the expectation {expected.growth} names {still}, which does not vary; varying "
            f"parameters: {', '.join(series.parameters) or 'none'}"
        )
    terms = [Term.of({name: one for name, one in term.growths if name not in fixed}) for term in expected.growth.terms]
    return tuple(dict.fromkeys(terms))


def judge_series(
    series: Series,
    expected: Expected | None = None,
    *,
    rule: ChoiceRule = ChoiceRule.EVIDENCE,
    confidence: float = CONFIDENCE,
) -> Verdict:
    """Fit the model of a series and compare it with an expectation.

    "Above" and "below" the deviation limits require at least this confidence; "inside" requires a probability of at
    most 0.2 of being outside, or 0.08 if the expectation decreases to 0. All other cases are undecided, including a
    model that does not fit. Oversubscribed times are above the limits only if their growth exceeds the limits by more
    than core sharing explains; this also holds for series of three or four points. Raises `AdclError` for fewer points,
    or for fewer than five without an expectation.
    """
    return judge_all([series], expected, rule=rule, confidence=confidence)[0]


def judge_all(
    series: Sequence[Series],
    expected: Expected | None = None,
    *,
    rule: ChoiceRule = ChoiceRule.EVIDENCE,
    confidence: float = CONFIDENCE,
) -> list[Verdict]:
    """Evaluate many series against one expectation; series with the same points are evaluated together.

    If enough points have a core for each rank, only these points are used.
    """
    whole, series = series, [_with_own_cores(one) for one in series]
    groups: dict[tuple[tuple[str, ...], tuple[tuple[float, ...], ...], tuple[str, ...]], list[int]] = defaultdict(list)
    for at, one in enumerate(series):
        reason = one.too_few(of_model=expected is None)
        if reason is not None:
            raise AdclError(reason)
        own = at if len(one.parameters) > 1 else 0
        groups[one.parameters, one.points, (*dict(one.fixed), str(own))].append(at)
    found: list[Verdict | None] = [None] * len(series)
    for rows in groups.values():
        together = _Group([series[at] for at in rows], expected, rule, confidence)
        for at, verdict in zip(rows, together.verdicts(), strict=True):
            found[at] = verdict if whole[at] is series[at] else replace(verdict, series=whole[at])
    return [verdict for verdict in found if verdict is not None]


@functools.lru_cache(maxsize=64)
def _ranks(candidates: Candidates, limits: Limits) -> list[Match]:
    return [match(key, limits) for key in candidates.leading]


@functools.lru_cache(maxsize=64)
def _unique_leading_terms(candidates: Candidates) -> tuple[list[tuple[Term, ...]], NDArray[np.intp]]:
    """Return the different leading terms of candidates, and the term of each candidate."""
    import numpy as np

    numbers: dict[tuple[Term, ...], int] = {}
    places = [numbers.setdefault(key, len(numbers)) for key in candidates.leading]
    return list(numbers), np.array(places, dtype=np.intp)


@functools.lru_cache(maxsize=1024)
def _rank_of(hypothesis: Hypothesis, limits: Limits) -> tuple[Match, str]:
    """Return the candidate's rank and its divergence from the expectation."""
    found = leading(hypothesis)
    return match(found, limits), divergence(found, limits.expectation)


class _Group:
    """Series with the same parameters, points and expectation."""

    def __init__(self, series: list[Series], expected: Expected | None, rule: ChoiceRule, confidence: float) -> None:
        import numpy as np

        self._series, self._expected, self._rule, self._confidence = series, expected, rule, confidence
        terms = None if expected is None else restricted(expected, series[0])
        self._few = len(series[0].points) < MINIMUM_POINTS
        self._candidates: Candidates = (
            Candidates.sums([], terms)
            if self._few
            else candidates_for(series[0], terms, None if expected is None else expected.refinement)
        )
        self._points = series[0].columns()
        self._values = np.array([one.values for one in series])
        self._support = support(series)
        self._keys = self._candidates.leading
        self._terms = None if terms is None else leading(terms)
        self._limits, self._ranks = None, list[Match]()
        if expected is not None and self._terms is not None:
            self._limits = Limits.of(self._terms, expected.deviation)
            self._ranks = _ranks(self._candidates, self._limits)
        self._threshold = _DOUBT_OF_END if self._terms and all(map(is_decreasing, self._terms)) else _DOUBT

    def verdicts(self) -> list[Verdict]:
        """Evaluate the series."""
        choice = choose(self._points, self._values, self._candidates, rule=self._rule, support=self._support)
        changes = change_points(self._series, self._values, choice.alone)
        kept = [at for at, change in enumerate(changes) if change is None or not self._has_enough_points_after(change)]
        models = self._models(kept, choice)
        misfits = dict(zip(models, misfits_of(list(models.values()), self._points), strict=True))
        likely, sides = self._likely(choice.posterior), self._sides(choice.posterior)
        found = []
        for at, change in enumerate(changes):
            if change is not None and at not in models:
                found.append(self._after_change(self._series[at], change))
                continue
            changes_at = None if change is None else change.at
            found.append(self._verdict(models[at], likely[at], (misfits[at], changes_at), sides[at]))
        return self._confirmed(found)

    def _has_enough_points_after(self, change: ChangePoint) -> bool:
        """Return whether enough points follow a change for a verdict."""
        points: int = self._values.shape[1]
        return points - change.first >= MINIMUM_POINTS

    def _after_change(self, series: Series, change: ChangePoint) -> Verdict:
        one = judge_series(
            _part(series, range(change.first, len(series.points))),
            self._expected,
            rule=self._rule,
            confidence=self._confidence,
        )
        return replace(one, series=series, changes_at=change.at)

    def _models(self, rows: list[int], choice: Choice) -> dict[int, Model]:
        if not rows:
            return {}
        hypotheses = [choice.hypothesis(at) for at in rows]
        errors = [choice.error_models(at) for at in rows]
        models = make_models([self._series[at] for at in rows], hypotheses, choice.weights[rows], errors)
        return dict(zip(rows, models, strict=True))

    def _likely(self, posterior: Array) -> list[tuple[Likely, ...]]:
        """Sum the probabilities of candidates with the same leading terms."""
        import numpy as np

        keys, places = _unique_leading_terms(self._candidates)
        sums = np.zeros((len(posterior), len(keys)))
        np.add.at(sums.T, places, posterior.T)
        rows, kept = np.nonzero(sums >= _KEPT)
        chances = sums[rows, kept]
        order = np.lexsort((kept, -chances, rows))
        likely = [
            Likely(keys[at], chance) for at, chance in zip(kept[order].tolist(), chances[order].tolist(), strict=True)
        ]
        ends = np.searchsorted(rows, np.arange(len(posterior) + 1)).tolist()
        return [tuple(likely[begin:end]) for begin, end in itertools.pairwise(ends)]

    def _sides(self, posterior: Array) -> list[tuple[float, float]]:
        """Return the probabilities of growth above and below the limits."""
        import numpy as np

        sides = [np.array([rank is side for rank in self._ranks], dtype=float) for side in (Match.NONE, Match.BETTER)]
        if not self._ranks:
            return [(0.0, 0.0)] * len(posterior)
        above, below = (np.minimum(posterior @ side, 1.0).tolist() for side in sides)
        return list(zip(above, below, strict=True))

    def _verdict(
        self,
        model: Model,
        likely: tuple[Likely, ...],
        doubts: tuple[str | None, float | None],
        sides: tuple[float, float],
    ) -> Verdict:
        """Return the verdict on a model. `doubts`: why it does not fit, and where the algorithm changes."""
        series, (misfit, changes_at), (above, below) = model.series, doubts, sides
        if self._limits is None or self._terms is None:
            return Verdict(series, model, likely, misfit=misfit, changes_at=changes_at)
        rank, apart = _rank_of(model.hypothesis, self._limits)
        if rank is Match.NONE:
            sure = above >= self._confidence and not any(series.oversubscribed)
        elif rank is Match.BETTER:
            sure = below >= self._confidence
        else:
            sure = above + below <= self._threshold
        factor = None
        if not sure or self._few or misfit is not None or changes_at is not None:
            rank = Match.UNDECIDED
            if changes_at is None and self._may_outgrow(series, above):
                factor = outgrown(series, self._limits.upper, self._confidence)
            rank = rank if factor is None else Match.NONE
        return Verdict(series, model, likely, self._limits, rank, apart, above, below, misfit, factor, changes_at)

    def _may_outgrow(self, series: Series, above: float) -> bool:
        """Return whether the verdict may rest on measurements without a model.

        This is allowed with few points, or if growth above the limits is likely enough.
        """
        return self._few or above >= (self._threshold if any(series.oversubscribed) else 1 - _DOUBT)

    def _confirmed(self, verdicts: list[Verdict]) -> list[Verdict]:
        """Withdraw a verdict "above" that depends on a single point."""
        import numpy as np

        by_model = [one.match is Match.NONE and one.changes_at is None and one.outgrown is None for one in verdicts]
        rows = [at for at, one in enumerate(by_model) if one]
        count = self._values.shape[1]
        if not rows or count < _LEFT_OUT_FROM or len(self._points) > 1 or self._limits is None:
            return verdicts
        above = np.array([rank is Match.NONE for rank in self._ranks])
        least = np.ones(len(rows))
        for out in range(count):
            kept = np.arange(count) != out
            points = {name: column[kept] for name, column in self._points.items()}
            choice = choose(points, self._values[rows][:, kept], self._candidates, support=self._support[rows])
            least = np.minimum(least, choice.posterior @ above)
        for at, chance in zip(rows, least, strict=True):
            if chance < _WITHOUT_ONE:
                verdicts[at] = replace(verdicts[at], match=Match.UNDECIDED)
        return verdicts


def _part(series: Series, rows: Sequence[int]) -> Series:
    """Return a series with a subset of the points."""

    def of(part: tuple[_T, ...]) -> tuple[_T, ...]:
        return tuple(part[at] for at in rows) if part else ()

    return replace(
        series,
        points=of(series.points),
        values=of(series.values),
        jobs=of(series.jobs),
        oversubscribed=of(series.oversubscribed),
        sharing=of(series.sharing),
        spreads=of(series.spreads),
        repetitions=of(series.repetitions),
    )


def _with_own_cores(series: Series) -> Series:
    """Return the points without core sharing if they suffice for a verdict, otherwise the series."""
    if not any(series.oversubscribed) or len(series.parameters) != 1:
        return series
    rows = [at for at, oversubscribed in enumerate(series.oversubscribed) if not oversubscribed]
    return _part(series, rows) if len(rows) >= MINIMUM_POINTS else series
