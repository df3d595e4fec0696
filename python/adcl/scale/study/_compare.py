"""Growth compared between runs: of two libraries or versions, or along a history of commits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.errors import UsageError
from adcl.scale.judge import CONFIDENCE, Expected, JudgeMethod, Match, Verdict, judge_with
from adcl.scale.model import Expression
from adcl.scale.study._results import series_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.scale.input import StoreEntry
    from adcl.scale.model import Series
    from adcl.scale.study._study import Expectation, ScaleStudy

__all__ = ["Change", "Comparison", "compare"]


def _label(series: Series) -> str:
    return f"{series.function} ({series.metric}" + (f", {series.label})" if series.label else ")")


@dataclass(frozen=True, slots=True)
class Change:
    """One series in two runs."""

    before_run: str
    after_run: str
    series: tuple[Series, Series]
    """What was measured before and after."""

    before: Verdict | None
    """The verdict that has the growth before; None where there are too few settings for a model."""

    after: Verdict | None
    """Judged against the growth that `before` has; None where there are too few settings for that."""

    ratio: float | None
    """Cost after over before, by the models, or as measured without one, at `at`; None without a common setting."""

    at: tuple[float, ...]
    """The largest scale at which both were measured."""

    @property
    def worse(self) -> bool:
        """Whether it grows faster now, beyond the deviation limits and beyond doubt."""
        return self.after is not None and self.after.match is Match.NONE

    @property
    def better(self) -> bool:
        """Whether it grows more slowly now, likewise."""
        return self.after is not None and self.after.match is Match.BETTER

    @property
    def undecided(self) -> bool:
        """Whether the measurements cannot tell if it grows otherwise."""
        return self.after is None or self.after.match is Match.UNDECIDED

    @property
    def label(self) -> str:
        """Function, metric and setting."""
        return _label(self.series[1])

    @property
    def growths(self) -> tuple[str, str]:
        """The growth before and after, in big O; a dash where there is no model."""
        before, after = ("–" if one is None else one.model.growth for one in (self.before, self.after))
        return before, after

    @property
    def place(self) -> str:
        """Where the costs are compared, as in ``p=8``."""
        return ", ".join(f"{name}={value:g}" for name, value in zip(self.series[1].parameters, self.at, strict=True))


@dataclass(frozen=True, slots=True)
class Comparison:
    """All changes between runs, in the order of the runs."""

    runs: tuple[str, ...]
    changes: tuple[Change, ...]
    verdicts: dict[str, dict[str, Verdict]]
    """By series and by run, each judged by what the study expects."""

    @property
    def culprits(self) -> tuple[Change, ...]:
        """The changes for the worse: the first for each series, with the run that it came with."""
        first: dict[str, Change] = {}
        for change in self.changes:
            if change.worse:
                first.setdefault(change.label, change)
        return tuple(first.values())


def _as_expected(verdict: Verdict) -> Expected:
    return Expected(Expression.of((1.0, term) for term in verdict.model.leading))


@dataclass(frozen=True, slots=True)
class _Former:
    """What is known of a series from earlier runs."""

    run: str
    series: Series
    verdict: Verdict | None
    """Of that run; None where there are too few settings for a model."""

    growth: Verdict | None
    """The verdict that has the growth which later runs are held against."""


def _change(
    former_run: _Former, run: str, series: Series, verdict: Verdict | None, *, method: JudgeMethod, confidence: float
) -> Change:
    former, before = former_run.series, former_run.growth
    common = [point for point in series.points if point in former.points] if former.fixed == series.fixed else []
    at = max(common or series.points)
    after = None
    if before is not None and series.too_few(of_model=False) is None:
        (after,) = judge_with(method, [series], _as_expected(before), confidence=confidence)
    ratio = _ratio(former, series, (former_run.verdict, verdict), at)
    return Change(former_run.run, run, (former, series), before, after, ratio, at)


def _ratio(
    former: Series, series: Series, verdicts: tuple[Verdict | None, Verdict | None], at: tuple[float, ...]
) -> float | None:
    """Return the cost after over before at a point: of the models or, without them, as measured."""
    before, after = verdicts
    if before is not None and after is not None:
        place = dict(zip(series.parameters, at, strict=True))
        old, new = before.model.predict(**place).value, after.model.predict(**place).value
    elif at in former.points:
        old, new = former.values[former.points.index(at)], series.values[series.points.index(at)]
    else:
        return None
    return new / old if old > 0 else float("inf")


def _key(series: Series) -> tuple[str, str, tuple[tuple[str, float], ...]]:
    return (series.function, series.metric, series.fixed)


def _all_series(study: ScaleStudy, entries: Sequence[StoreEntry], run: str, expectation: Expectation) -> list[Series]:
    measurements = [entry.measurement for entry in entries if entry.run == run]
    try:
        return series_for(expectation, measurements, study.aggregate)
    except UsageError:
        # A function that did not exist yet, or does not any more.
        return []


def compare(
    study: ScaleStudy, entries: Sequence[StoreEntry], runs: Sequence[str], confidence: float = CONFIDENCE
) -> Comparison:
    """Compare each run with the one before it.

    What a series grows as is carried along: as long as nothing is beyond doubt, later runs are held against the same
    growth, so that a change in small steps is found as well. The first run is held against the study's expectation, if
    that has one and the run keeps to it.
    """
    changes = []
    verdicts: dict[str, dict[str, Verdict]] = {}
    for expectation in study.expectations:
        known: dict[tuple[str, str, tuple[tuple[str, float], ...]], _Former] = {}
        for run in runs:
            for series in _all_series(study, entries, run, expectation):
                verdict = None
                if series.too_few() is None:
                    (verdict,) = judge_with(study.method, [series], expectation.expected, confidence=confidence)
                    verdicts.setdefault(_label(series), {})[run] = verdict
                former = known.get(_key(series))
                growth = verdict
                if former is not None:
                    change = _change(former, run, series, verdict, method=study.method, confidence=confidence)
                    changes.append(change)
                    growth = change.after if change.worse or change.better else former.growth or verdict
                known[_key(series)] = _Former(run, series, verdict, growth)
    order = {run: at for at, run in enumerate(runs)}
    return Comparison(tuple(runs), tuple(sorted(changes, key=lambda one: order[one.after_run])), verdicts)
