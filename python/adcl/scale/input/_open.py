"""Read measurements in any format; the format is recognized by the contents."""

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
    """Measurements of a file, with notes."""

    kind: str
    """Name of the format."""

    rows: Iterator[Measurement]
    notes: list[str] = field(default_factory=list)
    """Omitted data and the reasons; complete after all rows have been consumed."""


def open_any(path: Path) -> Imported:
    """Recognize the format of a file and read it; benchmark records are streamed.

    Raises `AdclError` that names the file and, if known, the line.
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
