"""``adcl report``."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adcl.cli._console import examples, new_app, output, print_json
from adcl.errors import UsageError

if TYPE_CHECKING:
    from adcl.trace import Trace

__all__ = ["app"]

app = new_app()

_MOST_LINES = 12
_EPILOG = examples(
    "ADCL_TRACE=trace mpirun -n 4 ./solver && adcl report trace",
    "adcl report trace --output solver.html",
    "adcl report trace --text --rank 3",
    "adcl report adcl-interpose.json",
    "adcl report trace --json | jq '.searches[].decision.winner'",
)


def _page_of(trace: Path, given: Path | None) -> Path:
    """Beside the trace, unless it was said."""
    if given is not None:
        return given
    whole = trace.resolve()
    return trace.parent / f"{whole.name}.html" if trace.name not in ("", "..") else whole.parent / f"{whole.name}.html"


def _say(found: "Trace", page: Path) -> None:
    """The result in short, and where the rest is."""
    from adcl.trace import headline, title

    several = len(found.runs) > 1
    for search in found.searches[:_MOST_LINES]:
        typer.echo(f"{title(search, several_runs=several)}: {headline(search)}")
    if len(found.searches) > _MOST_LINES:
        typer.echo(f"… and {len(found.searches) - _MOST_LINES} more searches")
    typer.echo(f"the page is {page}")


def _report_savings(path: Path, *, as_json: bool, page: Path | None) -> None:
    from adcl.cli._savings_tables import print_savings
    from adcl.trace import read_savings

    if page is not None:
        raise UsageError("--output is for traces; the report of the interposer is printed")
    found = read_savings(path)
    if as_json:
        print_json(dataclasses.asdict(found))
    else:
        print_savings(found)


@app.command(epilog=_EPILOG)
def report(
    trace: Annotated[
        Path,
        typer.Argument(
            metavar="TRACE",
            help="The folder that ADCL_TRACE named, or a file of it, or the file that ADCL_INTERPOSE_REPORT named.",
        ),
    ],
    *,
    page: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where the page goes; by default beside TRACE, as TRACE.html."
        ),
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Print tables for a terminal; no page.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document, for programs; no page.")] = False,
    rank: Annotated[
        int | None,
        typer.Option("--rank", metavar="N", min=0, help="See the run as this rank did; by default the lowest."),
    ] = None,
) -> None:
    """Show what the library measured and decided in a run, from its trace, as one HTML page that needs nothing else.

    For each search: every measurement with outliers marked, how the times of each codelet scatter, the winner and why,
    which candidates the measurements do not separate from it, how much faster it is than the first candidate of the
    table, what earlier runs had learned, when a decision was withdrawn and why, and what the search has cost.

    For the report of a run with `adcl run --tune`: tables of the collective calls and what was saved; no page.
    """
    if sum((text, json, page is not None)) > 1:
        raise UsageError("--text, --json and --output exclude each other; choose one")
    from adcl.trace import is_savings_report, read, read_recording, trace_page

    if trace.is_file() and is_savings_report(trace):
        _report_savings(trace, as_json=json, page=page)
        return
    if json:
        print_json(dataclasses.asdict(read(trace, rank)))
        return
    if text:
        from adcl.cli._report_tables import print_trace

        print_trace(output(), read(trace, rank))
        return
    from adcl.report import write

    found = read_recording(trace, rank)
    file = _page_of(trace, page)
    write(trace_page(found), file)
    _say(found.trace, file)
