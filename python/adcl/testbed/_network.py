"""Create and remove clusters. Only this module runs `ip` and `tc`."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from adcl._source import Source
from adcl.errors import AdclError, UsageError
from adcl.testbed._plan import agent_script, commands, link_rate_commands, namespaces
from adcl.testbed._platform import Link, checked_rate, parse_platform
from adcl.testbed._state import Owner, Records, State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adcl.testbed._shipped import EmulatedCluster

__all__ = ["check_possible", "clean", "down", "running_clusters", "slow", "tool", "up"]

_NAMED = Path("/run/netns")
_GIVE_UP_S = 10.0
_NEEDED = ("ip", "tc", "unshare")


def tool(name: str) -> str:
    """Return the path of a system program. Raises `AdclError` with the remedy."""
    path = shutil.which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin")
    if path is None:
        package = "util-linux" if name == "unshare" else "iproute2"
        raise AdclError(f"emulated clusters require the program {name}, which was not found; install {package}")
    return path


def check_possible() -> None:
    """Raise `AdclError`, with the remedy, if clusters cannot be created."""
    if os.geteuid() != 0:
        raise AdclError(
            "emulated clusters require root, for network namespaces; use sudo, or a simulated cluster (see 'adcl "
            "testbed list')"
        )
    for name in _NEEDED:
        tool(name)


def _run(command: Iterable[str], lock: int) -> str:
    """Run a command, which inherits the lock. Raises `AdclError` if it fails."""
    name, *words = command
    # In a separate process group: Ctrl-C reaches only this process, which then removes the cluster.
    done = subprocess.run(
        [tool(name), *words], pass_fds=(lock,), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False, process_group=0,
    )  # fmt: skip
    if done.returncode != 0:
        message = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise AdclError(f"'{name} {' '.join(words)}' failed: {message}")
    return done.stdout


def _kill_inside(name: str) -> None:
    """End all processes in one of our namespaces."""
    try:
        inside = (_NAMED / name).stat()
    except OSError:
        return
    end = time.monotonic() + _GIVE_UP_S
    while True:
        left = 0
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            with contextlib.suppress(OSError):
                handle = os.pidfd_open(int(folder.name))
                try:
                    # The handle pins the process, so the comparison of its namespace is free of races.
                    its_own = (folder / "ns/net").stat()
                    if (its_own.st_dev, its_own.st_ino) == (inside.st_dev, inside.st_ino):
                        left += 1
                        signal.pidfd_send_signal(handle, signal.SIGKILL)
                finally:
                    os.close(handle)
        if left == 0:
            return
        if time.monotonic() > end:
            raise AdclError(
                f"processes in the namespace {name} survived SIGKILL ({left}); list them with 'ip netns pids {name}'"
            )
        time.sleep(0.01)


def _remove(records: Records, state: State, lock: int) -> None:
    """Remove all parts of a cluster; its record last."""
    for name in state.namespaces:
        _kill_inside(name)
        if (_NAMED / name).exists():
            _run(("ip", "netns", "del", name), lock)
    records.remove(state)


def _clean(records: Records, lock: int) -> list[str]:
    """Remove abandoned clusters; return their names."""
    left = [state for state in records.read() if state.is_abandoned]
    for state in left:
        _remove(records, state, lock)
    return [state.instance for state in left]


def clean(records: Records) -> list[str]:
    """Remove clusters whose creation was interrupted or whose owner has ended; return their names."""
    with records.locked() as lock:
        return _clean(records, lock)


def up(records: Records, cluster: EmulatedCluster, instance: str, *, owned: bool = False) -> State:
    """Create a cluster; first remove abandoned clusters.

    A cluster with an owner counts as abandoned when the owner process has ended. Raises `UsageError` if the cluster
    already exists, or if a namespace with one of the cluster's names exists that the testbed did not create.
    """
    check_possible()
    with records.locked() as lock:
        _clean(records, lock)
        if any(state.instance == instance for state in records.read()):
            raise UsageError(f"{instance} is already up; take it down with 'adcl testbed down {instance}'")
        names = namespaces(instance, cluster.platform)
        for name in names:
            if (_NAMED / name).exists():
                raise UsageError(
                    f"the network namespace {name} exists but does not belong to the testbed; if it is unused, remove "
                    f"it with 'ip netns del {name}'"
                )
        owner = Owner.of(os.getpid()) if owned else None
        state = State(instance, cluster.text, tuple(names), owner)
        try:
            records.write(state)
            for command in commands(instance, cluster.platform):
                _run(command, lock)
            agent = records.agent(instance)
            agent.write_text(agent_script(tool("ip"), instance), encoding="utf-8")
            agent.chmod(0o700)
            state = State(instance, cluster.text, tuple(names), owner, complete=True)
            records.write(state)
        except BaseException:
            _remove(records, state, lock)
            raise
        return state


def running_clusters(records: Records) -> list[State]:
    """Return the clusters that are up, including clusters of running commands."""
    if not records.folder.is_dir():
        return []
    with records.locked():
        return [state for state in records.read() if not state.is_abandoned]


def down(records: Records, instance: str | None = None) -> list[str]:
    """Take down one cluster, or all except clusters of running commands; return the removed names.

    Also removes abandoned clusters. Raises `UsageError` if the cluster does not exist.
    """
    check_possible()
    with records.locked() as lock:
        gone = _clean(records, lock)
        states = records.read()
        chosen = [
            state for state in states if (state.owner is None if instance is None else state.instance == instance)
        ]
        if instance is not None and not chosen and instance not in gone:
            known = ", ".join(state.instance for state in states) or "nothing"
            raise UsageError(f"{instance} is not up; running clusters: {known}")
        for state in chosen:
            _remove(records, state, lock)
        return [*gone, *(state.instance for state in chosen)]


def slow(records: Records, instance: str, host: str, rate: str) -> None:
    """Change the rate of a host's link while programs use it. Raises `UsageError`."""
    check_possible()
    checked_rate(rate)
    with records.locked() as lock:
        states = [state for state in records.read() if state.instance == instance and not state.is_abandoned]
        if not states:
            raise UsageError(f"{instance} is not up; create it with 'adcl testbed up {instance}'")
        platform = parse_platform(Source(states[0].platform, instance))
        hosts = [one for one in platform.hosts if one.name == host]
        if not hosts:
            raise UsageError(f"{instance} has no host {host}; its hosts are h0 to {platform.hosts[-1].name}")
        link = hosts[0].link
        for command in link_rate_commands(instance, hosts[0], Link(rate, link.burst, link.latency, link.limit)):
            _run(command, lock)
