"""Runs `live_exchange`, with or without other processes that keep the cores busy."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from bench._programs import FILE, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

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
    build: Path, points: int, faces: str, starts: int, kinds: Sequence[str], *, limit_s: float, **options: str
) -> dict[str, Any]:
    """Return the results of two ranks with each of the `kinds`. For options and errors, see `run`."""
    words = (str(points), faces, str(starts), FILE, *kinds)
    document = run(build, 2, "live_exchange", words, options, limit_s=limit_s)
    return dict(document["context"]["results"])


@contextlib.contextmanager
def busy(count: int = 1, *, seconds: float = 600.0, on_first_core: bool = False) -> Iterator[None]:
    """Run this number of computing processes during the context, for at most this many seconds."""
    arguments = ["first" if on_first_core else "any", str(seconds)]
    processes = [subprocess.Popen([sys.executable, "-c", _COMPUTES, *arguments]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()
