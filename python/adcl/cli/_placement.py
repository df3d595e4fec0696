"""The options that say where a job runs, which several commands have."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adcl.errors import UsageError
from adcl.launch import ON_EMULATED_CLUSTERS, SIMULATOR, Placement

if TYPE_CHECKING:
    from adcl.launch import Launcher

__all__ = [
    "Host",
    "Hostfile",
    "LauncherOption",
    "On",
    "Oversubscribe",
    "Pmi",
    "RanksPerNode",
    "kind_on",
    "placed_on",
    "placement",
    "refuse_other_launcher",
]

Host = Annotated[str | None, typer.Option(metavar="A,B,…", help="Run on these hosts.")]
Hostfile = Annotated[Path | None, typer.Option(metavar="FILE", help="Run on the hosts in this file.")]
RanksPerNode = Annotated[int | None, typer.Option(metavar="COUNT", help="Ranks on each host.")]
Oversubscribe = Annotated[
    bool | None,
    typer.Option(
        "--oversubscribe/--no-oversubscribe",
        help="Allow more ranks than cores; they yield while they wait. By default decided by counting cores.",
    ),
]
Pmi = Annotated[str | None, typer.Option(metavar="KIND", help="Slurm: how ranks find each other: pmix, pmi2.")]
LauncherOption = Annotated[
    list[str] | None,
    typer.Option(metavar="OPTION", help="A further option of the launcher itself; may be given several times."),
]

On = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Run on a cluster of the testbed; 'adcl testbed list' names them."),
]


@contextlib.contextmanager
def placed_on(name: str | None, wanted: Placement, ranks: int | None) -> Iterator[tuple[Placement, int]]:
    """Give the placement of jobs on a cluster of the testbed, and how many ranks they have; without a name as wanted.

    See `adcl.testbed.on_cluster`.
    """
    if name is None:
        yield wanted, 1 if ranks is None else ranks
        return
    from adcl import testbed

    with testbed.on_cluster(name, wanted, ranks) as placed:
        yield placed


def kind_on(placement: Placement) -> str:
    """Return the kind of the launchers that start jobs which `placed_on` has placed on a cluster."""
    return (SIMULATOR if placement.platform else ON_EMULATED_CLUSTERS).name


def refuse_other_launcher(name: str, placement: Placement, launcher: "Launcher") -> None:
    """Raise `UsageError` for a launcher that starts no jobs on that cluster."""
    kind = kind_on(placement)
    if launcher.kind.name != kind:
        raise UsageError(f"programs on {name} are started by a launcher of the kind {kind}, not by {launcher}")


def placement(
    host: str | None,
    hostfile: Path | None,
    ranks_per_node: int | None,
    *,
    oversubscribe: bool | None,
    pmi: str | None,
    launcher_option: list[str] | None,
    platform: Path | None = None,
) -> Placement:
    """Make a placement of the options. Raises `UsageError`."""
    if hostfile is not None and not hostfile.is_file():
        raise UsageError(f"there is no hostfile {str(hostfile)!r}")
    return Placement(
        hosts=tuple(host.split(",")) if host else (),
        hostfile=None if hostfile is None else hostfile.absolute(),
        ranks_per_node=ranks_per_node,
        oversubscribe=oversubscribe,
        pmi=pmi,
        platform=platform,
        launcher_options=tuple(launcher_option or ()),
    )
