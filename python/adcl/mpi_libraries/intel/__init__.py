"""Intel MPI, whose programs MPICH's launcher can start."""

from typing import TYPE_CHECKING

from adcl.mpi_libraries._row import LibraryRow
from adcl.mpi_libraries.intel._launcher import INTEL_MPI
from adcl.mpi_libraries.mpich import FAMILY

if TYPE_CHECKING:
    from adcl.mpi_libraries._base import MpiLibrary
    from adcl.mpi_libraries._row import RulesExport

__all__ = ["LIBRARY"]


def _settings() -> "tuple[MpiLibrary, ...]":
    from adcl.mpi_libraries.intel._settings import IntelMpi

    return (IntelMpi(),)


def _rules() -> "tuple[RulesExport, ...]":
    from adcl.mpi_libraries.intel._rules import INTEL_RULES

    return (INTEL_RULES,)


LIBRARY = LibraryRow(FAMILY, (INTEL_MPI,), _settings, _rules)
