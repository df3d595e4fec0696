"""Reads what regression and benchmarking frameworks print as text: ReFrame's performance logs, JUBE's result tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adcl.errors import DataError
from adcl.scale.model import Measurement

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["is_jube", "is_reframe", "read_jube", "read_reframe"]

_Key = tuple[str, str, tuple[tuple[str, float], ...]]

# One performance variable in each line, without a first line that names the fields: versions 2 and 3.
_OLD_REFRAME = re.compile(
    r"^\S+\|reframe (?P<version>[^|]+)\|(?P<name>[^|]+?) on (?P<system>[^|]+?) using (?P<environment>[^|]+)\|"
    r"jobid=[^|]*(?:\|num_tasks=(?P<tasks>\d+))?\|(?P<variable>[^|=]+)=(?P<value>[^|]+)\|ref=[^|]*\|(?P<unit>[^|]*)"
)
_SUFFIXES = re.compile(r"((?:_\d+(?:\.\d+)?)+)$")
_RULE = re.compile(r"[-+|: ]*-[-+|: ]*")
_IN_BRACKETS = re.compile(r"^(?P<name>.*?)\s*\[(?P<unit>[^\]]+)\]$")
_SECONDS = {"s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_TIMES = ("time", "runtime", "walltime", "wall_time", "seconds", "elapsed", "duration")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _in_units(name: str, unit: str, value: float) -> tuple[str, float]:
    """Name a metric with its unit; times become seconds."""
    if unit in _SECONDS:
        return ("time_s" if name.lower() in _TIMES else f"{name}_s"), value * _SECONDS[unit]
    return (f"{name} [{unit}]" if unit else name), value


def _joined(found: dict[_Key, list[float]]) -> list[Measurement]:
    return [
        Measurement(function, metric, dict(parameters), tuple(values))
        for (function, metric, parameters), values in found.items()
    ]


def is_reframe(text: str) -> bool:
    """Whether the text is a performance log of ReFrame."""
    first = text.partition("\n")[0].strip()
    names = set(first.split("|"))
    # The name in full is display_name, and in the logs that version 4.10 writes by default it is name.
    fields = "display_name" in names or ({"name", "result"} <= names and any(map(_is_value, names)))
    return _OLD_REFRAME.match(first) is not None or ("|" in first and fields)


def _is_value(field: str) -> bool:
    return field.endswith("_value")


def read_reframe(text: str, place: str, notes: list[str]) -> list[Measurement]:
    """Read a performance log. Parameters are those of the test's name, and num_tasks as p where the log has it.

    Logs of versions 2 and 3 have no names of parameters: numbers at the end of the test's name are called n, or n1, n2,
    and so on. Runs that failed are left out. Raises `DataError` that names the line.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    found: dict[_Key, list[float]] = {}
    if _OLD_REFRAME.match(lines[0]) is not None:
        for number, line in enumerate(lines, 1):
            _old_line(line, f"{place}:{number}", found)
    else:
        names = [name.strip() for name in lines[0].split("|")]
        failed = sum(not _new_line(line, names, f"{place}:{at}", found) for at, line in enumerate(lines[1:], 2))
        if failed:
            notes.append(f"{failed} run{'s' * (failed != 1)} that failed left out")
    return _joined(found)


def _old_line(line: str, place: str, found: dict[_Key, list[float]]) -> None:
    match = _OLD_REFRAME.match(line)
    value = None if match is None else _number(match["value"])
    if match is None or value is None:
        raise DataError(f"{place}: this line is not as the others of a ReFrame log; leave it out")
    name, parameters = _suffixed(match["name"])
    if match["tasks"]:
        parameters["p"] = float(match["tasks"])
    metric, value = _in_units(match["variable"], match["unit"].strip(), value)
    found.setdefault((name, metric, tuple(parameters.items())), []).append(value)


