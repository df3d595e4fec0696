"""Parse lines of JSON into measurements: a million lines within seconds and in little memory."""

from __future__ import annotations

import contextlib
import gc
import json
import marshal
import sys
from typing import TYPE_CHECKING, Any

from adcl._decode import DecodeError, decode
from adcl.errors import AdclError, DataError
from adcl.scale.input._stored import LineReader
from adcl.scale.model import SCHEMA, Measurement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "MeasurementParser",
    "blocks_of",
    "lines_of",
    "not_text",
    "paused_garbage_collection",
    "read_measurements",
    "read_text",
    "records_in",
    "require_schema",
]

_MEMBERS = {"function", "metric", "parameters", "repetitions", "schema", "discarded", "context"}


def require_schema(document: Any, place: str) -> None:  # noqa: ANN401
    """Raise `DataError` for a document of another schema."""
    if isinstance(document, dict) and isinstance(document.get("schema"), int) and document["schema"] != SCHEMA:
        raise DataError(
            f"{place}: the schema is {document['schema']}, but this adcl reads {SCHEMA}; use the adcl version that "
            "wrote it"
        )


def _is_record(document: Any) -> bool:  # noqa: ANN401
    """Return whether this is a benchmark's record of one function."""
    return isinstance(document, dict) and "schema" in document and "function" in document


def lines_of(path: Path) -> Iterator[tuple[int, bytes, bool]]:
    """Iterate over the lines of a file: number, bytes, and whether the line is complete; skip a byte-order mark.

    Raises `AdclError` for an unreadable file.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                plain = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                yield number, plain, line.endswith(b"\n")
    except OSError as error:
        raise AdclError(f"cannot read {path}: {error.strerror}") from error


def blocks_of(path: Path, size: int = 1 << 18) -> Iterator[tuple[int, bytes]]:
    """Iterate over a file in blocks of whole lines: number of the first line, and the bytes.

    Raises the errors of `lines_of`.
    """
    number = 1
    try:
        with path.open("rb") as file:
            while block := file.read(size):
                block += file.readline()
                count = block.count(b"\n")
                yield number, block.removeprefix(b"\xef\xbb\xbf") if number == 1 else block
                number += count
    except OSError as error:
        raise AdclError(f"cannot read {path}: {error.strerror}") from error


@contextlib.contextmanager
def paused_garbage_collection() -> Iterator[None]:
    """Pause the cyclic garbage collector: the input creates millions of objects without cycles."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


class MeasurementParser:
    """Converts documents to measurements. Equal texts, parameters and contexts are shared."""

    def __init__(self) -> None:
        self._shared: dict[bytes, dict[str, Any]] = {}

    def _kept(self, members: dict[str, Any]) -> dict[str, Any]:
        return self._shared.setdefault(marshal.dumps(members), members)

    def measurement(self, document: Any, place: str) -> Measurement:  # noqa: ANN401
        """Return the measurement. Raises `DataError` that names the place."""
        require_schema(document, place)
        found = self._plain(document)
        if found is None:
            try:
                found = decode(Measurement, document)
            except DecodeError as error:
                raise DataError(f"{place}: {error}") from error
        problem = found.problem()
        if problem is not None:
            raise DataError(f"{place}: {problem}")
        return found

    def _plain(self, document: Any) -> Measurement | None:  # noqa: ANN401
        """Return the measurement of a well-formed document, or None; `decode` then reports the error."""
        if not isinstance(document, dict):
            return None
        function, metric = document.get("function"), document.get("metric")
        parameters, repetitions = document.get("parameters"), document.get("repetitions")
        discarded, context = document.get("discarded", 0), document.get("context", {})
        if not (
            type(function) is str
            and type(metric) is str
            and type(parameters) is dict
            and type(repetitions) is list
            and type(discarded) is int
            and type(context) is dict
            and document.get("schema", SCHEMA) == SCHEMA
        ):
            return None
        kinds = {*map(type, repetitions), *map(type, parameters.values())}
        if not kinds <= {int, float}:
            return None
        return Measurement(
            sys.intern(function),
            sys.intern(metric),
            self._kept({name: float(value) for name, value in parameters.items()}),
            tuple(map(float, repetitions)),
            SCHEMA,
            discarded,
            self._kept(context),
        )


def not_text(path: Path, line: int, byte: int) -> str:
    """Return the message for a byte that is not UTF-8."""
    return (
        f"{path}:{line}: this text is not UTF-8 (byte 0x{byte:02x}); convert it, for example with iconv -f latin1 -t "
        "utf-8"
    )


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 with a byte-order mark.

    Raises `AdclError` for an unreadable file, and `DataError` with the line for another encoding.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AdclError(f"cannot read {path}: {error.strerror}") from error
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        return data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(not_text(path, line, data[error.start])) from error


def read_measurements(text: str, place: str) -> list[Measurement]:
    """Return the records in a benchmark's output; other lines are ignored.

    A record is a line with a JSON object that has a schema and a function. Raises `AdclError` for an invalid record.
    """
    parser, found = MeasurementParser(), []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith("{"):
            continue
        with contextlib.suppress(ValueError):
            document = json.loads(line)
            if _is_record(document):
                found.append(parser.measurement(document, f"{place}, line {number}"))
    return found


def records_in(path: Path) -> Iterator[Measurement]:
    """Iterate over the records in a file, as `read_measurements` does for a text."""
    parser, reader = MeasurementParser(), LineReader()
    for number, line, _ in lines_of(path):
        if not line.lstrip().startswith(b"{"):
            continue
        usual = reader.record(line)
        if usual is not None:
            yield usual
            continue
        try:
            document = json.loads(line)
        except UnicodeDecodeError as error:
            raise DataError(not_text(path, number, line[error.start])) from error
        except (ValueError, RecursionError):
            continue
        if _is_record(document):
            yield parser.measurement(document, f"{path}, line {number}")
