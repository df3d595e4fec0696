"""Cached Extra-P results for ``make bench NAME=models``, one per set of series.

A result is a file named by a hash of the input. An interrupted bench continues from these files, and a changed bench
computes only new inputs.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["VERSION", "Peer"]

_PROGRAM = Path(__file__).with_name("_models_extrap.py")
VERSION = "4.2.5"
_ENDS_S = 30
_DIGITS = 24


@dataclass(frozen=True)
class Peer:
    """Extra-P: its Python, the number of concurrent processes, and the folder of its results."""

    python: Path
    processes: int
    state: Path | None = None
    """Folder with the results of earlier calls; new results are added."""

    def answers_of(self, questions: Sequence[dict[str, Any]]) -> list[dict[str, dict[str, Any]]]:
        """Return Extra-P's result and its time for each input (points, values, falls) and modeler."""
        with tempfile.TemporaryDirectory() as temporary:
            folder = (self.state or Path(temporary)).resolve()
            folder.mkdir(parents=True, exist_ok=True)
            paths = [folder / f"{_hash(question)}.json" for question in questions]
            left = [at for at, path in enumerate(paths) if not path.exists()]
            if len(left) < len(paths):
                sys.stderr.write(f"Extra-P: {len(paths) - len(left)} of {len(paths)} answers are in {folder}\n")
            running = [
                self._started([(questions[at], paths[at]) for at in left[part :: self.processes]], folder)
                for part in range(min(self.processes, len(left)))
            ]
            try:
                if any([process.wait() != 0 for process in running]):  # noqa: C419 all of them are waited for
                    raise SystemExit("Extra-P ended with an error; its message is above")
            finally:
                _end(running)
            return [json.loads(path.read_text(encoding="utf-8")) for path in paths]

    def _started(self, part: list[tuple[dict[str, Any], Path]], folder: Path) -> subprocess.Popen[bytes]:
        handle, name = tempfile.mkstemp(suffix=".questions", dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            for question, path in part:
                file.write(json.dumps({**question, "answer": str(path)}) + "\n")
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ""}
        return subprocess.Popen([self.python, _PROGRAM, name], env=environment)


def _hash(question: dict[str, Any]) -> str:
    text = json.dumps([VERSION, question], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _end(running: list[subprocess.Popen[bytes]]) -> None:
    for process in running:
        if process.poll() is None:
            process.terminate()
            process.wait(_ENDS_S)
