"""Helpers for the tests of scripts in tools."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from support import within

PROJECT = Path(__file__).resolve().parents[2]
TOOLS = PROJECT / "tools"


def run_tool(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        timeout=within(60),
        env={**os.environ, **environment},
    )


def write(path: Path, text: str, *, executable: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if executable:
        path.chmod(0o755)
