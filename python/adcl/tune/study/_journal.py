"""The journal of a study: one JSON document per line, appended and synced before anything depends on it.

The first line is the header: schema, who wrote it, what the study is, and its budget. Then there is one line when a run
is asked for, one when it has ended, one when nothing can be asked for before runs under way have ended, and one when
the study is continued, perhaps with another budget, so that reading the lines in order leads to the same state again.
A line that a killed process left incomplete is the last one; it is cut off. Anything else that does not fit is refused:
a journal that belongs to another study, or was written by another version, must not be mixed with this one.
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
    documents, good = read_documents(path)
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
        remedy = f"make room, and continue the study with 'adcl tune resume {path.parent}'"
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
                f"{self.path} belongs to another study: {', '.join(different)} differ; resume with what it was begun "
                "with, or name another file"
            )
        self._file.cut(good)
        if budget is not None:
            resumed = StudyResumed(budget, self.elapsed_s)
            self.past.append(resumed)
            self._file.append({"event": "resumed", **dataclasses.asdict(resumed)})

    @property
    def elapsed_s(self) -> float:
        """How long the study had been running when the last event was written."""
        return max((event.elapsed_s for event in self.past), default=0.0)

    def asked(self, order: PlannedRun, elapsed_s: float) -> None:
        """Write that a run begins."""
        self._file.append({"event": "asked", "order": dataclasses.asdict(order), "elapsed_s": elapsed_s})

    def done(self, number: int, sample: Sample, elapsed_s: float) -> None:
        """Write that a run has ended."""
        self._file.append(
            {"event": "done", "number": number, "sample": dataclasses.asdict(sample), "elapsed_s": elapsed_s}
        )

    def note(self, event: str, elapsed_s: float) -> None:
        """Write `waited`, `interrupted` or `finished`."""
        self._file.append({"event": event, "elapsed_s": elapsed_s})

    def close(self) -> None:
        """Let others open it."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
