"""The journal of a study: one JSON document per line, appended and synced before anything depends on it.

The first line is the header: schema, who wrote it, what the study is, and its budget. Then there is one line when a run
is asked for, one when it has ended, one when nothing can be asked for before runs under way have ended, and one when
the study is continued, perhaps with another budget, so that reading the lines in order leads to the same state again.
A line that a killed process left incomplete is the last one; it is cut off. Anything else that does not fit is refused:
a journal that belongs to another study, or was written by another version, must not be mixed with this one.
"""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Self, TypeAlias

from adcl._decode import DecodeError, decode
from adcl.errors import AdclError, UsageError
from adcl.tune.file import Budget
from adcl.tune.study._plan import PlannedRun, RunKind, Sample

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

__all__ = [
    "SCHEMA",
    "Event",
    "Journal",
    "JournalError",
    "JournalWriteError",
    "RunAsked",
    "RunDone",
    "StudyResumed",
    "StudyWaited",
    "read_journal",
]

SCHEMA = 1


class JournalError(AdclError):
    """A journal cannot be used; the message names file, line and remedy."""


class JournalWriteError(JournalError):
    """A line could not be written; what was written before is as it was."""


@dataclass(frozen=True)
class RunAsked:
    """A run was about to begin."""

    order: PlannedRun
    elapsed_s: float


@dataclass(frozen=True)
class RunDone:
    """A run has ended."""

    number: int
    sample: Sample
    elapsed_s: float


@dataclass(frozen=True)
class StudyResumed:
    """The study was continued with this budget."""

    budget: Budget
    elapsed_s: float


@dataclass(frozen=True)
class StudyWaited:
    """The protocol was asked, and had nothing to run before runs under way had ended."""

    elapsed_s: float


Event: TypeAlias = RunAsked | RunDone | StudyResumed | StudyWaited


@dataclass(frozen=True)
class _PlannedRunLine:
    number: int
    kind: RunKind
    scenario: tuple[int, ...] | None
    timeout_s: float | None
    round: int | None


@dataclass(frozen=True)
class _AskedLine:
    order: _PlannedRunLine
    elapsed_s: float


@dataclass(frozen=True)
class _SampleLine:
    status: str
    seconds: float | None
    objectives: dict[str, float]
    tail: str = ""
    reason: str = ""


@dataclass(frozen=True)
class _DoneLine:
    number: int
    sample: _SampleLine
    elapsed_s: float


def _event(document: dict[str, Any]) -> Event | None:
    """What a line says; None for kinds that this version only passes over."""
    elapsed = document.get("elapsed_s")
    if not isinstance(elapsed, int | float):
        raise DecodeError("elapsed_s: expected a number")
    match document.get("event"):
        case "asked":
            line = decode(_AskedLine, document)
            run = line.order
            return RunAsked(PlannedRun(run.number, run.kind, run.scenario, run.timeout_s, run.round), line.elapsed_s)
        case "done":
            done = decode(_DoneLine, document)
            sample = done.sample
            kept = Sample(sample.status, sample.seconds, sample.objectives, sample.tail, sample.reason)
            return RunDone(done.number, kept, done.elapsed_s)
        case "waited":
            return StudyWaited(float(elapsed))
        case "resumed" if "budget" in document:
            return StudyResumed(decode(Budget, document["budget"]), float(elapsed))
        case "resumed" | "interrupted" | "finished":
            return None
        case other:
            raise DecodeError(f"event: expected asked or done, found {other!r}")


