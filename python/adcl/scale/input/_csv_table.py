"""Read tables of comma-, semicolon- or tab-separated values with named columns."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

from adcl.errors import DataError
from adcl.scale.input._format import Format, InputSource, Repetitions, number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.scale.model import Measurement

__all__ = ["FORMAT"]

_FUNCTION = ("function", "region", "callpath", "benchmark", "name")
_METRIC = "metric"
_VALUE = ("value", "values")
_JOBS = ("job", "run", "trial")
_REPETITIONS = ("repetition", "rep", "iteration", "sample")
"""Columns that distinguish measurements of the same setting: the job, and the repetition in a job."""

_UNITS = ("_s", "_ms", "_us", "_ns", "_bytes", "_mb", "_flops", "_j", "_w")
_RATIOS = ("speedup", "speed-up", "speed_up", "efficiency", "parallel_efficiency")
"""Metrics without a unit."""

_TIMES = ("time", "seconds", "runtime", "walltime", "wall_time")


def _separator(text: str) -> str | None:
    """Return the separator of a table whose first line names the columns; None if the text is not a table."""
    first = text.partition("\n")[0]
    for one in "\t;,":
        names = [name.strip().strip('"') for name in first.split(one)]
        if len(names) > 1 and all(names) and not any(number_of(name) is not None for name in names):
            return one
    return None


class _Columns:
    """Roles of the columns of a table."""

    def __init__(self, names: Sequence[str], place: str) -> None:
        lower = [name.lower() for name in names]
        if len(set(names)) < len(names):
            raise DataError(f"{place}:1: two columns have the same name; rename one")
        self.function = next((at for at, name in enumerate(lower) if name in _FUNCTION), None)
        self.metric = lower.index(_METRIC) if _METRIC in lower else None
        self.values = [at for at, name in enumerate(lower) if name in _VALUE]
        if not self.values:
            self.values = [at for at, name in enumerate(lower) if name.endswith(_UNITS) or name in (*_TIMES, *_RATIOS)]
        if not self.values:
            raise DataError(
                f"{place}:1: no column is a metric; name a column 'value', 'speedup' or 'efficiency', or end its name "
                "with a unit, as in time_s or memory_bytes"
            )
        self.job = next((at for at, name in enumerate(lower) if name in _JOBS and at not in self.values), None)
        repetitions = [at for at, name in enumerate(lower) if name in _REPETITIONS]
        used = {self.function, self.metric, self.job, *self.values, *repetitions}
        self.parameters = [at for at in range(len(names)) if at not in used]
        self.names = tuple(names)

    def metric_of(self, at: int, row: Sequence[str]) -> str:
        """Return the metric of a value in a column."""
        if self.metric is not None and row[self.metric]:
            return row[self.metric]
        return "time_s" if self.names[at].lower() in (*_VALUE, *_TIMES) else self.names[at]


def _read(source: InputSource) -> list[Measurement]:
    """Read a table: one function or a column of functions, parameters, and one or more metrics.

    A metric is a column whose name ends with a unit, or a column named "value", optionally with a column named
    "metric". A column named "job" has the job of each row. All other columns are parameters, except numbers of
    repetitions. Rows with the same function, parameters and job are repetitions. Raises `DataError` that names the
    line.
    """
    rows = csv.reader(source.text.splitlines(), delimiter=_separator(source.text) or ",", skipinitialspace=True)
    columns = _Columns([name.strip() for name in next(rows)], source.place)
    if columns.job is not None:
        source.notes.append(f"column {columns.names[columns.job]} identifies jobs")
    found = Repetitions()
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        here = f"{source.place}:{rows.line_num}"
        if len(row) != len(columns.names):
            raise DataError(f"{here}: the row has {len(row)} columns, but the first line names {len(columns.names)}")
        function = source.place if columns.function is None else row[columns.function].strip()
        parameters = {columns.names[at]: _number(row[at], columns.names[at], here) for at in columns.parameters}
        job = "" if columns.job is None else row[columns.job].strip()
        for at in columns.values:
            value = _number(row[at], columns.names[at], here)
            found.add(function, columns.metric_of(at, row), parameters, [value], job)
    return found.measurements()


def _number(text: str, column: str, place: str) -> float:
    value = number_of(text)
    if value is None or not math.isfinite(value):
        raise DataError(
            f"{place}: {column}: {text!r} is not a number; remove the row or the column, or rename the column to "
            "'function' if it contains the names of functions"
        )
    return value


FORMAT = Format("table", lambda source: _separator(source.text) is not None, _read)
