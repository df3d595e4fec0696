"""Reads the files of a trace, and refuses what is none."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from adcl._decode import DecodeError, decode
from adcl.errors import AdclError
from adcl.trace._columns import MEASUREMENT, MeasurementLine
from adcl.trace._records import EVENTS, READABLE
from adcl.trace._searches import SearchBuilder, Trace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from adcl.trace._columns import Measurements
    from adcl.trace._records import Record
    from adcl.trace._searches import Key

__all__ = ["Recording", "TraceError", "read", "read_recording"]

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
    if schema not in READABLE or isinstance(schema, bool):
        raise TraceError(
            f"{place}: the record has schema {schema!r} and this adcl reads schemas "
            f"{' and '.join(map(str, READABLE))}; "
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


_measurement = msgspec.json.Decoder(MeasurementLine).decode
_HEAD = 64
"""Bytes of a line that tell which event it is."""

_HEAD_OF_REQUEST = (b'"request"', b'"name"')


def _fill(builder: SearchBuilder, path: Path, *, whole: bool) -> bool:
    """Read a file; return whether its last line has no end: the program was ended while writing it.

    Not `whole`: only what says which measurement is of which search.
    """
    try:
        *lines, rest = path.read_bytes().split(b"\n")
    except OSError as error:
        raise TraceError(f"cannot read {path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        head = line[:_HEAD]
        if MEASUREMENT in head:
            try:
                one = _measurement(line)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                one = None
            if one is not None and one.schema in READABLE:
                builder.measure(one)
                continue
        elif not line.strip() or not (whole or any(event in head for event in _HEAD_OF_REQUEST)):
            continue
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise TraceError(f"{path} is not a trace: it is not text in UTF-8") from error
        builder.add(_record(text, f"{path}:{number}"))
    return bool(rest)


@dataclass(frozen=True, slots=True)
class Recording:
    """A trace with the measurements of all its ranks: what can be drawn and replayed."""

    trace: Trace
    """As one rank saw it."""

    ranks: Mapping[int, Mapping[Key, Measurements]]
    """What each rank measured in each search, by the search's `key`."""

    def of(self, key: Key) -> dict[int, Measurements]:
        """The measurements of one search on the ranks that have some."""
        return {rank: found[key] for rank, found in self.ranks.items() if key in found}


def _read_rank(
    named: Path, rank: int, files: int, paths: list[Path], *, whole: bool = True
) -> tuple[Trace, dict[Key, Measurements]]:
    builder = SearchBuilder()
    cut = False
    for path in paths:
        builder.begin_run()
        cut |= _fill(builder, path, whole=whole)
    return Trace(str(named), rank, files, builder.searches(), cut), builder.measurements()


def _found(trace: Path, rank: int | None) -> tuple[int, dict[int, list[Path]]]:
    """The rank to read, and the files of all ranks."""
    if trace.is_file():
        match = _FILE.fullmatch(trace.name)
        if rank is not None and (match is None or int(match[1]) != rank):
            raise TraceError(f"{trace} is one file and not that of rank {rank}; name the folder that ADCL_TRACE named")
        chosen = int(match[1]) if match else 0
        return chosen, {chosen: [trace]}
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
    return chosen, files


def _named(trace: Path, paths: list[Path]) -> Path:
    return paths[0] if len(paths) == 1 else trace


def read(trace: Path, rank: int | None = None) -> Trace:
    """What `rank`, by default the lowest one there is, wrote.

    `trace` is the folder that ADCL_TRACE named, with all its runs; the folder of one run in it; or a file.
    Raises `TraceError`.
    """
    chosen, files = _found(trace, rank)
    paths = files[chosen]
    return _read_rank(_named(trace, paths), chosen, len(files), paths)[0]


def read_recording(trace: Path, rank: int | None = None) -> Recording:
    """As `read`, with the measurements of all ranks. Raises `TraceError`."""
    chosen, files = _found(trace, rank)
    paths = files[chosen]
    found, own = _read_rank(_named(trace, paths), chosen, len(files), paths)
    ranks = {
        other: own if other == chosen else _read_rank(trace, other, len(files), its, whole=False)[1]
        for other, its in sorted(files.items())
    }
    return Recording(found, ranks)
