"""Read profiles of Caliper in the format ``json-split``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adcl.scale.input._format import has, json_format
from adcl.scale.input._run_metadata import RANKS, TIMES, numbers_of_run
from adcl.scale.model import Measurement

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FORMAT"]


def _read(document: dict[str, Any], notes: list[str]) -> Iterator[Measurement]:
    """Read a profile of one run; keep the largest value of all ranks. Functions are region paths."""
    columns = [str(name) for name in document["columns"]]
    is_value = [bool(one.get("is_value")) for one in document["column_metadata"]]
    nodes = document["nodes"]
    tree = next((at for at, value in enumerate(is_value) if not value), None)
    if tree is None:
        raise ValueError("no column refers to the tree of regions")
    ranks = [at for at, name in enumerate(columns) if name in RANKS]
    metrics = [at for at, value in enumerate(is_value) if value and at not in ranks]
    known = ("columns", "column_metadata", "nodes", "data")
    parameters = numbers_of_run({name: value for name, value in document.items() if name not in known})
    largest: dict[tuple[str, str], float] = {}
    outside = 0
    for row in document["data"]:
        if row[tree] is None:
            outside += 1
            continue
        path = _path_of(nodes, int(row[tree]))
        for at in metrics:
            if row[at] is not None:
                metric = "time_s" if columns[at] in TIMES else columns[at]
                largest[path, metric] = max(largest.get((path, metric), float("-inf")), float(row[at]))
    if outside:
        notes.append(f"omitted rows outside all regions: {outside}")
    for (path, metric), value in largest.items():
        yield Measurement(path, metric, dict(parameters), (value,))


def _path_of(nodes: list[dict[str, Any]], number: int) -> str:
    labels: list[str] = []
    at: int | None = number
    while at is not None:
        labels.append(str(nodes[at]["label"]))
        at = nodes[at].get("parent")
    return "/".join(reversed(labels))


FORMAT = json_format("Caliper", lambda one: has(one, column_metadata=list, nodes=list), _read)
