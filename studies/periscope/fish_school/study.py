"""Table 1 and Figures 4, 5, and 6: the searches on a fish school."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from studies.periscope._measure import HIERARCHICAL, INTEL, NETWORK, PROFILER, Workload
from studies.periscope._measure import measure as _measure
from studies.periscope._school import SEARCHES, render_school

if TYPE_CHECKING:
    from studies._catalog import Place, Rendered

__all__ = ["measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_LONGER = {"exhaustive": 250}
_SMALL = ("--fish", "1000", "--steps", "600")
_LARGE = ("--fish", "4000", "--steps", "160")
_FULL = (
    Workload("64K", "fish_school", _SMALL, (*SEARCHES, "gp"), 125, longer=_LONGER),
    Workload("256K", "fish_school", _LARGE, (*SEARCHES[1:], "gp"), 125),
    Workload("64K", "fish_school", _SMALL, ("gde3",), 125, INTEL),
    Workload("64K", "fish_school", ("--fish", "1000", "--steps", "60"), SEARCHES, 185, NETWORK, 8, {"exhaustive": 370}),
    Workload("256K", "fish_school", ("--fish", "4000", "--steps", "20"), SEARCHES[1:], 185, NETWORK, 8),
    Workload("64K", "fish_school", ("--fish", "1000", "--steps", "60"), ("gde3",), 125, HIERARCHICAL, 8),
)
_QUICK = (
    Workload(
        "64K", "fish_school", ("--fish", "1000", "--steps", "20"), SEARCHES[:2], runs=dict.fromkeys(SEARCHES[:2], 40)
    ),
)
"""In shared memory: on a busy machine, ranks on emulated hosts wait for each other too long for a quick run. The number
of runs is limited instead of the time, so that a search has scenarios on a busy machine, too.
"""


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets: fish_school and the profiler, built with Open MPI 4, for full runs also Intel MPI."""
    return [("openmpi", "fish_school"), PROFILER, *([] if quick else [("impi", "fish_school")])]


def measure(place: Place) -> None:
    """Run the missing searches. Raises `StudyError`."""
    _measure(place, _QUICK if place.quick else _FULL)


def render(place: Place) -> Rendered:
    """Return Table 1 compared with ours, the statements, and Figures 4, 5, and 6."""
    return render_school(place, _HERE / "published.toml")
