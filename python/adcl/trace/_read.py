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


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise TraceError(f"cannot read {folder}: {error.strerror}") from error


def _files(folder: Path) -> dict[int, list[Path]]:
    """The files of a folder, or of the runs in it, by their ranks, the oldest run first."""
    found: dict[int, list[Path]] = {}
    for place in (folder, *(one for one in _listed(folder) if one.is_dir())):
        for path in _listed(place):
            if match := _FILE.fullmatch(path.name):
                found.setdefault(int(match[1]), []).append(path)
    return found


def _record(line: str, place: str) -> Record:
    try:
        document: Any = json.loads(line)
    except ValueError as error:
        raise TraceError(f"{place}: this is not a record of a trace but {line[:40]!r}") from error
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


def _records(path: Path) -> tuple[list[Record], bool]:
    """The records of a file, and whether its last line has no end: the program was ended while writing it."""
    try:
        *lines, rest = path.read_bytes().split(b"\n")
        text = [line.decode("utf-8") for line in lines]
    except UnicodeDecodeError as error:
        raise TraceError(f"{path} is not a trace: it is not text in UTF-8") from error
    except OSError as error:
        raise TraceError(f"cannot read {path}: {error.strerror}") from error
    return [_record(line, f"{path}:{number}") for number, line in enumerate(text, 1) if line.strip()], bool(rest)


def _trace(named: Path, rank: int, files: int, paths: list[Path]) -> Trace:
    runs = [_records(path) for path in paths]
    searches = searches_of([records for records, _ in runs])
    return Trace(str(named), rank, files, searches, any(cut for _, cut in runs))


def read(trace: Path, rank: int | None = None) -> Trace:
    """What `rank`, by default the lowest one there is, wrote.

    `trace` is the folder that ADCL_TRACE named, with all its runs; the folder of one run in it; or a file.
    Raises `TraceError`.
    """
    if trace.is_file():
        match = _FILE.fullmatch(trace.name)
        if rank is not None and (match is None or int(match[1]) != rank):
            raise TraceError(f"{trace} is one file and not that of rank {rank}; name the folder that ADCL_TRACE named")
        return _trace(trace, int(match[1]) if match else 0, 1, [trace])
    if not trace.exists():
        raise TraceError(f"there is no {trace}; name the folder that ADCL_TRACE named when the program ran")
    files = _files(trace)
    if not files:
        raise TraceError(
            f"{trace} has no files RUN/adcl.RANK.jsonl; name the folder that ADCL_TRACE named. A program that created "
            "no request writes none"
        )
    chosen = min(files) if rank is None else rank
    if chosen not in files:
        raise TraceError(f"{trace} has no file of rank {chosen}; there are those of ranks {min(files)} to {max(files)}")
    paths = files[chosen]
    return _trace(paths[0] if len(paths) == 1 else trace, chosen, len(files), paths)
