"""What is to be made for a cluster, as commands of `ip` and `tc`; nothing here runs one.

Everything is made inside network namespaces of the cluster's own: one for each host, and one for all switches. The
machine's own interfaces, addresses and routes have no part in it, and with the namespaces goes everything in them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adcl.errors import UsageError

if TYPE_CHECKING:
    from adcl.testbed._platform import Host, Link, Platform

__all__ = ["PREFIX", "SUBNET", "address", "agent_script", "commands", "entering", "namespace", "namespaces", "slowed"]

PREFIX = "adcl-"
"""What the names of all namespaces begin with."""

SUBNET = "10.77.0.0/24"
"""The addresses in every cluster; clusters do not see each other, nor the machine's network."""

_SWITCHES = "net"
_INSTANCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

Command = tuple[str, ...]


def namespace(instance: str, host: str = _SWITCHES) -> str:
    """Return the name of a host's namespace, by default of the one with the switches. Raises `UsageError`."""
    if not _INSTANCE.fullmatch(instance):
        raise UsageError(f"a cluster cannot be called {instance!r}: letters, digits, '.', '_' and '-' make a name")
    return f"{PREFIX}{instance}-{host}"


def namespaces(instance: str, platform: Platform) -> list[str]:
    """Return the names of everything that `commands` makes."""
    return [namespace(instance), *(namespace(instance, host.name) for host in platform.hosts)]


def address(number: int) -> str:
    """Return the address of the host with that number, counted from 0."""
    return f"{SUBNET.rpartition('.')[0]}.{number + 1}"


def _shaped(within: str, device: str, link: Link, verb: str = "add") -> Command:
    queue = ("latency", link.latency) if link.latency is not None else ("limit", str(link.limit))
    words = ("root", "tbf", "rate", link.rate, "burst", link.burst, *queue)
    return ("tc", "-n", within, "qdisc", verb, "dev", device, *words)


def _bridge(within: str, name: str) -> list[Command]:
    return [
        ("ip", "-n", within, "link", "add", name, "type", "bridge"),
        ("ip", "-n", within, "link", "set", name, "up"),
    ]


def _attached(within: str, device: str, bridge: str) -> Command:
    return ("ip", "-n", within, "link", "set", device, "master", bridge, "up")


def _joined(within: str, ends: tuple[str, str], bridges: tuple[str, str], link: Link) -> list[Command]:
    made: list[Command] = [("ip", "-n", within, "link", "add", ends[0], "type", "veth", "peer", "name", ends[1])]
    for end, bridge in zip(ends, bridges, strict=True):
        made += [_attached(within, end, bridge), _shaped(within, end, link)]
    return made


def _uplinks(within: str, racks: int, link: Link) -> list[Command]:
    if racks == 2:  # noqa: PLR2004
        return _joined(within, ("up0", "up1"), ("rack0", "rack1"), link)
    made = _bridge(within, "core")
    for rack in range(racks):
        made += _joined(within, (f"up{rack}", f"down{rack}"), (f"rack{rack}", "core"), link)
    return made


def commands(instance: str, platform: Platform) -> list[Command]:
    """Return what makes the cluster, in this order. Raises `UsageError`."""
    switches = namespace(instance)
    made: list[Command] = [("ip", "netns", "add", name) for name in namespaces(instance, platform)]
    for rack in range(platform.racks):
        made += _bridge(switches, f"rack{rack}")
    if platform.racks > 1 and platform.uplink is not None:
        made += _uplinks(switches, platform.racks, platform.uplink)
    for number, host in enumerate(platform.hosts):
        own = namespace(instance, host.name)
        made += [
            ("ip", "-n", switches, "link", "add", host.name, "type", "veth", "peer", "name", "eth0", "netns", own),
            _attached(switches, host.name, f"rack{host.rack}"),
            ("ip", "-n", own, "address", "add", f"{address(number)}/24", "dev", "eth0"),
            ("ip", "-n", own, "link", "set", "lo", "up"),
            ("ip", "-n", own, "link", "set", "eth0", "up"),
            _shaped(switches, host.name, host.link),
            _shaped(own, "eth0", host.link),
        ]
    return made


def slowed(instance: str, host: Host, link: Link) -> list[Command]:
    """Return what gives both ends of a host's link another shape, while programs use it."""
    return [
        _shaped(namespace(instance), host.name, link, "replace"),
        _shaped(namespace(instance, host.name), "eth0", link, "replace"),
    ]


def entering(ip: str, instance: str, host: str) -> Command:
    """Return what a command is put behind to run on that host: in its namespace, and under its name.

    The name is what tells an MPI library that ranks are on different machines and share no memory.
    """
    script = f'hostname {host} && exec "$@"'
    return (ip, "netns", "exec", namespace(instance, host), "unshare", "--uts", "sh", "-c", script, "sh")


def agent_script(ip: str, instance: str) -> str:
    """Return a script that runs a command on a host as `ssh HOST COMMAND` would."""
    return (
        "#!/bin/sh\n"
        "host=$1\n"
        "shift\n"
        f'exec {ip} netns exec "{PREFIX}{instance}-$host" unshare --uts sh -c "hostname $host && $*"\n'
    )
