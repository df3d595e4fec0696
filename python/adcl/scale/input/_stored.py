"""Fast typed parser for the usual lines of stores and benchmarks; other code handles unusual lines."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

import msgspec

from adcl.scale.model import SCHEMA, Measurement, all_usual, is_usual

__all__ = ["LineReader", "StoreEntry", "StoredLine"]


_SCHEMAS = (None, SCHEMA)


@dataclass(slots=True)
class StoreEntry:
    """A measurement in a store, with its run and job. Immutable."""

    measurement: Measurement
    run: str = ""
    """Run: a label, a version or a commit. Comparisons are between runs."""

    job: str = ""
    """Key of the job that printed the measurement; empty for imported data."""

    time_s: float = 0.0
    """End of the job, in seconds since 1970."""


class _Row(msgspec.Struct, frozen=True, gc=False):
    function: str
    metric: str
    parameters: msgspec.Raw
    repetitions: tuple[float, ...]
    schema: int | None = None
    discarded: int = 0
    context: msgspec.Raw = msgspec.Raw(b"{}")


class StoredLine(msgspec.Struct, frozen=True, gc=False):
    """A line: its run and job, whether it ends a successful job, and a measurement."""

    schema: int
    run: str
    job: str
    time_s: float
    done: bool = False
    measurement: _Row | None = None


class LineReader:
    """Parses lines. Parameters and contexts with the same text are shared."""

    def __init__(self) -> None:
        self._decode = msgspec.json.Decoder(StoredLine).decode_lines
        self._record = msgspec.json.Decoder(_Row).decode
        self._parameters: dict[bytes, dict[str, float] | None] = {}
        self._contexts: dict[bytes, dict[str, object] | None] = {}

    def block(self, text: bytes) -> tuple[list[StoreEntry], list[tuple[str, str]]] | None:
        """Return the measurements of many lines, and the runs and jobs that end there.

        Returns None if any line of the block is unusual.
        """
        rows: list[StoreEntry] = []
        ended: list[tuple[str, str]] = []
        intern, measurement_of = sys.intern, self.measurement
        try:
            lines = self._decode(text)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
        for line in lines:
            if line.schema != SCHEMA:
                return None
            if line.measurement is not None:
                measurement = measurement_of(line.measurement)
                if measurement is None:
                    return None
                rows.append(StoreEntry(measurement, intern(line.run), intern(line.job), line.time_s))
            if line.done:
                ended.append((line.run, line.job))
        return rows, ended

    def record(self, text: bytes) -> Measurement | None:
        """Return the measurement in a benchmark's record, or None for an unusual line."""
        try:
            found = self._record(text)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
        return None if found.schema is None else self.measurement(found)

    def measurement(self, row: _Row) -> Measurement | None:
        """Return the measurement of a line, or None for an unusual one."""
        written = bytes(row.parameters)
        parameters = self._parameters.get(written)
        if parameters is None:
            parameters = self._parameters[written] = _parameters_of(written)
        written = bytes(row.context)
        context = self._contexts.get(written)
        if context is None:
            context = self._contexts[written] = _context_of(written)
        values = row.repetitions
        if parameters is None or context is None or not values or row.schema not in _SCHEMAS:
            return None
        if not (is_usual(values[0]) if len(values) == 1 else all_usual(values)):
            return None
        intern = sys.intern
        return Measurement(intern(row.function), intern(row.metric), parameters, values, SCHEMA, row.discarded, context)


def _parameters_of(text: bytes) -> dict[str, float] | None:
    try:
        found = msgspec.json.decode(text, type=dict[str, float])
    except (msgspec.MsgspecError, ValueError):
        return None
    return {sys.intern(name): value for name, value in found.items()} if all(map(is_usual, found.values())) else None


def _context_of(text: bytes) -> dict[str, object] | None:
    found = json.loads(text)
    return found if isinstance(found, dict) else None
