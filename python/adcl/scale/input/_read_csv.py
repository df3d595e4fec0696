"""Reads tables of comma-, semicolon- or tab-separated values with named columns."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

from adcl.errors import DataError
from adcl.scale.model import Measurement

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["read_csv", "separator"]

_FUNCTION = ("function", "region", "callpath", "benchmark", "name")
_METRIC = "metric"
_VALUE = ("value", "values")
_JOBS = ("job", "run", "trial")
_REPETITIONS = ("repetition", "rep", "iteration", "sample")
"""Columns that tell measurements of the same setting apart: those of several jobs, and those of one."""

_UNITS = ("_s", "_ms", "_us", "_ns", "_bytes", "_mb", "_flops", "_j", "_w")
_RATIOS = ("speedup", "speed-up", "speed_up", "efficiency", "parallel_efficiency")
"""Metrics without a unit."""

_TIMES = ("time", "seconds", "runtime", "walltime", "wall_time")


def separator(text: str) -> str | None:
    """Return what separates the columns of a table whose first line has their names; None if it is no such table."""
    first = text.partition("\n")[0]
    for one in "\t;,":
        names = [name.strip().strip('"') for name in first.split(one)]
        if len(names) > 1 and all(names) and not any(_is_number(name) for name in names):
            return one
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class _Columns:
    """Which column of a table is what."""

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
                f"{place}:1: no column is a metric; name one value, or with its unit as in time_s or memory_bytes, or "
                "speedup or efficiency"
            )
        self.job = next((at for at, name in enumerate(lower) if name in _JOBS and at not in self.values), None)
        repetitions = [at for at, name in enumerate(lower) if name in _REPETITIONS]
        used = {self.function, self.metric, self.job, *self.values, *repetitions}
        self.parameters = [at for at in range(len(names)) if at not in used]
        self.names = tuple(names)

    def metric_of(self, at: int, row: Sequence[str]) -> str:
        """Return what a value in that column is."""
        if self.metric is not None and row[self.metric]:
            return row[self.metric]
        return "time_s" if self.names[at].lower() in (*_VALUE, *_TIMES) else self.names[at]


def read_csv(text: str, place: str, separated_by: str, notes: list[str]) -> list[Measurement]:
    """Read a table: one function, or a column of them, parameters, and one or more metrics.

    A metric is a column whose name ends with a unit, or one called value, beside one called metric. A column called job
    says which job a row is from. Everything else is a parameter, but for numbers of repetitions. Rows of the same
    function, parameters and job are repetitions. Raises `DataError` that names the line.
    """
    rows = csv.reader(text.splitlines(), delimiter=separated_by, skipinitialspace=True)
    columns = _Columns([name.strip() for name in next(rows)], place)
    if columns.job is not None:
        notes.append(f"{columns.names[columns.job]} tells jobs apart")
    found: dict[tuple[str, str, tuple[tuple[str, float], ...], str], list[float]] = {}
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        here = f"{place}:{rows.line_num}"
        if len(row) != len(columns.names):
            raise DataError(f"{here}: there are {len(row)} columns, and {len(columns.names)} have names")
        function = place if columns.function is None else row[columns.function].strip()
        parameters = tuple((columns.names[at], _number(row[at], columns.names[at], here)) for at in columns.parameters)
        job = "" if columns.job is None else row[columns.job].strip()
        for at in columns.values:
            value = _number(row[at], columns.names[at], here)
            found.setdefault((function, columns.metric_of(at, row), parameters, job), []).append(value)
    return [
        Measurement(function, metric, dict(parameters), tuple(values))
        for (function, metric, parameters, _), values in found.items()
    ]


def _number(text: str, column: str, place: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(
            f"{place}: {column}: {text!r} is no number; leave the row or the column out, or name the column function "
            "if it says what was measured"
        )
    return value
