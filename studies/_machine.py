"""Describe the machine and the versions with which a study ran."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import shutil
import subprocess
from pathlib import Path

from studies._catalog import ROOT

__all__ = ["record_of", "store_record"]


def _first_line(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return ""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0] if lines else ""


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def record_of(seconds: float) -> str:
    """Return the table ``[record]`` of a ``study.toml`` for a run that has just ended, without host names."""
    record = {
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "commit": _first_line("git", "rev-parse", "--short", "HEAD"),
        "machine": f"{os.cpu_count()} cores, {_processor()}",
        "system": platform.system(),
        "versions": ", ".join(
            line for line in (_first_line("smpirun", "-version"), _first_line("mpirun", "--version")) if line
        ),
        "duration": f"{seconds:.0f} s",
    }
    return "[record]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in record.items() if value)


def store_record(path: Path, record: str) -> None:
    """Replace the table ``[record]`` at the end of a ``study.toml``."""
    head = path.read_text(encoding="utf-8").partition("[record]\n")[0]
    path.write_text(head + record, encoding="utf-8")
