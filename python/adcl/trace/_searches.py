"""From the records of one rank to its searches: pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adcl.trace._columns import Collector, Measurements
from adcl.trace._records import (
    Agreement,
    Decision,
    Drop,
    End,
    Entry,
    Gain,
    History,
    Name,
    Reopening,
    Request,
    TracedExpectation,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.trace._columns import MeasurementLine
    from adcl.trace._records import Record

__all__ = ["CandidateRow", "Key", "SearchBuilder", "Trace", "TracedRun", "TracedSearch"]

_NOT_TRIED = "not measured before the search ended"
"""The library's words for a candidate that it never ran."""

Key = tuple[int, str, int, str]
"""Run, communicator, number and way of use: the same search on all ranks."""


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

    @property
    def tried(self) -> bool:
        """Whether there is more to show than its name: a time, or why it is out."""
        return self.judged_s is not None or self.measurements > 0 or self.remark not in ("", _NOT_TRIED)


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
    candidates: tuple[str, ...]
    """In the order of the table."""
    features: Mapping[str, float | str]
    """What problems are compared by: the numbers and words of the first request, on this rank."""
    rows: tuple[CandidateRow, ...]
    """The fastest first; those that were not measured last."""
    reopenings: tuple[Reopening, ...]
    """Decisions before the last one, which were withdrawn."""
    decision: Decision | None
    measurements: int
    """Of the search, on this rank."""
    decisions: tuple[Decision, ...] = ()
    """Provisional ones and those that were withdrawn, in their order; one that repeats the last winner is not there."""
    history: History | None = None
    """What earlier runs had learned, where there was something."""
    production: int = 0
    """Measurements after a decision, on this rank."""
    logic: str = ""
    """The selection logic; empty in traces that do not say it, as are the two that follow."""
    outliers: str = ""
    options: Mapping[str, bool | float | str] = field(default_factory=dict)
    expected: tuple[TracedExpectation, ...] = ()
    """Before anything was measured: one entry per candidate, or none."""
    agreed_start: int = 0
    """When the ranks last agreed on times: a search that measures on while it pays does so after its decision."""
    gain: Gain | None = None
    """Of the winner over the first candidate; None where too few samples of both were taken in turns."""
    end: End | None = None
    """What became of all starts; None where the program ended before it could say so."""

    @property
    def key(self) -> Key:
        """What the search is called on all ranks."""
        return self.run, self.communicator, self.number, self.mode


@dataclass(frozen=True, slots=True)
class TracedRun:
    """A run of a program."""

    number: int
    """Counts from 1."""
    ranks: int
    """That wrote a file."""


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
    runs: tuple[TracedRun, ...] = ()


