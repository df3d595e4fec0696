"""IBM MPI and its Parallel Environment."""

from typing import TYPE_CHECKING

from adcl.mpi_libraries._row import LibraryRow
from adcl.mpi_libraries.ibm._launcher import FAMILY, POE

if TYPE_CHECKING:
    from adcl.mpi_libraries._base import MpiLibrary

__all__ = ["LIBRARY"]


def _settings() -> "tuple[MpiLibrary, ...]":
    from adcl.mpi_libraries.ibm._settings import IbmMpi

    return (IbmMpi(),)


LIBRARY = LibraryRow(FAMILY, (POE,), _settings)
