"""Standard output that tolerates a reader that closes the pipe early, such as ``head``."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["reader_left", "tolerate_closed_stdout"]


class _ClosedPipeTolerant(io.FileIO):
    """Wraps a file. After the reader has closed the pipe, it discards output and sets `reader_left`."""

    reader_left = False

    def write(self, data: ReadableBuffer, /) -> int:
        """Write the bytes and return their number.

        If the reader has closed the pipe, discard them and set `reader_left`.
        """
        try:
            return super().write(data)
        except BrokenPipeError:
            self.reader_left = True
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, self.fileno())
            os.close(nothing)
            return super().write(data)


def tolerate_closed_stdout() -> None:
    """Replace `sys.stdout`, so that a command finishes as if all of its output had been read."""
    buffer = getattr(sys.stdout, "buffer", None)
    if not isinstance(buffer, io.BufferedWriter | io.FileIO):
        return  # closed, or already replaced by a test
    sys.stdout.flush()
    raw = _ClosedPipeTolerant(sys.stdout.fileno(), "w", closefd=False)
    unbuffered = isinstance(buffer, io.FileIO)
    binary: Any = raw if unbuffered else io.BufferedWriter(raw)
    sys.stdout = io.TextIOWrapper(
        binary, sys.stdout.encoding, sys.stdout.errors, line_buffering=sys.stdout.isatty(), write_through=unbuffered
    )


def reader_left() -> bool:
    """Return whether a write has failed because the reader closed standard output."""
    buffer = getattr(sys.stdout, "buffer", None)
    return bool(getattr(getattr(buffer, "raw", buffer), "reader_left", False))