def read_journal(path: Path) -> tuple[dict[str, Any], list[Event], int]:
    """Return the header, what happened, and how many bytes of the file are good. Raises `JournalError`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise JournalError(f"cannot read the journal {path}: {error.strerror}") from error
    good = content.rfind(b"\n") + 1
    lines = content[:good].splitlines()
    if not lines:
        raise JournalError(f"{path} is empty: no study was begun there; remove it")
    documents = []
    for number, line in enumerate(lines, 1):
        try:
            documents.append(json.loads(line))
        except ValueError as error:
            raise JournalError(f"{path}:{number}: not a line of a journal ({error}); the file is damaged") from error
    header = documents[0]
    if not isinstance(header, dict) or header.get("event") != "study" or not isinstance(header.get("study"), dict):
        raise JournalError(f"{path} is not a journal of adcl tune")
    if header.get("schema") != SCHEMA:
        raise JournalError(
            f"{path} has schema {header.get('schema')}, written by ADCL {header.get('version')}; this one reads "
            f"{SCHEMA}: finish the study with that version, or begin a new one"
        )
    events = []
    for number, document in enumerate(documents[1:], 2):
        try:
            event = _event(document if isinstance(document, dict) else {})
        except DecodeError as error:
            raise JournalError(f"{path}:{number}: {error}; the file is damaged") from error
        if event is not None:
            events.append(event)
    return header, events, good


class Journal:
    """An open journal; nobody else can open it meanwhile. Every line is on the disk when its call returns."""

    def __init__(
        self, path: Path, study: Mapping[str, Any], version: str, budget: Budget, *, resume: bool, extend: bool = True
    ) -> None:
        """Begin a journal, or go on with one that belongs to the same study, with `budget` if `extend`.

        Raises `UsageError` when there is one and `resume` is not wanted, or none although it is, and `JournalError`.
        """
        self.path = path
        self.budget = budget
        """With which the study was begun."""

        self.past: list[Event] = []
        if resume and not path.exists():
            raise UsageError(f"there is no journal {path} to resume")
        if not resume and path.exists() and path.stat().st_size > 0:
            raise UsageError(f"{path} holds an earlier study: go on with it (--resume), or name another file")
        try:
            self._file: IO[bytes] = path.open("ab", buffering=0)
        except OSError as error:
            raise JournalError(f"cannot write the journal {path}: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._good = os.fstat(self._file.fileno()).st_size
            if resume:
                self._take_up(study, budget if extend else None)
            else:
                kept = {"study": dict(study), "budget": dataclasses.asdict(budget)}
                self._append({"event": "study", "schema": SCHEMA, "version": version, **kept})
                _sync_folder(path)
        except BlockingIOError as error:
            self._file.close()
            raise JournalError(f"another process is working on the study {path}") from error
        except OSError as error:
            self._file.close()
            raise JournalWriteError(f"cannot write the journal {path}: {error.strerror}") from error
        except BaseException:
            self._file.close()
            raise

    def _take_up(self, study: Mapping[str, Any], budget: Budget | None) -> None:
        header, self.past, good = read_journal(self.path)
        if "budget" in header:
            try:
                self.budget = decode(Budget, header["budget"])
            except DecodeError as error:
                raise JournalError(f"{self.path}:1: {error}; the file is damaged") from error
        before = header["study"]
        different = [name for name in {**before, **study} if before.get(name) != study.get(name)]
        if different:
            raise JournalError(
                f"{self.path} belongs to another study: {', '.join(different)} differ; resume with what it was begun "
                "with, or name another file"
            )
        self._file.truncate(good)
        self._good = good
        if budget is not None:
            resumed = StudyResumed(budget, self.elapsed_s)
            self.past.append(resumed)
            self._append({"event": "resumed", **dataclasses.asdict(resumed)})

    @property
    def elapsed_s(self) -> float:
        """How long the study had been running when the last event was written."""
        return max((event.elapsed_s for event in self.past), default=0.0)

    def asked(self, order: PlannedRun, elapsed_s: float) -> None:
        """Write that a run begins."""
        self._append({"event": "asked", "order": dataclasses.asdict(order), "elapsed_s": elapsed_s})

    def done(self, number: int, sample: Sample, elapsed_s: float) -> None:
        """Write that a run has ended."""
        self._append({"event": "done", "number": number, "sample": dataclasses.asdict(sample), "elapsed_s": elapsed_s})

    def note(self, event: str, elapsed_s: float) -> None:
        """Write `waited`, `interrupted` or `finished`."""
        self._append({"event": event, "elapsed_s": elapsed_s})

    def _append(self, document: Mapping[str, Any]) -> None:
        """Write a line and sync it; where that fails, as on a full disk, nothing of it stays."""
        line = json.dumps(document, separators=(",", ":")).encode() + b"\n"
        try:
            while line:
                line = line[os.write(self._file.fileno(), line) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            os.ftruncate(self._file.fileno(), self._good)
            raise JournalWriteError(
                f"cannot write the journal {self.path}: {error.strerror}; make room, and continue the study with "
                f"'adcl tune resume {self.path.parent}'"
            ) from error
        self._good = os.fstat(self._file.fileno()).st_size

    def close(self) -> None:
        """Let others open it."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _sync_folder(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
