"""Find the positions of keys and values in a TOML document, which `tomllib` does not report."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["Places", "places"]

Path: TypeAlias = tuple[str | int, ...]

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(r"'''.*?'''+|\"\"\"(?:[^\\]|\\.)*?\"\"\"+|'[^'\n]*'|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
_BARE = re.compile(r"[^\s,\]}#=.\[{]+")
_PLAIN = re.compile(r"[^,\]}#\n]+")
_ESCAPE = re.compile(r"\\(.)")


@dataclass(frozen=True)
class Places:
    """Offsets into the text by path; array elements are numbered."""

    keys: dict[Path, int] = field(default_factory=dict)
    values: dict[Path, int] = field(default_factory=dict)

    def value(self, path: Path) -> int:
        """Return the offset of the value at a path, or of the nearest enclosing value that has one."""
        return self._find(self.values, path)

    def key(self, path: Path) -> int:
        """Return the offset of the key at a path, or of the nearest enclosing key that has one."""
        return self._find(self.keys, path)

    def _find(self, of: dict[Path, int], path: Path) -> int:
        if path in of:
            return of[path]
        for length in range(len(path), 0, -1):
            for known in (self.values, self.keys):
                if path[:length] in known:
                    return known[path[:length]]
        return 0


class _Walker:
    """Scanner for text that `tomllib` has already accepted; it does not validate."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._counts: dict[Path, int] = {}
        self.found = Places()

    def document(self) -> None:
        table: Path = ()
        before = -1
        while self._peek() and self._place > before:
            before = self._place
            if self._text[self._place] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _peek(self) -> str:
        match = _SPACE.match(self._text, self._place)
        if match:
            self._place = match.end()
        return self._text[self._place : self._place + 1]

    def _skip(self, letters: str) -> None:
        while self._peek() and self._text[self._place] in letters:
            self._place += 1

    def _header(self) -> Path:
        many = self._text.startswith("[[", self._place)
        self._place += 2 if many else 1
        self._peek()
        begin = self._place
        path = self._indexed_path(self._key(()))
        self._place += 2 if many else 1
        if many:
            self._counts[path] = self._counts.get(path, -1) + 1
            path = (*path, self._counts[path])
        self.found.keys.setdefault(path, begin)
        self.found.values.setdefault(path, begin)
        return path

    def _indexed_path(self, path: Path) -> Path:
        """Return the path with the index of the current element of each array of tables on it."""
        full: Path = ()
        for place, part in enumerate(path):
            full = (*full, part)
            if full in self._counts and place + 1 < len(path):
                full = (*full, self._counts[full])
        return full

    def _key(self, table: Path) -> Path:
        path = table
        while True:
            self._peek()
            begin = self._place
            match = _STRING.match(self._text, begin) or _BARE.match(self._text, begin)
            if match is None:
                return path
            self._place = match.end()
            word = match[0]
            path = (*path, _ESCAPE.sub(r"\1", word[1:-1]) if word[0] in "'\"" else word)
            self.found.keys.setdefault(path, begin)
            if self._peek() != ".":
                return path
            self._place += 1

    def _pair(self, table: Path) -> None:
        path = self._key(table)
        self._skip("=")
        self._value(path)

    def _value(self, path: Path) -> None:
        letter = self._peek()
        self.found.values.setdefault(path, self._place)
        if letter == "[":
            self._place += 1
            index = 0
            while self._peek() not in ("]", ""):
                self._value((*path, index))
                index += 1
                self._skip(",")
            self._place += 1
        elif letter == "{":
            self._place += 1
            while self._peek() not in ("}", ""):
                self._pair(path)
                self._skip(",")
            self._place += 1
        else:
            match = _STRING.match(self._text, self._place) or _PLAIN.match(self._text, self._place)
            self._place = match.end() if match else len(self._text)


def places(text: str) -> Places:
    """Return the places of all keys and values. `text` must be valid TOML."""
    walker = _Walker(text)
    walker.document()
    return walker.found
