"""Test for measurements that outgrow a limit independently of any model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adcl.scale.model import Series, Term

    Array = NDArray[np.float64]

__all__ = ["outgrown"]

_OUTGROWN = 1.5
"""Minimum factor by which measurements outgrow a limit without a fitting model."""

_LEAST_SETTINGS, _MISFITS = 3, 0.05
"""Minimum number of settings that show growth, and the significance level for unexplained residuals."""

_SWITCH_S = 1e-6
"""Minimum seconds of a switch between two ranks on one core."""

_HALF = 4
"""Minimum number of settings in the larger half, if available."""


def outgrown(series: Series, upper: tuple[Term, ...], confidence: float) -> float | None:
    """Return the factor by which the measurements certainly grow faster than the upper limit, or None.

    The function uses no model. The test fits a line to measurement divided by limit on logarithmic axes, over the
    larger half of the settings. The line must rise by a factor of 1.5 in total, with any one setting omitted, and with
    this confidence (a one-sided t test). If ranks share cores, a function within its limit may take longer by the
    number of ranks per core: the limit is raised by that factor, only settings with shared cores are compared with each
    other, and growth that one switch between ranks explains is ignored.
    """
    import numpy as np

    if len(series.parameters) != 1:
        return None
    settings = series.column(series.parameters[0])
    limit = np.sum([term.evaluate(series.columns()) for term in upper], axis=0)
    if series.sharing:
        limit = limit * np.array(series.sharing)
    values = np.array(series.values)
    usable = (values > 0) & np.isfinite(limit) & (limit > 0) & (settings > 0)
    shared = any(series.oversubscribed)
    rows = (
        np.flatnonzero(usable & np.array(series.oversubscribed)).tolist() if shared else _larger_half(usable, settings)
    )
    if len(rows) < _LEAST_SETTINGS:
        return None
    if shared and values[rows[-1]] - values[rows[0]] < _SWITCH_S:
        return None
    x, ratio = np.log(settings[rows]), np.log(values[rows] / limit[rows])
    slope = _slope(x, ratio)
    span = float(x[-1] - x[0])
    slopes = [slope, *(_slope(np.delete(x, at), np.delete(ratio, at)) for at in range(len(x)))]
    if min(slopes) * span < math.log(_OUTGROWN):
        return None
    x = x - x.mean()
    residuals = ratio - ratio.mean() - slope * x
    variance, freedom = _scatter(ratio, residuals, [series.jobs[at] for at in rows] if series.jobs else [])
    deviation = math.sqrt(variance / float((x * x).sum()))
    if deviation > 0:
        from scipy.special import stdtr  # importing it takes 0.2 s

        if float(stdtr(freedom, -slope / deviation)) >= 1 - confidence:
            return None
    return math.exp(slope * span)


def _larger_half(usable: NDArray[np.bool_], settings: Array) -> list[int]:
    """Return the larger half of these settings: at least four, and at least a factor of two, if available."""
    rows = [at for at, one in enumerate(usable.tolist()) if one]
    count = max(_HALF, (len(rows) + 1) // 2)
    while count < len(rows) and settings[rows[-1]] < 2 * settings[rows[-count]]:
        count += 1
    return rows[-count:]


def _slope(x: Array, y: Array) -> float:
    centerd = x - x.mean()
    return float((centerd * y).sum() / (centerd * centerd).sum())


def _scatter(ratio: Array, residuals: Array, jobs: list[tuple[float, ...]]) -> tuple[float, int]:
    """Return the variance of a point, and its degrees of freedom.

    The variance is that of a line's residuals. If each point has several jobs whose scatter explains the residuals (an
    F test), residuals and scatter are pooled; if the scatter explains the residuals of a non-decreasing curve, it is
    the variance of the jobs.
    """
    import numpy as np

    freedom = len(residuals) - 2
    variance = float((residuals**2).sum()) / freedom
    if not jobs or min(map(len, jobs)) < 2 or min(map(min, jobs)) <= 0:  # noqa: PLR2004
        return variance, freedom
    rows = [np.log(one) for one in jobs]
    own = sum(len(one) - 1 for one in rows)
    within = sum(float(((one - one.mean()) ** 2).sum()) for one in rows) / own
    of_point = within * float(np.mean([(math.pi / 2 if len(one) > 2 else 1.0) / len(one) for one in rows]))  # noqa: PLR2004
    if of_point > 0:
        from scipy.special import fdtrc

        if fdtrc(freedom, own, variance / of_point) >= _MISFITS:
            return (variance * freedom + of_point * own) / (freedom + own), freedom + own
        squares = float(((ratio - _non_decreasing(ratio)) ** 2).sum())
        if fdtrc(len(ratio) - 1, own, squares / (len(ratio) - 1) / of_point) >= _MISFITS:
            return of_point, own
    return variance, freedom


def _non_decreasing(values: Array) -> Array:
    """Return the nearest non-decreasing curve: replace decreasing neighbors with their mean."""
    import numpy as np

    blocks: list[tuple[float, int]] = []
    for value in values.tolist():
        mean, count = value, 1
        while blocks and blocks[-1][0] > mean:
            former, size = blocks.pop()
            mean, count = (former * size + mean * count) / (size + count), size + count
        blocks.append((mean, count))
    return np.repeat([mean for mean, _ in blocks], [count for _, count in blocks])