def _suffixed(name: str) -> tuple[str, dict[str, float]]:
    suffix = _SUFFIXES.search(name)
    if suffix is None:
        return name, {}
    values = [float(word) for word in suffix[1].split("_")[1:]]
    names = ["n"] if len(values) == 1 else [f"n{at}" for at in range(1, len(values) + 1)]
    return name[: suffix.start()], dict(zip(names, values, strict=True))


def _new_line(line: str, names: Sequence[str], place: str, found: dict[_Key, list[float]]) -> bool:
    """Take the values of one run; false: it failed."""
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) != len(names):
        raise DataError(f"{place}: there are {len(cells)} fields, and {len(names)} have names")
    row = dict(zip(names, cells, strict=True))
    if row.get("result", "pass") not in ("pass", ""):
        return False
    words = (row.get("display_name") or row["name"]).split("%")
    parameters = {}
    for word in words[1:]:
        name, _, value = word.partition("=")
        number = _number(value.strip())
        if number is not None:
            parameters[name.strip()] = number
    tasks = _number(row.get("num_tasks", ""))
    if tasks is not None:
        parameters.setdefault("p", tasks)
    for name in names:
        measured = _number(row[name]) if _is_value(name) else None
        if measured is not None:
            variable = name.removesuffix("_value")
            metric, measured = _in_units(variable, row.get(f"{variable}_unit", ""), measured)
            found.setdefault((words[0].strip(), metric, tuple(parameters.items())), []).append(measured)
    return True


def _table_of(text: str) -> tuple[int, list[str]] | None:
    """Return the line at which a table of JUBE has its names, from 0, and all lines."""
    lines = text.splitlines()
    for at in range(len(lines) - 1):
        if "|" in lines[at] and "-" in lines[at + 1] and _RULE.fullmatch(lines[at + 1].strip()):
            return at, lines
    return None


def is_jube(text: str) -> bool:
    """Whether the text has a table as ``jube result`` prints it."""
    return _table_of(text) is not None


def read_jube(text: str, place: str, notes: list[str]) -> list[Measurement]:
    """Read a result table: columns with a unit in brackets, or named as times, are metrics, all other ones parameters.

    Its title is the function. Columns that have no numbers, and parameters that never change, are left out. Raises
    `DataError` that names the line.
    """
    table = _table_of(text)
    if table is None:
        raise DataError(f"{place}: there is no table of JUBE")
    at, lines = table
    title = next((line.strip().rstrip(":") for line in reversed(lines[:at]) if line.strip()), place)
    names = _cells(lines[at])
    rows = []
    for number, line in enumerate(lines[at + 2 :], at + 3):
        if "|" not in line:
            break
        cells = _cells(line)
        if len(cells) != len(names):
            raise DataError(f"{place}:{number}: there are {len(cells)} columns, and {len(names)} have names")
        rows.append(cells)
    numeric = [all(_number(row[c]) is not None for row in rows) for c in range(len(names))]
    metrics = [c for c, name in enumerate(names) if _IN_BRACKETS.match(name) or name.lower() in _TIMES]
    metrics = [c for c in metrics if numeric[c]]
    if not metrics:
        raise DataError(f"{place}:{at + 1}: no column is a metric; give one a unit, as in runtime[s]")
    swept = [c for c in range(len(names)) if c not in metrics and numeric[c] and len({row[c] for row in rows}) > 1]
    left_out = [names[c] for c in range(len(names)) if c not in metrics and c not in swept]
    if left_out:
        notes.append(f"columns left out, which have no numbers or never change: {', '.join(left_out)}")
    found: dict[_Key, list[float]] = {}
    for row in rows:
        parameters = tuple((names[c], float(row[c])) for c in swept)
        for c in metrics:
            match = _IN_BRACKETS.match(names[c])
            name, unit = (match["name"], match["unit"]) if match is not None else (names[c], "s")
            metric, value = _in_units(name, unit, float(row[c]))
            found.setdefault((title, metric, parameters), []).append(value)
    return _joined(found)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
