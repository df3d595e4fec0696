"""Open MPI 4 and 5, and rules for Open MPI 6."""

from typing import TYPE_CHECKING

from adcl.mpi_libraries._row import LibraryRow
from adcl.mpi_libraries.openmpi._launcher import FAMILY, OPEN_MPI_4, OPEN_MPI_5

if TYPE_CHECKING:
    from adcl.mpi_libraries._base import MpiLibrary
    from adcl.mpi_libraries._row import RulesExport

__all__ = ["LIBRARY"]


def _settings() -> "tuple[MpiLibrary, ...]":
    from adcl.mpi_libraries.openmpi._settings import OpenMpi4, OpenMpi5

    return OpenMpi4(), OpenMpi5()


def _rules() -> "tuple[RulesExport, ...]":
    from adcl.mpi_libraries.openmpi._rules import OPEN_MPI_4_RULES, OPEN_MPI_5_RULES, OPEN_MPI_6_RULES

    return OPEN_MPI_4_RULES, OPEN_MPI_5_RULES, OPEN_MPI_6_RULES


LIBRARY = LibraryRow(FAMILY, (OPEN_MPI_4, OPEN_MPI_5), _settings, _rules)
