"""Read the file that ADCL_INTERPOSE_REPORT names."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl._decode import DecodeError, decode
from adcl.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Saved", "SavingsReport", "SearchedCalls", "is_savings_report", "read_savings"]

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
class SearchedCalls:
    """Calls of one function and size class whose searches had the same result."""

    call: str
    up_to_bytes: int
    """Largest block of the size class, in bytes."""

    state: str
    winner: str
    """Chosen codelet, or rejected candidate; empty if there is none."""

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
    searched: tuple[SearchedCalls, ...]
    """Searched calls, the longest time first."""

    passed: dict[str, int]
    """Number of calls that were passed through, by function."""


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
        raise DataError(f"{path}: cannot be read: {error}") from error
    schema = document.get("adcl_interpose") if isinstance(document, dict) else None
    if schema != _SCHEMA:
        raise DataError(f"{path}: is not a report of libadcl-interpose with schema {_SCHEMA}")
    try:
        return decode(SavingsReport, document)
    except DecodeError as error:
        raise DataError(f"{path}: {error}") from error
