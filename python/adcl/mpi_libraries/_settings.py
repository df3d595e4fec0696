"""MPI libraries with settings, by their names in tuning files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.mpi_libraries._table import ROWS

if TYPE_CHECKING:
    from adcl.mpi_libraries._base import MpiLibrary

__all__ = ["LIBRARIES"]

LIBRARIES: dict[str, MpiLibrary] = {library.key: library for row in ROWS for library in row.settings()}
