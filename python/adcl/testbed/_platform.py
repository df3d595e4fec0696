"""Structure of an emulated cluster, and its TOML format.

description = "2 racks of 4 hosts"
ranks_per_host = 1

[link]                  # from each host to the switch of its rack
rate = "1gbit"
burst = "64kb"
latency = "5ms"         # maximum queue length as a time; or in bytes: limit = "60kb"

[uplink]                # between the switches of racks
rate = "300mbit"
burst = "32kb"
limit = "60kb"

[[racks]]
hosts = 4

[[racks]]
hosts = 4

[hosts.h7]              # a host that differs from the others
rate = "100mbit"
ranks = 2
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from adcl._suggest import nearest
from adcl._toml import KINDS, has_toml_type, read_toml, shown
from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adcl._source import Source
    from adcl._toml_places import Path

__all__ = ["MOST_HOSTS", "Host", "Link", "Platform", "checked_rate", "parse_platform"]

MOST_HOSTS = 200
"""Maximum number of hosts per cluster; their addresses share one subnet of 254."""

_MOST_RANKS = 1024
_RATE = re.compile(r"[1-9][0-9]*(?:\.[0-9]+)?[kmg]bit")
_SIZE = re.compile(r"[1-9][0-9]*[km]?b")
_TIME = re.compile(r"[1-9][0-9]*(?:us|ms|s)")
_FORMS = {
    "rate": (_RATE, 'a rate such as "300mbit" or "1gbit"'),
    "burst": (_SIZE, 'a size in bytes such as "64kb"'),
    "latency": (_TIME, 'a time such as "5ms"'),
    "limit": (_SIZE, 'a size in bytes such as "60kb"'),
}


@dataclass(frozen=True, slots=True)
class Link:
    """Shaping of both ends of a link: a token bucket, and a queue that drops excess packets.

    Uses the units of `tc`, where kb is 1024 bytes. Exactly one of `latency` and `limit` bounds the queue.
    """

    rate: str
    burst: str
    latency: str | None = None
    limit: str | None = None


@dataclass(frozen=True, slots=True)
class Host:
    """A host: its name, the number of its rack, its link to the rack's switch, and its number of ranks."""

    name: str
    rack: int
    link: Link
    ranks: int


@dataclass(frozen=True, slots=True)
class Platform:
    """An emulated cluster. One uplink joins two racks; three or more racks have one uplink each to a central switch."""

    description: str
    hosts: tuple[Host, ...]
    racks: int
    uplink: Link | None

    @property
    def ranks(self) -> int:
        """Total number of ranks."""
        return sum(host.ranks for host in self.hosts)


def checked_rate(rate: str) -> str:
    """Return a valid rate. Raises `UsageError`."""
    if not _RATE.fullmatch(rate):
        raise UsageError(f"expected {_FORMS['rate'][1]}, found {rate!r}")
    return rate


