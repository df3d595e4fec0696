"""Read performance logs of ReFrame."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adcl.errors import DataError
from adcl.scale.input._format import Format, InputSource, Repetitions, number_of
from adcl.scale.input._metric_units import in_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.scale.model import Measurement

__all__ = ["FORMAT"]

# Logs of versions 2 and 3 have one performance variable per line, and no header line.
_OLD_REFRAME = re.compile(
    r"^\S+\|reframe (?P<version>[^|]+)\|(?P<name>[^|]+?) on (?P<system>[^|]+?) using (?P<environment>[^|]+)\|"
    r"jobid=[^|]*(?:\|num_tasks=(?P<tasks>\d+))?\|(?P<variable>[^|=]+)=(?P<value>[^|]+)\|ref=[^|]*\|(?P<unit>[^|]*)"
)
_SUFFIXES = re.compile(r"((?:_\d+(?:\.\d+)?)+)$")


def _is_reframe(source: InputSource) -> bool:
    """Return whether the text is a performance log of ReFrame."""
    first = source.text.partition("\n")[0].strip()
    names = set(first.split("|"))
    # The full name is display_name; in default logs from version 4.10 on it is name.
    fields = "display_name" in names or ({"name", "result"} <= names and any(map(_is_value, names)))
    return _OLD_REFRAME.match(first) is not None or ("|" in first and fields)


def _is_value(field: str) -> bool:
    return field.endswith("_value")


def _read(source: InputSource) -> list[Measurement]:
    """Read a performance log. Parameters come from the test's name; p is num_tasks if the log has it.

    Logs of versions 2 and 3 have unnamed parameters: numbers at the end of the test's name are called n, or n1, n2, and
    so on. Failed runs are omitted. Raises `DataError` that names the line.
    """
    lines = [line for line in source.text.splitlines() if line.strip()]
    found = Repetitions()
    if _OLD_REFRAME.match(lines[0]) is not None:
        for number, line in enumerate(lines, 1):
            _old_line(line, f"{source.place}:{number}", found)
    else:
        names = [name.strip() for name in lines[0].split("|")]
        failed = sum(not _new_line(line, names, f"{source.place}:{at}", found) for at, line in enumerate(lines[1:], 2))
        if failed:
            source.notes.append(f"omitted {failed} failed run{'s' * (failed != 1)}")
    return found.measurements()


def _old_line(line: str, place: str, found: Repetitions) -> None:
    match = _OLD_REFRAME.match(line)
    value = None if match is None else number_of(match["value"])
    if match is None or value is None:
        raise DataError(f"{place}: this line does not have the format of a ReFrame log; remove it")
    name, parameters = _suffixed(match["name"])
    if match["tasks"]:
        parameters["p"] = float(match["tasks"])
    metric, value = in_units(match["variable"], match["unit"].strip(), value)
    found.add(name, metric, parameters, [value])


def _suffixed(name: str) -> tuple[str, dict[str, float]]:
    suffix = _SUFFIXES.search(name)
    if suffix is None:
        return name, {}
    values = [float(word) for word in suffix[1].split("_")[1:]]
    names = ["n"] if len(values) == 1 else [f"n{at}" for at in range(1, len(values) + 1)]
    return name[: suffix.start()], dict(zip(names, values, strict=True))


def _new_line(line: str, names: Sequence[str], place: str, found: Repetitions) -> bool:
    """Add the values of one run; return False if it failed."""
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) != len(names):
        raise DataError(f"{place}: the line has {len(cells)} fields, but the header names {len(names)}")
    row = dict(zip(names, cells, strict=True))
    if row.get("result", "pass") not in ("pass", ""):
        return False
    words = (row.get("display_name") or row["name"]).split("%")
    parameters = {}
    for word in words[1:]:
        name, _, value = word.partition("=")
        number = number_of(value.strip())
        if number is not None:
            parameters[name.strip()] = number
    tasks = number_of(row.get("num_tasks", ""))
    if tasks is not None:
        parameters.setdefault("p", tasks)
    for name in names:
        measured = number_of(row[name]) if _is_value(name) else None
        if measured is not None:
            variable = name.removesuffix("_value")
            metric, measured = in_units(variable, row.get(f"{variable}_unit", ""), measured)
            found.add(words[0].strip(), metric, parameters, [measured])
    return True


FORMAT = Format("ReFrame", _is_reframe, _read)
