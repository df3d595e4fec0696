"""``adcl evaluate replay``, and ``adcl replay``, its former name."""

import contextlib
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adcl.cli._console import examples, new_app, output, print_json, print_table
from adcl.cli._runs import progress_bar
from adcl.errors import UsageError

if TYPE_CHECKING:
    from adcl.evaluate import Replay

__all__ = ["app"]

app = new_app()

_MOST_MEASUREMENTS = 1_000_000
_MOST_WINDOWS = 1000
_WIDEST = 100
"""Width of the tables in a wide terminal, in characters."""

_EPILOG = examples(
    "ADCL_SEARCH=brute_force ADCL_MEASUREMENTS=100 ADCL_TRACE=trace mpirun -n 4 ./solver",
    "adcl evaluate replay trace",
    "adcl evaluate replay trace --verify verification --searches brute_force,model -m 40,20,10 --windows 5",
    "adcl evaluate replay trace --output replay.html",
)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _numbers(text: str) -> tuple[int, ...]:
    found = []
    for name in _names(text):
        if not name.isdecimal() or not 1 <= int(name) <= _MOST_MEASUREMENTS:
            raise UsageError(f"--measurements: '{name}' is not a whole number from 1 to {_MOST_MEASUREMENTS}")
        found.append(int(name))
    if not found:
        raise UsageError("--measurements: give at least one number, such as 100,20,10")
    return tuple(found)


def _options(given: list[str]) -> dict[str, str]:
    found = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals:
            raise UsageError(f"--option {one}: write NAME=VALUE, such as ADCL_OUTLIER_BOUND=3")
        if name == "ADCL_MEASUREMENTS":
            raise UsageError("--option ADCL_MEASUREMENTS: use --measurements instead")
        found[name] = value
    return found


def _print(found: "Replay") -> None:
    """Print the decisions of each search, then how often each search and method was right."""
    from adcl.evaluate import tables
    from adcl.pages import percent, seconds

    console = output()
    width = min(console.width, _WIDEST)

    def say(text: str, style: str = "") -> None:
        console.print(text, style=style, markup=False, width=width)

    say("Excess time of the chosen codelet over the best codelet in percent, by number of measurements per codelet")
    for search in found.searches:
        say("")
        say(search.title, "bold")
        where = f"{search.known_from}, statistical method {search.truth_by}"
        say(f"best    {search.best}, {seconds(search.truth[search.best])} ({where})")
        distance = search.distance(search.decided)
        if distance is not None:
            say(f"chosen  {search.decided} in the run itself, {percent(distance)} over the best")
        if search.unmeasured:
            say(f"without {', '.join(search.unmeasured)}: not measured in the trace")
        print_table(console, tables.grid(search), width)
        if any(one.reused for one in search.decisions):
            say("* the trace has too few recorded times, so the replay used some of them twice")
    for name in found.too_few:
        say(f"not replayed because the trace has too few measurements: {name}")
    say("")
    print_table(console, tables.standings(found), width)


@app.command("replay", epilog=_EPILOG)
def replay(
    traces: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRACE…",
            help="Trace folders: runs to replay, and runs with one preselected codelet.",
        ),
    ],
    *,
    verify: Annotated[
        list[Path] | None,
        typer.Option(
            "--verify",
            metavar="TRACE",
            help="Take the true times from this trace of the same problems; may be repeated.",
        ),
    ] = None,
    measurements: Annotated[
        str,
        typer.Option(
            "--measurements", "-m", metavar="N,N…", help="Replay with these numbers of measurements per codelet."
        ),
    ] = "100,80,60,40,20,10",
    searches: Annotated[
        str, typer.Option("--searches", metavar="NAME,NAME…", help="Replay with these searches (default: all).")
    ] = "",
    outliers: Annotated[
        str, typer.Option("--outliers", metavar="NAME,NAME…", help="Use these statistical methods (default: all).")
    ] = "",
    windows: Annotated[
        int,
        typer.Option(metavar="N", min=1, max=_MOST_WINDOWS, help="Replay from N equally spaced starts of the trace."),
    ] = 1,
    starts: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=10_000_000,
            help="Length of the program in starts; some searches continue to measure in long programs.",
        ),
    ] = 20_000,
    truth: Annotated[
        str, typer.Option(metavar="NAME", help="Statistical method for the true times (none: the mean).")
    ] = "none",
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", "-x", metavar="NAME=VALUE", help="Replace an option of the traced run; may be repeated."
        ),
    ] = None,
    page: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write a page to FILE.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Show what other searches would have decided on a trace.

    Each search decides on the recorded times with each statistical method and number of measurements. The tables show
    how much slower the chosen codelet is than the best codelet, and the number of measurements until the decision.
    Verification runs determine the best codelet: pass traces of runs with one preselected codelet each, recorded with
    ADCL_TRACE_PRODUCTION=1, as further arguments, or the trace of any longer run with --verify. Without verification
    runs, the whole recording determines the best codelet.
    """
    from adcl import evaluate
    from adcl.trace import read_recording

    options = evaluate.ReplayOptions(
        _numbers(measurements), _names(searches), _names(outliers), windows, starts, truth, _options(option or [])
    )
    recorded = evaluate.recorded_searches(map(read_recording, traces), map(read_recording, verify or []))
    with progress_bar() or contextlib.nullcontext() as bar:
        if bar is None:
            found = evaluate.replay(recorded, options)
        else:
            task = bar.add_task("", total=None)
            begin, advance = (lambda total: bar.update(task, total=total)), (lambda: bar.advance(task))
            found = evaluate.replay(recorded, options, on_begin=begin, on_decision=advance)
    if page is not None:
        from adcl.pages import write

        write(evaluate.replay_page(found), page)
    if json:
        print_json(dataclasses.asdict(found))
        return
    _print(found)
    if page is not None:
        typer.echo(f"page: {page}")
