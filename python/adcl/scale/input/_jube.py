"""Read result tables of JUBE."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adcl.errors import DataError
from adcl.scale.input._format import Format, InputSource, Repetitions, number_of
from adcl.scale.input._metric_units import TIMES, in_units

if TYPE_CHECKING:
    from adcl.scale.model import Measurement

__all__ = ["FORMAT"]

_RULE = re.compile(r"[-+|: ]*-[-+|: ]*")
_IN_BRACKETS = re.compile(r"^(?P<name>.*?)\s*\[(?P<unit>[^\]]+)\]$")


def _table_of(text: str) -> tuple[int, list[str]] | None:
    """Return all lines, and the index of the line with the column names."""
    lines = text.splitlines()
    for at in range(len(lines) - 1):
        if "|" in lines[at] and "-" in lines[at + 1] and _RULE.fullmatch(lines[at + 1].strip()):
            return at, lines
    return None


def _read(source: InputSource) -> list[Measurement]:
    """Read a result table.

    Metrics are columns with a unit in brackets or named like times; all other columns are parameters. The title is the
    function. Columns without numbers and constant parameters are omitted. Raises `DataError` that names the line.
    """
    table = _table_of(source.text)
    if table is None:
        raise DataError(f"{source.place}: this file contains no JUBE table")
    at, lines = table
    title = next((line.strip().rstrip(":") for line in reversed(lines[:at]) if line.strip()), source.place)
    names = _cells(lines[at])
    rows = []
    for number, line in enumerate(lines[at + 2 :], at + 3):
        if "|" not in line:
            break
        cells = _cells(line)
        if len(cells) != len(names):
            raise DataError(
                f"{source.place}:{number}: the row has {len(cells)} columns, but the header names {len(names)}"
            )
        rows.append(cells)
    numeric = [all(number_of(row[c]) is not None for row in rows) for c in range(len(names))]
    metrics = [c for c, name in enumerate(names) if _IN_BRACKETS.match(name) or name.lower() in TIMES]
    metrics = [c for c in metrics if numeric[c]]
    if not metrics:
        raise DataError(f"{source.place}:{at + 1}: no column is a metric; give one a unit, as in runtime[s]")
    swept = [c for c in range(len(names)) if c not in metrics and numeric[c] and len({row[c] for row in rows}) > 1]
    left_out = [names[c] for c in range(len(names)) if c not in metrics and c not in swept]
    if left_out:
        source.notes.append(f"omitted columns without numbers or with a constant value: {', '.join(left_out)}")
    found = Repetitions()
    for row in rows:
        parameters = {names[c]: float(row[c]) for c in swept}
        for c in metrics:
            match = _IN_BRACKETS.match(names[c])
            name, unit = (match["name"], match["unit"]) if match is not None else (names[c], "s")
            metric, value = in_units(name, unit, float(row[c]))
            found.add(title, metric, parameters, [value])
    return found.measurements()


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


FORMAT = Format("JUBE", lambda source: _table_of(source.text) is not None, _read)
