"""Convert the records of one rank to its searches. Pure."""

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
    TracedExpectation,
    TracedRequest,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.trace._columns import MeasurementLine
    from adcl.trace._records import Record

__all__ = ["CandidateRow", "Key", "SearchBuilder", "Trace", "TracedRun", "TracedSearch"]

_NOT_TRIED = "not measured before the search ended"
"""Reason that the library states for a candidate that never ran."""

Key = tuple[int, str, int, str]
"""Identity of a search on all ranks: run, communicator, number and mode of use."""


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One candidate of a search. Times are in seconds; None if there was no agreement."""

    codelet: str
    measurements: int
    judged_s: float | None
    mean_s: float | None
    outliers: int
    remark: str
    """Reason why the candidate was removed from the search; empty if it was not removed."""

    @property
    def tried(self) -> bool:
        """Whether the candidate has a time or was removed for a reason."""
        return self.judged_s is not None or self.measurements > 0 or self.remark not in ("", _NOT_TRIED)


@dataclass(frozen=True, slots=True)
class TracedSearch:
    """A search for one mode of use of requests with the same problem."""

    run: int
    """Counts from 1."""
    communicator: str
    number: int
    mode: str
    """Mode of use: start, init and wait, or start_overlap; empty if nothing was measured."""
    names: tuple[str, ...]
    requests: int
    ranks: int
    function_set: str
    problem: str
    candidates: tuple[str, ...]
    """Names of the candidates, in the order of the table."""
    features: Mapping[str, float | str]
    """Features for the comparison of problems, from the first request on this rank."""
    rows: tuple[CandidateRow, ...]
    """Candidates sorted by time; candidates without a time are last."""
    reopenings: tuple[Reopening, ...]
    """Withdrawals of decisions, in order."""
    decision: Decision | None
    measurements: int
    """Number of samples of the search on this rank."""
    decisions: tuple[Decision, ...] = ()
    """Provisional and withdrawn decisions in order; repeated decisions for the same winner are omitted."""
    history: History | None = None
    """History used by the search, if any."""
    production: int = 0
    """Number of samples after a decision on this rank."""
    logic: str = ""
    """Selection logic; empty in traces without it, like the next two members."""
    outliers: str = ""
    options: Mapping[str, bool | float | str] = field(default_factory=dict)
    expected: tuple[TracedExpectation, ...] = ()
    """Expected times before measuring: one entry per candidate, or none."""
    agreed_start: int = 0
    """Start of the last agreement. A search that continues while it pays off also agrees after its decision."""
    gain: Gain | None = None
    """Speedup of the winner over the first candidate; None if they have too few alternating samples."""
    end: End | None = None
    """Totals of all starts; None if the program ended before it wrote the totals."""

    @property
    def key(self) -> Key:
        """Identity of the search on all ranks."""
        return self.run, self.communicator, self.number, self.mode


@dataclass(frozen=True, slots=True)
class TracedRun:
    """A run of a program."""

    number: int
    """Counts from 1."""
    ranks: int
    """Number of ranks that wrote a file."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Records of one rank."""

    path: str
    rank: int
    files: int
    """Number of files in the same folder, one per rank."""
    searches: tuple[TracedSearch, ...]
    cut: bool
    """Whether the last line of a file is incomplete."""
    runs: tuple[TracedRun, ...] = ()


class _Run:
    """Collects the records of one run."""

    def __init__(self, folder: int, session: int) -> None:
        self.folder = folder
        self.session = session
        self.requests: dict[tuple[str, int], TracedRequest] = {}
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
        if isinstance(record, TracedRequest):
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
            # Earlier results become a prior, which the next agreement confirms or discards.
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

    def _search(self, number: int, request: TracedRequest, mode: str) -> TracedSearch:
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

    Each run has a folder. If a request's number repeats in a file, the program has finalized and initialized the
    library again: a new session in the same folder, which counts as a separate run.
    """

    def __init__(self) -> None:
        self._runs: list[_Run] = []

    def begin_run(self, folder: int) -> None:
        """Start a new run: `folder` is the number of its folder among all folders of the trace."""
        self._runs.append(_Run(folder, 0))

    def sessions(self) -> dict[int, int]:
        """Return the number of sessions of this rank in each folder."""
        found: dict[int, int] = {}
        for run in self._runs:
            found[run.folder] = max(found.get(run.folder, 0), run.session + 1)
        return found

    def measure(self, one: MeasurementLine) -> None:
        """Add a measurement."""
        self._runs[-1].measure(one)

    def add(self, record: Record) -> None:
        """Add any other record."""
        if isinstance(record, TracedRequest) and (record.communicator, record.request) in self._runs[-1].requests:
            last = self._runs[-1]
            self._runs.append(_Run(last.folder, last.session + 1))
        self._runs[-1].add(record)

    def searches(self, first: Mapping[int, int]) -> tuple[TracedSearch, ...]:
        """Return all searches, run by run, in the order of their requests.

        `first` has the number of each folder's first run. A run has the same number on all ranks, even if a rank did
        not take part in earlier runs.
        """
        return tuple(search for run in self._runs for search in run.searches(first[run.folder] + run.session))

    def measurements(self, first: Mapping[int, int]) -> dict[Key, Measurements]:
        """Return the measurements of each search that has some."""
        return {
            (first[run.folder] + run.session, *key): collector.columns()
            for run in self._runs
            for key, collector in run.measurements.items()
        }
