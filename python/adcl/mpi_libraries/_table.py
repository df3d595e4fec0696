"""Table of MPI libraries; each row is the name of its folder."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcl.jobs import Family, LauncherKind
    from adcl.mpi_libraries._row import LibraryRow

__all__ = ["FAMILIES", "LAUNCHERS", "ROWS"]

_FOLDERS = (
    "openmpi",
    "mpich",
    "intel",
    "smpi",
    "ibm",
)
"""Folders of the libraries; a derived library comes after the library it derives from."""

ROWS: tuple[LibraryRow, ...] = tuple(
    importlib.import_module(f"adcl.mpi_libraries.{folder}").LIBRARY for folder in _FOLDERS
)

FAMILIES: tuple[Family, ...] = tuple(dict.fromkeys(row.family for row in ROWS))

LAUNCHERS: tuple[LauncherKind, ...] = tuple(kind for row in ROWS for kind in row.launchers)
