"""Prints the result of a bench, stores it as a record, and renders docs/figures.md.

``figures.py FILE`` adds units and targets to a result file, checks it and prints its figures as a table.
``figures.py FILE NAME=PART ...`` first joins results of the same bench with several MPI libraries into FILE.
``figures.py store BENCH MACHINE`` copies build/bench/BENCH.json to docs/figures/MACHINE, with date, commit, libraries
and command, and renders the page.
``figures.py render`` writes docs/figures.md and its diagrams; ``figures.py check`` lists differences.

bench/figures.toml declares the figures. The environment variable ``BENCH_FORM`` must equal the form in the result's
context.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from _declared import ROOT, declared
from _figures_page import page_of
from _records import FOLDER, machines, objections, records, write_record
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from _declared import Bench

__all__ = ["check", "differences", "join", "main"]

_COLUMNS = ("name", "value", "unit", "target", "interval")
_NARROWEST = 120
"""Minimum width of the table in characters."""


def check(document: Any, bench: Bench) -> list[dict[str, Any]]:
    """Return the figures of a result document with unit and target. Raises ValueError for an invalid document."""
    if not isinstance(document, dict) or not isinstance(document.get("context"), dict):
        raise ValueError('it has no "context" object')
    form = document["context"].get("form")
    if form != (expected := os.environ.get("BENCH_FORM") or "usual"):
        raise ValueError(f"the form of its context is {form!r}, not {expected!r}, which BENCH_FORM names")
    figures = document.get("figures")
    if not isinstance(figures, list) or not figures:
        raise ValueError('it has no "figures"')
    return bench.complete(figures)


def join(parts: dict[str, Any], bench: Bench) -> dict[str, Any]:
    """Join documents. Figures get the part's name as a suffix, and each part keeps its context."""
    return {
        "context": {"parts": {name: document["context"] for name, document in parts.items()}},
        "figures": [
            {**figure, "name": f"{figure['name']}.{name}"}
            for name, document in parts.items()
            for figure in check(document, bench)
        ],
    }


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " … ".join(_cell(item) for item in value)
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _table(title: str, figures: list[dict[str, Any]]) -> Table:
    """Return a table with a column per common member, and one column for all further members."""
    table = Table(title=title, box=None, title_justify="left", header_style="bold")
    for column in _COLUMNS:
        table.add_column(column, justify="left" if column in {"name", "unit"} else "right", no_wrap=True)
    table.add_column("with", overflow="fold")
    for figure in figures:
        besides = (f"{key} {_cell(value)}" for key, value in figure.items() if key not in _COLUMNS)
        table.add_row(*(_cell(figure.get(column)) for column in _COLUMNS), ", ".join(besides))
    return table


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _declared(name: str) -> Bench:
    benches = declared()
    if name not in benches:
        raise ValueError(f"bench/figures.toml declares no bench {name!r}; it has {', '.join(benches)}")
    return benches[name]


def _show(path: Path, parts: dict[str, str]) -> None:
    bench = _declared(path.stem)
    if parts:
        document = join({name: _read(Path(part)) for name, part in parts.items()}, bench)
    else:
        document = _read(path)
        figures = check(document, bench)
        document["figures"] = figures
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    console = Console(highlight=False)
    if console.width < _NARROWEST:
        console = Console(highlight=False, width=_NARROWEST)
    short = os.environ.get("BENCH_FORM") == "short"
    title = f"{path}{' (short form: meaningless values)' if short else ''}"
    console.print(_table(title, document["figures"]))
    if not short:
        known = ", ".join(machines())
        sys.stdout.write(f"to store it: .venv/bin/python tools/figures.py store {path.stem} MACHINE (known: {known})\n")


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _commit() -> str | None:
    """Return the current commit, with a remark if the sources differ from it; None outside of a repository."""
    changed = _git("status", "--porcelain", "--", "src", "include", "bench", "python", "apps")
    commit = _git("rev-parse", "--short", "HEAD")
    return f"{commit} with changes" if commit and changed else commit or None


