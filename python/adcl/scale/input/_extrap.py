"""Read and write Extra-P's text and JSON Lines formats."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from adcl.errors import AdclError
from adcl.scale.input._format import Format, Repetitions, has, json_format
from adcl.scale.model import Measurement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "JSON",
    "LINES",
    "TEXT",
    "read_extrap_jsonl",
    "read_extrap_text",
    "write_extrap_jsonl",
    "write_extrap_text",
]

_NO_NAME = {"function": "<root>", "metric": "<default>"}


class _TextParser:
    """Parser of the text format: one keyword and its values per line."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._parameters: list[str] = []
        self._points: list[tuple[float, ...]] = []
        self._metric, self._region = "", ""
        self._at = 0
        self.found: list[Measurement] = []

    def _error(self, number: int, message: str) -> AdclError:
        return AdclError(f"{self._place}:{number}: {message}")

    def _numbers(self, number: int, words: Iterable[str]) -> tuple[float, ...]:
        try:
            values = tuple(float(word) for word in words)
        except ValueError as error:
            raise self._error(number, f"{error}; expected numbers") from None
        if not all(math.isfinite(value) for value in values):
            raise self._error(number, "a value is not finite; remove it")
        return values

    def line(self, number: int, text: str) -> None:
        words = text.split()
        if not words or words[0].startswith("#"):
            return
        keyword, rest = words[0], " ".join(words[1:])
        match keyword:
            case "PARAMETER":
                self._parameters += words[1:]
            case "POINTS":
                groups = rest.replace(")", " ").split("(")[1:] if "(" in rest else words[1:]
                self._points += [self._numbers(number, group.split()) for group in groups]
            case "METRIC":
                self._metric, self._at = rest, 0
            case "REGION":
                self._region, self._at = rest, 0
            case "DATA":
                self._data(number, self._numbers(number, words[1:]))
            case _:
                raise self._error(number, f"{keyword!r} is not a keyword of Extra-P's text format")

    def _data(self, number: int, values: tuple[float, ...]) -> None:
        if self._at >= len(self._points):
            raise self._error(number, f"there are more DATA lines than POINTS ({len(self._points)})")
        point = self._points[self._at]
        if len(point) != len(self._parameters):
            raise self._error(
                number, f"a point has {len(point)} values, but there are {len(self._parameters)} parameters"
            )
        self._at += 1
        one = Measurement(
            self._region or _NO_NAME["function"],
            self._metric or _NO_NAME["metric"],
            dict(zip(self._parameters, point, strict=True)),
            values,
        )
        problem = one.problem()
        if problem is not None:
            raise self._error(number, problem)
        self.found.append(one)


def read_extrap_text(text: str, place: str) -> list[Measurement]:
    """Read the text format (PARAMETER, POINTS, METRIC, REGION, DATA). Raises `AdclError` that names the line."""
    reader = _TextParser(place)
    for number, line in enumerate(text.splitlines(), 1):
        reader.line(number, line)
    return reader.found


def read_extrap_jsonl(text: str, place: str) -> list[Measurement]:
    """Read the JSON Lines format: ``params``, ``callpath``, ``metric``, and a ``value`` or a list of them in each line.

    Values of one setting become repetitions of one measurement. Raises `AdclError` that names the line.
    """
    collected = Repetitions()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            parameters = {str(name): float(value) for name, value in row["params"].items()}
            given = row["value"] if "value" in row else row["values"]
            values = [float(value) for value in (given if isinstance(given, list) else [given])]
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise AdclError(f"{place}:{number}: expected an object with params and value ({error})") from error
        function = str(row.get("callpath", _NO_NAME["function"]))
        metric = str(row.get("metric", _NO_NAME["metric"]))
        collected.add(function, metric, parameters, values)
    found = collected.measurements()
    for one in found:
        problem = one.problem()
        if problem is not None:
            raise AdclError(f"{place}: {problem}")
    return found


def _read_json(document: dict[str, Any], _: list[str]) -> Iterator[Measurement]:
    names = [str(name) for name in document["parameters"]]
    for function, metrics in document["measurements"].items():
        for metric, rows in metrics.items():
            for row in rows:
                point, values = row["point"], row.get("values", row.get("value"))
                values = values if isinstance(values, list) else [values]
                point = point if isinstance(point, list) else [point]
                parameters = dict(zip(names, map(float, point), strict=True))
                yield Measurement(function, metric, parameters, tuple(map(float, values)))


def _ordered(measurements: Iterable[Measurement]) -> list[Measurement]:
    rows = list(measurements)
    names = {tuple(row.parameters) for row in rows}
    if len({frozenset(name) for name in names}) > 1:
        raise AdclError(
            "Extra-P's formats require the same parameters for all functions; write each function to its own file"
        )
    return sorted(rows, key=lambda one: (one.metric, one.function, tuple(one.parameters.values())))


def write_extrap_jsonl(measurements: Iterable[Measurement]) -> str:
    """Write one line for each repetition."""
    return "".join(
        json.dumps({"params": one.parameters, "callpath": one.function, "metric": one.metric, "value": value}) + "\n"
        for one in _ordered(measurements)
        for value in one.repetitions
    )


def write_extrap_text(measurements: Iterable[Measurement]) -> str:
    """Write the text format. Raises `AdclError` if a function and metric lacks a point."""
    rows = _ordered(measurements)
    names = tuple(rows[0].parameters) if rows else ()
    data: dict[tuple[str, str], dict[tuple[float, ...], list[float]]] = {}
    for row in rows:
        point = tuple(row.parameters[name] for name in names)
        data.setdefault((row.metric, row.function), {}).setdefault(point, []).extend(row.repetitions)
    points = sorted({point for values in data.values() for point in values})
    lines = [f"PARAMETER {name}" for name in names]
    lines.append("POINTS " + " ".join("(" + " ".join(f"{x:.17g}" for x in point) + ")" for point in points))
    metric = None
    for (one_metric, function), values in data.items():
        if len(values) != len(points):
            raise AdclError(f"{function} was not measured at all {len(points)} points; write JSON Lines instead")
        lines += [f"METRIC {one_metric}"] if one_metric != metric else []
        metric = one_metric
        lines.append(f"REGION {function}")
        lines += ["DATA " + " ".join(f"{x:.17g}" for x in values[point]) for point in points]
    return "\n".join(lines) + "\n"


JSON = json_format("Extra-P JSON", lambda one: has(one, measurements=dict, parameters=list), _read_json)
LINES = Format(
    "Extra-P JSON Lines",
    lambda source: source.text.lstrip().startswith("{"),
    lambda source: read_extrap_jsonl(source.text, source.place),
)
TEXT = Format("Extra-P text", lambda _: True, lambda source: read_extrap_text(source.text, source.place))
"""Text format, which is tried last, if no other format matches."""
