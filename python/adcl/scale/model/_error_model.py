"""Error models: the deviation of measurements is proportional to their size, constant, or both.

The user does not select an error model. The evidence for each error model comes from the residuals and, for settings
with several measurements, from the relation between the scatter of the repetitions and their size.
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
"""Share of the largest value below which relative residuals use that share as reference."""

_MOST = 30
"""Maximum degrees of freedom for the scatter of repetitions, which may have other causes than that of jobs."""


class ErrorModel(enum.Enum):
    """Quantity that the standard deviation of a measurement is proportional to."""

    RELATIVE = "relative"
    """Proportional to the size: variation between jobs, network, clock frequency."""

    MIXED = "mixed"
    """Proportional to the size plus a constant for small values: timer resolution, interruptions."""

    CONSTANT = "constant"
    """Constant at all points."""

    @property
    def prior(self) -> float:
        """Relative prior probability."""
        return {"relative": 1.0, "mixed": 0.2, "constant": 0.2}[self.value]

    def sizes(self, expected: Array, values: Array) -> Array:
        """Return the reference of residuals, D by n: `expected` are predictions, `values` measurements."""
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
    """Return the log-likelihoods of the scatter at the points under each error model, D by the models."""
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
