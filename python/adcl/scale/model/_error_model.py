"""How far measurements are from the truth: in proportion to their size, by a constant deviation, or both.

Which of these holds is not asked of the user. Each is tried, and gets its part of the evidence: from the residuals,
and, where a setting was measured several times, from how the scatter of the repetitions goes with their size.
"""

from __future__ import annotations

import enum
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from adcl.scale.model._series import Series

    Array = NDArray[np.float64]

__all__ = ["ErrorModel", "support"]

_SMALLEST = 1e-3
"""Values below this part of the largest count as that much where residuals are taken relatively."""

_MOST = 30
"""Degrees of freedom that the scatter of repetitions counts for at most: what makes them differ may be another cause
than what makes jobs differ."""


class ErrorModel(enum.Enum):
    """What the standard deviation of a measurement is proportional to."""

    RELATIVE = "relative"
    """Its size: other jobs, the network, the clock of the processor."""

    MIXED = "mixed"
    """Its size and, where that is small, a constant: a timer's resolution, interruptions."""

    CONSTANT = "constant"
    """Nothing: the same everywhere."""

    @property
    def prior(self) -> float:
        """How probable it is before measurements are seen, relative to the others."""
        return {"relative": 1.0, "mixed": 0.2, "constant": 0.2}[self.value]

    def sizes(self, expected: Array, values: Array) -> Array:
        """Return what residuals are relative to, D by n: `expected` is what should be measured, `values` what was."""
        import numpy as np

        largest = np.abs(values).max(axis=1)[:, None]
        positive = np.where(values > 0, values, np.inf).min(axis=1)[:, None]
        none = np.asarray(values <= 0).any(axis=1, keepdims=True)
        if self is ErrorModel.CONSTANT:
            sizes = np.broadcast_to(largest, values.shape)
        else:
            sizes = np.maximum(np.abs(expected), np.where(none, positive, _SMALLEST * largest))
            sizes = np.where(np.isfinite(sizes), sizes, 0.0)
            if self is ErrorModel.MIXED:
                middle = np.where(largest > 0, np.sqrt(largest * np.where(np.isfinite(positive), positive, 0.0)), 0.0)
                sizes = np.hypot(sizes, middle)
        return np.where(largest > 0, sizes, 1.0)


def support(series: Sequence[Series]) -> Array:
    """Return the logarithms of how well each error model explains the scatter at the points, D by the models."""
    import numpy as np

    found = np.zeros((len(series), len(ErrorModel)))
    for row, one in enumerate(series):
        if sum(spread.freedom for spread in one.spreads) < 2 * len(one.points):
            continue
        freedom = np.array([spread.freedom for spread in one.spreads], dtype=float)
        squares = np.array([spread.squares for spread in one.spreads])
        values = np.array([one.values])
        total = float(freedom.sum())
        part = min(1.0, _MOST / total)
        for column, model in enumerate(ErrorModel):
            weights = 1 / model.sizes(values, values)[0] ** 2
            together = float((squares * weights).sum())
            if together > 0:
                found[row, column] = part * (
                    float((freedom * np.log(weights)).sum()) / 2 - total / 2 * math.log(together / total)
                )
    return found
