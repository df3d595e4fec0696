"""Runs `live_exchange`, and processes that keep cores busy beside it, for the benches that do so."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["busy", "exchange"]

_COMPUTES = """
import os, sys, time
if sys.argv[1] == "first":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    pass
"""


def exchange(
    build: Path, points: int, faces: str, starts: int, kinds: Sequence[str], *, limit_s: float, **settings: str
) -> dict[str, Any]:
    """What two ranks came to with each of the `kinds`. `settings` are ADCL's, which has no others.

    Raises `subprocess.TimeoutExpired` when the program takes longer than `limit_s`; it is stopped then.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ADCL_")} | settings
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [str(build / "launch"), "2", str(build / "bin" / "live_exchange"), str(points), faces, str(starts)]
        command += [str(result), *kinds]
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as program:
            try:
                told = program.communicate(timeout=limit_s)[1]
            except subprocess.TimeoutExpired:
                program.terminate()  # the launcher ends its processes
                raise
        if program.returncode != 0:
            sys.exit(f"{' '.join(command)} failed: {told.strip()}")
        return dict(json.loads(result.read_text())["context"]["results"])


@contextlib.contextmanager
def busy(count: int = 1, *, seconds: float = 600.0, on_first_core: bool = False) -> Iterator[None]:
    """Meanwhile so many processes compute and never wait, for so long at most."""
    arguments = ["first" if on_first_core else "any", str(seconds)]
    processes = [subprocess.Popen([sys.executable, "-c", _COMPUTES, *arguments]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()
