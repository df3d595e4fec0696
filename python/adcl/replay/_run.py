"""Hands recordings to ``adcl-replay`` and reads what it says, as it comes."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adcl._decode import DecodeError, decode
from adcl.errors import AdclError, UsageError
from adcl.info import describe, find_companion
from adcl.replay._results import Replay, ReplayedDecision, ReplayedSearch, distance, standings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from adcl.replay._recorded import RecordedSearch, Times

__all__ = ["MEASUREMENTS", "ReplayError", "Wish", "replay"]

PROGRAM = "adcl-replay"
SCHEMA = 1
MEASUREMENTS = (100, 80, 60, 40, 20, 10)
"""As in the thesis, section 5.4."""


class ReplayError(AdclError):
    """The native program failed, or there is nothing to replay."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be tried. Empty tuples stand for everything that the library has."""

    measurements: tuple[int, ...] = MEASUREMENTS
    searches: tuple[str, ...] = ()
    outliers: tuple[str, ...] = ()
    windows: int = 1
    """Equally distant places of the recording at which reading begins."""
    starts: int = 20_000
    """Of the program: some searches go on trying in long ones."""
    truth: str = "none"
    """The statistical method that judges verification runs: `none` is the mean, which a program pays."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Of searches and methods; they hold instead of those that were recorded."""


def _known(wish: Wish) -> Wish:
    """With names in place of everything. Raises `UsageError` for one that the library does not have."""
    description = describe().description
    searches = tuple(one.name for one in description.searches)
    estimators = tuple(one.name for one in description.estimators)
    for what, named, known in (
        ("selection logic", wish.searches, searches),
        ("statistical method", (*wish.outliers, wish.truth), estimators),
        ("option", tuple(wish.options), tuple(one.name for one in description.options)),
    ):
        for name in named:
            if name not in known:
                shown = ", ".join(known) if what != "option" else "adcl info --options lists them"
                raise UsageError(f"'{name}' is no {what}; {shown}")
    return dataclasses.replace(
        wish,
        measurements=tuple(sorted(set(wish.measurements), reverse=True)),
        searches=wish.searches or searches,
        outliers=wish.outliers or estimators,
    )


def _listed(times: Times) -> dict[str, list[list[float]]]:
    return {name: rows.tolist() for name, rows in times.items()}


def _document(recorded: RecordedSearch, wish: Wish, measurements: Sequence[int]) -> dict[str, Any]:
    search = recorded.search
    expected = dict(zip(search.candidates, search.expected, strict=False))
    candidates = []
    for name in recorded.times:
        known = expected.get(name)
        candidates.append(
            {"name": name, "log_time": known.log_time if known else None, "first": known.first if known else None}
        )
    truth: dict[str, Any] = {"outliers": wish.truth}
    if recorded.verification:
        truth["times"] = _listed({**recorded.times, **recorded.verification})
    return {
        "schema": SCHEMA,
        "function_set": search.function_set,
        "candidates": candidates,
        "times": _listed(recorded.times),
        "searches": wish.searches,
        "outliers": wish.outliers,
        "measurements": measurements,
        "windows": wish.windows,
        "starts": wish.starts,
        "options": {**search.options, **wish.options},
        "truth": truth,
    }


def _lines(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Run the program; yields the documents that it writes. Raises `ReplayError`."""
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
            raise ReplayError(said[-400:] or f"{program} ended with {running.returncode} and said nothing")


def _replayed(recorded: RecordedSearch, wish: Wish, on_decision: Callable[[], None]) -> ReplayedSearch:
    search = recorded.search
    measurements = [count for count in wish.measurements if count <= recorded.most]
    truth: dict[str, float] = {}
    decisions: list[ReplayedDecision] = []
    for line in _lines(_document(recorded, wish, measurements)):
        if "truth" in line:
            truth = dict(line["truth"])
            continue
        try:
            one = decode(ReplayedDecision, line)
        except DecodeError as error:
            raise ReplayError(f"{PROGRAM} printed what this adcl cannot read: {error}") from error
        decisions.append(dataclasses.replace(one, distance=distance(one.winner, truth)))
        on_decision()
    return ReplayedSearch(
        trace=recorded.trace,
        title=recorded.title,
        ranks=next(iter(recorded.times.values())).shape[0],
        candidates=tuple(recorded.times),
        recorded={name: times.shape[1] for name, times in recorded.times.items()},
        unmeasured=recorded.unmeasured,
        verified=tuple(name for name in recorded.times if name in recorded.verification),
        truth_by=wish.truth,
        truth=truth,
        best=min(truth, key=lambda name: truth[name]),
        too_many=tuple(count for count in wish.measurements if count > recorded.most),
        decided=search.decision.winner if search.decision is not None else "",
        decisions=tuple(decisions),
    )


def replay(
    recorded: Sequence[RecordedSearch],
    wish: Wish,
    *,
    on_begin: Callable[[int], None] = lambda _: None,
    on_decision: Callable[[], None] = lambda: None,
) -> Replay:
    """Replay each of the recorded searches in all the ways that are wished for.

    `on_begin` is told how many replays there will be, `on_decision` is called after each. Raises `ReplayError` where
    nothing can be replayed, `UsageError` for names that the library does not have.
    """
    if not recorded:
        raise ReplayError(
            "nothing to replay: in no search of the trace two codelets were measured on all ranks. A recording that "
            "tells much is made with ADCL_SEARCH=brute_force ADCL_MEASUREMENTS=100 ADCL_TRACE=FOLDER"
        )
    known = _known(wish)
    counts = [sum(count <= one.most for count in known.measurements) for one in recorded]
    if not any(counts):
        most = max(one.most for one in recorded)
        raise ReplayError(
            f"the recording has at most {most} measurements of a codelet, fewer than the least number asked for, "
            f"{known.measurements[-1]}; name numbers with --measurements, or record more: "
            "ADCL_SEARCH=brute_force ADCL_MEASUREMENTS=100"
        )
    on_begin(sum(counts) * len(known.searches) * len(known.outliers) * known.windows)
    searches = tuple(_replayed(one, known, on_decision) for one, count in zip(recorded, counts, strict=True) if count)
    too_few = tuple(f"{one.trace}: {one.title}" for one, count in zip(recorded, counts, strict=True) if not count)
    return Replay(searches, standings(searches), too_few)
