"""Histories of collectives in the library's format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["collective_document", "history_of"]


def collective_document(
    operation: str,
    ranks: int,
    size: int,
    winner: str,
    times: dict[str, float] | None = None,
    *,
    family: str = "Open MPI",
    use: str = "start",
    decided: str = "2026-11-23T10:00:00Z",
    version: str = "4.1.4",
) -> dict[str, Any]:
    times = {"Native": 2e-6, winner: 1e-6} if times is None else times
    measured = {"outliers": 0, "measurements": 10, "spread_s": 0.0}
    identity = f"{abs(hash((operation, ranks, size, winner, family, use, decided))):016x}"[-16:]
    return {
        "schema": 1,
        "identity": identity,
        "function_set": operation,
        "problem": f"{operation} of {size} bytes",
        "signature": "fedcba9876543210",
        "processor": "A processor",
        "barrier": False,
        "features": {
            "operation": operation,
            "ranks": float(ranks),
            "nodes": 1.0,
            "block_bytes": float(size),
            "mpi_library": family,
            "mpi_version": version,
        },
        "candidates": sorted(times),
        "decisions": {
            use: {
                "winner": winner,
                "winner_s": times[winner],
                "reason": "it was the fastest",
                "search": "model",
                "outliers": "heuristic",
                "decided": decided,
                "confirmed": "",
                "decisions": 1,
                "confirmations": 0,
                "version": "2.0.0",
                "estimates": [
                    {"codelet": name, "mean_s": time, "filtered_mean_s": time, "judged_s": time, **measured}
                    for name, time in times.items()
                ],
            }
        },
    }


def history_of(folder: Path, *documents: dict[str, Any]) -> Path:
    folder.mkdir()
    for document in documents:
        (folder / f"{document['identity']}.json").write_text(json.dumps(document), encoding="utf-8")
    return folder
