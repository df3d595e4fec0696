"""Journal of a study: one JSON document per line, each synced before the next step depends on it.

The first line is the header: schema, version of the writer, the study, and its budget. The other lines are events: a
run is requested, a run has ended, the protocol waits for running trials, or the study is continued, possibly with
another budget. Replaying the lines in order restores the state. Only the last line can be incomplete, if the process
was killed; it is removed. Other mismatches are errors, so that studies or versions are never mixed.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from adcl._decode import DecodeError, decode
from adcl._journal import JournalError, JournalFile, JournalWriteError, read_documents
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


@dataclass(frozen=True)
class RunAsked:
    """A run is about to begin."""

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
    """The protocol has nothing to run before running trials end."""

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
    """Return the event of a line; None for kinds that this version ignores."""
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
            raise DecodeError(f"unknown event {other!r}")


def read_journal(path: Path) -> tuple[dict[str, Any], list[Event], int]:
    """Return the header, the events, and the length of the valid part in bytes. Raises `JournalError`."""
    documents, good = read_documents(path)
    header = documents[0]
    if not isinstance(header, dict) or header.get("event") != "study" or not isinstance(header.get("study"), dict):
        raise JournalError(f"{path} is not a journal of adcl tune")
    if header.get("schema") != SCHEMA:
        raise JournalError(
            f"{path} has schema {header.get('schema')}, written by ADCL {header.get('version')}, but this version "
            f"reads {SCHEMA}: finish the study with that version, or begin a new study"
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
    """An open, locked journal. Every line is on disk when its call returns."""

    def __init__(
        self, path: Path, study: Mapping[str, Any], version: str, budget: Budget, *, resume: bool, extend: bool = True
    ) -> None:
        """Create a journal, or continue one that belongs to the same study, with `budget` if `extend`.

        Raises `UsageError` if the file exists without `resume` or is missing with it, and `JournalError`.
        """
        self.path = path
        self.budget = budget
        """Original budget of the study."""

        self.past: list[Event] = []
        remedy = f"free disk space, then continue the study with 'adcl tune resume {path.parent}'"
        self._file = JournalFile(path, resume=resume, remedy=remedy)
        try:
            if resume:
                self._take_up(study, budget if extend else None)
            else:
                kept = {"study": dict(study), "budget": dataclasses.asdict(budget)}
                self._file.append({"event": "study", "schema": SCHEMA, "version": version, **kept})
                self._file.sync_folder()
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
                f"{self.path} belongs to another study: {', '.join(different)} differ; resume with the original "
                "options, or name another file"
            )
        self._file.cut(good)
        if budget is not None:
            resumed = StudyResumed(budget, self.elapsed_s)
            self.past.append(resumed)
            self._file.append({"event": "resumed", **dataclasses.asdict(resumed)})

    @property
    def elapsed_s(self) -> float:
        """Time of the last event in seconds since the study began."""
        return max((event.elapsed_s for event in self.past), default=0.0)

    def asked(self, order: PlannedRun, elapsed_s: float) -> None:
        """Record that a run begins."""
        self._file.append({"event": "asked", "order": dataclasses.asdict(order), "elapsed_s": elapsed_s})

    def done(self, number: int, sample: Sample, elapsed_s: float) -> None:
        """Record that a run has ended."""
        self._file.append(
            {"event": "done", "number": number, "sample": dataclasses.asdict(sample), "elapsed_s": elapsed_s}
        )

    def note(self, event: str, elapsed_s: float) -> None:
        """Record `waited`, `interrupted` or `finished`."""
        self._file.append({"event": event, "elapsed_s": elapsed_s})

    def close(self) -> None:
        """Release the lock and close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
