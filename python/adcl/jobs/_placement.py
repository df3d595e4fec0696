"""Where the ranks of a job run."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - `adcl._decode` looks it up

from adcl.errors import UsageError

__all__ = ["ANYWHERE", "Placement"]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the ranks of a job run, and what else the launcher is told. The default leaves everything to it.

    Raises `UsageError` when it is made with values that no launcher could take.
    """

    hosts: tuple[str, ...] = ()
    hostfile: Path | None = None
    ranks_per_node: int | None = None

    oversubscribe: bool | None = None
    """Whether there are more ranks than cores, which then yield while they wait. None decides by counting cores."""

    pmi: str | None = None
    """Slurm's `--mpi`, such as pmix or pmi2; None leaves it to the cluster's default."""

    platform: Path | None = None
    """SimGrid's description of the simulated cluster; for SMPI, which needs one, and for nothing else."""

    launcher_options: tuple[str, ...] = ()
    """Further options in the launcher's own words, such as ("--mca", "btl", "tcp,self")."""

    within: tuple[str, ...] = ()
    """A command that the launcher is run under, its path first, such as ("/sbin/ip", "netns", "exec", "a")."""

    def __post_init__(self) -> None:
        """Check all that can be checked without looking at the machine."""
        if self.ranks_per_node is not None and self.ranks_per_node < 1:
            raise UsageError(f"a node needs at least 1 rank, not {self.ranks_per_node}")
        if self.hosts and self.hostfile is not None:
            raise UsageError("hosts come from a list or from a file, not from both")

    @property
    def local(self) -> bool:
        """Whether no other machine is named."""
        return not self.hosts and self.hostfile is None

    @property
    def here(self) -> bool:
        """Whether all processes are on this machine: no other is named, or the hosts are simulated ones."""
        return self.local or self.platform is not None

    def nodes(self, ranks: int) -> int | None:
        """Return how many nodes that many ranks need; None where the ranks of a node are not given."""
        return None if self.ranks_per_node is None else -(-ranks // self.ranks_per_node)

    def on(self, hosts: tuple[str, ...]) -> Placement:
        """Return the same on these hosts; itself where there are none."""
        return dataclasses.replace(self, hosts=hosts, hostfile=None) if hosts else self


ANYWHERE = Placement()
"""Where the launcher puts ranks that it is told nothing about."""
