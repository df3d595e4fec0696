"""The option that names a history's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adcl.errors import UsageError

__all__ = ["HistoryFolder", "named_folder"]

HistoryFolder = Annotated[
    Path | None,
    typer.Option("--folder", "-f", metavar="FOLDER", envvar="ADCL_HISTORY", help="The history's folder."),
]

_NO_FOLDER = ("off", "memory")
"""What ADCL_HISTORY may be that names no folder."""


def named_folder(path: Path | None) -> Path:
    """The folder, if one is named; raises `UsageError` otherwise."""
    if path is None or str(path) in _NO_FOLDER:
        raise UsageError("which history? Name its folder with --folder, or set ADCL_HISTORY to a folder")
    return path
