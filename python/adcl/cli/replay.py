"""Command ``adcl replay``."""

import contextlib
import dataclasses
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from adcl.cli._console import examples, new_app, output, print_json
from adcl.errors import UsageError

__all__ = ["app"]

app = new_app()

_MOST_MEASUREMENTS = 1_000_000
_MOST_WINDOWS = 1000
_EPILOG = examples(
    "ADCL_SEARCH=brute_force ADCL_MEASUREMENTS=100 ADCL_TRACE=trace mpirun -n 4 ./solver",
    "adcl replay trace",
    "adcl replay trace --verify verification --searches brute_force,model -m 40,20,10 --windows 5",
    "adcl replay trace --output replay.html",
)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _numbers(text: str) -> tuple[int, ...]:
    found = []
    for name in _names(text):
        if not name.isdecimal() or not 1 <= int(name) <= _MOST_MEASUREMENTS:
            raise UsageError(f"--measurements: '{name}' is no whole number from 1 to {_MOST_MEASUREMENTS}")
        found.append(int(name))
    if not found:
        raise UsageError("--measurements: name one number at least, such as 100,20,10")
    return tuple(found)


def _options(given: list[str]) -> dict[str, str]:
    found = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals:
            raise UsageError(f"--option {one}: write NAME=VALUE, such as ADCL_OUTLIER_BOUND=3")
        if name == "ADCL_MEASUREMENTS":
            raise UsageError("--option ADCL_MEASUREMENTS: that is what --measurements says")
        found[name] = value
    return found


@contextlib.contextmanager
def _progress() -> Iterator[tuple[Callable[[int], None], Callable[[], None]]]:
    """A bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield (lambda _: None), (lambda: None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield (lambda total: bar.update(task, total=total)), (lambda: bar.advance(task))


@app.command(epilog=_EPILOG)
def replay(
    traces: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRACE…",
            help="Folders that ADCL_TRACE named: what is replayed, and runs of one preselected codelet.",
        ),
    ],
    *,
    verify: Annotated[
        list[Path] | None,
        typer.Option(
            "--verify",
            metavar="TRACE",
            help="A trace of the same problems that is not replayed but says what is true; several may be given.",
        ),
    ] = None,
    measurements: Annotated[
        str, typer.Option("--measurements", "-m", metavar="N,N…", help="Measurements per codelet to try.")
    ] = "100,80,60,40,20,10",
    searches: Annotated[
        str, typer.Option("--searches", metavar="NAME,NAME…", help="Selection logics to try; by default all.")
    ] = "",
    outliers: Annotated[
        str, typer.Option("--outliers", metavar="NAME,NAME…", help="Statistical methods to try; by default all.")
    ] = "",
    windows: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=_MOST_WINDOWS,
            help="Replay from N equally distant places of the recording, not one.",
        ),
    ] = 1,
    starts: Annotated[
        int,
        typer.Option(metavar="N", min=1, max=10_000_000, help="How long the program is: some searches go on for long."),
    ] = 20_000,
    truth: Annotated[
        str, typer.Option(metavar="NAME", help="The statistical method by which the truth is judged: none is the mean.")
    ] = "none",
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-x", metavar="NAME=VALUE", help="Another value of an option than the run had."),
    ] = None,
    page: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write a page, too.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document, for programs.")] = False,
) -> None:
    """Replay what a run has measured: would another search or statistical method have erred, or fewer measurements.

    Each selection logic decides with each statistical method and number of measurements on the recorded times. Shown
    is by how much the codelet that it chooses is slower than the best one, and how many measurements it takes. Which
    one is best, verification runs say: traces of runs with one preselected codelet each, and
    ADCL_TRACE_PRODUCTION=1, as further arguments, or any longer run with --verify. Without them, all that was recorded.
    """
    from adcl.replay import Wish, recorded_searches, replay_page
    from adcl.replay import replay as run_replays
    from adcl.trace import read_recording

    wish = Wish(
        _numbers(measurements), _names(searches), _names(outliers), windows, starts, truth, _options(option or [])
    )
    recorded = recorded_searches(map(read_recording, traces), map(read_recording, verify or []))
    with _progress() as (begin, advance):
        found = run_replays(recorded, wish, on_begin=begin, on_decision=advance)
    if page is not None:
        from adcl.report import write

        write(replay_page(found), page)
    if json:
        print_json(dataclasses.asdict(found))
        return
    from adcl.cli._replay_tables import print_replay

    print_replay(output(), found)
    if page is not None:
        typer.echo(f"the page is {page}")
