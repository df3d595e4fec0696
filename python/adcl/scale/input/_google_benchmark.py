"""Read files of Google Benchmark's ``--benchmark_out``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from adcl.scale.input._format import SECONDS, Repetitions, has, json_format

if TYPE_CHECKING:
    from adcl.scale.model import Measurement

__all__ = ["FORMAT"]

_NAMED = re.compile(r"([A-Za-z_]\w*):([-+.\deE]+)$")
_NOT_SWEPT = ("repeats", "iterations", "min_time", "min_warmup_time")


def _read(document: dict[str, Any], notes: list[str]) -> list[Measurement]:
    """Merge repetitions; skip aggregates if their repetitions are present."""
    found = Repetitions()
    aggregates = errors = 0
    for row in document["benchmarks"]:
        if row.get("run_type") == "aggregate":
            aggregates += 1
            continue
        if row.get("error_occurred"):
            errors += 1
            continue
        name, parameters = _parts(str(row["name"]))
        found.add(name, "time_s", parameters, [float(row["real_time"]) * SECONDS[row.get("time_unit", "ns")]])
    for count, what in ((aggregates, "aggregates"), (errors, "failed benchmarks")):
        if count:
            notes.append(f"omitted {count} {what}")
    return found.measurements()


def _parts(name: str) -> tuple[str, dict[str, float]]:
    """Split ``BM_sort/1024/threads:4``; unnamed arguments are called n, or n1, n2, and so on."""
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


FORMAT = json_format("Google Benchmark", lambda one: has(one, benchmarks=list) and "context" in one, _read)
