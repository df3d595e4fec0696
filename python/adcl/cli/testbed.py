"""``adcl testbed``."""

from typing import Annotated

import typer

from adcl.cli._console import examples, new_app, output, print_json
from adcl.errors import UsageError

__all__ = ["app"]

app = new_app()

_Name = Annotated[str, typer.Argument(metavar="NAME", help="A shipped platform, or the path of a platform file.")]
_Up = Annotated[str, typer.Argument(metavar="NAME", help="A cluster that is up.")]


@app.callback(epilog=examples("adcl testbed list", "adcl testbed run hierarchical -n 8 -- ./solver"))
def testbed() -> None:
    """Run programs on networks that are not there: emulated clusters (as root), and simulated ones."""


@app.command("list", epilog=examples("adcl testbed list", "adcl testbed list --json"))
def list_(
    *, json: Annotated[bool, typer.Option("--json", help="Print one JSON document, for programs.")] = False
) -> None:
    """List the platforms that come with adcl, and the clusters that are up."""
    import os

    from adcl.testbed import Records, SimulatedCluster, shipped_clusters, up_now

    records = Records()
    # Only root can see into the folder of the records.
    states = up_now(records) if os.geteuid() == 0 else []
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
        owner = "" if found["owner"] is None else f", for process {found['owner']}"
        typer.echo(f"{found['name']} is up{owner}")


@app.command(epilog=examples("adcl testbed up hierarchical", "adcl testbed up ./mine.toml"))
def up(name: _Name) -> None:
    """Make an emulated cluster, which stays until it is taken down. As root."""
    from adcl.testbed import Records, SimulatedCluster, find_cluster
    from adcl.testbed import up as make

    cluster = find_cluster(name)
    if isinstance(cluster, SimulatedCluster):
        raise UsageError(
            f"{name} is simulated: there is nothing to be made, 'adcl testbed run {name}' runs programs on it"
        )
    make(Records(), cluster, cluster.name)
    platform = cluster.platform
    output().print(
        f"{cluster.name} is up: {len(platform.hosts)} hosts, room for {platform.ranks} ranks",
        soft_wrap=True,
        markup=False,
    )


@app.command(epilog=examples("adcl testbed down hierarchical", "adcl testbed down"))
def down(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="By default all that are up.")] = None,
) -> None:
    """Take down a cluster and end what runs on it; also what killed commands left behind. As root."""
    from adcl.testbed import Records
    from adcl.testbed import down as take_down

    gone = take_down(Records(), name)
    typer.echo(f"removed {', '.join(gone)}" if gone else "nothing was up")


@app.command(epilog=examples("adcl testbed slow hierarchical h3 100mbit"))
def slow(
    name: _Up,
    host: Annotated[str, typer.Argument(metavar="HOST", help="Which host: h0, h1, …")],
    rate: Annotated[str, typer.Argument(metavar="RATE", help="The rate of its link from now on, such as 100mbit.")],
) -> None:
    """Give a host's link another rate while programs use it. As root."""
    from adcl.testbed import Records
    from adcl.testbed import slow as change

    change(Records(), name, host, rate)
    typer.echo(f"the link of {host} has {rate}")


@app.command(
    epilog=examples("adcl testbed run flat -- ./solver --steps 100", "adcl testbed run laki -n 64 -- ./solver_smpi"),
)
def run(
    name: _Name,
    words: Annotated[
        list[str],
        typer.Argument(metavar="[-n COUNT] -- PROGRAM [ARGS]", help="How many ranks, of what.", show_default=False),
    ],
    *,
    ranks: Annotated[
        int | None, typer.Option("-n", "--ranks", metavar="COUNT", help="As many as there is room for.")
    ] = None,
    timeout: Annotated[str | None, typer.Option(metavar="TIME", help="Stop the job after this time.")] = None,
) -> None:
    """Run an MPI program on a cluster, which is made for it where it is not up, and removed then.

    The same as adcl run --on NAME, which has more options. The exit code is the program's.
    """
    from adcl.cli.run import run as run_program

    program, *arguments = words
    run_program(program, arguments, ranks=ranks, timeout=timeout, on=name)
