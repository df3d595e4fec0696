"""Reads what tools write as JSON: Google Benchmark, pytest-benchmark, hyperfine, Extra-P, and what knows call trees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from adcl.errors import DataError
from adcl.scale.input._read_experiment import read_numbered
from adcl.scale.input._read_profiles import read_caliper, read_hatchet
from adcl.scale.model import Measurement

__all__ = ["reader_of"]

_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_NAMED = re.compile(r"([A-Za-z_]\w*):([-+.\deE]+)$")


def _google(document: dict[str, Any], notes: list[str]) -> Iterator[Measurement]:
    """Repetitions are joined; aggregates are left out where there are repetitions to make them of."""
    collected: dict[tuple[str, tuple[tuple[str, float], ...]], list[float]] = {}
    aggregates = errors = 0
    for row in document["benchmarks"]:
        if row.get("run_type") == "aggregate":
            aggregates += 1
            continue
        if row.get("error_occurred"):
            errors += 1
            continue
        name, parameters = _parts(str(row["name"]))
        seconds = float(row["real_time"]) * _SECONDS[row.get("time_unit", "ns")]
        collected.setdefault((name, tuple(parameters.items())), []).append(seconds)
    for count, what in ((aggregates, "aggregates"), (errors, "benchmarks that failed")):
        if count:
            notes.append(f"{count} {what} left out")
    for (name, items), values in collected.items():
        yield Measurement(name, "time_s", dict(items), tuple(values))


def _parts(name: str) -> tuple[str, dict[str, float]]:
    """Divide ``BM_sort/1024/threads:4``: arguments without a name are called n, or n1, n2, and so on."""
    words, parameters, plain = [], {}, list[float]()
    for word in name.split("/"):
        named = _NAMED.match(word)
        if named is not None:
            parameters[named[1]] = float(named[2])
        elif re.fullmatch(r"[-+]?\d+(\.\d+)?", word):
            plain.append(float(word))
        elif word not in ("real_time", "process_time", "manual_time"):
            words.append(word)
    own = {"n" if len(plain) == 1 else f"n{at}": value for at, value in enumerate(plain, 1)}
    return "/".join(words), {**own, **{key: value for key, value in parameters.items() if key not in _NOT_SWEPT}}


_NOT_SWEPT = ("repeats", "iterations", "min_time", "min_warmup_time")


def _pytest(document: dict[str, Any], notes: list[str]) -> Iterator[Measurement]:
    """All rounds where they were saved; else the median alone."""
    medians = 0
    for row in document["benchmarks"]:
        parameters = {str(name): float(value) for name, value in (row.get("params") or {}).items()}
        values = row["stats"].get("data") or []
        if not values:
            medians += 1
            values = [row["stats"]["median"]]
        name = str(row.get("fullname") or row["name"]).partition("[")[0]
        yield Measurement(name, "time_s", parameters, tuple(map(float, values)))
    if medians:
        notes.append(f"{medians} have only their medians; --benchmark-save-data keeps all rounds")


def _hyperfine(document: dict[str, Any], notes: list[str]) -> Iterator[Measurement]:
    """The value of a parameter is taken out of the command, so that its runs are of one function."""
    failed = 0
    for row in document["results"]:
        # Before version 1.8 there was one parameter without a name, and the mean alone.
        given = row.get("parameters") or ({"n": row["parameter"]} if row.get("parameter") is not None else {})
        parameters = {str(name): float(value) for name, value in given.items()}
        command = str(row["command"])
        for name, value in given.items():
            command = re.sub(rf"(?<![\w.]){re.escape(str(value))}(?![\w.])", f"{{{name}}}", command)
        measured = row.get("times") or [row["mean"]]
        codes = row.get("exit_codes") or [0] * len(measured)
        times = [float(time) for time, code in zip(measured, codes, strict=True) if code == 0]
        failed += len(codes) - len(times)
        if times:
            yield Measurement(command, "time_s", parameters, tuple(times))
    if failed:
        notes.append(f"{failed} run{'s' * (failed != 1)} that failed left out")


def _extrap(document: dict[str, Any], _: list[str]) -> Iterator[Measurement]:
    names = [str(name) for name in document["parameters"]]
    for function, metrics in document["measurements"].items():
        for metric, rows in metrics.items():
            for row in rows:
                point, values = row["point"], row.get("values", row.get("value"))
                values = values if isinstance(values, list) else [values]
                point = point if isinstance(point, list) else [point]
                parameters = dict(zip(names, map(float, point), strict=True))
                yield Measurement(function, metric, parameters, tuple(map(float, values)))


def _has(document: dict[str, Any], **kinds: type) -> bool:
    return all(isinstance(document.get(name), kind) for name, kind in kinds.items())


def _is_hyperfine(document: dict[str, Any]) -> bool:
    return _has(document, results=list) and any(
        isinstance(row, dict) and "command" in row and ("times" in row or "mean" in row) for row in document["results"]
    )


_Reader = Callable[[dict[str, Any], list[str]], Iterator[Measurement]]

_KINDS: dict[str, tuple[Callable[[dict[str, Any]], bool], _Reader]] = {
    "pytest-benchmark": (lambda one: _has(one, benchmarks=list) and "machine_info" in one, _pytest),
    "Google Benchmark": (lambda one: _has(one, benchmarks=list) and "context" in one, _google),
    "hyperfine": (_is_hyperfine, _hyperfine),
    "Extra-P JSON": (lambda one: _has(one, measurements=dict, parameters=list), _extrap),
    "older Extra-P JSON": (lambda one: _has(one, measurements=list, callpaths=list), read_numbered),
    "Caliper": (lambda one: _has(one, column_metadata=list, nodes=list), read_caliper),
    "Thicket": (lambda one: _has(one, dataframe=list, graph=list, metadata=list), read_hatchet),
    "Hatchet": (lambda one: _has(one, dataframe=list, graph=list), read_hatchet),
}
"""By what each is recognized, and its reader; the first that fits."""


def reader_of(document: Any) -> tuple[str, Callable[[str, list[str]], list[Measurement]]] | None:  # noqa: ANN401
    """Recognize a document by what it has: what it is, and a reader that takes the place and a list for notes.

    The reader raises `DataError` that names the record.
    """
    if not isinstance(document, dict):
        return None
    found = next(((kind, read) for kind, (is_of, read) in _KINDS.items() if is_of(document)), None)
    if found is None:
        return None
    kind, read = found

    def reader(place: str, notes: list[str]) -> list[Measurement]:
        found: list[Measurement] = []
        try:
            found.extend(read(document, notes))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(
                f"{place}: record {len(found) + 1} of this {kind} file is not as expected: {type(error).__name__} "
                f"{error}; parameters have to be numbers"
            ) from error
        return found

    return kind, reader
