"""Records of a trace, schema 5. Times are in seconds."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - `adcl._decode` needs it at run time
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
    "TracedExpectation",
    "TracedMeasurement",
    "TracedRequest",
]

SCHEMA = 5
READABLE = (3, 4, SCHEMA)
"""Schema 3 lacks the members with defaults, and the `history` event. Schema 4 lacks the `gain` and `end` events."""


@dataclass(frozen=True, slots=True)
class TracedExpectation:
    """Expected time of a codelet before measuring; null if there is none."""

    log_time: float | None
    first: float | None


@dataclass(frozen=True, slots=True)
class TracedRequest:
    """A request was created, with its own search or with an earlier request's search (`merged`)."""

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
    """Expected times: one entry per candidate, or none."""
    search: str = ""
    outliers: str = ""
    options: Mapping[str, bool | float | str] = field(default_factory=dict)
    """Options that the selection logic and the statistical method read."""


@dataclass(frozen=True, slots=True)
class Name:
    """The application named a request."""

    communicator: str
    request: int
    emethod: int
    name: str


@dataclass(frozen=True, slots=True)
class History:
    """A search received results: from earlier runs of the same or of similar problems, or from concurrent searches."""

    communicator: str
    emethod: int
    mode: str
    kind: str
    winner: str
    left_out: tuple[str, ...]
    """Candidates excluded by the prior of similar problems."""
    words: str
    """Origin of the results; empty except on the communicator's rank 0."""


@dataclass(frozen=True, slots=True)
class TracedMeasurement:
    """An operation was measured on this rank or, if it `replaces`, the application replaced the time."""

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
    """Whether the operation was measured after the decision."""

    left_s: float | None = None
    """Completion time on the clock shared by the ranks."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Agreed statistics of one codelet."""

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
    """The ranks agreed on times: one entry per codelet with new results."""

    communicator: str
    emethod: int
    mode: str
    start: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """A search ended. Times that were not measured are null.

    `lost_s` is its overhead relative to the same number of starts of the winner.
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
    """Whether the search will try other candidates when the program has run long enough for trials to pay off."""
    confirmed: bool = False
    """Whether a re-check confirmed the winner of an earlier run."""


@dataclass(frozen=True, slots=True)
class Reopening:
    """A decision was withdrawn after `production` starts: a new search began with the previous results as prior."""

    communicator: str
    emethod: int
    mode: str
    start: int
    production: int
    winner: str
    reason: str


@dataclass(frozen=True, slots=True)
class Drop:
    """A codelet was dropped because a rank could not create its plan."""

    communicator: str
    request: int
    emethod: int
    mode: str
    codelet: str
    reason: str


@dataclass(frozen=True, slots=True)
class Gain:
    """After the decision, the winner was compared with the first candidate in alternating pairs of starts."""

    communicator: str
    emethod: int
    mode: str
    start: int
    winner: str
    first: str
    speedup: float
    """Median over the pairs of (time of the first candidate / time of the winner)."""

    low: float
    high: float
    """Bounds of the confidence interval (at least 95 %)."""

    pairs: int

    @property
    def same(self) -> bool:
        """Whether the interval contains 1: no measurable difference."""
        return self.low <= 1.0 <= self.high


@dataclass(frozen=True, slots=True)
class End:
    """The last request of a search was freed: the number of all starts, and of unmeasured starts of the winner."""

    communicator: str
    emethod: int
    mode: str
    starts: int
    production: int


Record = TracedRequest | Name | History | TracedMeasurement | Agreement | Decision | Reopening | Gain | End | Drop

EVENTS: dict[str, type[Record]] = {
    "request": TracedRequest,
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
