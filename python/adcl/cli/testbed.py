"""Command ``adcl testbed``."""

from typing import Annotated

import typer

from adcl.cli._console import counted, examples, new_app, output, print_json
from adcl.errors import UsageError

__all__ = ["app"]

app = new_app()

_Name = Annotated[str, typer.Argument(metavar="NAME", help="Shipped platform, or path of a platform file.")]
_Up = Annotated[str, typer.Argument(metavar="NAME", help="Name of a running cluster.")]


@app.callback(epilog=examples("adcl testbed list", "adcl testbed run hierarchical -n 8 -- ./solver"))
def testbed() -> None:
    """Run programs on emulated (as root) and simulated networks."""


@app.command("list", epilog=examples("adcl testbed list", "adcl testbed list --json"))
def list_(*, json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False) -> None:
    """List the shipped platforms and the running clusters."""
    import os

    from adcl.testbed import Records, SimulatedCluster, running_clusters, shipped_clusters

    records = Records()
    # Only root can read the folder of the cluster records.
    states = running_clusters(records) if os.geteuid() == 0 else []
    rows = [
        {
            "name": one.name,
            "kind": "simulated" if isinstance(one, SimulatedCluster) else "emulated",
            "description": one.description,
        }
        for one in shipped_clusters()
    ]
    up = [{"name": one.instance, "owner": None if one.owner is None else one.owner.process} for one in states]
    if json:
        print_json({"platforms": rows, "up": up})
        return
    for row in rows:
        typer.echo(f"{row['name']:<14}{row['kind']:<11}{row['description']}")
    if up:
        typer.echo("")
    for found in up:
        owner = "" if found["owner"] is None else f" for process {found['owner']}"
        typer.echo(f"{found['name']} is up{owner}")


@app.command(epilog=examples("adcl testbed up hierarchical", "adcl testbed up ./mine.toml"))
def up(name: _Name) -> None:
    """Create an emulated cluster.

    The cluster remains until it is taken down. Requires root.
    """
    from adcl.testbed import Records, SimulatedCluster, find_cluster
    from adcl.testbed import up as make

    cluster = find_cluster(name)
    if isinstance(cluster, SimulatedCluster):
        raise UsageError(f"{name} is simulated and needs no 'up'; run programs on it with 'adcl testbed run {name}'")
    make(Records(), cluster, cluster.name)
    platform = cluster.platform
    output().print(
        f"{cluster.name} is up: {counted(len(platform.hosts), 'host')} for {counted(platform.ranks, 'rank')}",
        soft_wrap=True,
        markup=False,
    )


@app.command(epilog=examples("adcl testbed down hierarchical", "adcl testbed down"))
def down(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Cluster to take down (default: all).")] = None,
) -> None:
    """Take down clusters, end their programs, and remove leftovers.

    Leftovers are the parts of clusters whose command was killed. Requires root.
    """
    from adcl.testbed import Records
    from adcl.testbed import down as take_down

    gone = take_down(Records(), name)
    typer.echo(f"removed {', '.join(gone)}" if gone else "no cluster is up")


@app.command(epilog=examples("adcl testbed slow hierarchical h3 100mbit"))
def slow(
    name: _Up,
    host: Annotated[str, typer.Argument(metavar="HOST", help="Host: h0, h1, …")],
    rate: Annotated[str, typer.Argument(metavar="RATE", help="New rate of the host's link, such as 100mbit.")],
) -> None:
    """Change the rate of a host's link while programs use it. Requires root."""
    from adcl.testbed import Records
    from adcl.testbed import slow as change

    change(Records(), name, host, rate)
    typer.echo(f"the link of {host} now has a rate of {rate}")


@app.command(
    epilog=examples("adcl testbed run flat -- ./solver --steps 100", "adcl testbed run laki -n 64 -- ./solver_smpi"),
)
def run(
    name: _Name,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[-n COUNT] -- PROGRAM [ARGS]",
            help="Number of ranks, program and its arguments.",
            show_default=False,
        ),
    ],
    *,
    ranks: Annotated[
        int | None,
        typer.Option(
            "-n", "--ranks", metavar="COUNT", help=("Number of ranks (default: one per core of the cluster).")
        ),
    ] = None,
    timeout: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop the job after this time: 60, 90s, 1m30s or 2h.")
    ] = None,
) -> None:
    """Run an MPI program on a cluster.

    If the cluster is not up, create it for this run and remove it afterward. The command is a short form of
    'adcl run --on NAME', which has more options. The exit code is the program's.
    """
    from adcl.cli.run import run as run_program

    program, *arguments = words
    run_program(program, arguments, ranks=ranks, timeout=timeout, on=name)
