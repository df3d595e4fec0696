"""The searches of Table 1 and Figures 4 and 5 on a simulated network, where the eager limit matters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from studies.periscope._measure import PROFILER, SIMULATED, SIMULATED_EXHAUSTIVE, Workload
from studies.periscope._measure import measure as _measure
from studies.periscope._school import SEARCHES, render_school, source_of

if TYPE_CHECKING:
    from studies._catalog import Place, Rendered
    from studies.periscope._statements import Judgment

__all__ = ["measure", "needs", "render"]

_NUMBERS = Path(__file__).resolve().parents[1] / "fish_school" / "published.toml"
_PAUSE = ("--rebalance", "100", "--pause", "2000")
_SMALL = ("--fish", "10000", "--steps", "3", *_PAUSE)
_LARGE = ("--fish", "24000", "--steps", "2", *_PAUSE)
_RANKS = 8
_RUNS = {"exhaustive": 340, "gde3": 400, "individual": 360, "random": 220}
"""Numbers of runs instead of durations, so that the records do not depend on the machine. The search gets 55 % of them:
all scenarios of the exhaustive and the individual search, and the paper's 100 scenarios of the random search.
"""

_FULL = (
    Workload("64K", "fish_school", _SMALL, SEARCHES[:1], 0, SIMULATED_EXHAUSTIVE, _RANKS, runs=_RUNS),
    Workload("64K", "fish_school", _SMALL, SEARCHES[1:], 0, SIMULATED, _RANKS, runs=_RUNS),
    Workload("256K", "fish_school", _LARGE, SEARCHES[1:], 0, SIMULATED, _RANKS, runs=_RUNS),
)
_FEW = dict.fromkeys(SEARCHES, 40)
_QUICK = (
    Workload("64K", "fish_school", _SMALL, SEARCHES[:1], 0, SIMULATED_EXHAUSTIVE, _RANKS, runs=_FEW),
    Workload("64K", "fish_school", _SMALL, SEARCHES[1:], 0, SIMULATED, _RANKS, runs=_FEW),
)


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets: fish_school for SMPI, and with Open MPI 4 for the profile of its messages."""
    return [("smpi", "fish_school"), ("openmpi", "fish_school"), PROFILER]


def measure(place: Place) -> None:
    """Run the missing searches. Raises `StudyError`."""
    _measure(place, _QUICK if place.quick else _FULL)


def _rows(judgment: Judgment) -> tuple[str, ...]:
    """Return the rows that show a statement; no second library is simulated, so there is no Figure 6."""
    return tuple(f"{name}, simulated" for name in source_of(judgment) if name != "Figure 6")


def render(place: Place) -> Rendered:
    """Return Table 1 compared with ours, the statements, and Figures 4 and 5."""
    return render_school(place, _NUMBERS, _rows)
