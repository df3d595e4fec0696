"""Measurements that outgrow a limit by themselves, whatever model would describe them."""

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
"""By how much measurements outgrow a limit before that counts without a model that fits."""

_LEAST_SETTINGS, _MISFITS = 3, 0.05
"""Settings that show growth, and how improbable residuals are that the scatter of the jobs does not explain."""

_SWITCH_S = 1e-6
"""Seconds that a switch between two ranks on one core takes at least."""

_HALF = 4
"""Settings that the larger half has at least, where there are as many."""


def outgrown(series: Series, upper: tuple[Term, ...], confidence: float) -> float | None:
    """Return by what factor measurements outgrow the upper limit, if they surely do: no model is involved.

    What was measured, over the limit, is a line on logarithmic axes, over the larger half of the settings. It has to
    rise by a factor of 1.5 in all, whichever setting is left out, and to rise with this confidence (a one-sided t
    test). Where ranks share cores, a function that keeps to its limit may take longer by as many ranks as share a core:
    the limit is raised by that, all settings with shared cores and no others are compared with each other, and a growth
    that one switch between ranks takes is none.
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
    shared = any(series.doubtful)
    rows = np.flatnonzero(usable & np.array(series.doubtful)).tolist() if shared else _larger_half(usable, settings)
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
        from scipy.special import stdtr  # it takes a fifth of a second to load

        if float(stdtr(freedom, -slope / deviation)) >= 1 - confidence:
            return None
    return math.exp(slope * span)


def _larger_half(usable: NDArray[np.bool_], settings: Array) -> list[int]:
    """Return the larger half of these settings: at least four, and as many as span a factor of two, if there are."""
    rows = [at for at, one in enumerate(usable.tolist()) if one]
    count = max(_HALF, (len(rows) + 1) // 2)
    while count < len(rows) and settings[rows[-1]] < 2 * settings[rows[-count]]:
        count += 1
    return rows[-count:]


def _slope(x: Array, y: Array) -> float:
    centred = x - x.mean()
    return float((centred * y).sum() / (centred * centred).sum())


def _scatter(ratio: Array, residuals: Array, jobs: list[tuple[float, ...]]) -> tuple[float, int]:
    """Return the variance of a point, and its degrees of freedom.

    It is that of the residuals of a line. Where each point has several jobs, and their scatter explains the residuals
    (an F test), both are pooled; where it explains those of a curve that never falls, it is that of the jobs.
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
        squares = float(((ratio - _never_falling(ratio)) ** 2).sum())
        if fdtrc(len(ratio) - 1, own, squares / (len(ratio) - 1) / of_point) >= _MISFITS:
            return of_point, own
    return variance, freedom


def _never_falling(values: Array) -> Array:
    """Return the nearest curve that never falls: neighbors that fall are replaced by their mean."""
    import numpy as np

    blocks: list[tuple[float, int]] = []
    for value in values.tolist():
        mean, count = value, 1
        while blocks and blocks[-1][0] > mean:
            former, size = blocks.pop()
            mean, count = (former * size + mean * count) / (size + count), size + count
        blocks.append((mean, count))
    return np.repeat([mean for mean, _ in blocks], [count for _, count in blocks])
