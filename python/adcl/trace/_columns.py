"""Measurements of a trace as columns of numbers, which may have millions of rows."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MEASUREMENT", "Collector", "MeasurementLine", "Measurements"]

MEASUREMENT = b'"measurement"'
"""Text near the beginning of lines for `MeasurementLine`, which no other kind of record contains."""


class MeasurementLine(msgspec.Struct, frozen=True):
    """A line of the trace, without the members that bulk processing does not use."""

    schema: int
    communicator: str
    emethod: int
    mode: str
    start: int
    codelet: str
    seconds: float
    sample: int
    request: int
    replaces: bool
    production: bool = False
    left_s: float | None = None


@dataclass(frozen=True, slots=True)
class Measurements:
    """Samples of one rank in one search, in the order of the starts. All columns have the same length."""

    codelets: tuple[str, ...]
    """Names of the codelets, in the order of their first runs."""

    codelet: NDArray[np.int32]
    """Indices into `codelets`."""

    start: NDArray[np.int64]
    seconds: NDArray[np.float64]
    production: NDArray[np.bool_]
    """Whether the sample was taken after the decision."""

    left: NDArray[np.float64]
    """Completion time on the clock shared by the ranks; NaN if unknown."""

    def of(self, codelet: str, *, production: bool | None = None) -> Measurements:
        """Return the samples of one codelet, before the decision or after it (`production`)."""
        place = self.codelets.index(codelet) if codelet in self.codelets else -1
        chosen = self.codelet == place
        if production is not None:
            chosen &= self.production == production
        return Measurements(
            self.codelets,
            self.codelet[chosen],
            self.start[chosen],
            self.seconds[chosen],
            self.production[chosen],
            self.left[chosen],
        )

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.seconds)


class Collector:
    """Collects the samples of one search and rank. A time that the application replaced counts only as replaced."""

    __slots__ = ("_codelet", "_codelets", "_left", "_production", "_seconds", "_start")

    def __init__(self) -> None:
        self._codelets: dict[str, int] = {}
        self._codelet = array("i")
        self._start = array("q")
        self._seconds = array("d")
        self._production = array("b")
        self._left = array("d")

    def add(self, one: MeasurementLine) -> None:
        """Add a sample; a replacement overwrites the sample of its start."""
        if one.replaces:
            place = self._index(one.start)
            if place is not None:
                self._seconds[place] = one.seconds
                self._left[place] = math.nan
            return
        self._codelet.append(self._codelets.setdefault(one.codelet, len(self._codelets)))
        self._start.append(one.start)
        self._seconds.append(one.seconds)
        self._production.append(one.production)
        self._left.append(math.nan if one.left_s is None else one.left_s)

    def _index(self, start: int) -> int | None:
        """Return the index of a start's sample; search backward, because replaced samples are recent."""
        for place in range(len(self._start) - 1, -1, -1):
            if self._start[place] == start:
                return place
        return None

    def count(self, *, production: bool) -> int:
        """Return the number of samples before or after the decision."""
        return sum(self._production) if production else len(self._production) - sum(self._production)

    def columns(self) -> Measurements:
        """Return all samples."""
        start = np.frombuffer(self._start, dtype=np.int64) if self._start else np.empty(0, dtype=np.int64)
        order = np.argsort(start, kind="stable")

        def column(values: array[int] | array[float], kind: type[np.generic]) -> NDArray[np.generic]:
            return (np.frombuffer(values, dtype=kind) if values else np.empty(0, dtype=kind))[order]

        return Measurements(
            tuple(self._codelets),
            column(self._codelet, np.int32),  # type: ignore[arg-type]
            start[order],
            column(self._seconds, np.float64),  # type: ignore[arg-type]
            column(self._production, np.int8).astype(np.bool_),
            column(self._left, np.float64),  # type: ignore[arg-type]
        )
