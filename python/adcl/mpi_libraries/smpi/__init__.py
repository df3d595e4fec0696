"""SMPI, the MPI of the simulator SimGrid: starts programs; no settings are tuned."""

from adcl.mpi_libraries._row import LibraryRow
from adcl.mpi_libraries.smpi._launcher import FAMILY, SMPI

__all__ = ["LIBRARY"]

LIBRARY = LibraryRow(FAMILY, (SMPI,))
