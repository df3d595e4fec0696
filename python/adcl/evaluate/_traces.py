"""Read searches from traces: the time of each start of each codelet on all ranks. Pure."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from adcl.trace import title

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from adcl.trace import Measurements, Recording, TracedSearch

__all__ = ["RecordedSearch", "Times", "recorded_searches"]

Times = dict[str, "NDArray[np.float64]"]
"""Seconds for each codelet, with a row for each rank and a column for each start that all ranks have measured.

If the trace has the departure times of all ranks, every row contains the time from the last arrival to the last
departure.
"""


@dataclass(frozen=True, slots=True)
class RecordedSearch:
    """Recorded search with measurements of at least two candidates."""

    trace: str
    title: str
    search: TracedSearch
    times: Times
    verification: Times
    """Times of the codelets that have verification runs."""

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """Candidates without measurements."""
        return tuple(name for name in self.search.candidates if name not in self.times)

    @property
    def most(self) -> int:
        """Largest number of recorded starts of a codelet."""
        return max(len(times[0]) for times in self.times.values())


def _times_of(
    ranks: Mapping[int, Measurements], codelet: str, *, production: bool | None
) -> NDArray[np.float64] | None:
    """Return the times of the starts that all ranks have measured."""
    parts = [part.of(codelet, production=production) for part in ranks.values()]
    if not parts or not all(map(len, parts)):
        return None
    common = functools.reduce(np.intersect1d, [part.start for part in parts])
    if not len(common):
        return None
    rows = []
    lefts = []
    for part in parts:
        # If a start has several times, the last time counts.
        places = np.searchsorted(part.start, common, side="right") - 1
        rows.append(part.seconds[places])
        lefts.append(part.left[places])
    seconds, left = np.vstack(rows), np.vstack(lefts)
    seen = np.maximum(left.max(axis=0) - (left - seconds).max(axis=0), 0.0)
    return np.where(np.isnan(seen), seconds, seen)


def _all_times(recording: Recording, search: TracedSearch, *, production: bool | None) -> Times:
    ranks = recording.of(search.key)
    if len(ranks) < search.ranks <= len(recording.ranks):
        return {}  # the file of a rank ends before the search
    names = dict.fromkeys(name for part in ranks.values() for name in part.codelets)
    found = ((name, _times_of(ranks, name, production=production)) for name in names)
    return {name: times for name, times in found if times is not None}


def _same_problem(one: TracedSearch, other: TracedSearch) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in ("function_set", "problem", "mode", "ranks"))


def _verified(search: TracedSearch, ranks: int, verification: Iterable[tuple[Recording, TracedSearch]]) -> Times:
    """Return the times in verification runs, including production."""
    found: dict[str, list[NDArray[np.float64]]] = {}
    for recording, other in verification:
        if not _same_problem(search, other):
            continue
        for name, times in _all_times(recording, other, production=None).items():
            if times.shape[0] == ranks:
                found.setdefault(name, []).append(times)
    return {name: np.hstack(parts) for name, parts in found.items()}


def recorded_searches(traces: Iterable[Recording], verification: Iterable[Recording] = ()) -> list[RecordedSearch]:
    """Return the searches of `traces` that can be replayed.

    Verification runs are all searches in `verification` and those in `traces` with one preselected codelet.
    """
    traces = list(traces)
    truths = [(recording, search) for recording in verification for search in recording.trace.searches]
    truths += [(one, search) for one in traces for search in one.trace.searches if len(search.candidates) == 1]
    found = []
    for recording in traces:
        several = any(search.run > 1 for search in recording.trace.searches)
        for search in recording.trace.searches:
            times = _all_times(recording, search, production=False)
            times = {name: times[name] for name in search.candidates if name in times}
            if len(times) < 2:  # noqa: PLR2004 - nothing to choose from
                continue
            ranks = next(iter(times.values())).shape[0]
            verified = {name: one for name, one in _verified(search, ranks, truths).items() if name in times}
            words = title(search, several_runs=several)
            found.append(RecordedSearch(recording.trace.path, words, search, times, verified))
    return found
