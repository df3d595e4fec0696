"""Run jobs on a cluster, and create it if it is not up."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import sys
from typing import TYPE_CHECKING

from adcl._source import Source
from adcl.errors import UsageError
from adcl.launch import ON_EMULATED_CLUSTERS
from adcl.testbed._network import check_possible, down, tool, up
from adcl.testbed._plan import SUBNET, host_command_prefix
from adcl.testbed._platform import parse_platform
from adcl.testbed._shipped import SimulatedCluster, find_cluster
from adcl.testbed._state import Records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import NoReturn

    from adcl.launch import Placement
    from adcl.testbed._platform import Platform

__all__ = ["on_cluster", "placement_on"]

_ASKING_TO_END = (signal.SIGTERM, signal.SIGHUP)


def placement_on(
    instance: str, platform: Platform, ranks: int, wanted: Placement, *, agent: str, ip: str = "ip"
) -> Placement:
    """Return the placement of ranks on a cluster: host by host, over TCP only. Pure.

    Raises `UsageError` if the ranks do not fit, or if `wanted` names hosts.
    """
    if not wanted.local:
        raise UsageError(f"--on uses the hosts of {instance}; omit --host and --hostfile")
    per_host = [wanted.ranks_per_node or host.ranks for host in platform.hosts]
    if ranks > sum(per_host):
        raise UsageError(
            f"{instance} has room for only {sum(per_host)} of {ranks} ranks; raise the limit with --ranks-per-node"
        )
    return dataclasses.replace(
        wanted,
        within=host_command_prefix(ip, instance, platform.hosts[0].name),
        hosts=tuple(f"{host.name}:{count}" for host, count in zip(platform.hosts, per_host, strict=True)),
        ranks_per_node=None,
        oversubscribe=True,
        launcher_options=(*ON_EMULATED_CLUSTERS.cluster_options(agent, SUBNET), *wanted.launcher_options),
    )


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)


@contextlib.contextmanager
def _signals_as_exceptions() -> Iterator[None]:
    """Make SIGTERM and SIGHUP raise an exception, so that the cluster is taken down."""
    heard = [number for number in _ASKING_TO_END if signal.getsignal(number) is signal.SIG_DFL]
    before = {number: signal.signal(number, _end) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _deferred_signals() -> Iterator[None]:
    """Defer termination signals until the context exits."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, *_ASKING_TO_END))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def on_cluster(
    name: str, wanted: Placement, ranks: int | None = None, *, records: Records | None = None
) -> Iterator[tuple[Placement, int]]:
    """Yield the placement of jobs on a cluster and their number of ranks (default: the cluster's).

    `name` is the name of a running or a shipped cluster, or a path. A cluster that is not up is created for this
    process and removed on exit, also after SIGTERM, SIGHUP or Ctrl-C. Call it in the main thread. Raises `UsageError`
    and `AdclError`.
    """
    records = records or Records()
    cluster = None
    with contextlib.suppress(UsageError):
        cluster = find_cluster(name)
    if isinstance(cluster, SimulatedCluster):
        hosts = cluster.file.with_suffix(".hosts")
        filled = hosts if hosts.is_file() and wanted.local else wanted.hostfile
        yield dataclasses.replace(wanted, platform=cluster.file, hostfile=filled), ranks or 2
        return
    check_possible()
    with records.locked():
        states = [one for one in records.read() if one.instance == name and not one.is_abandoned]
    if states:
        yield _placed(records, name, parse_platform(Source(states[0].platform, name)), ranks, wanted)
        return
    cluster = find_cluster(name)
    if isinstance(cluster, SimulatedCluster):
        raise UsageError(f"{name} is simulated")
    instance = f"{cluster.name}.{os.getpid()}"
    placed = _placed(records, instance, cluster.platform, ranks, wanted)
    with _signals_as_exceptions():
        try:
            up(records, cluster, instance, owned=True)
            yield placed
        finally:
            with _deferred_signals(), contextlib.suppress(UsageError):
                down(records, instance)


def _placed(
    records: Records, instance: str, platform: Platform, ranks: int | None, wanted: Placement
) -> tuple[Placement, int]:
    count = platform.ranks if ranks is None else ranks
    return placement_on(instance, platform, count, wanted, agent=str(records.agent(instance)), ip=tool("ip")), count
