#!/usr/bin/env python3
"""Cost of creating a request on a simulated cluster: ``creation_study.py PROGRAM FILE [--help]``.

Runs memory_creation (tests/memory), built with the preset smpi, on rings of processes of the simulated fat tree, and
writes FILE in the format of a bench: bytes of a request on a rank and the time to create it, by the number of ranks.
The time contains only the network; computation is free.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["main"]

_PLATFORM = Path(__file__).resolve().parent / "fat_tree.xml"
# Send and receive overhead per message, in addition to the network time (SMPI's os, ois, or); same as in simulate.py.
_OVERHEAD = "0:5e-7:1e-10"
_SETTINGS = (
    f"smpi/os:{_OVERHEAD}",
    f"smpi/ois:{_OVERHEAD}",
    f"smpi/or:{_OVERHEAD}",
    "smpi/simulate-computation:no",
    "smpi/coll-selector:mpich",
)


def _measure(program: Path, ranks: int) -> dict[str, float]:
    """Return the results of the largest ring, with all ranks."""
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "rings.jsonl"
        logs = [f"--log={name}.thres:error" for name in ("root", "smpi_mpi", "smpi_pmpi")]
        command = ["smpirun", "-np", str(ranks), "-platform", str(_PLATFORM), *logs]
        command += [f"--cfg={setting}" for setting in _SETTINGS] + [str(program), str(lines)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"creation_study: {' '.join(command)} failed: {done.stderr.strip()[-400:]}")
        largest: dict[str, float] = json.loads(lines.read_text(encoding="utf-8").splitlines()[-1])
    print(f"{ranks} ranks: {largest['request_bytes']:.0f} bytes, {largest['request_us']:.1f} us", flush=True)
    return largest


def main() -> int:
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", type=Path, help="build/smpi/bin/memory_creation")
    parser.add_argument("file", type=Path, help="output file of the figures")
    parser.add_argument("--ranks", default="64,128", help="multiples of 16 up to 512; large numbers take long")
    options = parser.parse_args()
    rings = [_measure(options.program.resolve(), int(ranks)) for ranks in options.ranks.split(",")]
    few, many = rings[0], rings[-1]
    ends = f"{many['ranks']:.0f}_ranks_over_{few['ranks']:.0f}"
    figures = [
        {"name": f"request_bytes_{ends}", "unit": "ratio", "target": 1.02}
        | {"value": many["request_bytes"] / few["request_bytes"]},
        {"name": f"request_time_{ends}", "unit": "ratio", "target": 2}
        | {"value": many["request_us"] / few["request_us"]},
    ]
    context = {"mpi_library": "SimGrid SMPI", "simulated": _PLATFORM.stem, "rings": rings}
    document = {"context": context, "figures": figures}
    options.file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
