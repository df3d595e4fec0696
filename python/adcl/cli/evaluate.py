"""Command ``adcl evaluate``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

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
    )
)
def _evaluate() -> None:
    """Judge ADCL's decisions: every codelet in runs of its own, tuned runs, and the program without ADCL."""


@app.command(
    epilog=examples("adcl evaluate init -o solver.toml", "adcl evaluate init --program ./my_solver -o mine.toml")
)
def init(
    *,
    program: Annotated[
        str | None, typer.Option(metavar="PROGRAM", help="The program; by default solver3d, with its arguments.")
    ] = None,
    target: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to; by default to standard output.")
    ] = None,
) -> None:
    """Write a commented file to start from."""
    from adcl.evaluate import starting_file

    text = starting_file(program)
    if target is None:
        sys.stdout.write(text)
        return
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{target} exists; name another file, or remove it") from None
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from error
    sys.stdout.write(f"{target}: look at it, and run it with 'adcl evaluate run {target}'\n")


@app.command(
    epilog=examples(
        "adcl evaluate run solver.toml",
        "adcl evaluate run solver.toml --on hierarchical",
        "adcl evaluate run solver.toml --runs 5",
        "adcl evaluate run solver.toml --show",
    )
)
def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What is evaluated.")],
    *,
    on: On = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="FOLDER", help="Where everything is kept; by default FILE's name, with .evaluation."
        ),
    ] = None,
    runs: Annotated[
        int | None, typer.Option(metavar="COUNT", min=1, help="Of everything, instead of the file's.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="NUMBER", help="Decides the order of the runs.")] = None,
    machine: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What this machine is called beside others; by default its host name."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew; what is there already is kept beside the new one.")
    ] = False,
    show: Annotated[bool, typer.Option("--show", help="Only print what would be run.")] = False,
) -> None:
    """Run all that is not in the journal yet, and write the results and their page.

    The same command goes on where it was after Ctrl-C, a kill or a crash, and runs again what failed. With more --runs
    it adds to what is there.
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
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER…", help="What 'adcl evaluate run' has made.")],
    *,
    target: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The page; by default in the first folder.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print everything for programs, and write no page.")] = False,
) -> None:
    """Say what evaluations have found so far, and write their page: several machines side by side."""
    from adcl.cli import _evaluate_run

    _evaluate_run.report(folders, target, as_json=json)
