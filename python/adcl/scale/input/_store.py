"""The store of a study: a JSON line for each record, appended and synced, so that nothing measured is lost."""

from __future__ import annotations

import dataclasses
import fcntl
import io
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from adcl._decode import DecodeError, decode
from adcl.errors import AdclError, DataError
from adcl.scale.input._records import Recogniser, blocks_of, lines_of, not_text, refuse_foreign, without_collection
from adcl.scale.input._stored import LineReader, StoreEntry
from adcl.scale.model import SCHEMA, Measurement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Store", "is_store", "replace_text"]


@dataclass(frozen=True, slots=True)
class _Line:
    schema: int
    run: str
    job: str
    time_s: float
    done: bool = False
    """The last line of a job says that it ended well; measurements of jobs without one do not count."""

    how: str = ""
    """What was run, as a digest; empty for imported data."""


def _documents(path: Path, needle: bytes = b"") -> Iterator[tuple[int, Any]]:
    """All lines with these bytes as JSON; a last line without its end is what a killed process leaves, and is ignored.

    Raises `DataError` for what is no JSON.
    """
    for number, line, ends in lines_of(path):
        if needle not in line or not line.strip():
            continue
        document = _document(path, number, line, ends=ends)
        if document is None:
            return
        yield number, document


def _document(path: Path, number: int, line: bytes, *, ends: bool) -> Any:  # noqa: ANN401
    """Return a line as JSON, or None for one without its end that is none. Raises `DataError` for others."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        if not ends:
            return None
        if isinstance(error, UnicodeDecodeError):
            raise DataError(not_text(path, number, line[error.start])) from error
        raise DataError(f"{path}:{number}: no JSON ({error}); remove the line, or name the right file") from error
    return {} if found is None else found  # which both lack what a line has


def _mend(file: IO[bytes]) -> None:
    """End the last line, or drop it if it is but the beginning of one, which a killed process has left."""
    size = file.seek(0, os.SEEK_END)
    last, at = b"", size
    while at > 0 and b"\n" not in last:
        at = max(0, at - _BLOCK)
        file.seek(at)
        last = file.read(size - at)
    last = last.rpartition(b"\n")[2]
    if last:
        try:
            json.loads(last)
            file.write(b"\n")
        except ValueError:
            file.truncate(size - len(last))
    file.seek(0, os.SEEK_END)


_BLOCK = 1 << 16


class Store:
    """A file of one study. Several processes may append at once. A broken or foreign file is refused."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> list[StoreEntry]:
        """Return the measurements of all jobs that ended well, in the order of the file. No file has none."""
        if not self.path.exists():
            return []
        recognise, reader = Recogniser(), LineReader()
        rows: list[StoreEntry] = []
        done: set[tuple[str, str]] = set()
        with without_collection():
            for first, block in blocks_of(self.path):
                found = reader.block(block)
                if found is None:
                    found = self._unusual(first, block, reader, recognise)
                rows += found[0]
                done.update(found[1])
            return [row for row in rows if not row.job or (row.run, row.job) in done]

    def _unusual(
        self, first: int, block: bytes, reader: LineReader, recognise: Recogniser
    ) -> tuple[list[StoreEntry], list[tuple[str, str]]]:
        """Read a block line by line: its measurements, and the runs and jobs that end there. Raises `DataError`."""
        rows: list[StoreEntry] = []
        ended: list[tuple[str, str]] = []
        for number, text in enumerate(io.BytesIO(block), first):
            usual = reader.block(text)
            if usual is not None:
                rows += usual[0]
                ended += usual[1]
                continue
            document = _document(self.path, number, text, ends=text.endswith(b"\n"))
            if document is None:
                break
            place = f"{self.path}:{number}"
            run, job, time_s, ends = _head(document, place)
            if document.get("measurement") is not None:
                rows.append(StoreEntry(recognise.measurement(document["measurement"], place), run, job, time_s))
            if ends:
                ended.append((run, job))
        return rows, ended

    def finished(self, run: str) -> set[str]:
        """Return the keys of that run's jobs that ended well."""
        if not self.path.exists():
            return set()
        return {
            document["job"]
            for _, document in _documents(self.path, b'"done"')
            if document.get("done") is True and document.get("run") == run
        }

    def how(self, run: str) -> set[str]:
        """Return the digests of what that run's jobs were started with."""
        if not self.path.exists():
            return set()
        documents = (document for _, document in _documents(self.path, b'"how"'))
        return {str(document["how"]) for document in documents if document.get("how") and document.get("run") == run}

    def append(self, run: str, job: str, time_s: float, measurements: Iterable[Measurement], how: str = "") -> None:
        """Add the measurements of a job that ended well, and sync them to the disk."""
        self.append_all(run, [(job, measurements)], time_s, how)

    def append_all(
        self, run: str, jobs: Iterable[tuple[str, Iterable[Measurement]]], time_s: float, how: str = ""
    ) -> dict[str, int]:
        """Add the measurements of several jobs, or of none if one fails; return how many each has.

        What is stored is not read again, and measurements are written as they come.
        """
        counts: dict[str, int] = {}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                _mend(file)
                before = file.tell()
                try:
                    for job, measurements in jobs:
                        counts[job] = 0
                        for text in _lines(run, job, time_s, measurements, how):
                            file.write(text.encode())
                            counts[job] += 1
                        counts[job] -= 1
                    file.flush()
                    os.fsync(file.fileno())
                except BaseException:
                    file.flush()
                    file.truncate(before)
                    raise
        except OSError as error:
            raise AdclError(f"cannot write {self.path}: {error.strerror}") from error
        return counts


def _head(document: Any, place: str) -> tuple[str, str, float, bool]:  # noqa: ANN401
    """Return what a line says beside its measurement: run, job, time, and whether it ends the job.

    Raises `DataError`.
    """
    if type(document) is dict:
        run, job, time_s = document.get("run"), document.get("job"), document.get("time_s")
        done = document.get("done", False)
        numbers = type(time_s) is float or type(time_s) is int
        if numbers and document.get("schema") == SCHEMA and type(run) is type(job) is str and type(done) is bool:
            return sys.intern(run), sys.intern(job), float(time_s or 0), done
        document = {name: value for name, value in document.items() if name != "measurement"}
    refuse_foreign(document, place)
    try:
        line = decode(_Line, document)
    except DecodeError as error:
        raise DataError(f"{place}: {error}; this is no store of adcl scale") from error
    return line.run, line.job, line.time_s, line.done


def _lines(run: str, job: str, time_s: float, measurements: Iterable[Measurement], how: str) -> Iterator[str]:
    """Write the lines of a job: its measurements, and at last that it is done."""
    write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    head = {"schema": SCHEMA, "run": run, "job": job, "time_s": time_s}
    begin = write(head)[:-1]
    for one in measurements:
        members = {name: getattr(one, name) for name in _MEMBERS}
        yield f'{begin},"measurement":{write(members)}}}\n'
    yield write({**head, "done": True, **({"how": how} if how else {})}) + "\n"


_MEMBERS = tuple(member.name for member in dataclasses.fields(Measurement))


def is_store(path: Path) -> bool:
    """Whether the first line of a file is that of a store."""
    try:
        with path.open(encoding="utf-8") as file:
            first = json.loads(file.readline())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and {"schema", "run", "job"} <= first.keys()


def replace_text(path: Path, text: str) -> None:
    """Write a whole file so that it is either the old or the new one, whatever happens."""
    import tempfile

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise AdclError(f"cannot write {path}: {error.strerror}") from error
