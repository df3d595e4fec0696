"""``adcl report``."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from adcl.cli._console import examples, new_app, output, print_json
from adcl.errors import UsageError

__all__ = ["app"]

app = new_app()

_EPILOG = examples(
    "ADCL_TRACE=trace mpirun -n 4 ./solver && adcl report trace --text",
    "adcl report trace --rank 3",
    "adcl report trace --json | jq '.searches[].decision.winner'",
)


@app.command(epilog=_EPILOG)
def report(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="The folder that ADCL_TRACE named, or a file of it.")],
    *,
    text: Annotated[bool, typer.Option("--text", help="Print tables for a terminal; so it is by default.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document, for programs.")] = False,
    rank: Annotated[
        int | None, typer.Option("--rank", metavar="N", min=0, help="Read what this rank wrote; by default the lowest.")
    ] = None,
) -> None:
    """Show what the library measured and decided in a run, from its trace.

    For each search: the requests that shared it, with the names that the application gave them, the candidates and
    their times, the winner and why, which candidates the measurements do not separate from it, how much faster it is
    than the first candidate of the table, and what the search has cost.
    """
    if text and json:
        raise UsageError("--text and --json exclude each other; choose one")
    from adcl.trace import read

    found = read(trace, rank)
    if json:
        print_json(dataclasses.asdict(found))
        return
    from adcl.cli._report_tables import print_trace

    print_trace(output(), found)
