"""Regressions in cost: what was measured at the same settings in two runs, without any model."""

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
"""By how much a function may cost more (default). Two runs measure at different times, and what else the machine does
then is in all repetitions of one of them."""

_SEVERAL = 2
_REPETITIONS = 5
"""From so many repetitions on, a tenth at either end does not count."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost after over cost before, and what it is at least and at most with the confidence that was asked for.

    Where nothing is known of the scatter it is at least 0 and at most infinity.
    """

    ratio: float
    least: float = 0.0
    most: float = math.inf


@dataclass(frozen=True, slots=True)
class Slowdown:
    """How the cost of one series has changed between two runs."""

    change: Change
    mean: Cost | None
    """The geometric mean over the settings of both. None where there is no common one."""

    settings: tuple[tuple[tuple[float, ...], Cost], ...]
    """Each common setting."""

    predicted: tuple[float, float] | None
    """At the target scale: that ratio of the two models, and what it is at least where their intervals are farthest."""

    allowed: float

    @property
    def worst(self) -> tuple[tuple[float, ...], Cost] | None:
        """The setting that is slower most surely, if one is slower than is allowed."""
        found = [one for one in self.settings if one[1].least > 1 + self.allowed]
        return max(found, key=lambda one: one[1].least, default=None)

    @property
    def slower(self) -> bool:
        """Whether it costs more than is allowed, beyond doubt, where it was measured or at the target scale.

        Of a function that grows more slowly now, single small settings may cost more.
        """
        limit = 1 + self.allowed
        measured = self.mean is not None and self.mean.least > limit
        measured = measured or (self.worst is not None and not self.change.better)
        return measured or (self.predicted is not None and self.predicted[1] > limit)

    @property
    def same(self) -> bool:
        """Whether it surely costs no more than is allowed: in the mean, and at the largest common setting."""
        if self.mean is None:
            return False
        return max(self.mean.most, self.settings[-1][1].most) <= 1 + self.allowed

    @property
    def undecided(self) -> bool:
        """Whether neither growth nor cost say if the function became worse."""
        return self.change.undecided and not self.slower and not self.same


def percent(text: str) -> float:
    """Read ``10%`` or ``0.1``. Raises `UsageError`."""
    try:
        value = float(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise UsageError(f"--slower {text!r} is no share; write for example 10%")
    return value


def slowdown(change: Change, allowed: float, confidence: float, target: Mapping[str, float] | None = None) -> Slowdown:
    """Compare the cost of a series in two runs, at the settings of both and, from the models, at a target scale.

    There are two kinds of tests, each with half of the error probability: of the mean over the settings, and of each
    setting (Bonferroni).
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
    """What one run measured at one setting."""

    jobs: tuple[float, ...]
    repetitions: tuple[float, ...]
    """Of all jobs; a single one says nothing of the scatter."""


def _of_point(series: Series, at: int) -> _SlowPoint:
    jobs = series.jobs[at] if series.jobs else (series.values[at],)
    return _SlowPoint(jobs, tuple(one for job in (series.repetitions[at] if series.repetitions else ()) for one in job))


def _scatter(jobs: tuple[float, ...]) -> tuple[float, float]:
    """Return the mean logarithm of the jobs, and the sum of squared differences from it."""
    logarithms = [math.log(value) for value in jobs]
    mean = math.fsum(logarithms) / len(logarithms)
    return mean, math.fsum((value - mean) ** 2 for value in logarithms)


def _cost(old: _SlowPoint, new: _SlowPoint, confidence: float) -> Cost:
    """Compare one setting: by a *t* test of the jobs or, of single jobs, by whether their repetitions overlap."""
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
    """Return the smallest and the largest repetition, without a tenth at either end where there are enough."""
    ordered = sorted(repetitions)
    out = len(ordered) // 10 if len(ordered) >= _REPETITIONS else 0
    return ordered[out], ordered[-1 - out]


def _mean_cost(pairs: list[tuple[_SlowPoint, _SlowPoint]], confidence: float) -> Cost:
    """Compare two settings or more: a *t* test of the mean logarithm of the ratio.

    Its variance is that of the jobs where each setting has several in both runs; else it is how the ratios differ from
    setting to setting.
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
