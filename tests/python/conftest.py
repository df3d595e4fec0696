"""What the tests share."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from support import DOCUMENT, Ended, clean_environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "mpi: starts a real MPI program")


@pytest.fixture
def adcl(tmp_path: Path) -> Callable[..., Ended]:
    """Runs ``adcl`` as a user does, in a process of its own."""

    def run(*arguments: str, stdin: str | None = None, timeout_s: float = 60.0, **environment: str) -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "adcl", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env=clean_environment(**environment),
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            timeout=timeout_s,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def document() -> dict[str, Any]:
    """A small document that `adcl-describe` could print; the test may change it."""
    return copy.deepcopy(DOCUMENT)


@pytest.fixture
def fake_describe(tmp_path: Path) -> Callable[[object], Path]:
    """Makes an executable that prints a document."""

    def make(printed: object) -> Path:
        text = printed if isinstance(printed, str) else json.dumps(printed)
        (tmp_path / "document.json").write_text(text, encoding="utf-8")
        program = tmp_path / "adcl-describe"
        program.write_text(f'#!/bin/sh\ncat "{tmp_path}/document.json"\n', encoding="utf-8")
        program.chmod(0o755)
        return program

    return make
