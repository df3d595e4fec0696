#!/usr/bin/env python3
"""Memory of MPI libraries: ``measure.py FOLDER PRESET... [--help]``.

Runs adcl-bench of each preset on 2 to 64 ranks of this machine. Writes FOLDER/PRESET.jsonl, with a record per function
and number of ranks, and FOLDER/memory.jsonl, a store of `adcl scale` with a run per preset. Existing records are not
measured again. Oversubscription does not change the results, but MPI libraries that spin take long.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

__all__ = ["main"]

_BUILD = Path(__file__).resolve().parents[3] / "build"
_PRESETS = ("openmpi", "mpich", "openmpi5", "mpi-abi", "impi")
_CONTEXT = ("mpi_library", "mpi_version", "ranks", "cores", "oversubscribed")


def _measure(preset: str, ranks: int, repetitions: str) -> str:
    folder = _BUILD / preset
    command = [str(folder / "launch"), str(ranks), str(folder / "bin" / "adcl-bench"), "--functions", "memory"]
    command += ["--repetitions", repetitions, "--warmup", "3", "--label", f"preset={preset}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"measure: cannot run {command[0]}: {error.strerror}; build the preset {preset}")
    if done.returncode != 0:
        sys.exit(f"measure: {' '.join(command)} failed: {done.stderr.strip()[-400:]}")
    print(f"{preset} on {ranks} ranks", flush=True)
    return done.stdout


def _finished(kept: Path) -> set[int]:
    """Return the numbers of ranks in a file of records."""
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    return {json.loads(line)["context"]["ranks"] for line in lines}


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
    parser.add_argument("folder", type=Path, help="folder of the records")
    parser.add_argument("presets", nargs="*", metavar="PRESET", help="built CMake presets; none: write only the store")
    parser.add_argument("--ranks", default="2,4,8,16,32,64")
    parser.add_argument("--repetitions", default="10")
    options = parser.parse_args()
    unknown = [name for name in options.presets if name not in _PRESETS]
    if unknown:
        parser.error(f"there is no preset {unknown[0]!r}; available: {', '.join(_PRESETS)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    for preset in options.presets:
        kept = options.folder / f"{preset}.jsonl"
        for ranks in map(int, options.ranks.split(",")):
            if ranks not in _finished(kept):
                text = _measure(preset, ranks, options.repetitions)
                with kept.open("a", encoding="utf-8") as file:
                    file.write(text)
    _write_store(options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
