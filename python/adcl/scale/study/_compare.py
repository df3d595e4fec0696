"""Comparison of growth between runs: of libraries, versions, or a series of commits."""

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
    """Measurements before and after."""

    before: Verdict | None
    """Verdict with the growth before; None if there are too few settings for a model."""

    after: Verdict | None
    """Verdict against the growth in `before`; None if there are too few settings."""

    ratio: float | None
    """Cost after divided by cost before at `at`, from the models or, without models, measured; None without a common
    setting.
    """

    at: tuple[float, ...]
    """Point of the cost comparison: the largest common scale."""

    @property
    def worse(self) -> bool:
        """Whether growth is now faster, significantly and beyond the deviation limits."""
        return self.after is not None and self.after.match is Match.NONE

    @property
    def better(self) -> bool:
        """Whether growth is now slower, significantly and beyond the deviation limits."""
        return self.after is not None and self.after.match is Match.BETTER

    @property
    def undecided(self) -> bool:
        """Whether the measurements do not decide if the growth has changed."""
        return self.after is None or self.after.match is Match.UNDECIDED

    @property
    def label(self) -> str:
        """Function, metric and setting."""
        return _label(self.series[1])

    @property
    def growths(self) -> tuple[str, str]:
        """Growth before and after, in big O; a dash if there is no model."""
        before, after = ("–" if one is None else one.model.growth for one in (self.before, self.after))
        return before, after

    @property
    def place(self) -> str:
        """Setting of the cost comparison, as in ``p=8``."""
        return ", ".join(f"{name}={value:g}" for name, value in zip(self.series[1].parameters, self.at, strict=True))


@dataclass(frozen=True, slots=True)
class Comparison:
    """All changes between runs, in the order of the runs."""

    runs: tuple[str, ...]
    changes: tuple[Change, ...]
    verdicts: dict[str, dict[str, Verdict]]
    """Verdicts by series and by run, relative to the study's expectations."""

    @property
    def regressions(self) -> tuple[Change, ...]:
        """The first change for the worse of each series, with the run that introduced it."""
        first: dict[str, Change] = {}
        for change in self.changes:
            if change.worse:
                first.setdefault(change.label, change)
        return tuple(first.values())


def _satisfies_expectation(verdict: Verdict) -> Expected:
    return Expected(Expression.of((1.0, term) for term in verdict.model.leading))


@dataclass(frozen=True, slots=True)
class _PreviousResult:
    """Results of a series from earlier runs."""

    run: str
    series: Series
    verdict: Verdict | None
    """Verdict on the measurements of `run`; None if there are too few settings for a model."""

    growth: Verdict | None
    """Verdict with the reference growth for later runs."""


def _change(
    former_run: _PreviousResult,
    run: str,
    series: Series,
    verdict: Verdict | None,
    *,
    method: JudgeMethod,
    confidence: float,
) -> Change:
    former, before = former_run.series, former_run.growth
    common = [point for point in series.points if point in former.points] if former.fixed == series.fixed else []
    at = max(common or series.points)
    after = None
    if before is not None and series.too_few(of_model=False) is None:
        (after,) = judge_with(method, [series], _satisfies_expectation(before), confidence=confidence)
    ratio = _ratio(former, series, (former_run.verdict, verdict), at)
    return Change(former_run.run, run, (former, series), before, after, ratio, at)


def _ratio(
    former: Series, series: Series, verdicts: tuple[Verdict | None, Verdict | None], at: tuple[float, ...]
) -> float | None:
    """Return the cost after divided by the cost before at a point, from the models or, without models, measured."""
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
        # The function exists in only one of the runs.
        return []


def compare(
    study: ScaleStudy, entries: Sequence[StoreEntry], runs: Sequence[str], confidence: float = CONFIDENCE
) -> Comparison:
    """Compare each run with the run before it.

    The reference growth of a series is kept until a change is significant, so that a gradual change over several runs
    is also found. The reference of the first run is the study's expectation, if the study has one and the run satisfies
    it.
    """
    changes = []
    verdicts: dict[str, dict[str, Verdict]] = {}
    for expectation in study.expectations:
        known: dict[tuple[str, str, tuple[tuple[str, float], ...]], _PreviousResult] = {}
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
                known[_key(series)] = _PreviousResult(run, series, verdict, growth)
    order = {run: at for at, run in enumerate(runs)}
    return Comparison(tuple(runs), tuple(sorted(changes, key=lambda one: order[one.after_run])), verdicts)
