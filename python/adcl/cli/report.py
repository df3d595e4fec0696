"""Command ``adcl report``."""

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
    "adcl report adcl-interpose.json --output saved.html",
    "adcl report trace --json | jq '.searches[].decision.winner'",
)


def _page_of(trace: Path, given: Path | None) -> Path:
    """Return the path of the page: the given path, or TRACE.html next to the trace."""
    if given is not None:
        return given
    whole = trace.resolve()
    return trace.parent / f"{whole.name}.html" if trace.name not in ("", "..") else whole.parent / f"{whole.name}.html"


def _say(found: "Trace", page: Path) -> None:
    """Print the summary of the result and the path of the page."""
    from adcl.trace import headline, title

    several = len(found.runs) > 1
    for search in found.searches[:_MOST_LINES]:
        typer.echo(f"{title(search, several_runs=several)}: {headline(search)}")
    if len(found.searches) > _MOST_LINES:
        typer.echo(f"… and {len(found.searches) - _MOST_LINES} more")
    typer.echo(f"page: {page}")


def _report_savings(path: Path, *, as_json: bool, page: Path | None) -> None:
    from adcl.trace import read_savings

    found = read_savings(path)
    if as_json:
        print_json(dataclasses.asdict(found))
    elif page is not None:
        from adcl.pages import write
        from adcl.trace import savings_page, sentence

        write(savings_page(found), page)
        typer.echo(f"{sentence(found)}\npage: {page}")
    else:
        from adcl.cli._savings_tables import print_savings

        print_savings(found)


@app.command(epilog=_EPILOG)
def report(
    trace: Annotated[
        Path,
        typer.Argument(
            metavar="TRACE",
            help="Folder of a trace (see ADCL_TRACE), one of its files, or a report of 'adcl run --tune' "
            "(adcl-interpose.json).",
        ),
    ],
    *,
    page: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Output file of the page (default: TRACE.html next to TRACE)."
        ),
    ] = None,
    text: Annotated[
        bool, typer.Option("--text", help="Print tables to the terminal instead of writing a page.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of writing a page.")] = False,
    rank: Annotated[
        int | None,
        typer.Option(
            "--rank", metavar="N", min=0, help=("Read the trace file of this rank (default: the lowest rank).")
        ),
    ] = None,
) -> None:
    """Write a report on the measurements and decisions of a run, from its trace, as one self-contained HTML page.

    For each search, the page shows: every sample with outliers marked; the distribution of the times of each codelet;
    the winner and the reason; the candidates that the measurements do not distinguish from the winner; the speedup over
    the first candidate; the history used; the reason for each withdrawn decision; and the overhead.

    For the report of `adcl run --tune`, print tables of the collective calls and the time saved. With --output, write
    them as a page.
    """
    if sum((text, json, page is not None)) > 1:
        raise UsageError("--text, --json and --output exclude each other; give only one")
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
    from adcl.pages import write

    found = read_recording(trace, rank)
    file = _page_of(trace, page)
    write(trace_page(found), file)
    _say(found.trace, file)
