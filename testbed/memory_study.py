#!/usr/bin/env python3
"""Memory of MPI libraries: ``memory_study.py FOLDER PRESET... [--help]``.

Runs adcl-bench as built with each of the presets on 2 to 32 ranks of this machine, and writes FOLDER/PRESET.jsonl, a
record per function and number of ranks, and all records of the folder to FOLDER/memory.jsonl, a store of `adcl scale`
with a run per preset. More ranks than cores do no harm: no times are measured.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

__all__ = ["main"]

_BUILD = Path(__file__).resolve().parents[1] / "build"
_PRESETS = ("openmpi", "mpich", "openmpi5", "mpi-abi", "impi")
_CONTEXT = ("mpi_library", "mpi_version", "ranks", "cores", "oversubscribed")


def _measure(preset: str, ranks: int, repetitions: str) -> str:
    folder = _BUILD / preset
    command = [str(folder / "launch"), str(ranks), str(folder / "bin" / "adcl-bench"), "--functions", "memory"]
    command += ["--repetitions", repetitions, "--warmup", "3", "--label", f"preset={preset}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"memory_study: cannot run {command[0]}: {error.strerror}; build the preset {preset}")
    if done.returncode != 0:
        sys.exit(f"memory_study: {' '.join(command)} failed: {done.stderr.strip()[-400:]}")
    print(f"{preset} on {ranks} ranks", flush=True)
    return done.stdout


def _write_store(folder: Path) -> None:
    lines = []
    for preset in (name for name in _PRESETS if (folder / f"{name}.jsonl").exists()):
        head = {"schema": 1, "run": preset, "job": "", "time_s": 0.0}
        for line in (folder / f"{preset}.jsonl").read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            record["context"] = {name: record["context"][name] for name in _CONTEXT if name in record["context"]}
            lines.append(json.dumps({**head, "measurement": record}, separators=(",", ":")))
    (folder / "memory.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def main() -> int:
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the records go")
    parser.add_argument("presets", nargs="*", metavar="PRESET", help="CMake presets, built; none: only the store")
    parser.add_argument("--ranks", default="2,4,8,16,32")
    parser.add_argument("--repetitions", default="10")
    options = parser.parse_args()
    unknown = [name for name in options.presets if name not in _PRESETS]
    if unknown:
        parser.error(f"there is no preset {unknown[0]!r}; there are {', '.join(_PRESETS)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    for preset in options.presets:
        texts = [_measure(preset, int(ranks), options.repetitions) for ranks in options.ranks.split(",")]
        (options.folder / f"{preset}.jsonl").write_text("".join(texts), encoding="utf-8")
    _write_store(options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
