"""TOML tables with line numbers for error messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from adcl._source import Source, SourceError
from adcl._suggest import nearest, suggestion
from adcl._toml import KINDS, has_toml_type, read_toml, shown
from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from adcl._toml import TomlDocument

__all__ = ["StudyError", "TomlTable", "load"]


class StudyError(UsageError):
    """A TOML file is invalid; the message names file, line, key, value and remedy."""


@dataclass(frozen=True, slots=True)
class TomlTable:
    """One table of the file. Its accessors check types and ranges; `finish` rejects keys that no accessor has read."""

    document: TomlDocument
    values: dict[str, Any]
    place: tuple[str | int, ...] = ()
    asked: set[str] = field(default_factory=set)

    @property
    def file(self) -> Path:
        """Path of the file."""
        return Path(self.document.source.name)

    @property
    def line(self) -> int:
        """First line of the table."""
        return self.document.line(self.place)

    @property
    def location(self) -> str:
        """File and line, for messages."""
        return f"{self.file}:{self.line}"

    def fail(self, message: str, key: str | None = None) -> NoReturn:
        """Raise a `StudyError` about a key or about the whole table."""
        line = self.document.line(self.place if key is None else (*self.place, key))
        about = "" if key is None else f"{key}: "
        raise StudyError(f"{self.file}:{line}: {about}{message}")

    def has(self, key: str) -> bool:
        """Return whether the table has this key."""
        return key in self.values

    def raw(self, key: str) -> Any:  # noqa: ANN401
        """Return the unchecked value, or None."""
        self.asked.add(key)
        return self.values.get(key)

    def _scalar(self, key: str, value: object, kind: type) -> Any:  # noqa: ANN401
        if not has_toml_type(value, kind):
            self.fail(f"expected {KINDS[kind]}, found {shown(value)}", key)
        return value

    def text(self, key: str, default: str | None = None) -> str | None:
        """Return a string, or the default."""
        value = self.raw(key)
        return default if value is None else str(self._scalar(key, value, str))

    def required(self, key: str, example: str) -> str:
        """Return a required string."""
        value = self.text(key)
        if not value:
            self.missing(key, example)
        return value

    def missing(self, key: str, example: str) -> NoReturn:
        """Raise a `StudyError` about a missing key and suggest a similar one."""
        near = nearest(key, [value for value in self.values if value not in self.asked])
        if near is not None:
            self.fail(f"unknown key; did you mean {key}?", near)
        self.fail(f"{key} is missing; write for example {key} = {example}")

    def number(self, key: str, default: float, *, least: float = 0.0) -> float:
        """Return a number that is at least `least`."""
        value = self.raw(key)
        found = default if value is None else float(self._scalar(key, value, float))
        if not found >= least:
            self.fail(f"{found:g} is too small; the minimum is {least:g}", key)
        return found

    def whole(self, key: str, default: int | None, *, least: int = 0) -> int | None:
        """Return an integer that is at least `least`, or the default."""
        value = self.raw(key)
        if value is None:
            return default
        found = int(self._scalar(key, value, int))
        if found < least:
            self.fail(f"{found} is too small; the minimum is {least}", key)
        return found

    def flag(self, key: str, *, default: bool) -> bool:
        """Return a boolean."""
        value = self.raw(key)
        return default if value is None else bool(self._scalar(key, value, bool))

    def choice(self, key: str, names: Collection[str], default: str) -> str:
        """Return one of the given names."""
        value = self.text(key, default) or default
        if value not in names:
            self.fail(f"{value!r} is not one of {', '.join(names)}", key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings; a single string is a list of one, and a missing key an empty list."""
        value = self.raw(key)
        rows = [value] if isinstance(value, str) else [] if value is None else value
        if not isinstance(rows, list):
            self.fail(f"expected a list of strings, found {value!r}", key)
        return tuple(str(self._scalar(key, row, str)) for row in rows)

    def table(self, key: str) -> TomlTable:
        """Return a subtable, empty if the key is missing."""
        value = self.raw(key)
        if value is not None and not isinstance(value, dict):
            self.fail(f"expected a table, found {value!r}", key)
        return TomlTable(self.document, value or {}, (*self.place, key))

    def tables(self, key: str) -> Iterator[TomlTable]:
        """Iterate over an array of tables (``[[key]]``)."""
        value = self.raw(key)
        if value is None:
            return
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            self.fail(f"expected a list of tables; write [[{key}]] above each table", key)
        for at, one in enumerate(value):
            yield TomlTable(self.document, one, (*self.place, key, at))

    def finish(self) -> None:
        """Reject unknown keys and suggest a similar known key."""
        for key in self.values:
            if key not in self.asked:
                self.fail(f"unknown key; {suggestion(key, sorted(self.asked))}", key)


def load(path: Path) -> TomlTable:
    """Read a TOML file. Raises `StudyError`."""
    try:
        document = read_toml(Source.read(path))
    except SourceError as error:
        raise StudyError(f"{path}:{error.line}: {error.message}") from error
    except UsageError as error:
        raise StudyError(str(error)) from error
    return TomlTable(document, document.values)
