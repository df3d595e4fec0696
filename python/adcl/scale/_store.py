"""The store of a study: a JSON line for each record, appended and synced, so that nothing measured is lost."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from adcl._decode import DecodeError, decode
from adcl.errors import AdclError
from adcl.scale._errors import DataError
from adcl.scale._series import SCHEMA, Measurement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Store", "StoreEntry", "is_store", "read_measurements", "read_text", "replace_text"]


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """A measurement in a store, and which job of which run it comes from."""

    measurement: Measurement
    run: str = ""
    """What was measured: a label, a version, a commit. Comparisons are between runs."""

    job: str = ""
    """The key of the job that printed it; empty for imported data."""

    time_s: float = 0.0
    """When the job ended, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class _Line:
    schema: int
    run: str
    job: str
    time_s: float
    done: bool = False
    """The last line of a job says that it ended well; measurements of jobs without one do not count."""

    measurement: Measurement | None = None
    how: str = ""
    """What was run, as a digest; empty for imported data."""


def _refuse_foreign(document: Any, place: str) -> None:  # noqa: ANN401
    if isinstance(document, dict) and isinstance(document.get("schema"), int) and document["schema"] != SCHEMA:
        raise DataError(
            f"{place}: its schema is {document['schema']}, and this adcl reads {SCHEMA}; use the one it is from"
        )


def _documents(path: Path) -> Iterator[tuple[int, Any]]:
    """All lines as JSON; a last line without its end is what a killed process leaves, and is ignored."""
    text = read_text(path)
    lines = text.split("\n")
    for number, line in enumerate(lines[:-1], 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DataError(
                    f"{path}:{number}: no JSON ({error}); remove the line, or name the right file"
                ) from error
    if lines[-1].strip():
        with contextlib.suppress(ValueError):
            yield len(lines), json.loads(lines[-1])


def _mend(file: IO[bytes]) -> None:
    """End the last line, or drop it if it is but the beginning of one, which a killed process has left."""
    file.seek(0)
    text = file.read()
    last = text.rpartition(b"\n")[2]
    if last:
        try:
            json.loads(last)
            file.write(b"\n")
        except ValueError:
            file.truncate(len(text) - len(last))
    file.seek(0, os.SEEK_END)


def _checked(measurement: Measurement, place: str) -> Measurement:
    problem = measurement.problem()
    if problem is not None:
        raise DataError(f"{place}: {problem}")
    return measurement


class Store:
    """A file of one study. Several processes may append at once. A broken or foreign file is refused."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> list[StoreEntry]:
        """Return the measurements of all jobs that ended well, in the order of the file. No file has none."""
        if not self.path.exists():
            return []
        rows: list[_Line] = []
        for number, document in _documents(self.path):
            place = f"{self.path}:{number}"
            _refuse_foreign(document, place)
            try:
                rows.append(decode(_Line, document))
            except DecodeError as error:
                raise DataError(f"{place}: {error}; this is no store of adcl scale") from error
        done = {(row.run, row.job) for row in rows if row.done} | {(row.run, "") for row in rows}
        return [
            StoreEntry(_checked(row.measurement, str(self.path)), row.run, row.job, row.time_s)
            for row in rows
            if row.measurement is not None and (row.run, row.job) in done
        ]

    def finished(self, run: str) -> set[str]:
        """Return the keys of that run's jobs that ended well."""
        if not self.path.exists():
            return set()
        documents = [document for _, document in _documents(self.path)]
        return {
            document["job"] for document in documents if document.get("done") is True and document.get("run") == run
        }

    def how(self, run: str) -> set[str]:
        """Return the digests of what that run's jobs were started with."""
        if not self.path.exists():
            return set()
        documents = [document for _, document in _documents(self.path)]
        return {str(document["how"]) for document in documents if document.get("how") and document.get("run") == run}

    def append(self, run: str, job: str, time_s: float, measurements: Iterable[Measurement], how: str = "") -> None:
        """Add the measurements of a job that ended well, and sync them to the disk."""
        head = {"schema": SCHEMA, "run": run, "job": job, "time_s": time_s}
        rows = [{**head, "measurement": dataclasses.asdict(measurement)} for measurement in measurements]
        rows.append({**head, "done": True, **({"how": how} if how else {})})
        text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with self.path.open("ab+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                _mend(file)
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise AdclError(f"cannot write {self.path}: {error.strerror}") from error


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8, with or without a byte-order mark, or in UTF-16 with one.

    Raises `AdclError` for a file that cannot be read, and `DataError` for one that is in neither: with its line.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AdclError(f"cannot read {path}: {error.strerror}") from error
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        return data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}:{line}: this is not text in UTF-8 (byte 0x{data[error.start]:02x}); convert it, for example with "
            f"iconv -f latin1 -t utf-8"
        ) from error


def is_store(path: Path) -> bool:
    """Whether the first line of a file is that of a store."""
    try:
        with path.open(encoding="utf-8") as file:
            first = json.loads(file.readline())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and {"schema", "run", "job"} <= first.keys()


def read_measurements(text: str, place: str) -> list[Measurement]:
    """Find the records among the lines that a benchmark printed; other lines are its own business.

    A record is a line with a JSON object that has a schema and a function. Raises `AdclError` for one that does not
    fit.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith("{"):
            continue
        try:
            document = json.loads(line)
        except ValueError:
            continue
        if not isinstance(document, dict) or "schema" not in document or "function" not in document:
            continue
        here = f"{place}, line {number}"
        _refuse_foreign(document, here)
        try:
            found.append(_checked(decode(Measurement, document), here))
        except DecodeError as error:
            raise AdclError(f"{here}: {error}") from error
    return found


def replace_text(path: Path, text: str) -> None:
    """Write a whole file so that it is either the old or the new one, whatever happens."""
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
