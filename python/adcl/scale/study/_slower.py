"""Regressions in cost at settings that two runs share, without a model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.scale.model import Model, Series
    from adcl.scale.study._compare import Change

__all__ = ["SLOWER", "Cost", "Slowdown", "percent", "slowdown"]

SLOWER = "25%"
"""Default share by which a function may cost more.

Runs are measured at different times, and the load of the machine affects all repetitions of a run.
"""

_SEVERAL = 2
_REPETITIONS = 5
"""Minimum number of repetitions for dropping 10 % of them at either end."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Ratio of cost after to cost before, with its bounds at the requested confidence.

    If the scatter is unknown, the bounds are 0 and infinity.
    """

    ratio: float
    least: float = 0.0
    most: float = math.inf


@dataclass(frozen=True, slots=True)
class Slowdown:
    """Change of one series' cost between two runs."""

    change: Change
    mean: Cost | None
    """Geometric mean of the ratios over the common settings; None if there are no common settings."""

    settings: tuple[tuple[tuple[float, ...], Cost], ...]
    """Ratio at each common setting."""

    predicted: tuple[float, float] | None
    """Ratio of the two models at the target scale, and its lower bound from their intervals."""

    allowed: float

    @property
    def worst(self) -> tuple[tuple[float, ...], Cost] | None:
        """The setting with the most significant slowdown, if any exceeds the allowed share."""
        found = [one for one in self.settings if one[1].least > 1 + self.allowed]
        return max(found, key=lambda one: one[1].least, default=None)

    @property
    def slower(self) -> bool:
        """Whether the function significantly costs more than allowed at a measured setting or at the target scale.

        If its growth has become slower, it may cost more at single small settings.
        """
        limit = 1 + self.allowed
        measured = self.mean is not None and self.mean.least > limit
        measured = measured or (self.worst is not None and not self.change.better)
        return measured or (self.predicted is not None and self.predicted[1] > limit)

    @property
    def same(self) -> bool:
        """Whether the cost is significantly within the allowed share: on average, and at the largest common setting."""
        if self.mean is None:
            return False
        return max(self.mean.most, self.settings[-1][1].most) <= 1 + self.allowed

    @property
    def undecided(self) -> bool:
        """Whether neither growth nor cost decides if the function became worse."""
        return self.change.undecided and not self.slower and not self.same


def percent(text: str) -> float:
    """Parse ``10%`` or ``0.1``. Raises `UsageError`."""
    try:
        value = float(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise UsageError(f"--slower {text!r} is not a fraction or percentage; write for example 10%")
    return value


def slowdown(change: Change, allowed: float, confidence: float, target: Mapping[str, float] | None = None) -> Slowdown:
    """Compare the cost of a series in two runs, at common settings and, from the models, at a target scale.

    The error probability is split between two tests: one of the mean over the settings, and one of each setting
    (Bonferroni).
    """
    before, after = change.series
    old = {point: _of_point(before, at) for at, point in enumerate(before.points)}
    new = {point: _of_point(after, at) for at, point in enumerate(after.points)}
    common = [point for point in new if point in old]
    common = [point for point in common if min(*old[point].jobs, *new[point].jobs) > 0]
    mean, settings = None, []
    if common:
        pairs = [(old[point], new[point]) for point in common]
        error = (1 - confidence) / 2
        settings = [(point, _cost(*pair, 1 - error / len(common))) for point, pair in zip(common, pairs, strict=True)]
        mean = settings[0][1] if len(common) == 1 else _mean_cost(pairs, 1 - error)
    predicted = None
    if target is not None and change.before is not None and change.after is not None:
        predicted = _predicted(change.before.model, change.after.model, target)
    return Slowdown(change, mean, tuple(settings), predicted, allowed)


def _predicted(before: Model, after: Model, target: Mapping[str, float]) -> tuple[float, float] | None:
    if not set(after.series.parameters) <= set(target):
        return None
    place = {name: target[name] for name in after.series.parameters}
    old, new = before.predict(**place), after.predict(**place)
    return (new.value / old.value, new.low / old.high) if old.value > 0 and old.high > 0 else None


@dataclass(frozen=True, slots=True)
class _SlowPoint:
    """Measurements of one run at one setting."""

    jobs: tuple[float, ...]
    repetitions: tuple[float, ...]
    """Degrees of freedom of all jobs; a single job has no scatter."""


def _of_point(series: Series, at: int) -> _SlowPoint:
    jobs = series.jobs[at] if series.jobs else (series.values[at],)
    return _SlowPoint(jobs, tuple(one for job in (series.repetitions[at] if series.repetitions else ()) for one in job))


def _scatter(jobs: tuple[float, ...]) -> tuple[float, float]:
    """Return the mean logarithm of the jobs, and the sum of squared differences from it."""
    logarithms = [math.log(value) for value in jobs]
    mean = math.fsum(logarithms) / len(logarithms)
    return mean, math.fsum((value - mean) ** 2 for value in logarithms)


def _cost(old: _SlowPoint, new: _SlowPoint, confidence: float) -> Cost:
    """Compare one setting: by a *t* test of the jobs or, for single jobs, by the overlap of their repetitions."""
    (before, squares), (after, more) = _scatter(old.jobs), _scatter(new.jobs)
    ratio = math.exp(after - before)
    if min(len(old.jobs), len(new.jobs)) > 1:
        from scipy.special import stdtrit

        freedom = len(old.jobs) + len(new.jobs) - 2
        variance = (squares + more) / freedom * (1 / len(old.jobs) + 1 / len(new.jobs))
        reach = float(stdtrit(freedom, confidence)) * math.sqrt(variance)
        return Cost(ratio, ratio * math.exp(-reach), ratio * math.exp(reach))
    if min(len(old.repetitions), len(new.repetitions)) < _SEVERAL:
        return Cost(ratio)
    (low, high), (least, most) = _ends(old.repetitions), _ends(new.repetitions)
    return Cost(ratio, least / high if high > 0 else 0.0, most / low if low > 0 else math.inf)


def _ends(repetitions: tuple[float, ...]) -> tuple[float, float]:
    """Return the smallest and the largest repetition; without 10 % at either end if there are enough repetitions."""
    ordered = sorted(repetitions)
    out = len(ordered) // 10 if len(ordered) >= _REPETITIONS else 0
    return ordered[out], ordered[-1 - out]


def _mean_cost(pairs: list[tuple[_SlowPoint, _SlowPoint]], confidence: float) -> Cost:
    """Compare two or more settings: a *t* test of the mean logarithm of the ratio.

    The variance comes from the jobs if each setting has several jobs in both runs; otherwise it comes from the ratios
    between settings.
    """
    from scipy.special import stdtrit

    rows = [(_scatter(old.jobs), _scatter(new.jobs)) for old, new in pairs]
    ratios = [after - before for (before, _), (after, _) in rows]
    count = len(ratios)
    mean = math.fsum(ratios) / count
    if all(min(len(old.jobs), len(new.jobs)) > 1 for old, new in pairs):
        sizes = [
            (len(one.jobs), squares)
            for pair, row in zip(pairs, rows, strict=True)
            for one, (_, squares) in zip(pair, row, strict=True)
        ]
        freedom = sum(size - 1 for size, _ in sizes)
        error = math.sqrt(math.fsum(squares / (size - 1) / size for size, squares in sizes)) / count
    else:
        freedom = count - 1
        error = math.sqrt(math.fsum((one - mean) ** 2 for one in ratios) / freedom / count)
    reach = float(stdtrit(freedom, confidence)) * error
    return Cost(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach))
