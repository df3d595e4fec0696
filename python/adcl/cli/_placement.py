"""Options for the placement of a job, shared by several commands."""

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
    "launcher_kind_on",
    "placement",
    "placement_on_cluster",
    "require_launcher_kind",
]

Host = Annotated[str | None, typer.Option(metavar="A,B,…", help="Run on these hosts.")]
Hostfile = Annotated[Path | None, typer.Option(metavar="FILE", help="Run on the hosts listed in this file.")]
RanksPerNode = Annotated[int | None, typer.Option(metavar="COUNT", help="Number of ranks per host.")]
Oversubscribe = Annotated[
    bool | None,
    typer.Option(
        "--oversubscribe/--no-oversubscribe",
        help="Allow more ranks than cores; waiting ranks yield (default: if there are more ranks than cores).",
    ),
]
Pmi = Annotated[
    str | None, typer.Option(metavar="KIND", help="PMI of Slurm's srun: pmix or pmi2 (default: srun's default).")
]
LauncherOption = Annotated[
    list[str] | None,
    typer.Option(metavar="OPTION", help="Pass an option to the launcher; may be repeated."),
]

On = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Run on this cluster of the testbed; see 'adcl testbed list'."),
]


@contextlib.contextmanager
def placement_on_cluster(name: str | None, wanted: Placement, ranks: int | None) -> Iterator[tuple[Placement, int]]:
    """Yield the placement of jobs on a testbed cluster and their number of ranks; without a name, `wanted` itself.

    See `adcl.testbed.on_cluster`.
    """
    if name is None:
        yield wanted, 1 if ranks is None else ranks
        return
    from adcl import testbed

    with testbed.on_cluster(name, wanted, ranks) as placed:
        yield placed


def launcher_kind_on(placement: Placement) -> str:
    """Return the launcher kind that starts the jobs of `placement_on_cluster` on a cluster."""
    return (SIMULATOR if placement.platform else ON_EMULATED_CLUSTERS).name


def require_launcher_kind(name: str, placement: Placement, launcher: "Launcher") -> None:
    """Raise `UsageError` if the launcher cannot start jobs on the cluster."""
    kind = launcher_kind_on(placement)
    if launcher.kind.name != kind:
        raise UsageError(
            f"{name} requires a launcher of kind {kind}, but --mpi names {launcher}; omit --mpi or name a launcher of "
            "that kind"
        )


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
    """Return the placement that the options describe. Raises `UsageError`."""
    if hostfile is not None and not hostfile.is_file():
        raise UsageError(f"the hostfile {str(hostfile)!r} does not exist; check the path")
    return Placement(
        hosts=tuple(host.split(",")) if host else (),
        hostfile=None if hostfile is None else hostfile.absolute(),
        ranks_per_node=ranks_per_node,
        oversubscribe=oversubscribe,
        pmi=pmi,
        platform=platform,
        launcher_options=tuple(launcher_option or ()),
    )
