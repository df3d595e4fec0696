"""Effect of the advice on each case of a study, and cases that prefer other settings."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.tune.result._paired import paired
from adcl.tune.study import compare, of_case

if TYPE_CHECKING:
    from adcl.tune.space import Coordinates
    from adcl.tune.study import StudyResult

__all__ = ["CaseGain", "case_gains"]

_EQUAL = 1.01
_WORTH = 1.05
"""Minimum speedup of a case's own settings over the advice for reporting them."""


@dataclass(frozen=True)
class CaseGain:
    """One case with the settings advised for all cases."""

    name: str
    ratio: float
    """Speedup over the defaults in the study's paired runs."""

    interval: tuple[float, float]
    pairs: int
    own: dict[str, str | int]
    """Settings that were clearly faster in the search than the advised settings; empty if there are none."""

    own_ratio: float | None
    """Speedup of these settings over the defaults, from the search alone."""

    def line(self) -> str:
        """Format the result as text."""
        low, high = self.interval
        gain = f"{self.name}: {self.ratio:.2f} times as fast as with the defaults ({low:.2f} to {high:.2f})"
        if self.own_ratio is None:
            return gain
        settings = ", ".join(f"{name}={value}" for name, value in self.own.items()) or "the defaults"
        return (
            f"{gain}; with {settings}, {self.own_ratio:.2f} times as fast in the search; tune this case separately to "
            "confirm"
        )


def case_gains(result: StudyResult) -> tuple[CaseGain, ...]:
    """Return the effect of the advice on each case; empty without advice or with a single program."""
    advised, space = result.verdict.scenario, result.space
    if advised is None or result.verdict.comparison is None:
        return ()
    found = []
    for case in result.about.get("cases", []):
        key = of_case(result.objectives[0], case["name"])
        compared = compare(*paired(result, key, advised), outside=1.0 - result.verdict.comparison.confidence)
        by_scenario: dict[Coordinates | None, list[float]] = {}
        for run in result.runs:
            if run.order.kind != "warm-up" and key in run.sample.objectives:
                by_scenario.setdefault(run.order.scenario, []).append(run.sample.objectives[key])
        means = {scenario: statistics.geometric_mean(values) for scenario, values in by_scenario.items()}
        fastest = min(means.values(), default=0.0)
        close = [scenario for scenario, mean in means.items() if mean <= _EQUAL * fastest]
        best = min(close, key=lambda scenario: 0 if scenario is None else len(space.changed(scenario)), default=None)
        better = {None, advised} <= {*means} and means[best] * _WORTH < means[advised]
        changed = () if best is None else space.changed(best)
        own = {} if best is None else space.configuration(best)
        found.append(
            CaseGain(
                case["name"],
                compared.ratio,
                (compared.low, compared.high),
                compared.pairs,
                {space.parameters[place].name: own[space.parameters[place].name] for place in changed}
                if better
                else {},
                means[None] / means[best] if better else None,
            )
        )
    return tuple(found)
