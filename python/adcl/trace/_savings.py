"""Read the file that ADCL_INTERPOSE_REPORT names."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl._decode import DecodeError, decode
from adcl.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "BrokenGuideline",
    "HistoryUse",
    "Proof",
    "Saved",
    "SavingsReport",
    "SearchedCalls",
    "is_savings_report",
    "read_savings",
]

_SCHEMA = 1
_FIRST_BYTES = 200
"""Number of bytes that contain the schema, the first member of the file."""


@dataclass(frozen=True, slots=True)
class Saved:
    """Saved time with its 95 % interval; negative: lost. The cost of the search is subtracted."""

    seconds: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Proof:
    """Time of the MPI library's calls relative to the winner's in the pairs that chose it, with its 95 % interval.

    The pairs ended when the ratio was large, so it is too large on average.
    """

    speedup: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BrokenGuideline:
    """A call that takes longer than other calls that do the same together."""

    composition: str
    """The other calls, such as "a gather and a broadcast"."""

    factor: float
    """Time of the call relative to the composition."""

    low: float
    """The factor minus three standard errors."""


@dataclass(frozen=True, slots=True)
class SearchedCalls:
    """Calls of one function and size class whose searches had the same result."""

    call: str
    up_to_bytes: int
    """Largest block of the size class, in bytes; 0: the calls have blocks of any size."""

    state: str
    winner: str
    """Chosen codelet, or rejected candidate; empty if there is neither."""

    reason: str
    """Reason why the MPI library's call is used."""

    searches: int
    calls: int
    winner_calls: int
    seconds: float
    winner_seconds: float
    search_seconds: float
    pairs: int
    """Pairs in production from which `saved` is estimated."""

    saved: Saved | None
    """Saved time; None: the winner was not compared with the MPI library's call in production."""

    with_any_bits: Saved | None
    """Time that ADCL_INTERPOSE_BITS=any would have saved after the proof; None: not known."""

    guidelines: tuple[BrokenGuideline, ...]
    """Guidelines that the MPI library breaks."""

    would_save: Saved | None = None
    """Time that the winner would have saved in a dry run; None: not compared, or not a dry run."""

    proof: Proof | None = None
    """The comparison that chose the winner; None: no winner, or of several searches none was proved."""


@dataclass(frozen=True, slots=True)
class HistoryUse:
    """Results that the run has found in earlier runs, and stored for later runs."""

    folder: str
    """Folder of the history; empty if results are not kept."""

    known: int
    stored: int
    trouble: str
    """Reason why results are not stored; empty if there is none."""


@dataclass(frozen=True, slots=True)
class SavingsReport:
    """Time that a run saved from its first collective call to MPI_Finalize, on rank 0's communicators."""

    program: str
    mpi_library: str
    ranks: int
    seconds: float
    bits: str
    collective_seconds: float
    """Time in searched calls, in seconds."""

    search_seconds: float
    saved: Saved
    with_any_bits: Saved | None
    """Sum of the estimates of all rows; None if there is none."""

    searched: tuple[SearchedCalls, ...]
    """Searched calls, the longest time first."""

    passed: dict[str, int]
    """Number of calls that were passed through, by function."""

    history: HistoryUse = HistoryUse("", 0, 0, "")
    mode: str = "tune"
    """``measure`` for a dry run: codelets ran only in searches and comparisons."""

    would_save: Saved | None = None
    """Time that the winners would have saved, if the dry run had used them."""


def is_savings_report(path: Path) -> bool:
    """Return whether a file is a report of the interposer, judging from its first bytes."""
    try:
        with path.open("rb") as file:
            return b'"adcl_interpose"' in file.read(_FIRST_BYTES)
    except OSError:
        return False


def read_savings(path: Path) -> SavingsReport:
    """Read a report. Raises `DataError`."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read {path}: {error}") from error
    schema = document.get("adcl_interpose") if isinstance(document, dict) else None
    if schema != _SCHEMA:
        raise DataError(f"{path} is not a report of libadcl-interpose with schema {_SCHEMA}")
    try:
        return decode(SavingsReport, document)
    except DecodeError as error:
        raise DataError(f"{path}: {error}") from error
