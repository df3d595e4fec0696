"""A TOML file whose values know the line they are on, so that an error can name it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from adcl._source import Source, SourceError
from adcl._suggest import nearest, suggestion
from adcl._toml import KINDS, is_a, read_toml, shown
from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from adcl._toml import TomlDocument

__all__ = ["StudyError", "TomlTable", "load"]


class StudyError(UsageError):
    """A file is not valid; the message names file, line, key, value and remedy."""


@dataclass(frozen=True, slots=True)
class TomlTable:
    """One table of the file. Its methods check what they return, and `finish` refuses keys that nobody asked for."""

    document: TomlDocument
    values: dict[str, Any]
    place: tuple[str | int, ...] = ()
    asked: set[str] = field(default_factory=set)

    @property
    def file(self) -> Path:
        """The file that the table is in."""
        return Path(self.document.source.name)

    @property
    def line(self) -> int:
        """Where it begins in its file."""
        return self.document.line(self.place)

    @property
    def location(self) -> str:
        """File and line, for messages."""
        return f"{self.file}:{self.line}"

    def fail(self, message: str, key: str | None = None) -> NoReturn:
        """Raise a `StudyError` about a key, or about the whole table."""
        line = self.document.line(self.place if key is None else (*self.place, key))
        about = "" if key is None else f"{key}: "
        raise StudyError(f"{self.file}:{line}: {about}{message}")

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self.values

    def raw(self, key: str) -> Any:  # noqa: ANN401
        """Return the value as it is, or None."""
        self.asked.add(key)
        return self.values.get(key)

    def _scalar(self, key: str, value: object, kind: type) -> Any:  # noqa: ANN401
        if not is_a(value, kind):
            self.fail(f"expected {KINDS[kind]}, found {shown(value)}", key)
        return value

    def text(self, key: str, default: str | None = None) -> str | None:
        """Return a text, or the default."""
        value = self.raw(key)
        return default if value is None else str(self._scalar(key, value, str))

    def required(self, key: str, example: str) -> str:
        """Return a text that must be there."""
        value = self.text(key)
        if not value:
            self.missing(key, example)
        return value

    def missing(self, key: str, example: str) -> NoReturn:
        """Raise a `StudyError` about a key that is not there, and suggest one that is similar."""
        near = nearest(key, [value for value in self.values if value not in self.asked])
        if near is not None:
            self.fail(f"there is no such key here; did you mean {key}?", near)
        self.fail(f"{key} is missing; write for example {key} = {example}")

    def number(self, key: str, default: float, *, least: float = 0.0) -> float:
        """Return a number of at least that much."""
        value = self.raw(key)
        found = default if value is None else float(self._scalar(key, value, float))
        if not found >= least:
            self.fail(f"{found:g} is too small; at least {least:g} makes sense", key)
        return found

    def whole(self, key: str, default: int | None, *, least: int = 0) -> int | None:
        """Return a whole number of at least that much, or the default."""
        value = self.raw(key)
        if value is None:
            return default
        found = int(self._scalar(key, value, int))
        if found < least:
            self.fail(f"{found} is too small; at least {least} makes sense", key)
        return found

    def flag(self, key: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self.raw(key)
        return default if value is None else bool(self._scalar(key, value, bool))

    def choice(self, key: str, names: Collection[str], default: str) -> str:
        """Return one of these names."""
        value = self.text(key, default) or default
        if value not in names:
            self.fail(f"{value!r} is none of {', '.join(names)}", key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts; one text is a list of one, and no key an empty one."""
        value = self.raw(key)
        rows = [value] if isinstance(value, str) else [] if value is None else value
        if not isinstance(rows, list):
            self.fail(f"expected a list of texts, found {value!r}", key)
        return tuple(str(self._scalar(key, row, str)) for row in rows)

    def table(self, key: str) -> TomlTable:
        """Return a table in it, empty if it is not there."""
        value = self.raw(key)
        if value is not None and not isinstance(value, dict):
            self.fail(f"expected a table, found {value!r}", key)
        return TomlTable(self.document, value or {}, (*self.place, key))

    def tables(self, key: str) -> Iterator[TomlTable]:
        """Go through a list of tables, as ``[[key]]`` makes it."""
        value = self.raw(key)
        if value is None:
            return
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            self.fail(f"expected tables; write [[{key}]] above each", key)
        for at, one in enumerate(value):
            yield TomlTable(self.document, one, (*self.place, key, at))

    def finish(self) -> None:
        """Refuse keys that mean nothing, and offer the nearest that does."""
        for key in self.values:
            if key not in self.asked:
                self.fail(f"there is no such key here; {suggestion(key, sorted(self.asked))}", key)


def load(path: Path) -> TomlTable:
    """Read a TOML file. Raises `StudyError`."""
    try:
        document = read_toml(Source.read(path))
    except SourceError as error:
        raise StudyError(f"{path}:{error.line}: {error.message}") from error
    except UsageError as error:
        raise StudyError(str(error)) from error
    return TomlTable(document, document.values)
