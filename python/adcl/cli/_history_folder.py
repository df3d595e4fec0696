"""Option ``--folder`` of the commands that use a history."""

from __future__ import annotations

import os
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
        help="Folder of the history (default: the folder of `adcl run --tune`).",
    ),
]

_NO_FOLDER = ("off", "memory")
"""Values of ADCL_HISTORY that do not name a folder."""


def _interposer_folder() -> Path | None:
    """Return the folder in which programs under the interposer store results, or None if they do not."""
    named = os.environ.get("ADCL_INTERPOSE_HISTORY", "")
    if named:
        return None if named == "off" else Path(named)
    for variable, inside in (("XDG_CACHE_HOME", ""), ("HOME", ".cache")):
        place = os.environ.get(variable, "")
        if place.startswith("/"):
            return Path(place, inside, "adcl", "history")
    return None


def history_folder(path: Path | None) -> Path:
    """Return the history's folder. Raises `UsageError` if there is none."""
    found = _interposer_folder() if path is None else path
    if found is None or str(found) in _NO_FOLDER:
        raise UsageError("no history folder is set; name one with --folder, or set ADCL_HISTORY to a folder")
    return found
