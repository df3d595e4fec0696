"""A journal: one JSON document per line, each synced to disk before `append` returns; one writer at a time.

Only the last line can be incomplete, if the writer was killed; resuming the journal removes that line. Callers define
the contents of the lines.
"""

from __future__ import annotations

import fcntl
import json
import os
from typing import IO, TYPE_CHECKING, Any, Self

from adcl.errors import AdclError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

__all__ = ["JournalError", "JournalFile", "JournalWriteError", "read_documents"]


class JournalError(AdclError):
    """A journal is unusable; the message names file, line and remedy."""


class JournalWriteError(JournalError):
    """A line could not be written; the earlier lines are unchanged."""


def read_documents(path: Path, what: str = "study") -> tuple[list[Any], int]:
    """Return the documents (at least one) and the length of the valid part of the file in bytes.

    `what` is the word for the recorded work in messages. Raises `JournalError`.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise JournalError(f"cannot read the journal {path}: {error.strerror}") from error
    good = content.rfind(b"\n") + 1
    lines = content[:good].splitlines()
    if not lines:
        raise JournalError(f"the journal {path} contains no {what}; remove the file")
    documents = []
    for number, line in enumerate(lines, 1):
        try:
            documents.append(json.loads(line))
        except ValueError as error:
            raise JournalError(f"{path}:{number}: invalid line ({error}); the journal is damaged") from error
    return documents, good


class JournalFile:
    """An open, locked journal. Every line is on disk when `append` returns."""

    def __init__(self, path: Path, *, resume: bool, what: str = "study", remedy: str = "") -> None:
        """Create a journal, or open an existing one if `resume` is set. Messages about a full disk end with `remedy`.

        Raises `UsageError` if the file exists without `resume` or is missing with `resume`, and `JournalError`.
        """
        self.path = path
        self._remedy = remedy
        if resume and not path.exists():
            raise UsageError(f"there is no journal {path} to resume")
        if not resume and path.exists() and path.stat().st_size > 0:
            raise UsageError(f"{path} holds an earlier {what}: continue it (--resume), or name another file")
        try:
            self._file: IO[bytes] = path.open("ab", buffering=0)
        except OSError as error:
            raise JournalError(f"cannot write the journal {path}: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._good = os.fstat(self._file.fileno()).st_size
        except BlockingIOError as error:
            self._file.close()
            raise JournalError(f"another process is using the {what} {path}; wait until that process ends") from error
        except OSError as error:
            self._file.close()
            raise JournalWriteError(f"cannot write the journal {path}: {error.strerror}") from error

    def cut(self, good: int) -> None:
        """Truncate the file to `good` bytes. Raises `JournalWriteError`."""
        try:
            self._file.truncate(good)
        except OSError as error:
            raise JournalWriteError(f"cannot write the journal {self.path}: {error.strerror}") from error
        self._good = good

    def append(self, document: Mapping[str, Any]) -> None:
        """Append and sync a line.

        If that fails, as on a full disk, remove the partial line and raise `JournalWriteError`.
        """
        line = json.dumps(document, separators=(",", ":")).encode() + b"\n"
        try:
            while line:
                line = line[os.write(self._file.fileno(), line) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            os.ftruncate(self._file.fileno(), self._good)
            remedy = f"; {self._remedy}" if self._remedy else ""
            raise JournalWriteError(f"cannot write the journal {self.path}: {error.strerror}{remedy}") from error
        self._good = os.fstat(self._file.fileno()).st_size

    def sync_folder(self) -> None:
        """Sync the folder, so that the file's entry survives a crash. Raises `JournalWriteError`."""
        try:
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise JournalWriteError(f"cannot write the journal {self.path}: {error.strerror}") from error

    def close(self) -> None:
        """Release the lock and close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
