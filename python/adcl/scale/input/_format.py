"""What a format is: how it is recognized, and how measurements are read from it. `_formats.py` lists all of them."""

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
    """A file or folder of measurements. What formats are recognized by is read once."""

    path: Path
    notes: list[str] = field(default_factory=list)
    """What was left out, and why."""

    kind: str = ""
    """What it is, where that is more than the name of its format."""

    @property
    def place(self) -> str:
        """The path, for messages."""
        return str(self.path)

    @functools.cached_property
    def packed(self) -> bool:
        """Whether it may be opened twice; what is read from a pipe to recognize it would be lost."""
        return self.path.is_dir() or self.path.is_file()

    @functools.cached_property
    def records(self) -> Iterator[Measurement]:
        """The records of a benchmark in it."""
        return records_in(self.path)

    @functools.cached_property
    def first_record(self) -> Measurement | None:
        """The first of the records, which `records` does not return again."""
        return next(self.records, None)

    @functools.cached_property
    def text(self) -> str:
        """The text. Raises `AdclError` for a file that cannot be read."""
        return read_text(self.path)

    @functools.cached_property
    def document(self) -> Any:  # noqa: ANN401
        """The file as one JSON document, or None if it is not one."""
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
    """Raises `AdclError` that names the file and, where there is one, the line."""


def has(document: Mapping[str, Any], **kinds: type) -> bool:
    """Whether a JSON object has members of these kinds."""
    return all(isinstance(document.get(name), kind) for name, kind in kinds.items())


def json_format(
    name: str,
    recognizes: Callable[[dict[str, Any]], bool],
    read: Callable[[dict[str, Any], list[str]], Iterable[Measurement]],
) -> Format:
    """Make the row of a format that is one JSON object; its reader takes that and a list for notes."""

    def read_document(source: InputSource) -> list[Measurement]:
        found: list[Measurement] = []
        try:
            found.extend(read(source.document, source.notes))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(
                f"{source.place}: record {len(found) + 1} of this {name} file is not as expected: "
                f"{type(error).__name__} {error}; parameters have to be numbers"
            ) from error
        return found

    return Format(name, lambda one: isinstance(one.document, dict) and recognizes(one.document), read_document)


def number_of(text: str) -> float | None:
    """Return the number that a text is, or None."""
    try:
        return float(text)
    except ValueError:
        return None


class Repetitions:
    """Joins values of the same function, metric, parameters and job into one measurement."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, tuple[tuple[str, float], ...], str], list[float]] = {}

    def add(
        self, function: str, metric: str, parameters: Mapping[str, float], values: Iterable[float], job: str = ""
    ) -> None:
        """Add repetitions."""
        self._found.setdefault((function, metric, tuple(parameters.items()), job), []).extend(values)

    def measurements(self) -> list[Measurement]:
        """Return the measurements, in the order in which their first values were added."""
        return [
            Measurement(function, metric, dict(parameters), tuple(values))
            for (function, metric, parameters, _), values in self._found.items()
        ]
