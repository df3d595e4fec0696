"""Replay traces with ``adcl-replay`` to determine what other searches would have decided on the recorded times."""

from __future__ import annotations

import dataclasses
import json
import statistics
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adcl._decode import DecodeError, decode
from adcl.errors import AdclError, UsageError
from adcl.evaluate._statistics import WITHIN_PERCENT
from adcl.info import describe, find_companion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from adcl.evaluate._traces import RecordedSearch, Times

__all__ = [
    "MEASUREMENTS",
    "Replay",
    "ReplayError",
    "ReplayOptions",
    "ReplayedDecision",
    "ReplayedSearch",
    "Standing",
    "replay",
]

PROGRAM = "adcl-replay"
SCHEMA = 1
MEASUREMENTS = (100, 80, 60, 40, 20, 10)
"""Numbers of measurements in section 5.4 of the thesis."""


class ReplayError(AdclError):
    """The native program failed, or there is nothing to replay."""


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """Replays to run. An empty tuple stands for every search or method of the library."""

    measurements: tuple[int, ...] = MEASUREMENTS
    searches: tuple[str, ...] = ()
    outliers: tuple[str, ...] = ()
    windows: int = 1
    """Number of equidistant positions in the recording at which replays start to read."""
    starts: int = 20_000
    """Number of starts of the program. Some searches measure longer in long programs."""
    truth: str = "none"
    """Statistical method that determines the true times: `none` is the mean, which corresponds to the program's
    cost."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Options of searches and methods that override the recorded options."""


@dataclass(frozen=True, slots=True)
class ReplayedDecision:
    """Result of one replay."""

    search: str
    outliers: str
    measurements_per_codelet: int
    window: int
    winner: str
    """Chosen codelet; empty if the program ended before a decision."""
    reason: str
    ties: tuple[str, ...]
    starts: int
    """Number of starts until the last agreement of the ranks."""
    measurements: int
    reused: int
    """Number of recorded times that the search read more than once."""
    seconds: float
    """Sum of the times of all starts until the last agreement, each on its slowest rank."""
    distance: float | None = None
    """Ratio of the winner's time to the best codelet's time, minus 1; None without a winner."""


@dataclass(frozen=True, slots=True)
class ReplayedSearch:
    """All replays of one recorded search."""

    trace: str
    title: str
    ranks: int
    candidates: tuple[str, ...]
    recorded: Mapping[str, int]
    """Number of recorded starts of each candidate."""
    unmeasured: tuple[str, ...]
    """Candidates without measurements, which replays omit."""
    verified: tuple[str, ...]
    """Candidates with verification runs. The true times of all other candidates are their recorded times."""
    truth_by: str
    """Statistical method that determines `truth`."""
    truth: Mapping[str, float]
    """True time of each candidate, in seconds."""
    best: str
    """Codelet with the smallest true time."""
    too_many: tuple[int, ...]
    """Numbers of measurements that no codelet has, which replays omit."""
    decided: str
    """Codelet chosen by the traced run; empty if it did not decide."""
    decisions: tuple[ReplayedDecision, ...]

    def distance(self, codelet: str) -> float | None:
        """Return the ratio of a codelet's time to the best codelet's time, minus 1; None if its time is unknown."""
        return _distance(codelet, self.truth)

    def groups(self) -> dict[tuple[str, str], list[ReplayedDecision]]:
        """Return the replays of each pair of search and statistical method."""
        return _groups(self.decisions)

    @property
    def known_from(self) -> str:
        """Description of the source of the true times."""
        if len(self.verified) == len(self.truth):
            return "verification runs"
        if self.verified:
            return f"verification runs of {len(self.verified)} of {len(self.truth)} codelets, otherwise the recording"
        return "the whole recording"


