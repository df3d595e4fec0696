"""Traces with known times, as small or as large as a test requires."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from adcl.trace import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

Times = dict[str, "NDArray[np.float64]"]
"""Seconds of each codelet: a row for each rank, a column for each measurement."""

CODELETS = ("IsIr_aao", "IsIr_aao_pack", "SIr_aao", "Ordered", "Ordered_pack", "Joined", "Waitany_pack", "Persist_aao")
"""Codelets of the library's set `neighborhood`, in the order of its table."""


def record(event: str, rank: int = 0, **members: Any) -> dict[str, Any]:
    """Return a record with its header."""
    return {"schema": SCHEMA, "event": event, "time_s": 1.5, "rank": rank, "communicator": "1.0.1", **members}


def request(rank: int, ranks: int, candidates: tuple[str, ...], **members: Any) -> dict[str, Any]:
    """Return the record of a request."""
    return record(
        "request",
        rank,
        **{
            "request": 2,
            "emethod": 2,
            "ranks": ranks,
            "merged": False,
            "function_set": "neighborhood",
            "problem": "halo of 66x66 points",
            "candidates": list(candidates),
            "excluded": [],
            "features": {"bytes_out": 2048.0, "mpi_library": "Open MPI"},
            "expected": [{"log_time": None, "first": None}] * len(candidates),
            "search": "brute_force",
            "outliers": "heuristic",
            "options": {"ADCL_MEASUREMENTS": 100, "ADCL_OUTLIER_BOUND": 2.0, "ADCL_OUTLIER_FRACTION": 0.2},
            **members,
        },
    )


def decision(start: int, times: Mapping[str, float], winner: str, **members: Any) -> dict[str, Any]:
    """Return the record of a decision, from the agreed times of the codelets."""
    first = next(iter(times))
    return record(
        "decision",
        **{
            "emethod": 2,
            "mode": "start",
            "start": start,
            "winner": winner,
            "reason": f"{winner} has the lowest time",
            "ties": [],
            "winner_s": times[winner],
            "first": first,
            "first_s": times[first],
            "searching_starts": start - 1,
            "searching_s": 0.1,
            "preparation_s": 0.01,
            "lost_s": 0.02,
            "provisional": False,
            "confirmed": False,
            **members,
        },
    )


def gain(winner: str, speedup: float, **members: Any) -> dict[str, Any]:
    """Return the record of a gain over IsIr_aao, with an interval of a tenth at either side."""
    return record(
        "gain",
        **{
            "emethod": 2,
            "mode": "start",
            "start": 1200,
            "winner": winner,
            "first": "IsIr_aao",
            "speedup": speedup,
            "low": speedup - 0.1,
            "high": speedup + 0.1,
            "pairs": 12,
            **members,
        },
    )


def measured(rank: int, start: int, codelet: str, seconds: float, *, production: bool = False) -> str:
    """Return the line of a measurement, as the library writes it."""
    return (
        f'{{"schema":{SCHEMA},"event":"measurement","time_s":{start * 1e-3:.3f},"rank":{rank},"communicator":"1.0.1",'
        f'"request":2,"emethod":2,"mode":"start","start":{start},"codelet":"{codelet}",'
        f'"sample":{-1 if production else start},"seconds":{float(seconds)!r},"replaces":false,'
        f'"production":{"true" if production else "false"}}}'
    )


def write_trace(folder: Path, times: Times, *, production: bool = False) -> dict[str, float]:
    """Write the measurements of brute force, or of a run of a preselected codelet; return the agreed times."""
    candidates = tuple(times)
    judged = {name: float(rows.mean(axis=1).max()) for name, rows in times.items()}
    ranks = len(next(iter(times.values())))
    folder.mkdir(parents=True, exist_ok=True)
    for rank in range(ranks):
        lines = [json.dumps(request(rank, ranks, candidates))]
        start = 0
        for name, rows in times.items():
            for seconds in rows[rank]:
                start += 1
                lines.append(measured(rank, start, name, float(seconds), production=production))
        entries = [
            {
                "codelet": name,
                "mean_s": judged[name],
                "filtered_mean_s": judged[name],
                "outliers": 0.0,
                "measurements": float(rows.shape[1]),
                "spread_s": 0.0,
                "judged_s": judged[name],
                "removed": "",
            }
            for name, rows in times.items()
        ]
        winner = min(judged, key=lambda name: judged[name])
        lines.append(json.dumps(record("agreement", rank, emethod=2, mode="start", start=start + 2, entries=entries)))
        lines.append(json.dumps(decision(start + 2, judged, winner)))
        (folder / f"adcl.{rank}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return judged


def random_times(seed: int, codelets: int, ranks: int, starts: int) -> Times:
    """Return times around a level for each codelet, with stragglers."""
    random = np.random.default_rng(seed)
    names = CODELETS[:codelets] if codelets <= len(CODELETS) else tuple(f"codelet{i}" for i in range(codelets))
    found = {}
    for place, name in enumerate(names):
        times = 1e-5 * (1.0 + 0.1 * place) * random.lognormal(0.0, 0.05, (ranks, starts))
        times[random.random((ranks, starts)) < 0.01] *= 20.0
        found[name] = times
    return found
