"""Convert a history's decisions about collectives to algorithms of an MPI library for ranges of message sizes."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from adcl.knowledge._records import Estimate, KeptDecision, KeptProblem

__all__ = ["AlgorithmRule", "AlgorithmRules", "LeftOut", "Substitute", "choose", "one_for_all_sizes"]

NATIVE = "Native"
"""Codelet that calls the MPI library's operation; the library selects the algorithm."""
_BLOCKING = ("start", "start_with")
"""Modes of use whose decisions count, because rules apply to the library's blocking calls. Programs that run with the
interposer use the second one.
"""
_REACH = 4.0
"""Factor within which a measured size represents other sizes, unless another measured size is closer."""
_FEWEST = 6
"""Minimum number of samples of a codelet, and of the library's own choice, for a rule."""
_SURE = 2.0
"""Multiple of the standard error below which a difference of two means is ignored."""


@dataclass(frozen=True, slots=True)
class AlgorithmRule:
    """An algorithm of the library for calls with `ranks` processes and blocks of `low` to `high` bytes."""

    operation: str
    ranks: int
    low: int
    high: float
    """Upper bound, inclusive; infinite if the size does not matter."""
    algorithm: str
    codelets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A stored result that is not exported, and the reason."""

    problem: str
    reason: str


@dataclass(frozen=True, slots=True)
class Substitute:
    """A codelet that a rule uses instead of the winner, and the reason."""

    problem: str
    codelet: str
    reason: str


@dataclass(frozen=True, slots=True)
class AlgorithmRules:
    """Rules for one MPI library from a history."""

    chosen: tuple[AlgorithmRule, ...]
    left_out: tuple[LeftOut, ...]
    kept: int
    """Number of problems for which the library's own choice is the fastest."""

    substitutes: tuple[Substitute, ...] = ()


@dataclass(frozen=True, slots=True)
class _Point:
    """Best algorithm for one size; None: the library's own choice."""

    block_bytes: int
    algorithm: str | None
    codelet: str


def _name(operation: str, ranks: int, block_bytes: float) -> str:
    size = "" if operation == "barrier" else f" of {block_bytes:g} bytes"
    return f"{operation}{size} on {ranks} ranks"


@dataclass(frozen=True, slots=True)
class _Choice:
    """Algorithm for a decision; None: the library's own choice."""

    algorithm: str | None
    codelet: str
    reason: str = ""
    """Reason for another algorithm than the winner's algorithm; empty if the rule uses the winner's algorithm."""


def _weakness(one: Estimate, native: Estimate | None) -> str:
    """Return why samples do not show that a codelet is faster than the library's choice; empty if they show it."""
    if native is None:
        return "the library's own choice was not measured"
    for measured, what in ((one, one.codelet), (native, "the library's own choice")):
        if measured.measurements < _FEWEST:
            return f"{what} has {measured.measurements:.0f} of the {_FEWEST} samples that a rule requires"
    error = math.hypot(*(each.spread_s / math.sqrt(each.measurements) for each in (one, native)))
    if native.judged_s - one.judged_s <= _SURE * error:
        return f"{one.codelet} is not significantly faster than the library's own choice"
    return ""


def _best(decision: KeptDecision, known: Mapping[str, str]) -> _Choice:
    """Return the winner's algorithm if the library has it and samples show that it is faster.

    Otherwise, return the algorithm of the fastest other codelet that satisfies both conditions.
    """
    if decision.winner == NATIVE:
        return _Choice(None, NATIVE)
    measured = {one.codelet: one for one in decision.estimates if one.measurements >= 1}
    native = measured.get(NATIVE)
    reason = (
        ""
        if decision.winner in known
        else (f"the library has no algorithm that corresponds to the winner {decision.winner}")
    )
    ordered = sorted(measured.values(), key=lambda one: (one.codelet != decision.winner, one.judged_s))
    for one in ordered:
        if one.codelet not in known or (native is not None and one.judged_s >= native.judged_s):
            continue
        weakness = _weakness(one, native)
        if not weakness:
            return _Choice(known[one.codelet], one.codelet, reason)
        reason = reason or weakness
    return _Choice(None, NATIVE, reason or "no codelet is faster than the library's own choice")


def _merged(points: list[_Point], operation: str, ranks: int) -> list[AlgorithmRule]:
    """Merge the sorted `points` into ranges of sizes; adjacent sizes with the same algorithm share one."""
    chosen: list[AlgorithmRule] = []
    for i, point in enumerate(points):
        size = point.block_bytes
        low, high = math.ceil(size / _REACH), math.floor(size * _REACH)
        if i > 0:
            low = max(low, math.isqrt(points[i - 1].block_bytes * size) + 1)
        if i + 1 < len(points):
            high = min(high, math.isqrt(size * points[i + 1].block_bytes))
        if point.algorithm is None:
            continue
        last = chosen[-1] if chosen else None
        if last is not None and last.algorithm == point.algorithm and last.high + 1 >= low:
            codelets = tuple(dict.fromkeys((*last.codelets, point.codelet)))
            chosen[-1] = AlgorithmRule(operation, ranks, last.low, high, point.algorithm, codelets)
        else:
            chosen.append(AlgorithmRule(operation, ranks, low, high, point.algorithm, (point.codelet,)))
    return chosen


