"""Strong scaling: speed-up and efficiency of a function, and the scale from which more processes do not pay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.scale.judge import Verdict
    from adcl.scale.study._study import Efficiency

__all__ = ["EfficiencyCheck", "check_efficiency"]

_FARTHEST = 2.0**30
"""Scales beyond this are not predicted."""

_PAYS = 0.1
"""Doubling the processes pays if it takes at least this part of the time off."""


@dataclass(frozen=True, slots=True)
class EfficiencyCheck:
    """How efficiently a function uses more processes: relative to the smallest scale that was measured."""

    efficiency: Efficiency
    parameter: str
    points: tuple[float, ...]
    measured: tuple[float, ...]
    """The efficiency at each point."""

    base: tuple[float, float]
    """The smallest scale, and its cost."""

    modelled: Callable[[float], float]
    """The efficiency that the model says."""

    ends_at: float | None
    """The smallest scale at which it is below what is wanted; None: out of sight."""

    pays_until: float | None
    """Doubling a smaller scale still takes a tenth of the time off, doubling this one does not; None: out of sight."""

    fastest_at: float | None
    """Beyond this scale it takes longer again; None: out of sight."""

    @property
    def broken(self) -> bool:
        """Whether the efficiency ends before the scale that must be reached."""
        wanted = self.efficiency.up_to
        return wanted is not None and self.ends_at is not None and self.ends_at <= wanted


def check_efficiency(efficiency: Efficiency, verdict: Verdict) -> EfficiencyCheck:
    """Say how far more processes pay. Other parameters than that of the scale are at their largest measured values."""
    series, name = verdict.series, efficiency.parameter
    others = {one: float(max(series.column(one))) for one in series.parameters if one != name}
    at = [series.parameters.index(one) for one in others]
    costs = {
        point[series.parameters.index(name)]: value
        for point, value in zip(series.points, series.values, strict=True)
        if [point[one] for one in at] == list(others.values())
    }
    first = min(costs)
    work = first * costs[first]
    expression = verdict.model.expression

    def cost(x: float) -> float:
        return expression.value(**{**others, name: x})

    def modelled(x: float) -> float:
        total = x * cost(x)
        return work / total if total > 0 else 0.0

    return EfficiencyCheck(
        efficiency=efficiency,
        parameter=name,
        points=tuple(sorted(costs)),
        measured=tuple(work / (x * costs[x]) if costs[x] > 0 else 0.0 for x in sorted(costs)),
        base=(first, costs[first]),
        modelled=modelled,
        ends_at=_first(lambda x: modelled(x) < efficiency.at_least, first),
        pays_until=_first(lambda x: cost(2 * x) > (1 - _PAYS) * cost(x), first),
        fastest_at=_first(lambda x: cost(x + 1) > cost(x), first),
    )


def _first(holds: Callable[[float], bool], start: float) -> float | None:
    """Return the smallest whole scale from the start on for which that holds, found by doubling and halving."""
    low, high = start, start
    while high <= _FARTHEST and not holds(high):
        low, high = high, high * 2
    if high > _FARTHEST:
        return None
    while high - low > 1:
        middle = float(round((low + high) / 2))
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
