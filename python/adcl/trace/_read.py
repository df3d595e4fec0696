"""Read and validate the files of a trace."""

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
from adcl.trace._searches import SearchBuilder, Trace, TracedRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from adcl.trace._columns import Measurements
    from adcl.trace._records import Record
    from adcl.trace._searches import Key, TracedSearch

__all__ = ["Recording", "TraceError", "read", "read_recording"]

_FILE = re.compile(r"adcl\.(\d+)\.jsonl")


class TraceError(AdclError):
    """A trace does not exist, is damaged or has another version; the message names file and line."""


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise TraceError(f"cannot read {folder}: {error.strerror}") from error


_Files = dict[int, dict[int, "Path"]]
"""Files of each rank by the numbers of their folders, which count from 0 in the order of the runs."""


def _files(folder: Path) -> _Files:
    """Return the files of a folder, or of the runs in it, the oldest run first."""
    found: _Files = {}
    number = 0
    for place in (folder, *(one for one in _listed(folder) if one.is_dir())):
        ranks = {int(match[1]): path for path in _listed(place) if (match := _FILE.fullmatch(path.name))}
        for rank, path in ranks.items():
            found.setdefault(rank, {})[number] = path
        number += bool(ranks)
    return found


def _record(line: str, place: str) -> Record:
    try:
        document: Any = json.loads(line)
    except ValueError as error:
        raise TraceError(f"{place}: expected a record of a trace, found {line[:40]!r}") from error
    if not isinstance(document, dict) or "schema" not in document:
        raise TraceError(f"{place}: not a record of a trace: the member 'schema' is missing")
    schema = document["schema"]
    if schema not in READABLE or isinstance(schema, bool):
        raise TraceError(
            f"{place}: the record has schema {schema!r}, but this adcl reads schemas {READABLE[0]} to {READABLE[-1]}; "
            "use the adcl command of the version that wrote the trace, or trace again into an empty folder"
        )
    event = document.get("event")
    kind = EVENTS.get(event) if isinstance(event, str) else None
    if kind is None:
        raise TraceError(f"{place}: unknown event {event!r}; the events are {', '.join(EVENTS)}")
    try:
        return decode(kind, document)
    except DecodeError as error:
        raise TraceError(f"{place}: invalid record of event {event!r}: {error}") from error


_measurement = msgspec.json.Decoder(MeasurementLine).decode
_HEAD = 64
"""Length in bytes of a line's prefix that contains the event."""

_HEAD_OF_REQUEST = (b'"request"', b'"name"')


def _fill(builder: SearchBuilder, path: Path, *, whole: bool) -> bool:
    """Read a file; return whether its last line is incomplete because the program ended while writing it.

    Without `whole`, read only the records that assign measurements to searches.
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
            raise TraceError(f"{path} is not a trace: its text is not UTF-8") from error
        builder.add(_record(text, f"{path}:{number}"))
    return bool(rest)


@dataclass(frozen=True, slots=True)
class Recording:
    """A trace with the measurements of all its ranks, for drawing and replaying."""

    trace: Trace
    """Trace as recorded by one rank."""

    ranks: Mapping[int, Mapping[Key, Measurements]]
    """Measurements of each rank in each search, by the search's `key`."""

    def of(self, key: Key) -> dict[int, Measurements]:
        """Return the measurements of one search on the ranks that have some."""
        return {rank: found[key] for rank, found in self.ranks.items() if key in found}


def _read_rank(paths: Mapping[int, Path], *, whole: bool = True) -> tuple[SearchBuilder, bool]:
    """Read the files of one rank; also return whether a file was truncated."""
    builder = SearchBuilder()
    cut = False
    for folder, path in paths.items():
        builder.begin_run(folder)
        cut |= _fill(builder, path, whole=whole)
    return builder, cut


def _first_numbers(files: _Files, builders: Iterable[SearchBuilder]) -> dict[int, int]:
    """Return the number of the first run of each folder."""
    sessions = {folder: 1 for its in files.values() for folder in its}
    for builder in builders:
        for folder, count in builder.sessions().items():
            sessions[folder] = max(sessions[folder], count)
    found = {}
    number = 1
    for folder in sorted(sessions):
        found[folder] = number
        number += sessions[folder]
    return found


def _runs(files: _Files, searches: tuple[TracedSearch, ...], first: Mapping[int, int]) -> tuple[TracedRun, ...]:
    """Return all runs, with the ranks that wrote a file in the folder of each."""
    ranks = {number: sum(folder in its for its in files.values()) for folder, number in first.items()}
    for number in sorted({search.run for search in searches} - ranks.keys()):
        ranks[number] = ranks[max(one for one in first.values() if one < number)]
    return tuple(TracedRun(number, ranks[number]) for number in sorted(ranks))


def _found(trace: Path, rank: int | None) -> tuple[int, _Files]:
    """Return the rank to read, and the files of all ranks."""
    if trace.is_file():
        match = _FILE.fullmatch(trace.name)
        if rank is not None and (match is None or int(match[1]) != rank):
            raise TraceError(
                f"{trace} is not a file of rank {rank}; specify the folder to which the program wrote its trace "
                "(ADCL_TRACE)"
            )
        chosen = int(match[1]) if match else 0
        return chosen, {chosen: {0: trace}}
    if not trace.exists():
        raise TraceError(
            f"{trace} does not exist; specify the folder to which the program wrote its trace (ADCL_TRACE)"
        )
    files = _files(trace)
    if not files:
        raise TraceError(
            f"{trace} contains no files RUN/adcl.RANK.jsonl; specify the folder to which the program wrote its trace "
            "(ADCL_TRACE). A program that creates no request writes no trace"
        )
    chosen = min(files) if rank is None else rank
    if chosen not in files:
        raise TraceError(f"{trace} has no file of rank {chosen}; it has files of ranks {min(files)} to {max(files)}")
    return chosen, files


def _trace(
    trace: Path, rank: int, files: _Files, builder: SearchBuilder, first: Mapping[int, int], *, cut: bool
) -> Trace:
    paths = list(files[rank].values())
    named = paths[0] if len(paths) == 1 else trace
    searches = builder.searches(first)
    return Trace(str(named), rank, len(files), searches, cut, _runs(files, searches, first))


def read(trace: Path, rank: int | None = None) -> Trace:
    """Read the records of `rank` (default: the lowest).

    `trace` is the folder that ADCL_TRACE named, with all its runs; the folder of one run in it; or a file. Raises
    `TraceError`.
    """
    chosen, files = _found(trace, rank)
    builder, cut = _read_rank(files[chosen])
    return _trace(trace, chosen, files, builder, _first_numbers(files, [builder]), cut=cut)


def read_recording(trace: Path, rank: int | None = None) -> Recording:
    """Like `read`, with the measurements of all ranks. Raises `TraceError`."""
    chosen, files = _found(trace, rank)
    read_files = {other: _read_rank(its, whole=other == chosen) for other, its in sorted(files.items())}
    first = _first_numbers(files, [builder for builder, _ in read_files.values()])
    own, cut = read_files[chosen]
    ranks = {other: builder.measurements(first) for other, (builder, _) in read_files.items()}
    return Recording(_trace(trace, chosen, files, own, first, cut=cut), ranks)
