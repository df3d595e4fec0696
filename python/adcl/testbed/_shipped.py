"""Shipped platforms and platform files of users."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from adcl._source import Source
from adcl._suggest import suggestion
from adcl.errors import UsageError
from adcl.testbed._platform import Platform, parse_platform

__all__ = ["EmulatedCluster", "SimulatedCluster", "find_cluster", "shipped_clusters"]

_FOLDER = Path(__file__).parent / "platforms"


@dataclass(frozen=True, slots=True)
class EmulatedCluster:
    """Network namespaces on this machine: real programs over real TCP."""

    name: str
    text: str
    platform: Platform

    @property
    def description(self) -> str:
        """Description in one line."""
        return self.platform.description


@dataclass(frozen=True, slots=True)
class SimulatedCluster:
    """A platform of SimGrid; the time of its ranks is simulated."""

    name: str
    description: str
    file: Path


_SIMULATED = {
    "laki": "64 hosts of 8 cores on a fat tree, InfiniBand of 2 GB/s; 512 ranks",
    "shark": "32 hosts of 2 cores on one switch, Gigabit Ethernet; 64 ranks",
}


def _read(name: str, file: Path) -> EmulatedCluster:
    source = Source.read(file)
    return EmulatedCluster(name, source.text, parse_platform(source))


def shipped_clusters() -> list[EmulatedCluster | SimulatedCluster]:
    """Return the clusters of the package, emulated clusters first."""
    emulated = [_read(file.stem, file) for file in sorted(_FOLDER.glob("*.toml"))]
    return [*emulated, *(SimulatedCluster(name, text, _FOLDER / f"{name}.xml") for name, text in _SIMULATED.items())]


def find_cluster(name: str) -> EmulatedCluster | SimulatedCluster:
    """Return the shipped cluster of this name, or the cluster in a file (`.toml`, or `.xml` of SimGrid).

    Raises `UsageError` if neither exists, and for an invalid file.
    """
    for cluster in shipped_clusters():
        if cluster.name == name:
            return cluster
    path = Path(name)
    if path.suffix == ".toml":
        return _read(path.stem, path)
    if path.suffix == ".xml":
        if not path.is_file():
            raise UsageError(f"the platform file {name!r} does not exist; check the path")
        return SimulatedCluster(path.stem, "", path.absolute())
    hint = suggestion(name, [cluster.name for cluster in shipped_clusters()])
    raise UsageError(f"unknown platform {name!r}; {hint} (the path of a platform file ends in .toml or .xml)")
