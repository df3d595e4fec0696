"""The states that the machine was in during a study, and what the settings gained in each."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.tune.result._paired import paired
from adcl.tune.study import machine_states

if TYPE_CHECKING:
    from adcl.tune.space import Coordinates
    from adcl.tune.study import StudyResult

__all__ = ["STATES", "StateSeen", "lines_of_states", "states_seen"]

STATES = "the machine was in two states"


@dataclass(frozen=True)
class StateSeen:
    """One of two states."""

    name: str
    typical: float
    """What the defaults took in it, in the first objective: the median."""

    runs: int
    """Of the defaults, in this state."""

    ratio: float | None
    """How many times faster than the defaults the settings were in it, the median of paired runs; None: there are none.

    The settings are those advised or, where the defaults are kept, those that looked best in the comparison.
    """

    pairs: int

    def gained(self) -> str:
        """Say what the settings gained."""
        if self.ratio is None:
            return f"no paired runs were made in the {self.name} one"
        pairs = "pair" if self.pairs == 1 else "pairs"
        return f"{self.ratio:.2f} times as fast as the defaults in the {self.name} one ({self.pairs} {pairs})"


def _compared(result: StudyResult) -> Coordinates | None:
    """The settings that are advised or, where the defaults are kept, looked best in the comparison."""
    found = result.protocol.comparisons()
    if result.verdict.scenario is not None or not found:
        return result.verdict.scenario
    return max(found, key=lambda scenario: found[scenario].ratio)


def states_seen(result: StudyResult) -> tuple[StateSeen, ...]:
    """Return the two states of the machine, the faster one first; nothing where it was in one."""
    key = result.objectives[0]
    defaults = [run for run in result.runs if run.order.scenario is None and run.order.kind != "warm-up"]
    states = machine_states([run.sample.objectives[key] for run in defaults if run.sample.status == "ok"])
    if states is None:
        return ()
    scenario = _compared(result)
    ratios: tuple[list[float], list[float]] = ([], [])
    for default, other in () if scenario is None else zip(*paired(result, key, scenario), strict=True):
        ratios[default >= states.boundary].append(math.log(default / other))
    both = zip(("faster", "slower"), states.typical, states.runs, ratios, strict=True)
    return tuple(
        StateSeen(name, typical, runs, math.exp(statistics.median(logs)) if logs else None, len(logs))
        for name, typical, runs, logs in both
    )


def lines_of_states(states: tuple[StateSeen, ...]) -> list[str]:
    """Say it in words."""
    if not states:
        return []
    faster, slower = states
    if faster.ratio is None and slower.ratio is None:
        gained = "what a setting gains may differ from one to the other"
    else:
        gained = f"the settings were {faster.gained()}, {slower.gained()}"
        if faster.ratio is None:
            gained = f"{faster.gained()}, the settings were {slower.gained()}"
    took = f"{faster.typical:.3g} in {faster.runs} of their runs and {slower.typical:.3g} in {slower.runs}"
    return [f"{STATES}: the defaults took {took}, for some time each", f"  {gained}"]
