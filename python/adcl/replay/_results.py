"""What replays have decided. Pure."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["CLOSE", "Replay", "ReplayedDecision", "ReplayedSearch", "Standing", "distance", "standings"]

CLOSE = 0.02
"""A distance up to this counts as right, as in the project's own targets."""


def distance(codelet: str, truth: Mapping[str, float]) -> float | None:
    """Return how much longer a codelet takes than the best one, as a part; None if nothing is known of it."""
    return truth[codelet] / min(truth.values()) - 1.0 if codelet in truth else None


@dataclass(frozen=True, slots=True)
class ReplayedDecision:
    """One replay."""

    search: str
    """The selection logic."""
    outliers: str
    measurements_per_codelet: int
    window: int
    winner: str
    """Empty: none before the program's end."""
    reason: str
    ties: tuple[str, ...]
    starts: int
    """Until the last agreement of the ranks."""
    measurements: int
    reused: int
    """Of the measurements: recorded times that were read again, since the recording has too few."""
    seconds: float
    """In those starts, on the slowest rank of each."""
    distance: float | None = None
    """How much longer the winner takes than the best codelet by the truth, as a part; None without a winner."""


@dataclass(frozen=True, slots=True)
class ReplayedSearch:
    """All replays of one recorded search."""

    trace: str
    title: str
    ranks: int
    candidates: tuple[str, ...]
    recorded: Mapping[str, int]
    """Starts of each candidate."""
    unmeasured: tuple[str, ...]
    """Candidates without measurements, which take no part."""
    verified: tuple[str, ...]
    """Candidates that have verification runs; the truth of the others is what was recorded."""
    truth_by: str
    """The statistical method by which the truth is judged."""
    truth: Mapping[str, float]
    """Seconds."""
    best: str
    """The fastest by the truth."""
    too_many: tuple[int, ...]
    """Numbers of measurements that were left out, since no codelet has so many."""
    decided: str
    """What the traced run itself chose; empty: nothing."""
    decisions: tuple[ReplayedDecision, ...]

    def distance(self, codelet: str) -> float | None:
        """Return how much longer a codelet takes than the best one, as a part."""
        return distance(codelet, self.truth)

    @property
    def known_from(self) -> str:
        """Where the truth comes from, in words."""
        if len(self.verified) == len(self.truth):
            return "verification runs"
        if self.verified:
            return f"verification runs of {len(self.verified)} of {len(self.truth)} codelets, else the recording"
        return "the whole recording"


@dataclass(frozen=True, slots=True)
class Standing:
    """How one way to decide has done, over all that was replayed with it."""

    search: str
    outliers: str
    replays: int
    mean_distance: float
    worst_distance: float
    right: float
    """The part of the replays whose winner is at most 2 % slower than the best."""
    measurements: float
    """On average."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Everything that was replayed."""

    searches: tuple[ReplayedSearch, ...]
    standings: tuple[Standing, ...]
    """The best first: most often right, then the fewest measurements."""
    too_few: tuple[str, ...] = ()
    """Searches that were left out: they have fewer measurements of any codelet than the least number asked for."""


def standings(searches: Sequence[ReplayedSearch]) -> tuple[Standing, ...]:
    """Sum up. A replay without a winner counts as wrong, and for no distance."""
    groups: dict[tuple[str, str], list[ReplayedDecision]] = {}
    for search in searches:
        for one in search.decisions:
            groups.setdefault((one.search, one.outliers), []).append(one)
    found = []
    for (search_name, outliers), replays in groups.items():
        distances = [one.distance for one in replays if one.distance is not None]
        found.append(
            Standing(
                search_name,
                outliers,
                len(replays),
                statistics.fmean(distances) if distances else 0.0,
                max(distances, default=0.0),
                sum(distance <= CLOSE for distance in distances) / len(replays),
                statistics.fmean(one.measurements for one in replays),
            )
        )
    return tuple(sorted(found, key=lambda one: (-one.right, one.measurements, one.mean_distance)))