class _Run:
    """Collects the records of one run."""

    def __init__(self, folder: int, session: int) -> None:
        self.folder = folder
        self.session = session
        self.requests: dict[tuple[str, int], Request] = {}
        self.names: dict[tuple[str, int], dict[int, str]] = {}
        self.modes: dict[tuple[str, int], dict[str, None]] = {}
        self.measurements: dict[tuple[str, int, str], Collector] = {}
        self.entries: dict[tuple[str, int, str], dict[str, Entry]] = {}
        self.agreed: dict[tuple[str, int, str], int] = {}
        self.decisions: dict[tuple[str, int, str], Decision] = {}
        self.earlier: dict[tuple[str, int, str], list[Decision]] = {}
        self.history: dict[tuple[str, int, str], History] = {}
        self.reopenings: dict[tuple[str, int, str], list[Reopening]] = {}
        self.drops: dict[tuple[str, int, str], dict[str, str]] = {}
        self.gains: dict[tuple[str, int, str], Gain] = {}
        self.ends: dict[tuple[str, int, str], End] = {}

    def measure(self, one: MeasurementLine) -> None:
        key = (one.communicator, one.emethod, one.mode)
        collector = self.measurements.get(key)
        if collector is None:
            self.modes.setdefault(key[:2], {})[one.mode] = None
            collector = self.measurements[key] = Collector()
        collector.add(one)

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
        if isinstance(record, History):
            self.history[key] = record
        elif isinstance(record, Agreement):
            self.entries.setdefault(key, {}).update({entry.codelet: entry for entry in record.entries})
            self.agreed[key] = int(record.start)
        elif isinstance(record, Reopening):
            # What was known is a prior that the next agreement tells whole, or that is let go.
            self.reopenings.setdefault(key, []).append(record)
            self.entries.pop(key, None)
            self.decisions.pop(key, None)
            self.gains.pop(key, None)
        elif isinstance(record, Drop):
            self.drops.setdefault(key, {})[record.codelet] = record.reason
        elif isinstance(record, Gain):
            self.gains[key] = record
        elif isinstance(record, End):
            self.ends[key] = record
        elif isinstance(record, Decision):
            self._decide(key, record)

    def _decide(self, key: tuple[str, int, str], record: Decision) -> None:
        last = self.decisions.get(key)
        self.decisions[key] = record
        if last is not None and last.winner != record.winner:
            self.gains.pop(key, None)
        if last is None or (last.winner, last.provisional) != (record.winner, record.provisional):
            self.earlier.setdefault(key, []).append(record)

    def searches(self, number: int) -> list[TracedSearch]:
        own = [request for request in self.requests.values() if not request.merged]
        return [
            self._search(number, request, mode)
            for request in own
            for mode in self.modes.get((request.communicator, request.emethod), {"": None})
        ]

    def _search(self, number: int, request: Request, mode: str) -> TracedSearch:
        search = (request.communicator, request.emethod)
        key = (*search, mode)
        names = self.names.get(search, {})
        sharing = [one for one in self.requests.values() if (one.communicator, one.emethod) == search]
        rows = [self._row(codelet, key) for codelet in request.candidates]
        rows.sort(key=lambda row: (row.judged_s is None, row.judged_s or 0.0))
        return TracedSearch(
            run=number,
            communicator=request.communicator,
            number=request.emethod,
            mode=mode,
            names=tuple(dict.fromkeys(names.values())),
            requests=len(sharing),
            ranks=request.ranks,
            function_set=request.function_set,
            problem=request.problem,
            candidates=request.candidates,
            features=request.features,
            rows=tuple(rows),
            reopenings=tuple(self.reopenings.get(key, ())),
            decision=self.decisions.get(key),
            measurements=self._measured(key, production=False),
            decisions=tuple(self.earlier.get(key, ())),
            history=self.history.get(key),
            production=self._measured(key, production=True),
            logic=request.search,
            outliers=request.outliers,
            options=request.options,
            expected=request.expected,
            agreed_start=self.agreed.get(key, 0),
            gain=self.gains.get(key),
            end=self.ends.get(key),
        )

    def _measured(self, key: tuple[str, int, str], *, production: bool) -> int:
        collector = self.measurements.get(key)
        return 0 if collector is None else collector.count(production=production)

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


class SearchBuilder:
    """Collects the records of one rank, run by run.

    A run has a folder. Where a request's number comes again in a file, the program has ended the library and begun
    again: another session of the same folder, which counts as a run of its own.
    """

    def __init__(self) -> None:
        self._runs: list[_Run] = []

    def begin_run(self, folder: int) -> None:
        """What follows is of another run: that of the folder with this number among all folders of the trace."""
        self._runs.append(_Run(folder, 0))

    def sessions(self) -> dict[int, int]:
        """How many sessions this rank had in each folder."""
        found: dict[int, int] = {}
        for run in self._runs:
            found[run.folder] = max(found.get(run.folder, 0), run.session + 1)
        return found

    def measure(self, one: MeasurementLine) -> None:
        """Take a measurement."""
        self._runs[-1].measure(one)

    def add(self, record: Record) -> None:
        """Take any other record."""
        if isinstance(record, Request) and (record.communicator, record.request) in self._runs[-1].requests:
            last = self._runs[-1]
            self._runs.append(_Run(last.folder, last.session + 1))
        self._runs[-1].add(record)

    def searches(self, first: Mapping[int, int]) -> tuple[TracedSearch, ...]:
        """All searches, run by run, in the order of their requests; `first` has the number of each folder's first run.

        The number of a run is the same on all ranks, whichever runs a rank took part in.
        """
        return tuple(search for run in self._runs for search in run.searches(first[run.folder] + run.session))

    def measurements(self, first: Mapping[int, int]) -> dict[Key, Measurements]:
        """What was measured in each of them, where something was."""
        return {
            (first[run.folder] + run.session, *key): collector.columns()
            for run in self._runs
            for key, collector in run.measurements.items()
        }
