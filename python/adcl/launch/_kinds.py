"""All launcher kinds, including those of batch systems.

The kind of an MPI library is defined in the library's folder.
"""

from __future__ import annotations

from adcl.jobs import NO_MPI, SLURM, LauncherKind
from adcl.mpi_libraries import LAUNCHERS

__all__ = ["KINDS", "ON_EMULATED_CLUSTERS", "SIMULATOR"]

KINDS: dict[str, LauncherKind] = {kind.name: kind for kind in (*LAUNCHERS, SLURM, NO_MPI)}
"""Kinds by their name on the command line."""

ON_EMULATED_CLUSTERS = next(kind for kind in LAUNCHERS if kind.on_emulated_clusters)
"""Launcher that starts ranks in the network namespaces of an emulated cluster."""

SIMULATOR = next(kind for kind in LAUNCHERS if kind.simulates)
"""Launcher that simulates a cluster described in a file."""
