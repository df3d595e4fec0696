#!/usr/bin/env python3
"""Strong scaling of solver3d on a simulated cluster: ``measure.py SOLVER FOLDER [--help]``.

Runs solver3d, built with the preset smpi, with the same grids on 1, 2, 4, … ranks, several times in each setting, and
writes FOLDER/solver3d.jsonl, a store of `adcl scale`. Settings in the store are not measured again. Communication is
simulated. Computation takes the processor time of this machine, as if the simulated hosts were equally fast.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["block_of", "main", "records_of"]

_PLATFORM_FILES = Path(__file__).resolve().parents[3] / "testbed" / "smpi"
_RANKS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_OVERHEAD = "0:5e-7:1e-10"
"""Time of a message on its sender and receiver in addition to the network, as in `simulate.py`."""

_SETTINGS = (f"smpi/os:{_OVERHEAD}", f"smpi/ois:{_OVERHEAD}", f"smpi/or:{_OVERHEAD}", "smpi/coll-selector:mpich")


def block_of(points: int, ranks: int) -> tuple[int, int, int]:
    """Return the block of each rank if a cube of `points` points per side is divided evenly.

    Ranks and sides are powers of two; MPI_Dims_create divides the first dimensions first.
    """
    processes, left = [1, 1, 1], ranks
    at = 0
    while left % 2 == 0:
        processes[at % 3] *= 2
        left //= 2
        at += 1
    block = [points // one for one in processes]
    if left != 1 or [one * each for one, each in zip(block, processes, strict=True)] != [points] * 3:
        raise ValueError(f"{points} points per side cannot be divided evenly among {ranks} ranks")
    return block[0], block[1], block[2]


def records_of(document: dict[str, Any], points: int) -> list[dict[str, Any]]:
    """Convert solver3d's report of a run to records: seconds per iteration, in total and in parts."""
    parts = {"iteration": "total", "halo exchange": "exchange", "scalar products": "reduction"}
    context = {"ranks": document["ranks"], "simulated": True, "exchange": document["exchange"]}
    return [
        {
            "schema": 1,
            "context": context,
            "function": function,
            "metric": "time_s",
            "parameters": {"p": document["ranks"], "points": points},
            "repetitions": [document["seconds"][name] / document["iterations"]],
            "discarded": 0,
        }
        for function, name in parts.items()
        # A single rank exchanges nothing.
        if document["ranks"] > 1 or function == "iteration"
    ]


def _command(options: argparse.Namespace, points: int, ranks: int, answer: Path) -> list[str]:
    settings = [f"--cfg={setting}" for setting in (*_SETTINGS, f"smpi/host-speed:{options.speed}")]
    size = "x".join(map(str, block_of(points, ranks)))
    return [
        *("smpirun", "-np", str(ranks), "-platform", str(_PLATFORM_FILES / f"{options.platform}.xml")),
        *("--log=root.thres:warning", *settings, str(options.solver), "--size", size),
        *("--iterations", str(options.iterations), "--exchange", options.exchange, "--json", str(answer), "--quiet"),
    ]


def _measure(options: argparse.Namespace, points: int, ranks: int) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        command = _command(options, points, ranks, answer)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not answer.exists():
            sys.exit(f"measure: {' '.join(command)} failed: {done.stderr.strip()[-1600:]}")
        return records_of(json.loads(answer.read_text(encoding="utf-8")), points)


def _finished(store: Path) -> set[str]:
    if not store.exists():
        return set()
    rows = [json.loads(line) for line in store.read_text(encoding="utf-8").splitlines()]
    return {row["job"] for row in rows if row.get("done")}


def main() -> int:
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("solver", type=Path, help="solver3d, built with the preset smpi")
    parser.add_argument("folder", type=Path, help="folder of the store")
    parser.add_argument("--points", default="64,128", help="sides of the grids; powers of two")
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=3, help="number of runs of each setting")
    parser.add_argument("--exchange", default="fcfs", help="an exchange, as listed by solver3d --help")
    parser.add_argument("--platform", default="fat_tree", choices=("torus", "fat_tree", "dragonfly"))
    parser.add_argument(
        "--speed",
        default="10Gf",
        help="speed of this machine in SimGrid's notation; default: the speed of the platform's hosts",
    )
    parser.add_argument("--ranks", default=",".join(map(str, _RANKS)))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    store = options.folder / "solver3d.jsonl"
    run = f"{options.platform}-{options.exchange}"
    finished = _finished(store)
    settings = itertools.product(*(map(int, text.split(",")) for text in (options.points, options.ranks)))
    for job, (points, ranks) in itertools.product(range(1, options.jobs + 1), list(settings)):
        key = f"{run} points={points} ranks={ranks} job={job}"
        if key in finished:
            continue
        head = {"schema": 1, "run": run, "job": key, "time_s": 0.0}
        rows = [{**head, "measurement": record} for record in _measure(options, points, ranks)]
        lines = [json.dumps(row, separators=(",", ":")) for row in (*rows, {**head, "done": True})]
        with store.open("a", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in lines))
        print(key, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
