"""The options that say where a job runs, which several commands have."""

from pathlib import Path
from typing import Annotated

import typer

from adcl.errors import UsageError
from adcl.launch import Placement

__all__ = ["Host", "Hostfile", "LauncherOption", "Oversubscribe", "Pmi", "RanksPerNode", "placement"]

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
