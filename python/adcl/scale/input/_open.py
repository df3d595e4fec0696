"""Reads files of measurements, whatever format they are in: it is recognized by the content."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adcl.errors import DataError
from adcl.scale.input._format import InputSource
from adcl.scale.input._formats import FORMATS

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
    source = InputSource(path)
    found = next(one for one in FORMATS if one.recognizes(source))
    rows = found.read(source)
    if isinstance(rows, list):
        for one in rows:
            problem = one.problem()
            if problem is not None:
                raise DataError(f"{source.place}: {problem}")
    return Imported(source.kind or found.name, iter(rows), source.notes)


def read_any(path: Path) -> Iterator[Measurement]:
    """Return the measurements of a file in any format; see `open_any`."""
    return open_any(path).rows
