"""Interface of a format: how to recognize it and read its measurements. `_formats.py` lists all formats."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adcl.errors import DataError
from adcl.scale.input._records import read_text, records_in
from adcl.scale.model import Measurement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = ["SECONDS", "Format", "InputSource", "Repetitions", "has", "json_format", "number_of"]

SECONDS = {"s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""Units of time, in seconds."""


@dataclass
class InputSource:
    """A file or folder of measurements. Data needed to recognize the format are read once."""

    path: Path
    notes: list[str] = field(default_factory=list)
    """Omitted data, and the reasons."""

    kind: str = ""
    """Description, if it is more specific than the name of the format."""

    @property
    def place(self) -> str:
        """The path, for messages."""
        return str(self.path)

    @functools.cached_property
    def packed(self) -> bool:
        """Whether the file can be opened twice; a pipe cannot."""
        return self.path.is_dir() or self.path.is_file()

    @functools.cached_property
    def records(self) -> Iterator[Measurement]:
        """The benchmark records in the file."""
        return records_in(self.path)

    @functools.cached_property
    def first_record(self) -> Measurement | None:
        """The first record, which `records` does not return again."""
        return next(self.records, None)

    @functools.cached_property
    def text(self) -> str:
        """The text. Raises `AdclError` for an unreadable file."""
        return read_text(self.path)

    @functools.cached_property
    def document(self) -> Any:  # noqa: ANN401
        """The file as one JSON document, or None."""
        if not self.text.lstrip().startswith(("{", "[")):
            return None
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None


@dataclass(frozen=True)
class Format:
    """A row of the table of formats."""

    name: str
    recognizes: Callable[[InputSource], bool]
    read: Callable[[InputSource], Iterable[Measurement]]
    """Function that reads measurements. Raises `AdclError` that names the file and, if known, the line."""


def has(document: Mapping[str, Any], **kinds: type) -> bool:
    """Return whether a JSON object has members of these types."""
    return all(isinstance(document.get(name), kind) for name, kind in kinds.items())


def json_format(
    name: str,
    recognizes: Callable[[dict[str, Any]], bool],
    read: Callable[[dict[str, Any], list[str]], Iterable[Measurement]],
) -> Format:
    """Return the row of a format that is one JSON object; its reader takes the object and a list for notes."""

    def read_document(source: InputSource) -> list[Measurement]:
        found: list[Measurement] = []
        try:
            found.extend(read(source.document, source.notes))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(
                f"{source.place}: record {len(found) + 1} of this {name} file has an unexpected structure: "
                f"{type(error).__name__} {error}; parameters must be numbers"
            ) from error
        return found

    return Format(name, lambda one: isinstance(one.document, dict) and recognizes(one.document), read_document)


def number_of(text: str) -> float | None:
    """Parse a number; return None for other text."""
    try:
        return float(text)
    except ValueError:
        return None


class Repetitions:
    """Merges values with the same function, metric, parameters and job into one measurement."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, tuple[tuple[str, float], ...], str], list[float]] = {}

    def add(
        self, function: str, metric: str, parameters: Mapping[str, float], values: Iterable[float], job: str = ""
    ) -> None:
        """Add repetitions."""
        self._found.setdefault((function, metric, tuple(parameters.items()), job), []).extend(values)

    def measurements(self) -> list[Measurement]:
        """Return the measurements in the order of their first values."""
        return [
            Measurement(function, metric, dict(parameters), tuple(values))
            for (function, metric, parameters, _), values in self._found.items()
        ]