@dataclass(frozen=True, slots=True)
class Standing:
    """Results of one pair of search and statistical method over all replays."""

    search: str
    outliers: str
    replays: int
    mean_distance: float
    worst_distance: float
    right: float
    """Share of the replays whose winner is within `WITHIN_PERCENT` of the best codelet."""
    measurements: float
    """Mean number of measurements of a replay."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Results of all replays."""

    searches: tuple[ReplayedSearch, ...]
    standings: tuple[Standing, ...]
    """Best first: by frequency of correct decisions, then by fewest measurements."""
    too_few: tuple[str, ...] = ()
    """Omitted searches: every codelet has fewer measurements than the smallest number in the options."""


def mean_distance(decisions: Sequence[ReplayedDecision]) -> float | None:
    """Return the mean distance over the decisions with a winner."""
    known = [one.distance for one in decisions if one.distance is not None]
    return statistics.fmean(known) if known else None


def _distance(codelet: str, truth: Mapping[str, float]) -> float | None:
    return truth[codelet] / min(truth.values()) - 1.0 if codelet in truth else None


def _groups(decisions: Sequence[ReplayedDecision]) -> dict[tuple[str, str], list[ReplayedDecision]]:
    found: dict[tuple[str, str], list[ReplayedDecision]] = defaultdict(list)
    for one in decisions:
        found[one.search, one.outliers].append(one)
    return found


def _standing(search: str, outliers: str, replays: Sequence[ReplayedDecision]) -> Standing:
    """Summarize the replays of a pair; a replay without a winner counts as wrong and has no distance."""
    distances = [one.distance for one in replays if one.distance is not None]
    return Standing(
        search,
        outliers,
        len(replays),
        mean_distance(replays) or 0.0,
        max(distances, default=0.0),
        sum(100.0 * one <= WITHIN_PERCENT for one in distances) / len(replays),
        statistics.fmean(one.measurements for one in replays),
    )


def _standings(searches: Sequence[ReplayedSearch]) -> tuple[Standing, ...]:
    groups = _groups([one for search in searches for one in search.decisions])
    found = [_standing(*names, replays) for names, replays in groups.items()]
    return tuple(sorted(found, key=lambda one: (-one.right, one.measurements, one.mean_distance)))


def _completed(options: ReplayOptions) -> ReplayOptions:
    """Fill in the names that empty tuples stand for. Raises `UsageError` for a name that the library does not have."""
    description = describe().description
    searches = tuple(one.name for one in description.searches)
    estimators = tuple(one.name for one in description.estimators)
    for what, named, known in (
        ("search", options.searches, searches),
        ("statistical method", (*options.outliers, options.truth), estimators),
        ("option", tuple(options.options), tuple(one.name for one in description.options)),
    ):
        for name in named:
            if name not in known:
                shown = f"known: {', '.join(known)}" if what != "option" else "'adcl info --options' lists all options"
                raise UsageError(f"unknown {what} '{name}'; {shown}")
    return dataclasses.replace(
        options,
        measurements=tuple(sorted(set(options.measurements), reverse=True)),
        searches=options.searches or searches,
        outliers=options.outliers or estimators,
    )


def _listed(times: Times) -> dict[str, list[list[float]]]:
    return {name: rows.tolist() for name, rows in times.items()}


def _document(recorded: RecordedSearch, options: ReplayOptions, measurements: Sequence[int]) -> dict[str, Any]:
    search = recorded.search
    expected = dict(zip(search.candidates, search.expected, strict=False))
    candidates = []
    for name in recorded.times:
        prior = expected.get(name)
        numbers = {"log_time": prior.log_time if prior else None, "first": prior.first if prior else None}
        candidates.append({"name": name, **numbers})
    truth: dict[str, Any] = {"outliers": options.truth}
    if recorded.verification:
        truth["times"] = _listed({**recorded.times, **recorded.verification})
    return {
        "schema": SCHEMA,
        "function_set": search.function_set,
        "candidates": candidates,
        "times": _listed(recorded.times),
        "searches": options.searches,
        "outliers": options.outliers,
        "measurements": measurements,
        "windows": options.windows,
        "starts": options.starts,
        "options": {**search.options, **options.options},
        "truth": truth,
    }


