"""Store of a study: one JSON line per record, appended and synced."""

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
from adcl.scale.input._records import (
    MeasurementParser,
    blocks_of,
    lines_of,
    not_text,
    paused_garbage_collection,
    require_schema,
)
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
    """Whether the line marks the success of a job, as its last line does. Measurements of unmarked jobs are ignored."""

    how: str = ""
    """Digest of the job's command; empty for imported data."""


def _documents(path: Path, needle: bytes = b"") -> Iterator[tuple[int, Any]]:
    """Parse all lines as JSON; ignore an incomplete last line, which a killed process leaves.

    Raises `DataError` for invalid JSON.
    """
    for number, line, ends in lines_of(path):
        if needle not in line or not line.strip():
            continue
        document = _document(path, number, line, ends=ends)
        if document is None:
            return
        yield number, document


def _document(path: Path, number: int, line: bytes, *, ends: bool) -> Any:  # noqa: ANN401
    """Parse a line as JSON; return None for an incomplete line. Raises `DataError` for other invalid lines."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        if not ends:
            return None
        if isinstance(error, UnicodeDecodeError):
            raise DataError(not_text(path, number, line[error.start])) from error
        raise DataError(f"{path}:{number}: not JSON ({error}); remove the line, or name the right file") from error
    return {} if found is None else found  # both reject a store's line


def _repair_end(file: IO[bytes]) -> None:
    """Complete the last line, or remove it if it is truncated, which a killed process leaves."""
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
    """File of one study. Several processes may append concurrently.

    Raises `DataError` for a damaged or foreign file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> list[StoreEntry]:
        """Return the measurements of all successful jobs in file order; empty if the file does not exist."""
        if not self.path.exists():
            return []
        parser, reader = MeasurementParser(), LineReader()
        rows: list[StoreEntry] = []
        done: set[tuple[str, str]] = set()
        with paused_garbage_collection():
            for first, block in blocks_of(self.path):
                found = reader.block(block)
                if found is None:
                    found = self._parse_lines(first, block, reader, parser)
                rows += found[0]
                done.update(found[1])
            return [row for row in rows if not row.job or (row.run, row.job) in done]

    def _parse_lines(
        self, first: int, block: bytes, reader: LineReader, parser: MeasurementParser
    ) -> tuple[list[StoreEntry], list[tuple[str, str]]]:
        """Parse a block line by line: its measurements, and the runs and jobs that end there. Raises `DataError`."""
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
                rows.append(StoreEntry(parser.measurement(document["measurement"], place), run, job, time_s))
            if ends:
                ended.append((run, job))
        return rows, ended

    def finished(self, run: str) -> set[str]:
        """Return the keys of the run's successful jobs."""
        if not self.path.exists():
            return set()
        return {
            document["job"]
            for _, document in _documents(self.path, b'"done"')
            if document.get("done") is True and document.get("run") == run
        }

    def digests(self, run: str) -> set[str]:
        """Return the digests of the commands of the run's jobs."""
        if not self.path.exists():
            return set()
        documents = (document for _, document in _documents(self.path, b'"how"'))
        return {str(document["how"]) for document in documents if document.get("how") and document.get("run") == run}

    def append(self, run: str, job: str, time_s: float, measurements: Iterable[Measurement], how: str = "") -> None:
        """Append the measurements of a successful job and sync the file."""
        self.append_all(run, [(job, measurements)], time_s, how)

    def append_all(
        self, run: str, jobs: Iterable[tuple[str, Iterable[Measurement]]], time_s: float, how: str = ""
    ) -> dict[str, int]:
        """Append the measurements of several jobs, or none if one fails; return the number for each.

        Existing data are not read again, and measurements are written as they arrive.
        """
        counts: dict[str, int] = {}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                _repair_end(file)
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
    """Return the fields of a line besides its measurement: run, job, time, and whether it ends the job.

    Raises `DataError`.
    """
    if type(document) is dict:
        run, job, time_s = document.get("run"), document.get("job"), document.get("time_s")
        done = document.get("done", False)
        numbers = type(time_s) is float or type(time_s) is int
        if numbers and document.get("schema") == SCHEMA and type(run) is type(job) is str and type(done) is bool:
            return sys.intern(run), sys.intern(job), float(time_s or 0), done
        document = {name: value for name, value in document.items() if name != "measurement"}
    require_schema(document, place)
    try:
        line = decode(_Line, document)
    except DecodeError as error:
        raise DataError(f"{place}: {error}; this is not a store of adcl scale") from error
    return line.run, line.job, line.time_s, line.done


def _lines(run: str, job: str, time_s: float, measurements: Iterable[Measurement], how: str) -> Iterator[str]:
    """Iterate over the lines of a job, which are its measurements; the last line marks success."""
    write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    head = {"schema": SCHEMA, "run": run, "job": job, "time_s": time_s}
    begin = write(head)[:-1]
    for one in measurements:
        members = {name: getattr(one, name) for name in _MEMBERS}
        yield f'{begin},"measurement":{write(members)}}}\n'
    yield write({**head, "done": True, **({"how": how} if how else {})}) + "\n"


_MEMBERS = tuple(member.name for member in dataclasses.fields(Measurement))


def is_store(path: Path) -> bool:
    """Return whether the first line of a file belongs to a store."""
    try:
        with path.open(encoding="utf-8") as file:
            first = json.loads(file.readline())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and {"schema", "run", "job"} <= first.keys()


def replace_text(path: Path, text: str) -> None:
    """Replace a file atomically."""
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
