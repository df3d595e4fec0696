"""The platforms that come with the package, and those that users write."""

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
    """Network namespaces on this machine: real programs, real TCP."""

    name: str
    text: str
    platform: Platform

    @property
    def description(self) -> str:
        """What it is, in a line."""
        return self.platform.description


@dataclass(frozen=True, slots=True)
class SimulatedCluster:
    """A platform of SimGrid: the time of its ranks is simulated."""

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
    """Return the clusters of the package, emulated ones first."""
    emulated = [_read(file.stem, file) for file in sorted(_FOLDER.glob("*.toml"))]
    return [*emulated, *(SimulatedCluster(name, text, _FOLDER / f"{name}.xml") for name, text in _SIMULATED.items())]


def find_cluster(name: str) -> EmulatedCluster | SimulatedCluster:
    """Return the shipped cluster of that name, or the one in the file at that path (`.toml`, or `.xml` of SimGrid).

    Raises `UsageError` where there is neither, and for a file that does not say what it should.
    """
    for cluster in shipped_clusters():
        if cluster.name == name:
            return cluster
    path = Path(name)
    if path.suffix == ".toml":
        return _read(path.stem, path)
    if path.suffix == ".xml":
        if not path.is_file():
            raise UsageError(f"there is no platform file {name!r}")
        return SimulatedCluster(path.stem, "", path.absolute())
    hint = suggestion(name, [cluster.name for cluster in shipped_clusters()])
    raise UsageError(f"there is no platform {name!r}; {hint} (the path of a platform file ends in .toml or .xml)")