def _recorded(file: Path, bench: Bench, command: str, given: argparse.Namespace) -> dict[str, Any]:
    """Return the record of a result file."""
    document = _read(file)
    figures = check(document, bench)
    libraries = given.libraries or document["context"].get("mpi_library")
    if not libraries:
        raise ValueError("it does not name its MPI library; pass --libraries")
    missing = bench.missing({figure["name"] for figure in figures})
    if missing and not given.absent:
        raise ValueError(f"it lacks {', '.join(missing)}; state the reason with --absent")
    day = dt.datetime.fromtimestamp(file.stat().st_mtime, tz=dt.UTC).date().isoformat()
    record = {"bench": bench.name, "date": day, "commit": given.commit or _commit(), "libraries": libraries}
    record |= {"command": command, "absent": dict.fromkeys(missing, given.absent)}
    if given.note:
        record["note"] = given.note
    return record | {"context": document["context"], "figures": figures}


def _store(given: argparse.Namespace) -> None:
    bench, folder = _declared(given.bench), FOLDER / given.machine
    file = ROOT / "build" / "bench" / f"{bench.name}.json"
    parts = [*_read(file)["context"].get("parts", {})]
    command = f"make bench NAME={bench.name}" + (f' PRESETS="{" ".join(parts)}"' if parts else "")
    found = {}
    for part in parts or [""]:
        ending = f".{part}" if part else ""
        stored = "" if part == "openmpi" else ending
        found[folder / f"{bench.name}{stored}.json"] = _recorded(
            file.with_name(f"{bench.name}{ending}.json"), bench, command, given
        )
    description = folder / "machine.toml"
    if not description.exists():
        if not given.about:
            raise ValueError(f"{given.machine} is a new machine; describe it with --about 'cores, processor, system'")
        folder.mkdir(parents=True)
        description.write_text(f"about = {json.dumps(given.about, ensure_ascii=False)}\n", encoding="utf-8")
    for path, record in found.items():
        write_record(path, record)
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")
    _render()


def _render() -> None:
    for name, text in page_of(declared()).items():
        (ROOT / "docs" / name).write_text(text, encoding="utf-8")


def differences(docs: Path = ROOT / "docs") -> list[str]:
    """Return one line for each error in a record, and for each file that differs from the records."""
    benches = declared()
    folder = docs / "figures"
    found = [line for record in records(folder) for line in objections(record, benches)]
    if found:
        return found
    wanted = page_of(benches, folder)
    for name, text in wanted.items():
        file = docs / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            found.append(f"docs/{name}: does not match the records; run tools/figures.py render")
    stale = {f"figures/{file.name}" for file in folder.glob("*.svg")} - wanted.keys()
    return found + [f"docs/{name}: no bench draws this picture" for name in sorted(stale)]


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    store = commands.add_parser("store", help="store the result of a bench and render the page")
    store.add_argument("bench")
    store.add_argument("machine", help="folder of docs/figures")
    store.add_argument("--about", help="description of a new machine")
    store.add_argument("--absent", help="reason for missing figures")
    store.add_argument("--commit", help="measured commit (default: the current one)")
    store.add_argument("--libraries", help="MPI library (default: from the result)")
    store.add_argument("--note", help="unusual conditions")
    commands.add_parser("render", help="write docs/figures.md and its diagrams")
    commands.add_parser("check", help="compare records, page and declarations")
    return parser


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    if arguments and arguments[0].endswith(".json"):
        try:
            _show(Path(arguments[0]), dict(argument.split("=", 1) for argument in arguments[1:]))
        except (OSError, ValueError) as error:
            sys.stderr.write(f"{arguments[0]} is not a result of a bench: {error}\n")
            return 1
        return 0
    given = _options().parse_args(arguments)
    found = []
    try:
        if given.command == "store":
            _store(given)
        elif given.command == "render":
            _render()
        else:
            found = differences()
    except (OSError, ValueError) as error:
        found = [str(error)]
    sys.stderr.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
