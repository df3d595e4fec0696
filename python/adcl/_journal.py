"""A journal: one JSON document per line, appended and synced before anything depends on it, by one process at a time.

A line that a killed process left incomplete is the last one; it is cut off when the journal is taken up again. What the
lines say is the matter of those who write them.
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
    """A journal cannot be used; the message names file, line and remedy."""


class JournalWriteError(JournalError):
    """A line could not be written; what was written before is as it was."""


def read_documents(path: Path, what: str = "study") -> tuple[list[Any], int]:
    """Return the documents, of which there is at least one, and how many bytes of the file are good.

    `what` is the word for that which was begun there. Raises `JournalError`.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise JournalError(f"cannot read the journal {path}: {error.strerror}") from error
    good = content.rfind(b"\n") + 1
    lines = content[:good].splitlines()
    if not lines:
        raise JournalError(f"{path} is empty: no {what} was begun there; remove it")
    documents = []
    for number, line in enumerate(lines, 1):
        try:
            documents.append(json.loads(line))
        except ValueError as error:
            raise JournalError(f"{path}:{number}: not a line of a journal ({error}); the file is damaged") from error
    return documents, good


class JournalFile:
    """An open journal; nobody else can open it meanwhile. Every line is on the disk when `append` returns."""

    def __init__(self, path: Path, *, resume: bool, what: str = "study", remedy: str = "") -> None:
        """Open a journal, to be begun, or to `resume` one that is there. `remedy` is what a full disk asks for.

        Raises `UsageError` when there is one and `resume` is not wanted, or none although it is, and `JournalError`.
        """
        self.path = path
        self._remedy = remedy
        if resume and not path.exists():
            raise UsageError(f"there is no journal {path} to resume")
        if not resume and path.exists() and path.stat().st_size > 0:
            raise UsageError(f"{path} holds an earlier {what}: go on with it (--resume), or name another file")
        try:
            self._file: IO[bytes] = path.open("ab", buffering=0)
        except OSError as error:
            raise JournalError(f"cannot write the journal {path}: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._good = os.fstat(self._file.fileno()).st_size
        except BlockingIOError as error:
            self._file.close()
            raise JournalError(f"another process is working on the {what} {path}") from error
        except OSError as error:
            self._file.close()
            raise JournalWriteError(f"cannot write the journal {path}: {error.strerror}") from error

    def cut(self, good: int) -> None:
        """Cut off what comes after so many bytes. Raises `JournalWriteError`."""
        try:
            self._file.truncate(good)
        except OSError as error:
            raise JournalWriteError(f"cannot write the journal {self.path}: {error.strerror}") from error
        self._good = good

    def append(self, document: Mapping[str, Any]) -> None:
        """Write a line and sync it; where that fails, as on a full disk, nothing of it stays."""
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
        """Have the folder know the file, whatever happens. Raises `JournalWriteError`."""
        try:
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise JournalWriteError(f"cannot write the journal {self.path}: {error.strerror}") from error

    def close(self) -> None:
        """Let others open it."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
