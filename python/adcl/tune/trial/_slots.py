"""The parts of an allocation in which trials run at once."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.errors import AdclError, UsageError
from adcl.launch import ANYWHERE, Placement, cores_here

if TYPE_CHECKING:
    from adcl.launch import Launcher

__all__ = ["WHOLE", "Slot", "slots"]

_SCONTROL_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Slot:
    """The part of an allocation that a trial may use. Empty: all of it."""

    hosts: tuple[str, ...] = ()
    cores: tuple[int, ...] = ()
    """Numbers of their hardware threads."""

    count: int = 0
    """Of cores."""


WHOLE = Slot()
"""All of the allocation."""


def slots(
    count: int, launcher: Launcher, placement: Placement = ANYWHERE, *, submitted: bool = False
) -> tuple[Slot, ...]:
    """Divide the allocation among `count` trials that run at once, or are `submitted` at once.

    Raises `UsageError` where it is too small.
    """
    if count < 1:
        raise UsageError(f"the number of trials at once must be at least 1, not {count}")
    if count == 1:
        return (WHOLE,)
    if submitted or launcher.kind.of_batch_system:
        # Slurm itself keeps jobs, and the steps of a job, apart.
        return (WHOLE,) * count
    hosts = placement.hosts or _allocated_hosts()
    if hosts:
        share = len(hosts) // count
        if share == 0:
            raise UsageError(f"{count} trials at once need {count} hosts, and there are {len(hosts)}")
        return tuple(Slot(hosts=hosts[i * share : (i + 1) * share]) for i in range(count))
    if placement.hostfile is not None:
        raise UsageError("trials at once need a list of hosts with --host, which can be divided; not a hostfile")
    cores = cores_here()
    share = len(cores) // count
    if share == 0:
        raise UsageError(f"{count} trials at once need {count} cores, and there are {len(cores)}")
    parts = [cores[i * share : (i + 1) * share] for i in range(count)]
    return tuple(Slot(cores=tuple(cpu for core in part for cpu in core), count=share) for part in parts)


def _allocated_hosts() -> tuple[str, ...]:
    """The hosts of the surrounding job of Slurm; none outside of one, or where there is only one."""
    nodes = os.environ.get("SLURM_JOB_NODELIST")
    if not nodes:
        return ()
    try:
        done = subprocess.run(
            ["scontrol", "show", "hostnames", nodes],
            capture_output=True,
            text=True,
            check=True,
            timeout=_SCONTROL_TIMEOUT_S,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise AdclError(f"cannot ask Slurm for the hosts of this job: {error}") from error
    hosts = tuple(done.stdout.split())
    return hosts if len(hosts) > 1 else ()
