"""The kinds of launchers, and which programs each can start."""

from __future__ import annotations

import enum

__all__ = ["Family", "Flavour"]


class Family(enum.Enum):
    """MPI libraries whose programs can be started by the same launchers."""

    OPEN_MPI = "Open MPI"
    MPICH = "MPICH"
    SMPI = "SMPI"
    IBM = "IBM MPI"


class Flavour(enum.Enum):
    """A launcher together with the MPI library that it belongs to. The value is what users type."""

    OPEN_MPI_4 = "openmpi4"
    OPEN_MPI_5 = "openmpi5"
    MPICH = "mpich"
    INTEL_MPI = "intel"
    SMPI = "smpi"
    SLURM = "slurm"
    POE = "poe"

    @property
    def title(self) -> str:
        """The name as its makers write it."""
        return _TITLES[self]

    @property
    def of_batch_system(self) -> bool:
        """Whether it is a batch system's, which starts programs of several libraries and has jobs wait for nodes."""
        return self is Flavour.SLURM

    @property
    def simulates(self) -> bool:
        """Whether ranks run on a simulated cluster."""
        return self is Flavour.SMPI

    def starts(self, family: Family) -> bool:
        """Whether programs of that family find each other when this launcher starts them."""
        return family in _STARTS[self]


_TITLES = {
    Flavour.OPEN_MPI_4: "Open MPI 4",
    Flavour.OPEN_MPI_5: "Open MPI 5",
    Flavour.MPICH: "MPICH",
    Flavour.INTEL_MPI: "Intel MPI",
    Flavour.SMPI: "SMPI",
    Flavour.SLURM: "Slurm",
    Flavour.POE: "IBM Parallel Environment",
}

_STARTS = {
    Flavour.OPEN_MPI_4: {Family.OPEN_MPI},
    Flavour.OPEN_MPI_5: {Family.OPEN_MPI},
    Flavour.MPICH: {Family.MPICH},
    Flavour.INTEL_MPI: {Family.MPICH},
    Flavour.SMPI: {Family.SMPI},
    Flavour.SLURM: {Family.OPEN_MPI, Family.MPICH},
    Flavour.POE: {Family.IBM},
}