class _PlatformReader:
    """Converts a document to a `Platform`, and reports the places of errors."""

    def __init__(self, source: Source) -> None:
        self._document = read_toml(source)

    def _fail(self, path: Path, message: str, *, at_key: bool = False) -> NoReturn:
        raise self._document.error(path, message, at_key=at_key)

    def _keys(self, table: dict[str, Any], path: Path, known: Iterable[str]) -> None:
        names = tuple(known)
        for key in table:
            if key not in names:
                near = nearest(key, names)
                hint = f"; did you mean {near}?" if near else ""
                self._fail((*path, key), f"expected one of {', '.join(names)}, found {key}{hint}", at_key=True)

    def _of_kind(self, value: object, kind: type, path: Path) -> Any:  # noqa: ANN401 - a value of TOML
        if not has_toml_type(value, kind):
            self._fail(path, f"{path[-1]}: expected {KINDS[kind]}, found {shown(value)}")
        return value

    def _table(self, within: dict[str, Any], key: str) -> dict[str, Any]:
        found: dict[str, Any] = self._of_kind(within.get(key, {}), dict, (key,))
        return found

    def _count(self, value: object, path: Path, most: int) -> int:
        count: int = self._of_kind(value, int, path)
        if not 1 <= count <= most:
            self._fail(path, f"{path[-1]}: expected 1 to {most}, found {count}")
        return count

    def _link(self, table: dict[str, Any], path: Path, otherwise: Link | None = None) -> Link:
        found: dict[str, str] = {}
        for key, (form, expected) in _FORMS.items():
            if key in table:
                text = table[key]
                if not isinstance(text, str) or not form.fullmatch(text):
                    self._fail((*path, key), f"{key}: expected {expected}, found {shown(text)}")
                found[key] = text
        if "latency" in found and "limit" in found:
            self._fail((*path, "limit"), "expected a latency or a limit of the queue, found both", at_key=True)
        bounded = "latency" in found or "limit" in found
        if otherwise is not None:
            return Link(
                found.get("rate", otherwise.rate),
                found.get("burst", otherwise.burst),
                found.get("latency") if bounded else otherwise.latency,
                found.get("limit") if bounded else otherwise.limit,
            )
        for key in ("rate", "burst"):
            if key not in found:
                self._fail(path, f"{path[-1]}: expected a {key}, found none", at_key=True)
        if not bounded:
            self._fail(path, f"{path[-1]}: expected a latency or a limit of the queue, found neither", at_key=True)
        return Link(found["rate"], found["burst"], found.get("latency"), found.get("limit"))

    def platform(self) -> Platform:
        values = self._document.values
        self._keys(values, (), ("description", "ranks_per_host", "link", "uplink", "racks", "hosts"))
        description = self._of_kind(values.get("description", ""), str, ("description",))
        ranks = self._count(values.get("ranks_per_host", 1), ("ranks_per_host",), _MOST_RANKS)
        if "link" not in values:
            self._fail((), "expected a table [link], which connects hosts to the switch of their rack, found none")
        self._keys(self._table(values, "link"), ("link",), _FORMS)
        link = self._link(self._table(values, "link"), ("link",))
        counts = self._racks(values)
        uplink = None
        if "uplink" in values:
            self._keys(self._table(values, "uplink"), ("uplink",), _FORMS)
            uplink = self._link(self._table(values, "uplink"), ("uplink",))
        elif len(counts) > 1:
            self._fail(("racks", 1), "expected a table [uplink], which connects racks, found none")
        racks = [rack for rack, count in enumerate(counts) for _ in range(count)]
        hosts = self._hosts(racks, link, ranks)
        return Platform(description, hosts, len(counts), uplink)

    def _racks(self, values: dict[str, Any]) -> list[int]:
        racks = self._of_kind(values.get("racks", []), list, ("racks",))
        if not racks:
            self._fail(("racks",), "expected at least one table [[racks]] with a number of hosts, found none")
        counts = []
        for number, rack in enumerate(racks):
            self._of_kind(rack, dict, ("racks", number))
            self._keys(rack, ("racks", number), ("hosts",))
            if "hosts" not in rack:
                self._fail(("racks", number), "expected a number of hosts, found none")
            counts.append(self._count(rack["hosts"], ("racks", number, "hosts"), MOST_HOSTS))
        if sum(counts) > MOST_HOSTS:
            self._fail(("racks",), f"expected at most {MOST_HOSTS} hosts, found {sum(counts)}")
        return counts

    def _hosts(self, racks: list[int], link: Link, ranks: int) -> tuple[Host, ...]:
        unlike = self._table(self._document.values, "hosts")
        names = [f"h{number}" for number in range(len(racks))]
        for name in unlike:
            if name not in names:
                self._fail(("hosts", name), f"expected one of h0 to {names[-1]}, found {name}", at_key=True)
        hosts = []
        for name, rack in zip(names, racks, strict=True):
            path: Path = ("hosts", name)
            table = self._of_kind(unlike.get(name, {}), dict, path)
            self._keys(table, path, (*_FORMS, "ranks"))
            own = self._count(table["ranks"], (*path, "ranks"), _MOST_RANKS) if "ranks" in table else ranks
            hosts.append(Host(name, rack, self._link(table, path, link), own))
        return tuple(hosts)


def parse_platform(source: Source) -> Platform:
    """Parse a platform. Raises `SourceError` with the place of the error."""
    return _PlatformReader(source).platform()
