"""Table of formats, one module each, in the order in which they are tried."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from adcl.errors import DataError
from adcl.scale.input import (
    _caliper,
    _csv_table,
    _cube,
    _extrap,
    _extrap_experiment,
    _google_benchmark,
    _hatchet,
    _hyperfine,
    _jube,
    _pytest_benchmark,
    _reframe,
)
from adcl.scale.input._format import Format, InputSource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adcl.scale.model import Measurement

__all__ = ["FORMATS"]


def _records(source: InputSource) -> Iterable[Measurement]:
    first = source.first_record
    return source.records if first is None else itertools.chain([first], source.records)


def _is_unknown_json(source: InputSource) -> bool:
    document = source.document
    return document is not None and not (isinstance(document, dict) and "params" in document)


def _reject(source: InputSource) -> list[Measurement]:
    raise DataError(f"{source.place}: this JSON has no supported format; docs/scale.md lists the formats")


FORMATS = [
    _cube.FOLDER,
    _extrap_experiment.EXPERIMENT,
    _cube.PROFILE,
    _extrap_experiment.TRUNCATED,
    Format("records", lambda source: source.first_record is not None, _records),
    _pytest_benchmark.FORMAT,
    _google_benchmark.FORMAT,
    _hyperfine.FORMAT,
    _extrap.JSON,
    _extrap_experiment.OLDER_JSON,
    _caliper.FORMAT,
    _hatchet.THICKET,
    _hatchet.HATCHET,
    Format("unknown JSON", _is_unknown_json, _reject),
    _extrap.LINES,
    _reframe.FORMAT,
    _jube.FORMAT,
    _csv_table.FORMAT,
    _extrap.TEXT,
]
