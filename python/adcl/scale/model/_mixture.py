"""Intervals of a quantity under several error models, each with a probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["LEVEL", "intervals"]

LEVEL = 0.95
"""Probability of an interval."""

_HALVINGS = 24


def intervals(chances: Array, centers: Array, scales: Array, freedoms: Array) -> tuple[Array, Array]:
    """Return central 95 % intervals of mixtures of Student's t distributions.

    Arrays are Q quantities by P parts; `freedoms` has P, and the probabilities of each quantity sum to one. Each end of
    a mixture's interval is between the smallest and the largest value of the same end in its parts. A part with scale 0
    is a single value.
    """
    import numpy as np
    from scipy.special import stdtr, stdtrit

    freedom = np.maximum(freedoms, 1.0)
    reach = stdtrit(freedom, 0.5 + LEVEL / 2) * scales
    if chances.shape[1] == 1:
        return (centers - reach)[:, 0], (centers + reach)[:, 0]
    side = np.array([-1.0, 1.0])[:, None, None]
    wanted = 0.5 + side[..., 0] * LEVEL / 2
    ends = centers + side * reach
    low = np.where(chances > 0, ends, np.inf).min(axis=2)
    high = np.where(chances > 0, ends, -np.inf).max(axis=2)
    least = np.maximum(scales, np.finfo(float).tiny)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        with np.errstate(over="ignore"):
            below = (chances * stdtr(freedom, (middle[..., None] - centers) / least)).sum(axis=2) < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low[0], high[1]