def _decision(entry: KeptProblem) -> KeptDecision | None:
    """Return the latest decision for blocking calls, or None."""
    known = [entry.decisions[mode] for mode in _BLOCKING if mode in entry.decisions]
    return max(known, key=lambda one: one.last_seen, default=None)


def _measured_with(entry: KeptProblem) -> str:
    """Return the MPI library, as "Open MPI 4"; without a number if the version is unknown."""
    name = str(entry.features.get("mpi_library", "an unknown MPI library"))
    major = str(entry.features.get("mpi_version", "")).partition(".")[0]
    return f"{name} {major}".rstrip()


def _partition(
    entries: Iterable[KeptProblem], libraries: tuple[str, ...], operations: Iterable[str]
) -> tuple[list[tuple[KeptProblem, KeptDecision]], list[LeftOut]]:
    """Return the problems of collectives that rules can express, most recent first, and all other problems."""
    usable: list[tuple[KeptProblem, KeptDecision]] = []
    left_out: list[LeftOut] = []
    for entry in entries:
        operation = entry.features.get("operation")
        ranks, size = entry.features.get("ranks"), entry.features.get("block_bytes")
        if not isinstance(operation, str) or not isinstance(ranks, float | int) or not isinstance(size, float | int):
            continue  # a halo or an application-defined operation
        name = _name(operation, int(ranks), size)
        library = _measured_with(entry)
        if not any(library == one or library.startswith(f"{one} ") for one in libraries):
            left_out.append(LeftOut(name, f"measured with {library}"))
        elif operation not in operations:
            left_out.append(LeftOut(name, "the library's rules do not support this operation"))
        elif (decision := _decision(entry)) is None or entry.function_set != operation:
            left_out.append(LeftOut(name, "measured only with non-blocking calls"))
        elif operation == "barrier" or size > 0:
            usable.append((entry, decision))
    return sorted(usable, key=lambda one: one[1].last_seen, reverse=True), left_out


def choose(
    entries: Iterable[KeptProblem], libraries: tuple[str, ...], algorithms: Mapping[str, Mapping[str, str]]
) -> AlgorithmRules:
    """Return rules for an MPI library that the history names as one of `libraries`, with a major version or without.

    `algorithms` maps each operation's codelets to the equivalent algorithm of the library. If problems differ only in
    properties other than operation, processes and size, the most recent one counts.
    """
    usable, left_out = _partition(entries, libraries, algorithms)
    points: dict[tuple[str, int], dict[int, _Point]] = defaultdict(dict)
    substitutes: list[Substitute] = []
    kept = 0
    for entry, decision in usable:
        operation, ranks = str(entry.features["operation"]), int(entry.features["ranks"])
        size = 0 if operation == "barrier" else int(entry.features["block_bytes"])
        best = _best(decision, algorithms[operation])
        there = points[operation, ranks].get(size)
        if there is not None:
            if there.algorithm != best.algorithm:
                left_out.append(
                    LeftOut(_name(operation, ranks, size), f"in a later program, {there.codelet} was the fastest")
                )
            continue
        points[operation, ranks][size] = _Point(size, best.algorithm, best.codelet)
        kept += best.algorithm is None and not best.reason
        name = _name(operation, ranks, size)
        if best.reason and best.algorithm is None:
            left_out.append(LeftOut(name, best.reason))
        elif best.reason:
            substitutes.append(Substitute(name, best.codelet, best.reason))
    chosen: list[AlgorithmRule] = []
    for (operation, ranks), sizes in sorted(points.items()):
        if operation == "barrier":
            barrier = sizes[0]
            if barrier.algorithm is not None:
                chosen.append(AlgorithmRule(operation, ranks, 0, math.inf, barrier.algorithm, (barrier.codelet,)))
        else:
            chosen += _merged([sizes[size] for size in sorted(sizes)], operation, ranks)
    return AlgorithmRules(tuple(chosen), tuple(left_out), kept, tuple(substitutes))


def one_for_all_sizes(choices: AlgorithmRules, operations: Iterable[str]) -> AlgorithmRules:
    """Return one algorithm for each number of processes, or none, for `operations` whose rules ignore sizes."""
    chosen: list[AlgorithmRule] = []
    left_out = list(choices.left_out)
    for (operation, ranks), group in groupby(choices.chosen, lambda one: (one.operation, one.ranks)):
        several = list(group)
        if operation not in operations:
            chosen += several
        elif len({one.algorithm for one in several}) == 1:
            codelets = tuple(dict.fromkeys(name for one in several for name in one.codelets))
            chosen.append(replace(several[0], low=0, high=math.inf, codelets=codelets))
        else:
            left_out.append(
                LeftOut(
                    f"{operation} on {ranks} ranks",
                    "the best algorithm depends on the size, but the library's rules for this operation do not",
                )
            )
    return replace(choices, chosen=tuple(chosen), left_out=tuple(left_out))
