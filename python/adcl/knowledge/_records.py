"""Contents of one file of a history."""

from __future__ import annotations

import dataclasses
import math
import re
from dataclasses import dataclass, field
from typing import Any

from adcl._decode import decode
from adcl.errors import AdclError

__all__ = ["SCHEMA", "Estimate", "HistoryError", "KeptDecision", "KeptProblem", "document_of", "entry_of", "merged"]

SCHEMA = 1
_IDENTITY = re.compile(r"[0-9a-f]{16}")


class HistoryError(AdclError):
    """A history cannot be read or written; the message names the file."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Stored statistics of one candidate."""

    codelet: str
    mean_s: float
    filtered_mean_s: float
    outliers: float
    measurements: float
    spread_s: float
    judged_s: float


@dataclass(frozen=True, slots=True)
class KeptDecision:
    """Decision for one mode of use, and the number of its confirmations."""

    winner: str
    winner_s: float
    reason: str
    search: str
    outliers: str
    decided: str
    confirmed: str
    decisions: int
    confirmations: int
    version: str
    estimates: tuple[Estimate, ...]
    expected: dict[str, float] = field(default_factory=dict)
    """Candidates excluded by the prior of similar problems, with their expected time relative to the winner's."""
    untried: dict[str, float] = field(default_factory=dict)
    """Candidates not worth a trial, with the logarithm of the factor by which their estimated time, relative to the
    winner's, exceeds the library's expectation.
    """

    @property
    def last_seen(self) -> str:
        """Time of the last decision or confirmation, UTC."""
        return max(self.decided, self.confirmed)


@dataclass(frozen=True, slots=True)
class KeptProblem:
    """Stored results of one problem."""

    schema: int
    identity: str
    function_set: str
    problem: str
    signature: str
    processor: str
    barrier: bool
    candidates: tuple[str, ...]
    features: dict[str, float | str] = field(default_factory=dict)
    decisions: dict[str, KeptDecision] = field(default_factory=dict)


def _check_numbers(decision: KeptDecision, place: str) -> None:
    measured = {one.codelet for one in decision.estimates if one.measurements >= 1}
    if decision.winner not in measured:
        raise HistoryError(f"{place}: the winner {decision.winner} has no estimate")
    numbers = [decision.winner_s, decision.decisions, decision.confirmations]
    for one in decision.estimates:
        numbers += [one.mean_s, one.filtered_mean_s, one.outliers, one.measurements, one.spread_s, one.judged_s]
    wrong = [number for number in numbers if not math.isfinite(number) or number < 0]
    if wrong:
        raise HistoryError(
            f"{place}: a time or count of {decision.winner} is {wrong[0]:g}; expected a finite number of at least 0"
        )
    wrong = [ratio for ratio in decision.expected.values() if not math.isfinite(ratio) or ratio < 1]
    if wrong:
        raise HistoryError(
            f"{place}: an expected time relative to the winner {decision.winner} is {wrong[0]:g}; expected a finite "
            "number of at least 1"
        )
    wrong = [correction for correction in decision.untried.values() if not math.isfinite(correction)]
    if wrong:
        raise HistoryError(
            f"{place}: an estimate relative to the winner {decision.winner} is {wrong[0]:g}; expected a finite number"
        )


def entry_of(document: Any, place: str) -> KeptProblem:  # noqa: ANN401 - whatever JSON was
    """Convert `document` to an entry; `place` names it in errors."""
    if not isinstance(document, dict) or "schema" not in document:
        raise HistoryError(f"{place}: not a history entry: the member 'schema' is missing")
    if document["schema"] != SCHEMA or isinstance(document["schema"], bool):
        raise HistoryError(f"{place}: the entry has schema {document['schema']!r}, but this adcl reads schema {SCHEMA}")
    try:
        entry = decode(KeptProblem, document)
    except AdclError as error:
        raise HistoryError(f"{place}: {error}") from error
    if not _IDENTITY.fullmatch(entry.identity):
        raise HistoryError(f"{place}: the identity {entry.identity!r} is not 16 hexadecimal digits")
    for decision in entry.decisions.values():
        _check_numbers(decision, place)
    return entry


def document_of(entry: KeptProblem) -> dict[str, Any]:
    """Return the JSON document of `entry`."""
    return dataclasses.asdict(entry)


def _newer(one: KeptDecision, other: KeptDecision) -> KeptDecision:
    """Return the newer decision. For equal winners take the larger counts, so that merging twice has no effect."""
    newer, older = (one, other) if one.decided >= other.decided else (other, one)
    if newer.winner != older.winner:
        return newer
    return dataclasses.replace(
        newer,
        confirmed=max(newer.confirmed, older.confirmed),
        decisions=max(newer.decisions, older.decisions),
        confirmations=max(newer.confirmations, older.confirmations),
    )


def merged(one: KeptProblem, other: KeptProblem) -> KeptProblem:
    """Merge two entries of the same problem."""
    decisions = dict(one.decisions)
    for mode, decision in other.decisions.items():
        decisions[mode] = _newer(decisions[mode], decision) if mode in decisions else decision
    return dataclasses.replace(one, decisions=decisions)
