#!/usr/bin/env python3
"""Times of MPI's collectives on simulated clusters: ``scale_study.py BENCH FOLDER [--help]``.

Runs adcl-bench, built with the preset smpi, on each of the platforms of this folder with the collectives of several MPI
libraries, and writes FOLDER/PLATFORM-SELECTOR.jsonl, a record per function and number of ranks, and all of them to
FOLDER/collectives.jsonl, a store of `adcl scale` with a run per machine. What is there already is not measured again.
The simulation is deterministic: the same program gives the same times everywhere.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["main"]

_HERE = Path(__file__).resolve().parent
_PLATFORMS = ("torus", "fat_tree", "dragonfly")
_SELECTORS = ("mpich", "ompi", "mvapich2")
_RANKS = (2, 4, 8, 16, 32, 64, 128, 256, 512)
_CONTEXT = ("mpi_library", "mpi_version", "ranks", "simulated", "labels")
_TABLE_2 = "Barrier,Bcast,Reduce,Allreduce,Gather,Allgather,Alltoall,Bcast_binary_tree"

# What a message costs its sender and its receiver besides the network: half a microsecond, and 0.1 ns per byte (LogGP's
# o). Without it a rank could send to all others at once. Computation is free, so that nothing depends on the machine
# that simulates.
_OVERHEAD = "0:5e-7:1e-10"
_SETTINGS = (
    f"smpi/os:{_OVERHEAD}",
    f"smpi/ois:{_OVERHEAD}",
    f"smpi/or:{_OVERHEAD}",
    "smpi/simulate-computation:no",
)


@dataclass(frozen=True)
class _Machine:
    platform: str
    selector: str

    @property
    def name(self) -> str:
        return f"{self.platform}-{self.selector}"


def _command(bench: Path, machine: _Machine, ranks: int, arguments: list[str]) -> list[str]:
    settings = [f"--cfg={setting}" for setting in (*_SETTINGS, f"smpi/coll-selector:{machine.selector}")]
    # Ranks share the program's global variables, of which this program has none that matter.
    return [
        *("smpirun", "-no-privatize", "-np", str(ranks), "-platform", str(_HERE / f"{machine.platform}.xml")),
        *("--log=root.thres:warning", *settings, str(bench), *arguments),
        *("--label", f"platform={machine.platform}", "--label", f"collectives={machine.selector}"),
    ]


def _measure(bench: Path, folder: Path, machine: _Machine, ranks: int, arguments: list[str]) -> list[str]:
    """The records of one run, kept in a file of their own until all are there."""
    kept = folder / f"{machine.name}-{ranks}.part"
    if not kept.exists():
        command = _command(bench, machine, ranks, arguments)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"scale_study: {' '.join(command)} failed: {done.stderr.strip()[-400:]}")
        kept.write_text(done.stdout, encoding="utf-8")
        print(kept.stem, flush=True)
    return kept.read_text(encoding="utf-8").splitlines()


def _write_store(folder: Path, machines: list[_Machine]) -> None:
    """All records, each with the run that it belongs to; of their contexts what differs between machines."""
    lines = []
    for machine in machines:
        head = {"schema": 1, "run": machine.name, "job": "", "time_s": 0.0}
        for line in (folder / f"{machine.name}.jsonl").read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            context = record.get("context", {})
            record["context"] = {name: context[name] for name in _CONTEXT if name in context}
            lines.append(json.dumps({**head, "measurement": record}, separators=(",", ":")))
    (folder / "collectives.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("bench", type=Path, help="adcl-bench as built with the preset smpi")
    parser.add_argument("folder", type=Path, help="where the records go")
    parser.add_argument("--functions", default=_TABLE_2)
    parser.add_argument("--bytes", default="128")
    parser.add_argument("--repetitions", default="1")
    parser.add_argument("--platforms", default=",".join(_PLATFORMS))
    parser.add_argument("--selectors", default=",".join(_SELECTORS))
    parser.add_argument("--ranks", default=",".join(map(str, _RANKS)))
    return parser.parse_args()


def main() -> int:
    """Entry point; returns the exit code."""
    options = _arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    arguments = ["--functions", options.functions, "--bytes", options.bytes]
    arguments += ["--repetitions", options.repetitions, "--warmup", "0"]
    machines = [
        _Machine(platform, selector)
        for platform in options.platforms.split(",")
        for selector in options.selectors.split(",")
    ]
    for machine in machines:
        result = options.folder / f"{machine.name}.jsonl"
        if result.exists():
            continue
        records: list[str] = []
        for ranks in map(int, options.ranks.split(",")):
            records += _measure(options.bench, options.folder, machine, ranks, arguments)
        result.write_text("".join(f"{record}\n" for record in records), encoding="utf-8")
        for part in options.folder.glob(f"{machine.name}-*.part"):
            part.unlink()
    _write_store(options.folder, machines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
