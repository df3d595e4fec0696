"""Read profiles of Score-P and Scalasca: CUBE files (``.cubex``), a single file or a folder."""

from __future__ import annotations

import re
import tarfile
from typing import TYPE_CHECKING, Any

from adcl.errors import DataError
from adcl.scale.input._file_names import parameters_in_names
from adcl.scale.input._format import Format, InputSource
from adcl.scale.model import Measurement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pycubexr import CubexParser
    from pycubexr.classes import CNode, Metric, MetricValues

__all__ = ["FOLDER", "PROFILE"]

_ANCHOR = "anchor.xml"
_PROCESSES = ("p", "ranks", "processes", "nprocs", "np", "procs", "tasks")
_SUMS = re.compile(r"(U?INT\d*|DOUBLE|FLOAT|INTEGER|(UN)?SIGNED .*|SHORT INT)$")
"""Types that are summed along the call tree; minima, maxima and histograms are not."""


def _is_cube(path: Path) -> bool:
    """Return whether a file is a CUBE profile: an archive with an anchor."""
    try:
        with tarfile.open(path) as archive:
            return any(one.name == _ANCHOR for one in archive)
    except (OSError, tarfile.TarError, EOFError):
        return False


def _read_cubes(paths: Iterable[Path], notes: list[str]) -> Iterator[Measurement]:
    """Read profiles; each profile is a job.

    Parameters come from the names of folder and file, such as p8 and n100 in ``solver.p8.n100.r1``; the number after r
    is that of the repetition. If no name contains p, it is the number of processes in the profile. Functions are call
    paths. The value is the largest of all locations; ``time_s`` excludes callees, ``inclusive_time_s`` includes them.
    Raises `DataError` that names the file.
    """
    left_out: set[str] = set()
    for path in paths:
        try:
            _require_complete(path)
            yield from _profile(path, left_out)
        except (OSError, tarfile.TarError, EOFError, SyntaxError) as error:
            raise DataError(f"{path}: this CUBE profile is damaged: {error}") from error
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, AssertionError) as error:
            raise DataError(
                f"{path}: this CUBE profile has an unexpected structure: {type(error).__name__} {error}"
            ) from error
    if left_out:
        notes.append(
            f"omitted metrics that have no data or are not summed along the call tree: {', '.join(sorted(left_out))}"
        )


def _require_complete(path: Path) -> None:
    """Raise the parser's error in advance, since the parser leaves the file open."""
    with tarfile.open(path) as archive:
        anchor = archive.extractfile(_ANCHOR)
        if anchor is None or len(anchor.read()) < archive.getmember(_ANCHOR).size:
            raise EOFError("the file is truncated")


def _profile(path: Path, left_out: set[str]) -> Iterator[Measurement]:
    from pycubexr import CubexParser
    from pycubexr.utils.exceptions import MissingMetricError, UnsupportedMetricFormatError

    with CubexParser(path) as profile:
        parameters = _parameters(path, profile)
        for metric in profile.all_metrics():
            if not _SUMS.match(str(metric.data_type)):
                left_out.add(metric.name)
                continue
            try:
                values = profile.get_metric_values(metric, cache=False)
            except (MissingMetricError, UnsupportedMetricFormatError):
                left_out.add(metric.name)
                continue
            for root in profile.get_root_cnodes():
                yield from _tree(root, "", metric, values, parameters)


def _tree(
    node: CNode, above: str, metric: Metric, values: MetricValues, parameters: dict[str, float]
) -> Iterator[Measurement]:
    waiting: list[tuple[Any, str]] = [(node, above)]
    while waiting:
        one, before = waiting.pop()
        name = f"{before}/{one.region.name}" if before else str(one.region.name)
        kinds = [("", {"convert_to_exclusive": True})]
        if metric.name == "time":
            kinds.append(("inclusive_", {"convert_to_inclusive": True}))
        for prefix, how in kinds:
            most = max(0.0, float(max(values.cnode_values(one, **how), default=0.0)))
            yield Measurement(name, prefix + _name(metric), dict(parameters), (most,))
        waiting += [(child, name) for child in reversed(one.get_children())]


def _name(metric: Metric) -> str:
    unit = {"sec": "s", "bytes": "bytes", "byte": "bytes"}.get(str(metric.units), "")
    return f"{metric.name}_{unit}" if unit and not metric.name.endswith(f"_{unit}") else str(metric.name)


def _parameters(path: Path, profile: CubexParser) -> dict[str, float]:
    found = parameters_in_names(path.absolute().parent.name, path.name.removesuffix(".cubex"))
    if not {name.lower() for name in found} & {*_PROCESSES}:
        groups = {place.rank for place in _processes(profile)}
        found["p"] = float(max(len(groups), 1))
    return found


def _processes(profile: CubexParser) -> list[Any]:
    """Return the groups of locations that are processes (not accelerators)."""
    # The parser offers only a list of locations and hides the system tree.
    trees = profile._anchor_result.system_tree_nodes  # noqa: SLF001
    groups = [group for tree in trees for group in tree.all_location_groups()]
    return [group for group in groups if "process" in str(group.type).lower()] or groups


def _read_folder(source: InputSource) -> list[Measurement]:
    """Read the profiles below a folder, such as Score-P's ``…/solver.p8.n100.r1/profile.cubex``."""
    found = sorted(one for one in source.path.rglob("*.cubex") if one.is_file() and not one.name.startswith("."))
    if not found:
        raise DataError(f"{source.place}: this folder contains no .cubex file; name the files to be read")
    source.kind = f"{len(found)} CUBE profiles"
    return list(_read_cubes(found, source.notes))


FOLDER = Format("CUBE profiles", lambda source: source.path.is_dir(), _read_folder)
PROFILE = Format(
    "CUBE profile",
    lambda source: source.packed and _is_cube(source.path),
    lambda source: list(_read_cubes([source.path], source.notes)),
)
