"""The records of a trace, schema 5, member by member. Times are in seconds."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - `adcl._decode` looks it up
from dataclasses import dataclass, field

__all__ = [
    "EVENTS",
    "READABLE",
    "SCHEMA",
    "Agreement",
    "Decision",
    "Drop",
    "End",
    "Entry",
    "Gain",
    "History",
    "Name",
    "Record",
    "Reopening",
    "Request",
    "TracedExpectation",
    "TracedMeasurement",
]

SCHEMA = 5
READABLE = (3, 4, SCHEMA)
"""Schema 3 lacks members that have defaults here, and the event history; schema 4 lacks the events gain and end."""


@dataclass(frozen=True, slots=True)
class TracedExpectation:
    """What a codelet is expected to take before it was measured; null where nothing is."""

    log_time: float | None
    first: float | None


@dataclass(frozen=True, slots=True)
class Request:
    """A request came to be, with a search of its own or sharing an earlier one (`merged`)."""

    communicator: str
    request: int
    emethod: int
    ranks: int
    merged: bool
    function_set: str
    problem: str
    candidates: tuple[str, ...]
    excluded: tuple[str, ...]
    features: Mapping[str, float | str] = field(default_factory=dict)
    expected: tuple[TracedExpectation, ...] = ()
    """One entry per candidate, or none."""
    search: str = ""
    outliers: str = ""
    options: Mapping[str, bool | float | str] = field(default_factory=dict)
    """What the selection logic and the statistical method read."""


@dataclass(frozen=True, slots=True)
class Name:
    """The application named a request."""

    communicator: str
    request: int
    emethod: int
    name: str


@dataclass(frozen=True, slots=True)
class History:
    """What others told a search: earlier runs of the same or of similar problems, or searches at the same time."""

    communicator: str
    emethod: int
    mode: str
    kind: str
    winner: str
    left_out: tuple[str, ...]
    """Candidates that similar problems advise against."""
    words: str
    """Where that comes from; empty but on the communicator's rank 0."""


@dataclass(frozen=True, slots=True)
class TracedMeasurement:
    """An operation was measured on this rank, or, if it `replaces`, its time was replaced by the application's."""

    communicator: str
    request: int
    emethod: int
    mode: str
    start: int
    codelet: str
    sample: int
    seconds: float
    replaces: bool
    production: bool = False
    """Measured after the decision."""

    left_s: float | None = None
    """When the operation was complete, on the clock that the ranks share."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the ranks know together of one codelet."""

    codelet: str
    mean_s: float
    filtered_mean_s: float
    outliers: float
    measurements: float
    spread_s: float
    judged_s: float | None
    removed: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """The ranks combined their numbers: one entry per codelet of which more is known than before."""

    communicator: str
    emethod: int
    mode: str
    start: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """A search ended. Times that are null were not measured.

    `lost_s` is what it cost beyond the same number of starts of the winner.
    """

    communicator: str
    emethod: int
    mode: str
    start: int
    winner: str
    reason: str
    ties: tuple[str, ...]
    winner_s: float | None
    first: str
    first_s: float | None
    searching_starts: int
    searching_s: float
    preparation_s: float
    lost_s: float
    provisional: bool = False
    """Others are tried if the program runs long enough for that to pay."""
    confirmed: bool = False
    """An earlier run's winner has kept its time."""


@dataclass(frozen=True, slots=True)
class Reopening:
    """A decision was withdrawn after `production` starts: a search began again, with what was known as a prior."""

    communicator: str
    emethod: int
    mode: str
    start: int
    production: int
    winner: str
    reason: str


@dataclass(frozen=True, slots=True)
class Drop:
    """A codelet was dropped because its plan could not be made on some rank."""

    communicator: str
    request: int
    emethod: int
    mode: str
    codelet: str
    reason: str


@dataclass(frozen=True, slots=True)
class Gain:
    """The winner was compared with the first codelet of the table after the decision, in pairs of starts in turns."""

    communicator: str
    emethod: int
    mode: str
    start: int
    winner: str
    first: str
    speedup: float
    """The median over the pairs of the first codelet's time divided by the winner's."""

    low: float
    high: float
    """The ends of its interval, with a confidence of at least 95 %."""

    pairs: int

    @property
    def same(self) -> bool:
        """Whether the interval contains 1: the measurements show no difference."""
        return self.low <= 1.0 <= self.high


@dataclass(frozen=True, slots=True)
class End:
    """The use of a search is over: all its starts, and those of them that ran the winner without being measured."""

    communicator: str
    emethod: int
    mode: str
    starts: int
    production: int


Record = Request | Name | History | TracedMeasurement | Agreement | Decision | Reopening | Gain | End | Drop

EVENTS: dict[str, type[Record]] = {
    "request": Request,
    "name": Name,
    "history": History,
    "measurement": TracedMeasurement,
    "agreement": Agreement,
    "decision": Decision,
    "drop": Drop,
    "reopening": Reopening,
    "gain": Gain,
    "end": End,
}
