"""MPICH 4 and 5, and code shared with libraries derived from MPICH."""

from typing import TYPE_CHECKING

from adcl.mpi_libraries._row import LibraryRow
from adcl.mpi_libraries.mpich._launcher import FAMILY, MPICH, Hydra

if TYPE_CHECKING:
    from adcl.mpi_libraries._base import MpiLibrary
    from adcl.mpi_libraries._row import RulesExport

__all__ = ["FAMILY", "LIBRARY", "Hydra"]


def _settings() -> "tuple[MpiLibrary, ...]":
    from adcl.mpi_libraries.mpich._settings import Mpich

    return (Mpich(),)


def _rules() -> "tuple[RulesExport, ...]":
    from adcl.mpi_libraries.mpich._rules import MPICH_RULES

    return (MPICH_RULES,)


LIBRARY = LibraryRow(FAMILY, (MPICH,), _settings, _rules)
