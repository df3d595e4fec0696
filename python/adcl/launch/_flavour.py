"""The kinds of launchers, and which programs each can start: one row each."""

from __future__ import annotations

import enum

__all__ = ["ON_EMULATED_CLUSTERS", "Family", "Flavour"]


class Family(enum.Enum):
    """MPI libraries whose programs can be started by the same launchers."""

    OPEN_MPI = "Open MPI"
    MPICH = "MPICH"
    SMPI = "SMPI"
    IBM = "IBM MPI"

    @property
    def knows_standard_abi(self) -> bool:
        """Whether libraries of the family may have the standard ABI of MPI 5."""
        return self is Family.MPICH


class Flavour(enum.Enum):
    """A launcher together with the MPI library that it belongs to. The value is what users type."""

    title: str
    """The name as its makers write it."""

    families: frozenset[Family]

    def __new__(cls, value: str, title: str, *families: Family) -> Flavour:  # noqa: PYI034 - no other class derives
        """Make a member of its row."""
        member = object.__new__(cls)
        member._value_ = value
        member.title = title
        member.families = frozenset(families)
        return member

    OPEN_MPI_4 = "openmpi4", "Open MPI 4", Family.OPEN_MPI
    OPEN_MPI_5 = "openmpi5", "Open MPI 5", Family.OPEN_MPI
    MPICH = "mpich", "MPICH", Family.MPICH
    INTEL_MPI = "intel", "Intel MPI", Family.MPICH
    SMPI = "smpi", "SMPI", Family.SMPI
    SLURM = "slurm", "Slurm", Family.OPEN_MPI, Family.MPICH
    POE = "poe", "IBM Parallel Environment", Family.IBM
    NO_MPI = "none", "no MPI", *Family

    @property
    def of_batch_system(self) -> bool:
        """Whether it is a batch system's, which starts programs of several libraries and has jobs wait for nodes."""
        return self is Flavour.SLURM

    @property
    def single(self) -> bool:
        """Whether there is no launcher: the program is one process."""
        return self is Flavour.NO_MPI

    @property
    def simulates(self) -> bool:
        """Whether ranks run on a simulated cluster."""
        return self is Flavour.SMPI

    def starts(self, family: Family) -> bool:
        """Whether programs of that family find each other when this launcher starts them."""
        return family in self.families


ON_EMULATED_CLUSTERS = Flavour.OPEN_MPI_4
"""What starts ranks in the network namespaces of an emulated cluster."""
