"""Commands of `ip` and `tc` that create a cluster; this module runs none of them.

All parts are inside the cluster's own network namespaces: one for each host, and one for all switches. The machine's
interfaces, addresses and routes are not involved, and removing the namespaces removes everything.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adcl.errors import UsageError

if TYPE_CHECKING:
    from adcl.testbed._platform import Host, Link, Platform

__all__ = [
    "PREFIX",
    "SUBNET",
    "address",
    "agent_script",
    "commands",
    "host_command_prefix",
    "link_rate_commands",
    "namespace",
    "namespaces",
]

PREFIX = "adcl-"
"""Prefix of all namespaces."""

SUBNET = "10.77.0.0/24"
"""Addresses in every cluster; clusters are isolated from each other and from the machine's network."""

_SWITCHES = "net"
_INSTANCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

Command = tuple[str, ...]


def namespace(instance: str, host: str = _SWITCHES) -> str:
    """Return the namespace of a host (default: the namespace of the switches). Raises `UsageError`."""
    if not _INSTANCE.fullmatch(instance):
        raise UsageError(f"{instance!r} is not a valid cluster name; use letters, digits, '.', '_' and '-'")
    return f"{PREFIX}{instance}-{host}"


def namespaces(instance: str, platform: Platform) -> list[str]:
    """Return the names of all namespaces that `commands` creates."""
    return [namespace(instance), *(namespace(instance, host.name) for host in platform.hosts)]


def address(number: int) -> str:
    """Return the address of a host, numbered from 0."""
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
    """Return the commands that create the cluster, in order. Raises `UsageError`."""
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


def link_rate_commands(instance: str, host: Host, link: Link) -> list[Command]:
    """Return the commands that change the rate of a host's link at both ends."""
    return [
        _shaped(namespace(instance), host.name, link, "replace"),
        _shaped(namespace(instance, host.name), "eth0", link, "replace"),
    ]


def host_command_prefix(ip: str, instance: str, host: str) -> Command:
    """Return the prefix that runs a command on a host: in its namespace and with its host name.

    The host name makes MPI libraries treat ranks as being on different machines without shared memory.
    """
    script = f'hostname {host} && exec "$@"'
    return (ip, "netns", "exec", namespace(instance, host), "unshare", "--uts", "sh", "-c", script, "sh")


def agent_script(ip: str, instance: str) -> str:
    """Return a script that runs a command on a host with the arguments of `ssh HOST COMMAND`."""
    return (
        "#!/bin/sh\n"
        "host=$1\n"
        "shift\n"
        f'exec {ip} netns exec "{PREFIX}{instance}-$host" unshare --uts sh -c "hostname $host && $*"\n'
    )
