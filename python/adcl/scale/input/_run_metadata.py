"""Metric names, and parameters in the metadata of a run; shared by the readers for Caliper and Hatchet."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RANKS", "TIMES", "numbers_of_run"]

TIMES = ("time", "avg#inclusive#sum#time.duration", "sum#time.duration", "sum#sum#time.duration")
"""Metrics that are times in seconds."""

RANKS = ("mpi.rank", "rank")
"""Columns with the number of a rank."""

_OF_THE_RUN = re.compile(
    r"(launch|elapsed|wall|cpu|sys|user|start|end|run)[._]?(time|date|day)|u?id|uid|job[._]?id|pid|.*version|spot\..*"
)
"""Numbers that differ in each run but are not parameters."""


def _name_of(parameter: str) -> str:
    return "p" if parameter in ("mpi.world.size", "jobsize") else parameter.replace(".", "_")


def numbers_of_run(entries: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers that Caliper or Adiak have recorded for a run; the number of ranks is p."""
    found = {}
    for name, value in entries.items():
        if _OF_THE_RUN.fullmatch(name.lower()) or isinstance(value, bool):
            continue
        try:
            found[_name_of(str(name))] = float(value)
        except (TypeError, ValueError):
            continue
    return found
