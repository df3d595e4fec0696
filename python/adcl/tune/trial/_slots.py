"""Parts of an allocation for concurrent trials."""

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
    """Part of an allocation for one trial. Empty: the whole allocation."""

    hosts: tuple[str, ...] = ()
    cores: tuple[int, ...] = ()
    """Numbers of the hardware threads."""

    count: int = 0
    """Number of cores."""


WHOLE = Slot()
"""The whole allocation."""


def slots(
    count: int, launcher: Launcher, placement: Placement = ANYWHERE, *, submitted: bool = False
) -> tuple[Slot, ...]:
    """Divide the allocation among `count` concurrent or `submitted` trials.

    Raises `UsageError` if the allocation is too small.
    """
    if count < 1:
        raise UsageError(f"the number of concurrent trials must be at least 1, not {count}")
    if count == 1:
        return (WHOLE,)
    if submitted or launcher.kind.of_batch_system:
        # Slurm itself separates jobs, and the steps of a job.
        return (WHOLE,) * count
    hosts = placement.hosts or _allocated_hosts()
    if hosts:
        share = len(hosts) // count
        if share == 0:
            raise UsageError(
                f"{count} concurrent trials require {count} hosts, but there are {len(hosts)}; reduce --parallel"
            )
        return tuple(Slot(hosts=hosts[i * share : (i + 1) * share]) for i in range(count))
    if placement.hostfile is not None:
        raise UsageError(
            "concurrent trials require a list of hosts with --host, which can be divided, instead of a hostfile"
        )
    cores = cores_here()
    share = len(cores) // count
    if share == 0:
        raise UsageError(
            f"{count} concurrent trials require {count} cores, but there are {len(cores)}; reduce --parallel"
        )
    parts = [cores[i * share : (i + 1) * share] for i in range(count)]
    return tuple(Slot(cores=tuple(cpu for core in part for cpu in core), count=share) for part in parts)


def _allocated_hosts() -> tuple[str, ...]:
    """Return the hosts of the surrounding Slurm job; empty without such a job, or if it has only one host."""
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
        raise AdclError(f"cannot get the hosts of this job from Slurm: {error}") from error
    hosts = tuple(done.stdout.split())
    return hosts if len(hosts) > 1 else ()
