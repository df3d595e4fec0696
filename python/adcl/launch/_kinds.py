"""All kinds of launchers, the batch systems' as well.

A kind that belongs to an MPI library stands in the library's folder.
"""

from __future__ import annotations

from adcl.jobs import NO_MPI, SLURM, LauncherKind
from adcl.mpi_libraries import LAUNCHERS

__all__ = ["KINDS", "ON_EMULATED_CLUSTERS", "SIMULATOR"]

KINDS: dict[str, LauncherKind] = {kind.name: kind for kind in (*LAUNCHERS, SLURM, NO_MPI)}
"""By the names that users type."""

ON_EMULATED_CLUSTERS = next(kind for kind in LAUNCHERS if kind.on_emulated_clusters)
"""What starts ranks in the network namespaces of an emulated cluster."""

SIMULATOR = next(kind for kind in LAUNCHERS if kind.simulates)
"""What simulates a cluster that is described in a file."""
