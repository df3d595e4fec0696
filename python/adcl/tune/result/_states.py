"""States of the machine during a study, and the effect of the settings in each."""

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
    """One of the machine's two states."""

    name: str
    typical: float
    """Median of the first objective with the defaults."""

    runs: int
    """Runs of the defaults in this state."""

    ratio: float | None
    """Speedup over the defaults in this state, the median of paired runs; None without pairs.

    The settings are the advised settings or, if the defaults are kept, the settings of the best finalist.
    """

    pairs: int

    def speedup_text(self) -> str:
        """Format the speedup as text."""
        if self.ratio is None:
            return f"there was no comparison in the {self.name} state"
        pairs = "pair" if self.pairs == 1 else "pairs"
        return f"{self.ratio:.2f} times as fast as with the defaults in the {self.name} state ({self.pairs} {pairs})"


def _compared(result: StudyResult) -> Coordinates | None:
    """Return the advised settings or, if the defaults are kept, the settings of the best finalist."""
    found = result.protocol.comparisons()
    if result.verdict.scenario is not None or not found:
        return result.verdict.scenario
    return max(found, key=lambda scenario: found[scenario].ratio)


def states_seen(result: StudyResult) -> tuple[StateSeen, ...]:
    """Return the two states of the machine, the faster state first; empty if there was one state."""
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
    """Format the states as text."""
    if not states:
        return []
    faster, slower = states
    if faster.ratio is None and slower.ratio is None:
        speedup_text = "the effect of a setting may depend on the state"
    else:
        speedup_text = f"with the settings, the program was {faster.speedup_text()}; {slower.speedup_text()}"
        if faster.ratio is None:
            speedup_text = f"{faster.speedup_text()}; with the settings, the program was {slower.speedup_text()}"
    took = f"{faster.typical:.3g} in {faster.runs} runs and {slower.typical:.3g} in {slower.runs}"
    return [f"{STATES}, each for several successive runs: the defaults took {took}", f"  {speedup_text}"]
