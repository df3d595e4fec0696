"""Option ``--folder`` of the commands that use a history."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adcl.errors import UsageError

__all__ = ["HistoryFolder", "history_folder"]

HistoryFolder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        "-f",
        metavar="FOLDER",
        envvar="ADCL_HISTORY",
        help="Folder of the history.",
    ),
]

_NO_FOLDER = ("off", "memory")
"""Values of ADCL_HISTORY that do not name a folder."""


def history_folder(path: Path | None) -> Path:
    """Return the history's folder. Raises `UsageError` if no folder is named."""
    if path is None or str(path) in _NO_FOLDER:
        raise UsageError("no history folder is set; name one with --folder, or set ADCL_HISTORY to a folder")
    return path
