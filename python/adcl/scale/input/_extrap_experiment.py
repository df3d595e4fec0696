"""Read Extra-P's experiments (``.extra-p``) and its older JSON, which uses numeric references.

An experiment is a ZIP archive: ``experiment.json`` has parameters and, for each region and metric, the statistics of
each setting; if values were kept, ``values/N.vals`` has them as NumPy arrays, and ``values/N.indx`` their offsets.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from typing import TYPE_CHECKING, Any

from adcl.errors import DataError
from adcl.scale.input._format import Format, InputSource, has, json_format
from adcl.scale.model import Measurement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["EXPERIMENT", "OLDER_JSON", "TRUNCATED"]

_MEMBER = "experiment.json"
_INDEX, _VALUES = b"Extra-P INDEX\0\0\0", b"Extra-P VALUES\0\0"
_ARCHIVE = b"PK\x03\x04"
_OFFSET = struct.Struct("<Q")
_LARGEST = 1 << 32
"""Largest accepted member in bytes; protects against decompression bombs."""


def _is_experiment(path: Path) -> bool:
    """Return whether a file is an archive with an experiment."""
    if not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return _MEMBER in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def _read_experiment(source: InputSource) -> list[Measurement]:
    """Read an experiment: all values of a setting if they were kept, otherwise the median. Raises `DataError`."""
    path, medians = source.path, 0
    found: list[Measurement] = []
    try:
        with zipfile.ZipFile(path) as archive:
            document = json.loads(_member(archive, _MEMBER))
            kept = _KeptValues(archive)
            names = [str(name) for name in document["parameters"]]
            for function, metrics in document["measurements"].items():
                for metric, rows in metrics.items():
                    for row in rows:
                        values, whole = kept.of(row)
                        medians += not whole
                        point = dict(zip(names, map(float, row["coordinate"]), strict=True))
                        found.append(Measurement(function, metric, point, values))
    except (OSError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: this experiment of Extra-P is damaged: {error}") from error
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, struct.error, RecursionError) as error:
        raise DataError(
            f"{path}: measurement {len(found) + 1} of this Extra-P experiment has an unexpected structure: "
            f"{type(error).__name__} {error}"
        ) from error
    if medians:
        source.notes.append(f"measurements with only a median: {medians}; Extra-P keeps all values with --keep-values")
    return found


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _LARGEST:
        raise ValueError(f"{name} is too large")
    return archive.read(name)


class _KeptValues:
    """Values of an archive; each chunk is read once."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._chunks: dict[int, tuple[bytes, bytes]] = {}

    def of(self, row: dict[str, Any]) -> tuple[tuple[float, ...], bool]:
        """Return the values of a setting, and whether they are complete.

        Repetitions are the first dimension; of the processes in each, the largest value is kept.
        """
        import numpy as np

        place = row.get("values")
        if place is None:
            return (float(row["median"]),), row.get("repetitions", 1) == 1
        index, values = self._chunk(int(place[0]))
        (begin,) = _OFFSET.unpack_from(index, len(_INDEX) + _OFFSET.size * (1 + int(place[1])))
        array = np.lib.format.read_array(io.BytesIO(values[begin:]), allow_pickle=False)
        if array.ndim > 1:
            array = array.reshape(len(array), -1).max(axis=1)
        return tuple(float(value) for value in np.atleast_1d(array)), True

    def _chunk(self, number: int) -> tuple[bytes, bytes]:
        if number not in self._chunks:
            index, values = (_member(self._archive, f"values/{number}.{kind}") for kind in ("indx", "vals"))
            if not (index.startswith(_INDEX) and values.startswith(_VALUES)):
                raise ValueError(f"values/{number} has an invalid header")
            self._chunks[number] = index, values
        return self._chunks[number]


def _read_numbered(document: dict[str, Any], _: list[str]) -> Iterator[Measurement]:
    """Read the older JSON, in which measurements refer to parameters, call paths, metrics and coordinates by number."""
    parameters, functions, metrics = (
        {int(one["id"]): str(one["name"]) for one in document[name]} for name in ("parameters", "callpaths", "metrics")
    )
    points = {
        int(one["id"]): {
            parameters[int(pair["parameter_id"])]: float(pair["parameter_value"])
            for pair in one["parameter_value_pairs"]
        }
        for one in document["coordinates"]
    }
    collected: dict[tuple[int, int, int], list[float]] = {}
    for row in document["measurements"]:
        key = int(row["callpath_id"]), int(row["metric_id"]), int(row["coordinate_id"])
        collected.setdefault(key, []).append(float(row["value"]))
    for (function, metric, point), values in collected.items():
        yield Measurement(functions[function], metrics[metric], dict(points[point]), tuple(values))


def _is_archive(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_ARCHIVE)) == _ARCHIVE
    except OSError:
        return False


def _reject(source: InputSource) -> list[Measurement]:
    raise DataError(f"{source.place}: this archive is truncated or not an Extra-P experiment; copy or save it again")


EXPERIMENT = Format(
    "Extra-P experiment", lambda source: source.packed and _is_experiment(source.path), _read_experiment
)
TRUNCATED = Format("damaged archive", lambda source: source.packed and _is_archive(source.path), _reject)
OLDER_JSON = json_format("older Extra-P JSON", lambda one: has(one, measurements=list, callpaths=list), _read_numbered)
