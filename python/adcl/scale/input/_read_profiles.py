"""Reads call trees in JSON: Caliper's profiles, Thicket's ensembles, what Hatchet makes of HPCToolkit and others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from adcl.scale.model import Measurement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["read_caliper", "read_hatchet"]

_TIMES = ("time", "avg#inclusive#sum#time.duration", "sum#time.duration", "sum#sum#time.duration")
_RANKS = ("mpi.rank", "rank")
_NO_METRICS = ("nid", "name", "type", "depth", "thread", "tid", "line", *_RANKS)
_OF_THE_RUN = re.compile(
    r"(launch|elapsed|wall|cpu|sys|user|start|end|run)[._]?(time|date|day)|u?id|uid|job[._]?id|pid|.*version|spot\..*"
)
"""Numbers that each run has for itself, and that nobody sweeps over."""


def _name_of(parameter: str) -> str:
    return "p" if parameter in ("mpi.world.size", "jobsize") else parameter.replace(".", "_")


def _numbers(entries: Mapping[str, Any]) -> dict[str, float]:
    """The numbers that Caliper or Adiak has noted for a whole run; the number of ranks is p."""
    found = {}
    for name, value in entries.items():
        if _OF_THE_RUN.fullmatch(name.lower()) or isinstance(value, bool):
            continue
        try:
            found[_name_of(str(name))] = float(value)
        except (TypeError, ValueError):
            continue
    return found


def read_caliper(document: dict[str, Any], notes: list[str]) -> Iterator[Measurement]:
    """Read a profile, which is one run: of the ranks' values the largest. Regions keep their paths."""
    columns = [str(name) for name in document["columns"]]
    is_value = [bool(one.get("is_value")) for one in document["column_metadata"]]
    nodes = document["nodes"]
    tree = next((at for at, value in enumerate(is_value) if not value), None)
    if tree is None:
        raise ValueError("no column refers to the tree of regions")
    ranks = [at for at, name in enumerate(columns) if name in _RANKS]
    metrics = [at for at, value in enumerate(is_value) if value and at not in ranks]
    known = ("columns", "column_metadata", "nodes", "data")
    parameters = _numbers({name: value for name, value in document.items() if name not in known})
    largest: dict[tuple[str, str], float] = {}
    outside = 0
    for row in document["data"]:
        if row[tree] is None:
            outside += 1
            continue
        path = _path_of(nodes, int(row[tree]))
        for at in metrics:
            if row[at] is not None:
                metric = "time_s" if columns[at] in _TIMES else columns[at]
                largest[path, metric] = max(largest.get((path, metric), float("-inf")), float(row[at]))
    if outside:
        notes.append(f"{outside} rows outside all regions left out")
    for (path, metric), value in largest.items():
        yield Measurement(path, metric, dict(parameters), (value,))


def _path_of(nodes: list[dict[str, Any]], number: int) -> str:
    labels: list[str] = []
    at: int | None = number
    while at is not None:
        labels.append(str(nodes[at]["label"]))
        at = nodes[at].get("parent")
    return "/".join(reversed(labels))


def read_hatchet(document: dict[str, Any], notes: list[str]) -> Iterator[Measurement]:
    """Read what ``Thicket.to_json`` or Hatchet's ``GraphFrame.to_json`` write: each profile is a run and a job.

    Parameters are the numbers in the metadata that are not the same in all profiles; of ranks the largest value counts.
    """
    paths = _paths(document["graph"])
    indices = {str(name) for name in document.get("dataframe_indices", ())} | {"node", "profile"}
    known = {_key(row.get("profile")): _numbers(_without_profile(row)) for row in document.get("metadata", ())}
    swept = {name for one in known.values() for name in one if len({other.get(name) for other in known.values()}) > 1}
    if len(known) == 1:
        swept = {"p"} & set(next(iter(known.values())))
    largest: dict[tuple[str, str, str], float] = {}
    nowhere = 0
    for row in document["dataframe"]:
        path = paths.get(str(row["node"]))
        if path is None:
            nowhere += 1
            continue
        for name, value in row.items():
            if name in indices or name in _NO_METRICS or isinstance(value, bool) or not isinstance(value, int | float):
                continue
            key = path, _metric(name), _key(row.get("profile"))
            largest[key] = max(largest.get(key, float("-inf")), float(value))
    if nowhere:
        notes.append(f"{nowhere} rows of no node left out")
    for (path, metric, profile), value in largest.items():
        parameters = {name: number for name, number in known.get(profile, {}).items() if name in swept}
        yield Measurement(path, metric, parameters, (value,))


def _without_profile(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "profile"}


def _key(profile: object) -> str:
    return str(profile)


def _metric(name: str) -> str:
    if name == "time (inc)":
        return "inclusive_time_s"
    return "time_s" if name in _TIMES else name


def _paths(graphs: list[dict[str, Any]]) -> dict[str, str]:
    """Return the path of each node, by its number."""
    found: dict[str, str] = {}
    for graph in graphs:
        nodes = {str(number): node for number, node in graph.items()}
        called = {str(child) for node in nodes.values() for child in node.get("children", ())}
        waiting = [(number, "") for number in nodes if number not in called]
        while waiting:
            number, above = waiting.pop()
            if number in found:
                continue
            label = str(nodes[number]["data"].get("name", number))
            found[number] = f"{above}/{label}" if above else label
            waiting += [(str(child), found[number]) for child in nodes[number].get("children", ())]
    return found
