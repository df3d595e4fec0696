"""Placement of the ranks of a job."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - `adcl._decode` needs it at run time

from adcl.errors import UsageError

__all__ = ["ANYWHERE", "Placement"]


@dataclass(frozen=True, slots=True)
class Placement:
    """Placement of the ranks and further options of the launcher. The default leaves everything to the launcher.

    Raises `UsageError` for values that no launcher accepts.
    """

    hosts: tuple[str, ...] = ()
    hostfile: Path | None = None
    ranks_per_node: int | None = None

    oversubscribe: bool | None = None
    """Whether there are more ranks than cores, so that waiting ranks yield. None: decide by counting cores."""

    pmi: str | None = None
    """Value of Slurm's `--mpi`, such as pmix or pmi2; None: the cluster's default."""

    platform: Path | None = None
    """SimGrid's description of the simulated cluster; required for SMPI, invalid otherwise."""

    launcher_options: tuple[str, ...] = ()
    """Additional options of the launcher, such as ("--mca", "btl", "tcp,self")."""

    within: tuple[str, ...] = ()
    """Command that starts the launcher, its path first, such as ("/sbin/ip", "netns", "exec", "a")."""

    def __post_init__(self) -> None:
        """Check the values independently of the machine."""
        if self.ranks_per_node is not None and self.ranks_per_node < 1:
            raise UsageError(f"a node needs at least 1 rank, not {self.ranks_per_node}")
        if self.hosts and self.hostfile is not None:
            raise UsageError("hosts and a hostfile exclude each other; give only one")

    @property
    def local(self) -> bool:
        """Whether the placement names no other machine."""
        return not self.hosts and self.hostfile is None

    @property
    def here(self) -> bool:
        """Whether all processes run on this machine: no other machine is named, or the hosts are simulated."""
        return self.local or self.platform is not None

    def nodes(self, ranks: int) -> int | None:
        """Return the number of nodes for `ranks` ranks; None if the ranks per node are not set."""
        return None if self.ranks_per_node is None else -(-ranks // self.ranks_per_node)

    def on(self, hosts: tuple[str, ...]) -> Placement:
        """Return a copy with these hosts; itself if there are none."""
        return dataclasses.replace(self, hosts=hosts, hostfile=None) if hosts else self


ANYWHERE = Placement()
"""Default placement of the launcher."""
