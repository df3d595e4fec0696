"""Read files of pytest-benchmark's ``--benchmark-json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adcl.scale.input._format import has, json_format
from adcl.scale.model import Measurement

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FORMAT"]


def _read(document: dict[str, Any], notes: list[str]) -> Iterator[Measurement]:
    """Return all rounds if they were saved; otherwise only the median."""
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
        notes.append(f"measurements with only a median: {medians}; --benchmark-save-data keeps all rounds")


FORMAT = json_format("pytest-benchmark", lambda one: has(one, benchmarks=list) and "machine_info" in one, _read)
