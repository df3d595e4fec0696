"""Read and change a history while other processes use it, with the library's locking protocol."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.knowledge._records import SCHEMA, HistoryError, KeptProblem, document_of, entry_of, merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["Folder", "HistoryError", "Leftover", "Pruned", "export_text", "import_text"]

_LONGEST = 1 << 22
_PATIENCE_S = 5.0
_UNFINISHED_S = 3600.0
"""Seconds after which a temporary file is considered abandoned."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """A file of the folder that is not an entry."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Pruned:
    """Files and entries that pruning has removed or would remove."""

    entries: tuple[KeptProblem, ...]
    leftovers: tuple[Leftover, ...]


def _read(path: Path) -> KeptProblem:
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST + 1)
    except OSError as error:
        raise HistoryError(f"{path}: {error.strerror}") from error
    if len(content) > _LONGEST:
        raise HistoryError(f"{path}: the file is longer than {_LONGEST} bytes")
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise HistoryError(f"{path}: not valid JSON") from error
    entry = entry_of(document, str(path))
    if entry.identity != path.stem:
        raise HistoryError(f"{path}: the file name differs from the identity of the entry, {entry.identity}")
    return entry


def _text(entry: KeptProblem) -> str:
    return json.dumps(document_of(entry), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


class Folder:
    """A history folder. Reading takes no lock: files are only replaced as a whole."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def _files(self, pattern: str) -> list[Path]:
        try:
            return sorted(one for one in self.path.iterdir() if one.match(pattern) and one.is_file())
        except OSError as error:
            raise HistoryError(f"cannot read {self.path}: {error.strerror}; name the folder of ADCL_HISTORY") from error

    def read(self) -> tuple[list[KeptProblem], list[Leftover]]:
        """Return all entries, sorted by file name, and the files that are not entries."""
        entries: list[KeptProblem] = []
        leftovers: list[Leftover] = []
        for path in self._files("*.json"):
            try:
                entries.append(_read(path))
            except HistoryError as error:
                leftovers.append(Leftover(path, str(error).removeprefix(f"{path}: ")))
        leftovers += [Leftover(path, "broken entry, which was renamed") for path in self._files("*.broken")]
        now = time.time()
        for path in self._files("*.tmp"):
            with contextlib.suppress(OSError):  # the file has just been renamed to its final name
                if now - path.stat().st_mtime > _UNFINISHED_S:
                    leftovers.append(Leftover(path, "temporary file of a process that has ended"))
        return entries, leftovers

    def find(self, identity: str) -> KeptProblem:
        """Return the entry whose identity starts with `identity`."""
        names = [path.stem for path in self._files("*.json") if path.stem.startswith(identity)]
        if len(names) != 1:
            found = f"{len(names)} entries start" if names else "no entry starts"
            raise HistoryError(f"{self.path}: {found} with {identity!r}; 'adcl history list' lists all entries")
        return _read(self.path / f"{names[0]}.json")

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            file = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise HistoryError(f"cannot write to {self.path}: {error.strerror}") from error
        try:
            end = time.monotonic() + _PATIENCE_S
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError as error:
                    if time.monotonic() > end:
                        raise HistoryError(f"{self.path}: another process holds the lock; try again") from error
                    time.sleep(0.005)
                    continue
                except OSError:
                    pass  # file system without locks: each replacement is still atomic
                break
            yield
        finally:
            os.close(file)

    def _replace(self, entry: KeptProblem) -> None:
        path = self.path / f"{entry.identity}.json"
        temporary = path.with_name(f"{path.name}.{socket.gethostname()}.{os.getpid()}.tmp")
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.write(_text(entry))
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise HistoryError(f"cannot store {path}: {error.strerror}") from error

    def add(self, entries: Iterable[KeptProblem]) -> int:
        """Merge `entries` into the folder, which is created if missing; return the number of changed files.

        Raises for an unreadable existing file and leaves it unchanged.
        """
        changed = 0
        for entry in entries:
            with self._locked():
                path = self.path / f"{entry.identity}.json"
                known = _read(path) if path.exists() else None
                new = entry if known is None else merged(known, entry)
                if new != known:
                    self._replace(new)
                    changed += 1
        return changed

    def prune(self, before: str | None, *, dry: bool) -> Pruned:
        """Remove files that are not entries, and entries that no run has decided or confirmed since `before` (UTC).

        Files of another schema are kept for other versions of ADCL.
        """
        with self._locked():
            entries, leftovers = self.read()
            leftovers = [one for one in leftovers if "this adcl reads schema" not in one.reason]
            old = [
                one
                for one in entries
                if before is not None and max((d.last_seen for d in one.decisions.values()), default="") < before
            ]
            if not dry:
                for path in [one.path for one in leftovers] + [self.path / f"{one.identity}.json" for one in old]:
                    try:
                        path.unlink(missing_ok=True)
                    except OSError as error:
                        raise HistoryError(f"cannot remove {path}: {error.strerror}") from error
        return Pruned(tuple(old), tuple(leftovers))


def export_text(entries: Iterable[KeptProblem]) -> str:
    """Return all entries as one JSON document."""
    document = {"schema": SCHEMA, "entries": [document_of(entry) for entry in entries]}
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def import_text(text: str, place: str) -> list[KeptProblem]:
    """Parse the output of `export_text`. Raises if any entry is invalid."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise HistoryError(f"{place}: not valid JSON") from error
    if not isinstance(document, dict) or not isinstance(document.get("entries"), list):
        raise HistoryError(f"{place}: not written by 'adcl history export'")
    return [entry_of(one, f"{place}: entry {number}") for number, one in enumerate(document["entries"], 1)]
