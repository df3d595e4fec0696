"""Read ensembles of Thicket, and Hatchet's output for profiles of HPCToolkit and other tools."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adcl.scale.input._file_names import parameters_in_names
from adcl.scale.input._format import Format, InputSource, has, json_format
from adcl.scale.input._run_metadata import RANKS, TIMES, numbers_of_run
from adcl.scale.model import Measurement

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["HATCHET", "THICKET"]

_NO_METRICS = ("nid", "name", "type", "depth", "thread", "tid", "line", *RANKS)


def _read(document: dict[str, Any], notes: list[str]) -> Iterator[Measurement]:
    """Read output of ``Thicket.to_json`` or Hatchet's ``GraphFrame.to_json``; each profile is a run and a job.

    Parameters are the numbers in the metadata that differ between profiles; the value is the largest of all ranks.
    """
    paths = _paths(document["graph"])
    indices = {str(name) for name in document.get("dataframe_indices", ())} | {"node", "profile"}
    known = {_key(row.get("profile")): numbers_of_run(_without_profile(row)) for row in document.get("metadata", ())}
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
        notes.append(f"omitted rows without a node: {nowhere}")
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
    return "time_s" if name in TIMES else name


def _paths(graphs: list[dict[str, Any]]) -> dict[str, str]:
    """Return the path of each node by its number."""
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


def _read_single(source: InputSource) -> list[Measurement]:
    """Read a profile without metadata; the file's name contains its parameters."""
    rows = _PROFILE.read(source)
    found = parameters_in_names(source.path.stem)
    if not found:
        source.notes.append("no parameters found; put them into the file name, as in solver.p8.n100.json")
    return [replace(one, parameters=found) if found else one for one in rows]


_PROFILE = json_format("Hatchet", lambda one: has(one, dataframe=list, graph=list), _read)
THICKET = json_format("Thicket", lambda one: has(one, dataframe=list, graph=list, metadata=list), _read)
HATCHET = Format(_PROFILE.name, _PROFILE.recognizes, _read_single)
