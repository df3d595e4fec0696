"""The library's prior for codelets corresponds to the recorded tables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_prior_is_made_from_the_tables() -> None:
    run = subprocess.run(
        [sys.executable, str(_ROOT / "tools" / "make_prior.py"), "--check"], capture_output=True, text=True, check=False
    )

    assert run.returncode == 0, run.stdout
