"""Journal of an evaluation."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping  # noqa: TC003 - `adcl._decode` looks it up
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adcl._decode import DecodeError, decode
from adcl._journal import JournalError, JournalFile, read_documents
from adcl.evaluate._config import Combination  # noqa: TC001 - `adcl._decode` looks it up

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

__all__ = ["SCHEMA", "Chosen", "Done", "EvaluationJournal", "Header", "Recorded", "Scouted", "read_recorded"]

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Header:
    """Header: the evaluation and its machine."""

    digest: str
    seed: int
    name: str
    machine: str
    """Host or cluster."""

    context: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scouted:
    """Result of the short search in a setting."""

    setting: str
    function_set: str
    candidates: tuple[str, ...]
    """Codelets that all searches of the set have in common, in the order of the table."""

    seconds: Mapping[str, float]
    """Time of an operation with each measured codelet."""

    ranks: int
    parameters: Mapping[str, str]
    native: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """Result of one search of a tuned run."""

    winner: str | None
    """Chosen codelet; None if the program ended before the search."""

    estimates: Mapping[str, float]
    """Times by which the search judged codelets, in seconds."""

    measurements: int
    lost_s: float | None
    """Time of the search minus the time of the same number of starts of the winner, in seconds."""


@dataclass(frozen=True, slots=True)
class Done:
    """A run that has ended."""

    key: str
    setting: str
    kind: str
    number: int
    status: str
    """One of ok, slow (stopped because the run took too long), and failed."""

    wall_s: float
    seconds: float | None = None
    codelet: str | None = None
    combination: Combination | None = None
    choices: tuple[Chosen, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """Contents of a journal."""

    header: Header
    scouted: Mapping[str, Scouted]
    done: Mapping[str, Done]
    """Runs by key; a repeated run replaces the failed one."""

    good: int = 0
    """Length of the valid part of the file in bytes."""


def _header(document: Any, path: Path) -> Header:  # noqa: ANN401
    if not isinstance(document, dict) or document.get("event") != "evaluation":
        raise JournalError(f"{path} is not a journal of adcl evaluate")
    if document.get("schema") != SCHEMA:
        raise JournalError(
            f"{path} has schema {document.get('schema')}, written by ADCL {document.get('version')}; this version "
            f"reads {SCHEMA}: finish the evaluation with that version, or start a new evaluation"
        )
    try:
        return decode(Header, document["header"])
    except (DecodeError, KeyError) as error:
        raise JournalError(f"{path}:1: {error}; the file is damaged") from error


def read_recorded(path: Path) -> Recorded:
    """Read a journal. Raises `JournalError`."""
    documents, good = read_documents(path, "evaluation")
    scouted: dict[str, Scouted] = {}
    done: dict[str, Done] = {}
    header = _header(documents[0], path)
    for number, document in enumerate(documents[1:], 2):
        event = document.get("event") if isinstance(document, dict) else None
        try:
            if event == "scouted":
                one = decode(Scouted, document["scouted"])
                scouted[one.setting] = one
            elif event == "done":
                run = decode(Done, document["run"])
                done[run.key] = run
        except (DecodeError, KeyError) as error:
            raise JournalError(f"{path}:{number}: {error}; the file is damaged") from error
        if event not in _EVENTS:
            raise JournalError(f"{path}:{number}: unknown event {event!r}; the file is damaged")
    return Recorded(header, scouted, done, good)


_EVENTS = ("scouted", "done", "finished", "interrupted")


class EvaluationJournal:
    """Open journal of an evaluation; see `JournalFile`."""

    def __init__(self, path: Path, header: Header, version: str) -> None:
        """Start a journal, or resume the journal of the same evaluation, which keeps its header and seed.

        Raises `JournalError` if the journal belongs to another evaluation.
        """
        resumed = path.exists() and path.stat().st_size > 0
        self._file = JournalFile(
            path,
            resume=resumed,
            what="evaluation",
            remedy="free disk space, and run the same command again to resume",
        )
        try:
            self.recorded = self._take_up(path, header) if resumed else Recorded(header, {}, {})
            if not resumed:
                document = {"event": "evaluation", "schema": SCHEMA, "version": version}
                self._file.append({**document, "header": dataclasses.asdict(header)})
                self._file.sync_folder()
        except BaseException:
            self._file.close()
            raise

    def _take_up(self, path: Path, header: Header) -> Recorded:
        found = read_recorded(path)
        if found.header.digest != header.digest or found.header.machine != header.machine:
            what = "with another file" if found.header.machine == header.machine else f"on {found.header.machine}"
            raise JournalError(
                f"{path} belongs to an evaluation {what}: use --fresh to rename it and start over, or "
                "--output for another folder"
            )
        self._file.cut(found.good)
        return found

    def scouted(self, found: Scouted) -> None:
        """Append the result of a short search."""
        self._file.append({"event": "scouted", "scouted": dataclasses.asdict(found)})

    def done(self, run: Done) -> None:
        """Append a run that has ended."""
        self._file.append({"event": "done", "run": dataclasses.asdict(run)})

    def note(self, event: str) -> None:
        """Append `finished` or `interrupted`."""
        self._file.append({"event": event})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
