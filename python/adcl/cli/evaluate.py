"""Command ``adcl evaluate``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from adcl.cli import _evaluate_replay
from adcl.cli._console import examples, new_app
from adcl.cli._placement import On
from adcl.errors import UsageError

__all__ = ["app"]

app = new_app()

_EXIT_INTERRUPTED = 130


@app.callback(
    epilog=examples(
        "adcl evaluate init -o solver.toml",
        "adcl evaluate run solver.toml",
        "adcl evaluate run solver.toml --on hierarchical",
        "adcl evaluate report solver.evaluation solver.hierarchical.evaluation",
        "adcl evaluate replay trace --searches model,brute_force",
    )
)
def _evaluate() -> None:
    """Judge ADCL's decisions.

    'run' compares tuned runs with runs of each codelet and of the program without ADCL. 'replay' shows what other
    searches would have decided on the times of a trace.
    """


@app.command(
    epilog=examples("adcl evaluate init -o solver.toml", "adcl evaluate init --program ./my_solver -o mine.toml")
)
def init(
    *,
    program: Annotated[
        str | None, typer.Option(metavar="PROGRAM", help="Program to evaluate (default: solver3d with its arguments).")
    ] = None,
    target: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Output file (default: stdout).")
    ] = None,
) -> None:
    """Write a commented file for 'adcl evaluate run'."""
    from adcl.evaluate import starting_file

    text = starting_file(program)
    if target is None:
        sys.stdout.write(text)
        return
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{target} exists; choose another file, or remove it") from None
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from error
    sys.stdout.write(f"{target}: edit it, then run 'adcl evaluate run {target}'\n")


@app.command(
    epilog=examples(
        "adcl evaluate run solver.toml",
        "adcl evaluate run solver.toml --on hierarchical",
        "adcl evaluate run solver.toml --runs 5",
        "adcl evaluate run solver.toml --show",
    )
)
def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Evaluation file, such as 'adcl evaluate init' writes.")],
    *,
    on: On = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="FOLDER",
            help="Folder of the journal and the results (default: FILE's name with .evaluation).",
        ),
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(metavar="COUNT", min=1, help="Number of runs of each kind (default: as in FILE)."),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="NUMBER", help="Seed of the random order of the runs.")] = None,
    machine: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of this machine in reports (default: its host name)."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start over; rename the existing folder.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Print the planned runs and stop.")] = False,
) -> None:
    """Execute all runs that the journal lacks, and write a page.

    After Ctrl-C, a kill or a crash, the same command resumes the evaluation. It repeats failed runs. A larger --runs
    adds runs.
    """
    from adcl.cli import _evaluate_run

    if _evaluate_run.evaluate(file, folder, on=on, runs=runs, seed=seed, machine=machine, fresh=fresh, show=show):
        raise typer.Exit(_EXIT_INTERRUPTED)


@app.command(
    epilog=examples(
        "adcl evaluate report solver.evaluation",
        "adcl evaluate report solver.evaluation solver.hierarchical.evaluation -o both.html",
        "adcl evaluate report solver.evaluation --json",
    )
)
def report(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER…", help="Folders that 'adcl evaluate run' has written.")
    ],
    *,
    target: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Output file of the page (default: report.html in the first folder)."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and write no page.")] = False,
) -> None:
    """Print the results so far, and write a page.

    With several folders, the page shows their machines side by side.
    """
    from adcl.cli import _evaluate_run

    _evaluate_run.report(folders, target, as_json=json)


app.registered_commands += _evaluate_replay.app.registered_commands
