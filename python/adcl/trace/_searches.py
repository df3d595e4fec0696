"""From the records of one rank to its searches: pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.trace._records import Agreement, Decision, Drop, Entry, Name, Reopening, Request, TracedMeasurement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.trace._records import Record

__all__ = ["CandidateRow", "Trace", "TracedSearch", "searches_of"]


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One candidate of a search. A time is None where there was no agreement on one, in seconds otherwise."""

    codelet: str
    measurements: int
    judged_s: float | None
    mean_s: float | None
    outliers: int
    remark: str
    """Why it is out of the search; empty when it is not."""


@dataclass(frozen=True, slots=True)
class TracedSearch:
    """A search, for one way of using requests with the same problem."""

    run: int
    """Counts from 1."""
    communicator: str
    number: int
    mode: str
    """The way of use: start, init and wait, or start_overlap; empty when nothing was measured."""
    names: tuple[str, ...]
    requests: int
    ranks: int
    function_set: str
    problem: str
    features: Mapping[str, float | str]
    """What problems are compared by: the numbers and words of the first request, on this rank."""
    rows: tuple[CandidateRow, ...]
    """The fastest first; those that were not measured last."""
    reopenings: tuple[Reopening, ...]
    """Decisions before the last one, which were withdrawn."""
    decision: Decision | None
    measurements: int
    """On this rank."""

    @property
    def gain(self) -> float | None:
        """How many times as fast the winner is as the first candidate; None where one of them was not measured."""
        decision = self.decision
        if decision is None or not decision.winner_s or decision.first_s is None:
            return None
        return decision.first_s / decision.winner_s


@dataclass(frozen=True, slots=True)
class Trace:
    """What one rank wrote."""

    path: str
    rank: int
    files: int
    """In the same folder, one per rank."""
    searches: tuple[TracedSearch, ...]
    cut: bool
    """The last line of a file has no end: the program was ended while it wrote."""


class _Run:
    """Collects the records of one run."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.requests: dict[tuple[str, int], Request] = {}
        self.names: dict[tuple[str, int], dict[int, str]] = {}
        self.modes: dict[tuple[str, int], dict[str, None]] = {}
        self.measurements: dict[tuple[str, int, str], int] = {}
        self.entries: dict[tuple[str, int, str], dict[str, Entry]] = {}
        self.decisions: dict[tuple[str, int, str], Decision] = {}
        self.reopenings: dict[tuple[str, int, str], list[Reopening]] = {}
        self.drops: dict[tuple[str, int, str], dict[str, str]] = {}

    def add(self, record: Record) -> None:
        search = (record.communicator, record.emethod)
        if isinstance(record, Request):
            self.requests[record.communicator, record.request] = record
            return
        if isinstance(record, Name):
            self.names.setdefault(search, {})[record.request] = record.name
            return
        self.modes.setdefault(search, {})[record.mode] = None
        key = (*search, record.mode)
        if isinstance(record, TracedMeasurement):
            self.measurements[key] = self.measurements.get(key, 0) + (0 if record.replaces else 1)
        elif isinstance(record, Agreement):
            self.entries.setdefault(key, {}).update({entry.codelet: entry for entry in record.entries})
        elif isinstance(record, Reopening):
            # What was known is a prior that the next agreement tells whole, or that is let go.
            self.reopenings.setdefault(key, []).append(record)
            self.entries.pop(key, None)
            self.decisions.pop(key, None)
        elif isinstance(record, Drop):
            self.drops.setdefault(key, {})[record.codelet] = record.reason
        else:
            self.decisions[key] = record

    def searches(self) -> list[TracedSearch]:
        own = [request for request in self.requests.values() if not request.merged]
        return [
            self._search(request, mode)
            for request in own
            for mode in self.modes.get((request.communicator, request.emethod), {"": None})
        ]

    def _search(self, request: Request, mode: str) -> TracedSearch:
        search = (request.communicator, request.emethod)
        key = (*search, mode)
        names = self.names.get(search, {})
        sharing = [one for one in self.requests.values() if (one.communicator, one.emethod) == search]
        rows = [self._row(codelet, key) for codelet in request.candidates]
        rows.sort(key=lambda row: (row.judged_s is None, row.judged_s or 0.0))
        return TracedSearch(
            run=self.number,
            communicator=request.communicator,
            number=request.emethod,
            mode=mode,
            names=tuple(dict.fromkeys(names.values())),
            requests=len(sharing),
            ranks=request.ranks,
            function_set=request.function_set,
            problem=request.problem,
            features=request.features,
            rows=tuple(rows),
            reopenings=tuple(self.reopenings.get(key, ())),
            decision=self.decisions.get(key),
            measurements=self.measurements.get(key, 0),
        )

    def _row(self, codelet: str, key: tuple[str, int, str]) -> CandidateRow:
        entry = self.entries.get(key, {}).get(codelet)
        dropped = self.drops.get(key, {}).get(codelet, "")
        if entry is None:
            return CandidateRow(codelet, 0, None, None, 0, dropped)
        return CandidateRow(
            codelet,
            int(entry.measurements),
            entry.judged_s,
            entry.mean_s,
            int(entry.outliers),
            dropped or entry.removed,
        )


def searches_of(runs: Sequence[Sequence[Record]]) -> tuple[TracedSearch, ...]:
    """The searches of one rank's records, run by run, in the order of their requests.

    Where a request's number comes again within a run, the program has ended the library and begun again.
    """
    found: list[_Run] = []
    for records in runs:
        found.append(_Run(len(found) + 1))
        for record in records:
            if isinstance(record, Request) and (record.communicator, record.request) in found[-1].requests:
                found.append(_Run(len(found) + 1))
            found[-1].add(record)
    return tuple(search for run in found for search in run.searches())
