"""Text of a file, and errors that name a place in it."""

from __future__ import annotations

import bisect
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Source", "SourceError"]


class SourceError(UsageError):
    """A file has invalid contents: ``file:line:column: expected …, found …``."""

    def __init__(self, name: str, line: int, column: int, message: str) -> None:
        super().__init__(f"{name}:{line}:{column}: {message}")
        self.message = message
        self.line = line
        self.column = column


@dataclass(frozen=True)
class Source:
    """A text and its name. Places are offsets into the text; lines and columns count from 1."""

    text: str
    name: str = "text"

    @classmethod
    def read(cls, path: Path) -> Source:
        """Read a file. Raises `UsageError`."""
        try:
            return cls(path.read_text(encoding="utf-8"), str(path))
        except OSError as error:
            raise UsageError(f"cannot read {str(path)!r}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise UsageError(f"{str(path)!r} is not UTF-8 text: the byte at offset {error.start} is invalid") from error

    @functools.cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(place + 1 for place, letter in enumerate(self.text) if letter == "\n")]

    def position(self, place: int) -> tuple[int, int]:
        """Return the line and column of a place."""
        line = bisect.bisect_right(self._line_starts, place)
        return line, place - self._line_starts[line - 1] + 1

    def error(self, place: int, message: str) -> SourceError:
        """Return the error for a place."""
        return self.error_at(*self.position(place), message)

    def error_at(self, line: int, column: int, message: str) -> SourceError:
        """Return the error for a line and column."""
        return SourceError(self.name, line, column, message)
