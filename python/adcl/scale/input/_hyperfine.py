"""Read files of hyperfine's ``--export-json``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from adcl.scale.input._format import has, json_format
from adcl.scale.model import Measurement

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FORMAT"]


def _read(document: dict[str, Any], notes: list[str]) -> Iterator[Measurement]:
    """Remove the parameter's value from the command, so that all runs belong to one function."""
    failed = 0
    for row in document["results"]:
        # Before version 1.8, files have one unnamed parameter and only the mean.
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
        notes.append(f"omitted {failed} failed run{'s' * (failed != 1)}")


def _is_hyperfine(document: dict[str, Any]) -> bool:
    return has(document, results=list) and any(
        isinstance(row, dict) and "command" in row and ("times" in row or "mean" in row) for row in document["results"]
    )


FORMAT = json_format("hyperfine", _is_hyperfine, _read)
