"""Reads files of measurements, whatever format they are in: it is recognized by the content."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from adcl.errors import DataError
from adcl.scale.input._extrap import read_extrap_jsonl, read_extrap_text
from adcl.scale.input._read_csv import read_csv, separator
from adcl.scale.input._read_cube import is_cube, profiles_in, read_cubes
from adcl.scale.input._read_experiment import is_experiment, read_experiment
from adcl.scale.input._read_logs import is_jube, is_reframe, read_jube, read_reframe
from adcl.scale.input._read_names import parameters_in_names
from adcl.scale.input._read_tools import reader_of
from adcl.scale.input._store import read_text, records_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from adcl.scale.model import Measurement

__all__ = ["Imported", "open_any", "read_any"]


@dataclass(slots=True)
class Imported:
    """Measurements of a file, and what is to be said about it."""

    kind: str
    """The name of the format."""

    rows: Iterator[Measurement]
    notes: list[str] = field(default_factory=list)
    """What was left out, and why; complete when all rows have been taken."""


def open_any(path: Path) -> Imported:
    """Recognize the format of a file, and read it; records of a benchmark come one after the other.

    Raises `AdclError` that names the file and, where there is one, the line.
    """
    packed = _packed(path)
    if packed is not None:
        return packed
    records = records_in(path)
    first = next(records, None)
    if first is not None:
        return Imported("records", itertools.chain([first], records))
    text, place, notes = read_text(path), str(path), list[str]()
    document = _document(text)
    known = reader_of(document)
    if known is not None:
        kind, read = known
        rows = read(place, notes)
        if kind == "Hatchet":
            rows = _with_parameters(rows, path, notes)
    elif document is not None and not (isinstance(document, dict) and "params" in document):
        raise DataError(f"{place}: this JSON is of no tool that is known; docs/scale.md lists those that are")
    elif text.lstrip().startswith("{"):
        kind, rows = "Extra-P JSON Lines", read_extrap_jsonl(text, place)
    elif is_reframe(text):
        kind, rows = "ReFrame", read_reframe(text, place, notes)
    elif is_jube(text):
        kind, rows = "JUBE", read_jube(text, place, notes)
    elif (separated_by := separator(text)) is not None:
        kind, rows = "table", read_csv(text, place, separated_by, notes)
    else:
        kind, rows = "Extra-P text", read_extrap_text(text, place)
    _refuse_problems(rows, place)
    return Imported(kind, iter(rows), notes)


def _with_parameters(rows: list[Measurement], path: Path, notes: list[str]) -> list[Measurement]:
    """Give a profile that says nothing of its run the parameters of the file's name."""
    found = parameters_in_names(path.stem)
    if not found:
        notes.append("it has no parameters; put them into its name, as in solver.p8.n100.json")
    return [replace(one, parameters=found) for one in rows]


def _packed(path: Path) -> Imported | None:
    """Read a folder of profiles, or an archive; None is for what is text."""
    notes = list[str]()
    if not (path.is_dir() or path.is_file()):
        # What is read from a pipe to see what it is would be lost.
        return None
    if path.is_dir():
        profiles = profiles_in(path)
        if not profiles:
            raise DataError(f"{path}: there is no .cubex file in this folder; name the files to be read")
        rows, kind = list(read_cubes(profiles, notes)), f"{len(profiles)} CUBE profiles"
    elif is_experiment(path):
        rows, kind = read_experiment(path, notes), "Extra-P experiment"
    elif is_cube(path):
        rows, kind = list(read_cubes([path], notes)), "CUBE profile"
    else:
        if _begins(path, b"PK\x03\x04"):
            raise DataError(f"{path}: this archive is cut short, or no experiment of Extra-P; copy or save it again")
        return None
    _refuse_problems(rows, str(path))
    return Imported(kind, iter(rows), notes)


def _begins(path: Path, magic: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False


def _refuse_problems(rows: list[Measurement], place: str) -> None:
    for one in rows:
        problem = one.problem()
        if problem is not None:
            raise DataError(f"{place}: {problem}")


def _document(text: str) -> Any:  # noqa: ANN401
    """Return the file as one JSON document, or None if it is none."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def read_any(path: Path) -> Iterator[Measurement]:
    """Return the measurements of a file in any format; see `open_any`."""
    return open_any(path).rows
