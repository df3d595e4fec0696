"""Regressions in cost: the same growth, and more of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.scale._compare import Change
    from adcl.scale._series import Series

__all__ = ["Slowdown", "percent", "slowdown"]

_SEVERAL = 2


@dataclass(frozen=True, slots=True)
class Slowdown:
    """How the cost of one series has changed between two runs."""

    change: Change
    ratio: float | None
    """Cost after over cost before: the geometric mean over the settings of both. None where there is no common one."""

    least: float
    """What the ratio is at least, with the confidence that was asked for; 0 where nothing is known of the scatter."""

    predicted: tuple[float, float] | None
    """At the target scale: that ratio of the two models, and what it is at least where their intervals are farthest."""

    allowed: float

    @property
    def slower(self) -> bool:
        """Whether it costs more than is allowed, beyond doubt, where it was measured or at the target scale."""
        return self.least > 1 + self.allowed or (self.predicted is not None and self.predicted[1] > 1 + self.allowed)


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

    A one-sided *t* test of the mean logarithm of the ratio. Its variance is that of the jobs where each setting has
    several in both runs; else it is how the ratios differ from setting to setting.
    """
    before, after = change.before.series, change.after.series
    ratio, least = _measured(before, after, confidence)
    predicted = None
    if target is not None and set(after.parameters) <= set(target):
        place = {name: target[name] for name in after.parameters}
        old, new = change.before.model.predict(**place), change.after.model.predict(**place)
        if old.value > 0 and old.high > 0:
            predicted = (new.value / old.value, new.low / old.high)
    return Slowdown(change, ratio, least, predicted, allowed)


def _measured(before: Series, after: Series, confidence: float) -> tuple[float | None, float]:
    from scipy.special import stdtrit

    old, new = dict(zip(before.points, _jobs(before), strict=True)), dict(zip(after.points, _jobs(after), strict=True))
    common = [point for point in new if point in old and min(*old[point], *new[point]) > 0]
    if not common:
        return None, 0.0
    ratios, variances, freedom = [], [], 0
    for point in common:
        rows = [[math.log(value) for value in one[point]] for one in (old, new)]
        means = [math.fsum(row) / len(row) for row in rows]
        ratios.append(means[1] - means[0])
        squares = [math.fsum((value - mean) ** 2 for value in row) for row, mean in zip(rows, means, strict=True)]
        own = [len(row) - 1 for row in rows]
        if min(own) > 0:
            variances.append(sum(s / n / (n + 1) for s, n in zip(squares, own, strict=True)))
            freedom += sum(own)
    count = len(ratios)
    mean = math.fsum(ratios) / count
    if len(variances) == count:
        error = math.sqrt(math.fsum(variances)) / count
    elif count >= _SEVERAL:
        freedom = count - 1
        error = math.sqrt(math.fsum((one - mean) ** 2 for one in ratios) / freedom / count)
    else:
        return math.exp(mean), 0.0
    return math.exp(mean), math.exp(mean - float(stdtrit(freedom, confidence)) * error)


def _jobs(series: Series) -> tuple[tuple[float, ...], ...]:
    return series.jobs or tuple((value,) for value in series.values)