def _lines(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Run the program and yield the documents that it prints. Raises `ReplayError`."""
    program = find_companion(PROGRAM)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
        given.write(json.dumps(document, separators=(",", ":")).encode())
        given.seek(0)
        with subprocess.Popen([program], stdin=given, stdout=subprocess.PIPE, stderr=errors) as running:
            assert running.stdout is not None  # noqa: S101 - a pipe was asked for
            try:
                for line in running.stdout:
                    yield json.loads(line)
                running.wait()
            except ValueError as error:
                running.kill()
                raise ReplayError(f"{program} did not print JSON documents: {error}") from error
            except BaseException:
                running.kill()
                raise
        if running.returncode != 0:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip().removeprefix(f"{PROGRAM}: ")
            raise ReplayError(said[-400:] or f"{program} failed with exit code {running.returncode} and no message")


def _replayed(recorded: RecordedSearch, options: ReplayOptions, on_decision: Callable[[], None]) -> ReplayedSearch:
    search = recorded.search
    measurements = [count for count in options.measurements if count <= recorded.most]
    truth: dict[str, float] = {}
    decisions: list[ReplayedDecision] = []
    for line in _lines(_document(recorded, options, measurements)):
        if "truth" in line:
            truth = dict(line["truth"])
            continue
        try:
            one = decode(ReplayedDecision, line)
        except DecodeError as error:
            raise ReplayError(f"cannot read the output of {PROGRAM}: {error}") from error
        decisions.append(dataclasses.replace(one, distance=_distance(one.winner, truth)))
        on_decision()
    return ReplayedSearch(
        trace=recorded.trace,
        title=recorded.title,
        ranks=next(iter(recorded.times.values())).shape[0],
        candidates=tuple(recorded.times),
        recorded={name: times.shape[1] for name, times in recorded.times.items()},
        unmeasured=recorded.unmeasured,
        verified=tuple(name for name in recorded.times if name in recorded.verification),
        truth_by=options.truth,
        truth=truth,
        best=min(truth, key=lambda name: truth[name]),
        too_many=tuple(count for count in options.measurements if count > recorded.most),
        decided=search.decision.winner if search.decision is not None else "",
        decisions=tuple(decisions),
    )


def replay(
    recorded: Sequence[RecordedSearch],
    options: ReplayOptions,
    *,
    on_begin: Callable[[int], None] = lambda _: None,
    on_decision: Callable[[], None] = lambda: None,
) -> Replay:
    """Replay each recorded search with each combination of the options.

    Calls `on_begin` once with the number of replays and `on_decision` after each replay. Raises `ReplayError` if there
    is nothing to replay, `UsageError` for a name that the library does not have.
    """
    if not recorded:
        raise ReplayError(
            "nothing to replay: no search in the trace has measurements of two codelets on all ranks; record a run "
            "with ADCL_SEARCH=brute_force ADCL_MEASUREMENTS=100 ADCL_TRACE=FOLDER"
        )
    options = _completed(options)
    counts = [sum(count <= one.most for count in options.measurements) for one in recorded]
    if not any(counts):
        most = max(one.most for one in recorded)
        raise ReplayError(
            f"the trace has at most {most} measurements of a codelet, fewer than the smallest number to replay, "
            f"{options.measurements[-1]}; choose smaller numbers with --measurements, or record more: "
            "ADCL_SEARCH=brute_force ADCL_MEASUREMENTS=100"
        )
    on_begin(sum(counts) * len(options.searches) * len(options.outliers) * options.windows)
    searches = tuple(_replayed(one, options, on_decision) for one, count in zip(recorded, counts, strict=True) if count)
    too_few = tuple(f"{one.trace}: {one.title}" for one, count in zip(recorded, counts, strict=True) if not count)
    return Replay(searches, _standings(searches), too_few)
