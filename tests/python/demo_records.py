"""Scripts of the demonstration as modules, and records for them."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from support import PROJECT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

FOLDER = PROJECT / "apps" / "demo"


@dataclass(frozen=True)
class Demo:
    """The scripts."""

    results: ModuleType
    rendering: ModuleType
    demo: ModuleType


def load_demo() -> Demo:
    """Import the scripts as if they were run; their folder is temporarily on the search path."""
    sys.path.insert(0, str(FOLDER))
    try:
        return Demo(*(importlib.import_module(name) for name in ("results", "rendering", "demo")))
    finally:
        sys.path.remove(str(FOLDER))


def record(times: Mapping[str, Sequence[float]], **more: Any) -> dict[str, Any]:
    """Return the record of a job whose alternatives took these times, round by round."""
    tuning = [{"winner": "Shm_joined"}, {"winner": "Shm_joined"}, {"winner": "IsIr_aao"}]
    rounds = [dict(zip(times, one, strict=True)) for one in zip(*times.values(), strict=True)]
    size = {"message_bytes": 2048, "points": 40, "fields": 4, "levels": 3, "iterations": 1}
    search = {"seconds": 5.0, "repetitions": 3, "ended": True}
    return {"rounds": rounds, "search": search, "tuning": tuning, "ranks": 2, "mpi": "Open MPI v4.1.4"} | size | more


def measured(results: ModuleType, times: Mapping[str, Sequence[float]], machine: str = "node", **more: Any) -> Any:
    return results.Measured(f"{machine}-case", machine, 2, record(times, **more))


def flat(seconds: float, count: int = 8) -> list[float]:
    return [seconds] * count
