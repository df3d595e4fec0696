"""Command ``adcl history``."""

import dataclasses
import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from adcl.cli._console import counted, examples, new_app, output, print_json
from adcl.cli._history_folder import HistoryFolder, history_folder
from adcl.knowledge import Folder, HistoryError, export_text, import_text
from adcl.mpi_libraries import rules_for, rules_formats

__all__ = ["app"]

app = new_app()

_Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@app.callback(epilog=examples("adcl history list --folder ~/.adcl", "adcl history show 3fa9 --folder ~/.adcl"))
def history() -> None:
    """List, prune and exchange the stored results of searches.

    The results are in the folder that ADCL_HISTORY names.
    """


def _folder(path: Path | None) -> Folder:
    return Folder(history_folder(path))


def _say(word: str, count: int) -> None:
    typer.echo(f"{word} {count} {'problem' if count == 1 else 'problems'}")


@app.command(
    "list", epilog=examples("adcl history list --folder ~/.adcl", "ADCL_HISTORY=~/.adcl adcl history list --json")
)
def list_(folder: HistoryFolder = None, *, json: _Json = False) -> None:
    """List the stored problems and their winners."""
    entries, leftovers = _folder(folder).read()
    if json:
        print_json(
            {
                "entries": [dataclasses.asdict(one) for one in entries],
                "not_used": [{"file": str(one.path), "reason": one.reason} for one in leftovers],
            }
        )
        return
    from adcl.cli._history_tables import print_entries

    print_entries(output(), entries, leftovers)


@app.command(epilog=examples("adcl history show 3fa9 --folder ~/.adcl"))
def show(
    identity: Annotated[
        str,
        typer.Argument(
            metavar="IDENTITY", help="Identity that 'adcl history list' shows; a unique prefix is sufficient."
        ),
    ],
    folder: HistoryFolder = None,
    *,
    json: _Json = False,
) -> None:
    """Show all stored results of one problem."""
    entry = _folder(folder).find(identity)
    if json:
        print_json(dataclasses.asdict(entry))
        return
    from adcl.cli._history_tables import print_entry

    print_entry(output(), entry)


@app.command(epilog=examples("adcl history merge /scratch/job1 /scratch/job2 --folder ~/.adcl"))
def merge(
    sources: Annotated[list[Path], typer.Argument(metavar="SOURCE…", help="Folders to add entries from.")],
    folder: HistoryFolder = None,
) -> None:
    """Add the entries of other folders.

    If two entries decide the same problem, the later decision is kept.
    """
    target = _folder(folder)
    found = [one for source in sources for one in Folder(source).read()[0]]
    _say("changed", target.add(found))


@app.command(
    epilog=examples("adcl history prune --folder ~/.adcl --dry-run", "adcl history prune -f ~/.adcl --older-than 180")
)
def prune(
    folder: HistoryFolder = None,
    *,
    older_than: Annotated[
        float | None,
        typer.Option(
            metavar="DAYS", min=0, help="Also remove problems that no run has decided or confirmed for this many days."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option(help="Print what would be removed without removing it.")] = False,
) -> None:
    """Remove broken files and abandoned temporary files."""
    before = None
    if older_than is not None:
        before = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(max(0.0, time.time() - older_than * 86400)))
    pruned = _folder(folder).prune(before, dry=dry_run)
    word = "would remove" if dry_run else "removed"
    for one in pruned.leftovers:
        typer.echo(f"{word} {one.path}: {one.reason}")
    for entry in pruned.entries:
        typer.echo(f"{word} {entry.identity}: {entry.problem}")
    if not pruned.leftovers and not pruned.entries:
        typer.echo("nothing to remove")


def _write(file: str, text: str) -> None:
    if file == "-":
        sys.stdout.write(text)
        return
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise HistoryError(f"cannot write {file}: {error.strerror}") from error


def _export_rules(target: str, folder: Folder, file: str, library: Path | None) -> None:
    entries, _ = folder.read()
    known = rules_formats().get(target)
    if library is None and known is not None and known.find_library is not None:
        library = known.find_library()
    rules = rules_for(target, entries, file=file, source=str(folder.path), library=library)
    _write(file, rules.text)
    chosen, kept = rules.choices.chosen, rules.choices.kept
    say = partial(typer.echo, err=file == "-")
    for one in rules.choices.left_out:
        say(f"omitted {one.problem}: {one.reason}")
    for instead in rules.choices.substitutes:
        say(f"{instead.problem}: {instead.codelet} replaces the winner, because {instead.reason}")
    if kept:
        say(f"no rule for {counted(kept, 'problem')}: {rules.title}'s own choice is the fastest")
    if not chosen:
        say(f"no rules for {rules.title}: {'the output' if file == '-' else file} has no effect")
        return
    say(f"exported {len(chosen)} {'rule' if len(chosen) == 1 else 'rules'} for {rules.title}; to use them:")
    say(f"  {rules.use}")


def _rules_names() -> str:
    shown = (f"{one.name} ({one.versions})" if one.versions else one.name for one in rules_formats().values())
    return ", ".join(shown)


def _rules_files() -> str:
    return "; ".join(f"With --for {one.name}: {one.needs}," for one in rules_formats().values() if one.needs)


@app.command(
    epilog=examples(
        "adcl history export all.json --folder ~/.adcl",
        "adcl history export - | ssh host …",
        "adcl history export rules.conf --for openmpi",
    )
)
def export(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Output file; - is standard output.")],
    folder: HistoryFolder = None,
    *,
    target: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="LIBRARY",
            help=f"Write rules of this MPI library, for programs that do not use ADCL: {_rules_names()}.",
        ),
    ] = None,
    library: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help=f"{_rules_files()} whose own rules the output also contains."),
    ] = None,
) -> None:
    """Export all entries, or the decisions about collectives as rules of an MPI library."""
    if target is not None:
        _export_rules(target, _folder(folder), file, library)
        return
    entries, _ = _folder(folder).read()
    _write(file, export_text(entries))
    if file != "-":
        _say("exported", len(entries))


@app.command("import", epilog=examples("adcl history import all.json --folder ~/.adcl"))
def import_(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="File written by 'adcl history export'; - is standard input.")
    ],
    folder: HistoryFolder = None,
) -> None:
    """Add the entries of an exported file, like merge."""
    target = _folder(folder)
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise HistoryError(f"{file}: {error}") from error
    _say("changed", target.add(import_text(text, file)))
