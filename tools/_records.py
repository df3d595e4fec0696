"""Stored results of benches: docs/figures/MACHINE/BENCH.json, or BENCH.VARIANT.json for another MPI library.

A record is the document that a bench wrote, with the unit and target of each figure, and has these members:

- ``date``, ``commit`` (null if unknown), ``libraries`` and ``command``;
- ``absent``: declared figures that the record lacks, with the reason; ``*`` in a name matches any text;
- ``note`` (optional): unusual conditions.

``machine.toml`` in the same folder describes the machine.
"""

from __future__ import annotations

import fnmatch
import json
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from _declared import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from _declared import Bench

__all__ = ["FOLDER", "Record", "machines", "objections", "records", "write_record"]

FOLDER = ROOT / "docs" / "figures"
_KEYS = {"bench", "date", "commit", "libraries", "command", "absent", "context", "figures"}
_OPTIONAL = {"note", "details"}


@dataclass(frozen=True)
class Record:
    """A stored document and its path, which contains the names of bench, variant and machine."""

    path: Path
    document: dict[str, Any]

    @property
    def bench(self) -> str:
        return self.path.name.split(".")[0]

    @property
    def variant(self) -> str:
        """The part of the file name between bench and suffix; empty for the default MPI library."""
        return self.path.name.removesuffix(".json").partition(".")[2]

    @property
    def machine(self) -> str:
        return self.path.parent.name

    @property
    def values(self) -> dict[str, dict[str, Any]]:
        return {figure["name"]: figure for figure in self.document["figures"]}


def machines(folder: Path = FOLDER) -> dict[str, dict[str, str]]:
    """Return the description of each machine."""
    files = sorted(folder.glob("*/machine.toml"))
    return {file.parent.name: tomllib.loads(file.read_text(encoding="utf-8")) for file in files}


def records(folder: Path = FOLDER) -> list[Record]:
    """Return all records, by machine and name."""
    return [Record(file, json.loads(file.read_text(encoding="utf-8"))) for file in sorted(folder.glob("*/*.json"))]


def objections(record: Record, benches: dict[str, Bench]) -> list[str]:
    """Return one line for each error in a record."""
    document, where = record.document, f"{record.machine}/{record.path.name}"
    bench = benches.get(record.bench)
    if bench is None:
        return [f"{where}: bench/figures.toml declares no bench {record.bench!r}"]
    found = [f"{where}: has no {key!r}" for key in sorted(_KEYS - document.keys())]
    found += [f"{where}: unknown key {key!r}" for key in sorted(document.keys() - _KEYS - _OPTIONAL)]
    if found:
        return found
    if document["bench"] != record.bench:
        found.append(f"{where}: 'bench' is {document['bench']!r}, not {record.bench!r}")
    if document["context"].get("form") == "short":
        found.append(f"{where}: is of the short form, whose values are meaningless")
    try:
        complete = bench.complete(document["figures"])
    except ValueError as error:
        return [*found, f"{where}: {error}"]
    for figure, wanted in zip(document["figures"], complete, strict=True):
        found += [f"{where}: figure {figure['name']} has no {key}" for key in sorted(wanted.keys() - figure.keys())]
    missing = bench.missing(set(record.values))
    patterns = document["absent"]
    unexplained = [name for name in missing if not any(fnmatch.fnmatchcase(name, one) for one in patterns)]
    found += [f"{where}: {name} is missing, and 'absent' gives no reason" for name in unexplained]
    found += [
        f"{where}: 'absent' names {one}, which exists"
        for one in patterns
        if not any(fnmatch.fnmatchcase(n, one) for n in missing)
    ]
    return found


def write_record(path: Path, document: dict[str, Any]) -> None:
    """Store a record, with one line per figure."""
    figures = ",\n".join("  " + json.dumps(figure, ensure_ascii=False) for figure in document["figures"])
    rest = {key: value for key, value in document.items() if key != "figures"}
    head = json.dumps(rest, indent=1, ensure_ascii=False).removesuffix("\n}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{head},\n "figures": [\n{figures}\n ]\n}}\n', encoding="utf-8")
