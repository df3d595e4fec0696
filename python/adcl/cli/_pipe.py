"""Standard output whose reader may leave before the end, as ``head`` does."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["let_readers_leave", "reader_left"]


class _Patient(io.FileIO):
    """Writes to a file; what its reader does not want any more goes nowhere, and `reader_left` says so."""

    reader_left = False

    def write(self, data: ReadableBuffer, /) -> int:
        """Write, and return how much was taken."""
        try:
            return super().write(data)
        except BrokenPipeError:
            self.reader_left = True
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, self.fileno())
            os.close(nothing)
            return super().write(data)


def let_readers_leave() -> None:
    """Replace `sys.stdout`, so that a command ends as it would have if all of its output had been read."""
    buffer = getattr(sys.stdout, "buffer", None)
    if not isinstance(buffer, io.BufferedWriter | io.FileIO):
        return  # closed, or replaced already, as tests do
    sys.stdout.flush()
    raw = _Patient(sys.stdout.fileno(), "w", closefd=False)
    unbuffered = isinstance(buffer, io.FileIO)
    binary: Any = raw if unbuffered else io.BufferedWriter(raw)
    sys.stdout = io.TextIOWrapper(
        binary, sys.stdout.encoding, sys.stdout.errors, line_buffering=sys.stdout.isatty(), write_through=unbuffered
    )


def reader_left() -> bool:
    """Whether nobody reads standard output any more, as far as a write has shown it."""
    buffer = getattr(sys.stdout, "buffer", None)
    return bool(getattr(getattr(buffer, "raw", buffer), "reader_left", False))
