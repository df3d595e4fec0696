"""Convert parsed JSON into typed dataclasses and report the place of each mismatch."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import TypeVar

import msgspec

from adcl.errors import AdclError

__all__ = ["DecodeError", "decode"]

T = TypeVar("T")


class DecodeError(AdclError):
    """A document lacks a member or a member has the wrong type; the message names the place."""


_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
"""Names of JSON's types in messages, by msgspec's names."""

_MESSAGE = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<place>.*)`)?")
_STEP = re.compile(r"\.?(\w+)|\[(\d+)\]")
_ANY_KEY = "[...]"
"""Step of msgspec's places to a value of a dictionary, without its key."""


def _path(kind: type, value: object) -> object:
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise TypeError(f"expected {'text' if kind is Path else kind.__name__}, found {value!r}")


def _at(document: object, place: str) -> object:
    for name, index in _STEP.findall(place):
        document = document[int(index)] if index else document[name]  # type: ignore[index]
    return document


def _readable(error: msgspec.ValidationError, document: object) -> str:
    match = _MESSAGE.fullmatch(str(error))
    what, place = (match["what"], match["place"] or "") if match else (str(error), "")
    if what.startswith("Expected `") and _ANY_KEY not in place:
        kinds = what.removeprefix("Expected `").partition("`")[0].split(" | ")
        expected = " or ".join(_WORDS.get(kind, kind) for kind in kinds if kind != "null" or len(kinds) == 1)
        found = textwrap.shorten(repr(_at(document, place)), 60, placeholder="…")
        what = f"expected {expected}, found {found}"
    return f"{place or 'document'}: {what[:1].lower()}{what[1:]}"


def decode(kind: type[T], document: object) -> T:
    """Convert `document` to `kind`: a dataclass or a `msgspec.Struct`, text, number, path, or a collection of these.

    Unknown members are ignored, so that a producer may add members within one schema. Members with a default are
    optional. Raises `DecodeError`.
    """
    try:
        return msgspec.convert(document, kind, dec_hook=_path)
    except msgspec.ValidationError as error:
        raise DecodeError(_readable(error, document)) from None
