"""SMPI, the MPI of the simulator SimGrid."""

from typing import TYPE_CHECKING

from adcl.mpi_libraries._row import LibraryRow
from adcl.mpi_libraries.smpi._launcher import FAMILY, SMPI

if TYPE_CHECKING:
    from adcl.mpi_libraries._base import MpiLibrary

__all__ = ["LIBRARY"]


def _settings() -> "tuple[MpiLibrary, ...]":
    from adcl.mpi_libraries.smpi._settings import Smpi

    return (Smpi(),)


LIBRARY = LibraryRow(FAMILY, (SMPI,), _settings)
"""SimGrid's `smpirun`: one process that simulates all ranks on a described cluster."""
