"""Makes and removes clusters: the one place that runs `ip` and `tc`."""

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
from adcl.testbed._plan import agent_script, commands, namespaces, slowed
from adcl.testbed._platform import Link, checked_rate, parse_platform
from adcl.testbed._state import Owner, Records, State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adcl.testbed._shipped import EmulatedCluster

__all__ = ["check_possible", "clean", "down", "slow", "tool", "up", "up_now"]

_NAMED = Path("/run/netns")
_GIVE_UP_S = 10.0
_NEEDED = ("ip", "tc", "unshare")


def tool(name: str) -> str:
    """Return the path of a program of the system. Raises `AdclError`, with the remedy."""
    path = shutil.which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin")
    if path is None:
        package = "util-linux" if name == "unshare" else "iproute2"
        raise AdclError(f"emulated clusters need the program {name}, which is not here; install {package}")
    return path


def check_possible() -> None:
    """Raise `AdclError`, with the remedy, where no cluster can be made."""
    if os.geteuid() != 0:
        raise AdclError(
            "emulated clusters need root, for network namespaces; use sudo, "
            "or a simulated cluster ('adcl testbed list' names them)"
        )
    for name in _NEEDED:
        tool(name)


def _run(command: Iterable[str], lock: int) -> str:
    """Run a command, which holds the lock for as long as it runs. Raises `AdclError` where it fails."""
    name, *words = command
    # In a process group of its own: Ctrl-C is for this process, which then removes what was made.
    done = subprocess.run(
        [tool(name), *words], pass_fds=(lock,), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False, process_group=0,
    )  # fmt: skip
    if done.returncode != 0:
        said = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise AdclError(f"'{name} {' '.join(words)}' failed: {said}")
    return done.stdout


def _kill_inside(name: str) -> None:
    """End all processes in a namespace of ours."""
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
                    # The handle fixes the process; only now can its namespace be looked at without a race.
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
                f"SIGKILL does not end {left} processes in the namespace {name}; see 'ip netns pids {name}'"
            )
        time.sleep(0.01)


def _remove(records: Records, state: State, lock: int) -> None:
    """Remove a cluster, whatever there is of it; its record last."""
    for name in state.namespaces:
        _kill_inside(name)
        if (_NAMED / name).exists():
            _run(("ip", "netns", "del", name), lock)
    records.remove(state)


def _clean(records: Records, lock: int) -> list[str]:
    """Remove what was left behind; return the names."""
    left = [state for state in records.read() if state.left_behind]
    for state in left:
        _remove(records, state, lock)
    return [state.instance for state in left]


def clean(records: Records) -> list[str]:
    """Remove clusters whose making was cut short, or whose owner has ended; return their names."""
    with records.locked() as lock:
        return _clean(records, lock)


def up(records: Records, cluster: EmulatedCluster, instance: str, *, owned: bool = False) -> State:
    """Make a cluster under that name; what was left behind by others is removed first.

    An owned one is taken for left behind as soon as this process has ended. Raises `UsageError` where there is such a
    cluster already, or something that the testbed did not make has one of its names.
    """
    check_possible()
    with records.locked() as lock:
        _clean(records, lock)
        if any(state.instance == instance for state in records.read()):
            raise UsageError(f"{instance} is up already; 'adcl testbed down {instance}' takes it down")
        names = namespaces(instance, cluster.platform)
        for name in names:
            if (_NAMED / name).exists():
                raise UsageError(
                    f"there is a network namespace {name} that the testbed has no record of, and does not touch; "
                    f"if nobody needs it, 'ip netns del {name}' removes it"
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


def up_now(records: Records) -> list[State]:
    """Return the clusters that are up; those of running commands among them."""
    if not records.folder.is_dir():
        return []
    with records.locked():
        return [state for state in records.read() if not state.left_behind]


def down(records: Records, instance: str | None = None) -> list[str]:
    """Take down that cluster, or all but those of running commands; return the names of what was removed.

    What was left behind is removed as well. Raises `UsageError` where there is no such cluster.
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
            raise UsageError(f"{instance} is not up; up is {known}")
        for state in chosen:
            _remove(records, state, lock)
        return [*gone, *(state.instance for state in chosen)]


def slow(records: Records, instance: str, host: str, rate: str) -> None:
    """Give the link of a host another rate, at once and while programs use it. Raises `UsageError`."""
    check_possible()
    checked_rate(rate)
    with records.locked() as lock:
        states = [state for state in records.read() if state.instance == instance and not state.left_behind]
        if not states:
            raise UsageError(f"{instance} is not up; 'adcl testbed up {instance}' makes it")
        platform = parse_platform(Source(states[0].platform, instance))
        hosts = [one for one in platform.hosts if one.name == host]
        if not hosts:
            raise UsageError(f"{instance} has no host {host}; its hosts are h0 to {platform.hosts[-1].name}")
        link = hosts[0].link
        for command in slowed(instance, hosts[0], Link(rate, link.burst, link.latency, link.limit)):
            _run(command, lock)
