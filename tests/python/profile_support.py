"""Profiles in the profiler's format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from adcl.tune.profile._read import Profile, read_profile

if TYPE_CHECKING:
    from pathlib import Path

KIB = 1024


def rank_document(rank: int, ranks: int, sizes: dict[int, int], **calls: tuple[str, int, float]) -> dict[str, Any]:
    """Return the profile of a rank that sends `sizes[bytes]` messages of each size."""
    near = {size: count for size, count in sizes.items() if KIB <= size <= 64 * KIB}
    classes: dict[int, list[int]] = {}
    for size, count in sizes.items():
        of_class = classes.setdefault(1 << max(size - 1, 0).bit_length(), [0, 0])
        of_class[0] += count
        of_class[1] += size * count
    seconds_in = dict.fromkeys(("p2p", "collective", "one_sided", "wait"), 0.0)
    for kind, _, seconds in calls.values():
        seconds_in[kind] += seconds
    return {
        "schema": 1,
        "rank": rank,
        "ranks": ranks,
        "program": "fish_school",
        "host": "here",
        "mpi_library": "Open MPI v5",
        "seconds": 10.0 + rank,
        "calls": {
            f"MPI_{name}": {"kind": kind, "count": count, "seconds": seconds}
            for name, (kind, count, seconds) in calls.items()
        },
        "seconds_in": seconds_in,
        "messages": {
            "PSC_MPI_MSG_P2P_THR": sum(size * count for size, count in near.items()),
            "PSC_MPI_MSG_P2P_TOT": sum(size * count for size, count in sizes.items()),
            "count_near_limit": sum(near.values()),
            "count": sum(sizes.values()),
            "sizes": [{"up_to": up_to, "count": one[0], "bytes": one[1]} for up_to, one in sorted(classes.items())],
        },
    }


def profile(tmp_path: Path, sizes: dict[int, int], *, ranks: int = 3, **calls: tuple[str, int, float]) -> Profile:
    """Return the profile of a run with identical ranks; without `calls`, it sends for a fifth of the time."""
    calls = calls or {"Send": ("p2p", 1, 2.0)}
    folder = tmp_path / f"profile{len(list(tmp_path.iterdir()))}"
    folder.mkdir()
    for rank in range(ranks):
        document = rank_document(rank, ranks, sizes, **calls)
        (folder / f"adcl-profile.{rank}.json").write_text(json.dumps(document), encoding="utf-8")
    return read_profile(folder)
