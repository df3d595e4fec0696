"""Growth compared between runs: of two libraries or versions, or along a history of commits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.errors import AdclError, UsageError
from adcl.scale._expression import Expression
from adcl.scale._judge import CONFIDENCE, Expected, Verdict, judge
from adcl.scale._match import Match
from adcl.scale._results import series_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.scale._series import Series
    from adcl.scale._stored import StoreEntry
    from adcl.scale._study import Expectation, ScaleStudy

__all__ = ["Change", "Comparison", "compare"]


def _label(series: Series) -> str:
    return f"{series.function} ({series.metric}" + (f", {series.label})" if series.label else ")")


@dataclass(frozen=True, slots=True)
class Change:
    """One series in two runs."""

    before_run: str
    after_run: str
    before: Verdict
    after: Verdict
    """Judged against the growth that `before` has."""

    worse: bool
    """Whether it grows faster now, beyond the deviation limits and beyond doubt."""

    better: bool
    """Whether it grows more slowly now, likewise."""

    ratio: float
    """Predicted cost after over before, at the largest scale that both were measured at."""

    at: tuple[float, ...]
    """That scale."""

    @property
    def label(self) -> str:
        """Function, metric and setting."""
        return _label(self.after.series)


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


def _change(runs: tuple[str, str], before: Verdict, series: Series, confidence: float) -> Change:
    after = judge(series, _as_expected(before), confidence=confidence)
    common = [point for point in series.points if point in before.series.points] or list(series.points)
    at = max(common)
    place = dict(zip(series.parameters, at, strict=True))
    base = before.model.predict(**place).value
    return Change(
        *runs,
        before,
        after,
        worse=after.match is Match.NONE,
        better=after.match is Match.BETTER,
        ratio=after.model.predict(**place).value / base if base > 0 else float("inf"),
        at=at,
    )


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
        known: dict[tuple[str, str, tuple[tuple[str, float], ...]], tuple[str, Verdict]] = {}
        for run in runs:
            for series in _all_series(study, entries, run, expectation):
                if series.too_few() is not None:
                    raise AdclError(f"run {run}: {series.too_few()}")
                verdict = judge(series, expectation.expected, confidence=confidence)
                verdicts.setdefault(_label(series), {})[run] = verdict
                former = known.get(_key(series))
                if former is None:
                    known[_key(series)] = (run, verdict)
                    continue
                change = _change((former[0], run), former[1], series, confidence)
                changes.append(change)
                moved = change.worse or change.better
                known[_key(series)] = (run, change.after if moved else former[1])
    order = {run: at for at, run in enumerate(runs)}
    return Comparison(tuple(runs), tuple(sorted(changes, key=lambda one: order[one.after_run])), verdicts)
