"""A TOML file whose values know the line they are on, so that an error can name it."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

__all__ = ["StudyError", "Table", "load"]

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"""\s*([A-Za-z0-9_-]+|"[^"]*"|'[^']*')\s*=""")
_KINDS: dict[type, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


class StudyError(UsageError):
    """A study file cannot be meant; the message names file, line, key, value and remedy."""


def _lines(text: str) -> dict[tuple[str | int, ...], int]:
    """Where tables and keys are. Tables in several lines without headers are not looked into."""
    places: dict[tuple[str | int, ...], int] = {}
    counts: dict[str, int] = {}
    table: tuple[str | int, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            name = header[2].strip("\"'")
            parent, _, child = name.partition(".")
            table = (parent, counts[parent], child) if child and parent in counts else (name,)
            if header[1] == "[[":
                counts[name] = counts.get(name, -1) + 1
                table = (name, counts[name])
            places.setdefault(table, number)
        elif key := _KEY.match(line):
            places.setdefault((*table, key[1].strip("\"'")), number)
    return places


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the file. Its methods check what they return, and `finish` refuses keys that nobody asked for."""

    file: Path
    values: dict[str, Any]
    place: tuple[str | int, ...]
    places: dict[tuple[str | int, ...], int]
    asked: set[str]

    def fail(self, message: str, key: str | None = None) -> NoReturn:
        """Raise a `StudyError` about a key, or about the whole table."""
        line = self.places.get(self.place if key is None else (*self.place, key)) or self.places.get(self.place) or 1
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
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fail(f"expected {_KINDS[kind]}, found {value!r}", key)
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
        """Raise a `StudyError` about a key that is not there, and name the one that was meant perhaps."""
        import difflib

        for near in difflib.get_close_matches(key, [one for one in self.values if one not in self.asked], 1):
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
        return tuple(str(self._scalar(key, one, str)) for one in rows)

    def table(self, key: str) -> Table:
        """Return a table in it, empty if it is not there."""
        value = self.raw(key)
        if value is not None and not isinstance(value, dict):
            self.fail(f"expected a table, found {value!r}", key)
        place = (*self.place, key)
        places = self.places if place in self.places or not self.place else {**self.places, place: self._line()}
        return Table(self.file, value or {}, place, places, set())

    def _line(self) -> int:
        return self.places.get(self.place, 1)

    def tables(self, key: str) -> Iterator[Table]:
        """Go through a list of tables, as ``[[key]]`` makes it."""
        value = self.raw(key)
        if value is None:
            return
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            self.fail(f"expected tables; write [[{key}]] above each", key)
        for at, one in enumerate(value):
            yield Table(self.file, one, (key, at), self.places, set())

    def finish(self) -> None:
        """Refuse keys that mean nothing, and offer the nearest that does."""
        for key in self.values:
            if key not in self.asked:
                import difflib

                near = difflib.get_close_matches(key, self.asked, 1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(self.asked))}"
                self.fail(f"there is no such key here; {hint}", key)


def load(path: Path) -> Table:
    """Read a TOML file. Raises `StudyError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StudyError(f"cannot read {path}: {error.strerror}") from error
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise StudyError(f"{path}:{line[1] if line else 1}: {error}") from error
    return Table(path, values, (), _lines(text), set())
