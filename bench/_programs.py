"""Run the programs of a build on this machine, for benches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FILE", "ProgramFailed", "measured", "run", "run_python", "run_solver"]

FILE = "{file}"
"""Placeholder for the file that a program writes."""


class ProgramFailed(SystemExit):
    """A program ended with an error."""


def run(
    build: Path,
    ranks: int,
    program: str,
    words: Sequence[str],
    options: Mapping[str, str] | None = None,
    *,
    limit_s: float = 120.0,
) -> dict[str, Any]:
    """Return the JSON document that a program writes to the file that replaces `FILE` among its arguments.

    `options` are ADCL options without their prefix; the program has no other ADCL options. A program that takes longer
    than `limit_s` is stopped. Raises `ProgramFailed` and `subprocess.TimeoutExpired`.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ADCL_")}
    environment |= {f"ADCL_{name}": value for name, value in (options or {}).items()}
    return _document([str(build / "launch"), str(ranks), str(build / "bin" / program)], words, environment, limit_s)


def run_python(
    build: Path, ranks: int, words: Sequence[str], environment: Mapping[str, str], *, limit_s: float = 300.0
) -> dict[str, Any]:
    """Like `run`, for a program in Python that uses mpi4py, in this environment."""
    return _document([str(build / "launch"), str(ranks), sys.executable], words, environment, limit_s)


def _document(
    launch: Sequence[str], words: Sequence[str], environment: Mapping[str, str], limit_s: float
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "document.json"
        command = [*launch, *(str(file) if word == FILE else word for word in words)]
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as running:
            try:
                errors = running.communicate(timeout=limit_s)[1]
            except subprocess.TimeoutExpired:
                running.terminate()  # the launcher ends its processes
                raise
        if running.returncode != 0:
            raise ProgramFailed(f"{' '.join(command)} failed: {errors.strip()}")
        return dict(json.loads(file.read_text(encoding="utf-8")))


def run_solver(
    build: Path, program: str, size: str, iterations: int, *words: str, options: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the report of an application with `--size` and `--iterations`, on two ranks."""
    given = ("--size", size, "--iterations", str(iterations), *words, "--quiet", "--json", FILE)
    return run(build, 2, program, given, options)


def measured(report: dict[str, Any]) -> dict[str, float]:
    """Return the times of the codelets that the search of a report has measured, the fastest first."""
    found = {
        one["name"]: float(one["filtered_mean_s"])
        for one in report["tuning"]["candidates"]
        if one["measurements"] > 0 and one["filtered_mean_s"] > 0
    }
    return dict(sorted(found.items(), key=lambda item: item[1]))
