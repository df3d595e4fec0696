"""Reads the files of a trace, and refuses what is none."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from adcl._decode import DecodeError, decode
from adcl.errors import AdclError
from adcl.trace._records import EVENTS, SCHEMA
from adcl.trace._searches import Trace, searches_of

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.trace._records import Record

__all__ = ["TraceError", "read"]

_FILE = re.compile(r"adcl\.(\d+)\.jsonl")


class TraceError(AdclError):
    """There is no trace, or it is broken or of another version; the message names file and line."""


def _files(folder: Path) -> dict[int, Path]:
    """The files of a folder by their ranks."""
    try:
        found = {match: path for path in folder.iterdir() if (match := _FILE.fullmatch(path.name))}
    except OSError as error:
        raise TraceError(f"cannot read {folder}: {error.strerror}") from error
    return {int(match[1]): path for match, path in found.items()}


def _record(line: str, place: str) -> Record:
    try:
        document: Any = json.loads(line)
    except ValueError as error:
        raise TraceError(
            f"{place}: this is not a record of a trace but {line[:40]!r}; the program may have been ended while writing"
        ) from error
    if not isinstance(document, dict) or "schema" not in document:
        raise TraceError(f"{place}: this is not a record of a trace: it has no schema")
    schema = document["schema"]
    if schema != SCHEMA or isinstance(schema, bool):
        raise TraceError(
            f"{place}: the record has schema {schema!r} and this adcl reads schema {SCHEMA}; "
            "use the adcl command of the version that wrote the trace, or trace again into an empty folder"
        )
    event = document.get("event")
    kind = EVENTS.get(event) if isinstance(event, str) else None
    if kind is None:
        raise TraceError(f"{place}: unknown event {event!r}; the events are {', '.join(EVENTS)}")
    try:
        return decode(kind, document)
    except DecodeError as error:
        raise TraceError(f"{place}: a record of the event {event} lacks something: {error}") from error


def _records(path: Path) -> list[Record]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise TraceError(f"{path} is not a trace: it is not text in UTF-8") from error
    except OSError as error:
        raise TraceError(f"cannot read {path}: {error.strerror}") from error
    return [_record(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]


def read(trace: Path, rank: int | None = None) -> Trace:
    """What `rank`, by default the lowest one there is, wrote to the folder `trace`, which may be one of its files too.

    Raises `TraceError`.
    """
    if trace.is_file():
        match = _FILE.fullmatch(trace.name)
        if rank is not None and (match is None or int(match[1]) != rank):
            raise TraceError(f"{trace} is one file and not that of rank {rank}; name the folder that ADCL_TRACE named")
        return Trace(str(trace), int(match[1]) if match else 0, 1, searches_of(_records(trace)))
    if not trace.exists():
        raise TraceError(f"there is no {trace}; name the folder that ADCL_TRACE named when the program ran")
    files = _files(trace)
    if not files:
        raise TraceError(
            f"{trace} has no files adcl.RANK.jsonl; name the folder that ADCL_TRACE named. A program that was ended "
            "before ADCL_Finalize or MPI_Finalize writes none"
        )
    chosen = min(files) if rank is None else rank
    if chosen not in files:
        raise TraceError(f"{trace} has no file of rank {chosen}; there are those of ranks {min(files)} to {max(files)}")
    return Trace(str(files[chosen]), chosen, len(files), searches_of(_records(files[chosen])))
