"""Strong scaling: speedup and efficiency of a function, and the scale beyond which more processes no longer pay off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.scale.judge import Verdict
    from adcl.scale.study._study import Efficiency

__all__ = ["EfficiencyCheck", "check_efficiency"]

_FARTHEST = 2.0**30
"""Largest predicted scale."""

_PAYS = 0.1
"""Minimum share of the time that doubling the processes must save to pay off."""


@dataclass(frozen=True, slots=True)
class EfficiencyCheck:
    """Efficiency of a function relative to the smallest measured scale."""

    efficiency: Efficiency
    parameter: str
    points: tuple[float, ...]
    measured: tuple[float, ...]
    """Efficiency at each point."""

    base: tuple[float, float]
    """Smallest scale and its cost."""

    modeled: Callable[[float], float]
    """Modeled efficiency."""

    ends_at: float | None
    """Smallest scale with less than the required efficiency; None: beyond the prediction."""

    pays_until: float | None
    """First scale at which doubling saves less than 10 % of the time; None: beyond the prediction."""

    fastest_at: float | None
    """Scale with the shortest time; None: beyond the prediction."""

    @property
    def broken(self) -> bool:
        """Whether the efficiency falls below the requirement at or before the target scale."""
        wanted = self.efficiency.up_to
        return wanted is not None and self.ends_at is not None and self.ends_at <= wanted


def check_efficiency(efficiency: Efficiency, verdict: Verdict) -> EfficiencyCheck:
    """Determine the scale up to which more processes pay off. Other parameters have their largest measured values."""
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

    def modeled(x: float) -> float:
        total = x * cost(x)
        return work / total if total > 0 else 0.0

    return EfficiencyCheck(
        efficiency=efficiency,
        parameter=name,
        points=tuple(sorted(costs)),
        measured=tuple(work / (x * costs[x]) if costs[x] > 0 else 0.0 for x in sorted(costs)),
        base=(first, costs[first]),
        modeled=modeled,
        ends_at=_first(lambda x: modeled(x) < efficiency.at_least, first),
        pays_until=_first(lambda x: cost(2 * x) > (1 - _PAYS) * cost(x), first),
        fastest_at=_first(lambda x: cost(x + 1) > cost(x), first),
    )


def _first(holds: Callable[[float], bool], start: float) -> float | None:
    """Return the smallest integer scale from `start` on for which the condition holds, by doubling and bisection."""
    low, high = start, start
    while high <= _FARTHEST and not holds(high):
        low, high = high, high * 2
    if high > _FARTHEST:
        return None
    while high - low > 1:
        middle = float(round((low + high) / 2))
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
