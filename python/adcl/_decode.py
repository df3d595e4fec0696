"""Turns parsed JSON into typed dataclasses, and says where a document does not fit them."""

from __future__ import annotations

import dataclasses
import functools
import textwrap
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from adcl.errors import AdclError

__all__ = ["NAME", "DecodeError", "decode"]

T = TypeVar("T")

NAME = "name"
"""Key of a field's metadata: what the document calls a member that Python could not."""


class DecodeError(AdclError):
    """A document lacks something, or has something of the wrong kind; the message names the place."""


_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}


@functools.cache
def _field_types(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _misfit(place: str, expected: str, value: object) -> DecodeError:
    shown = textwrap.shorten(repr(value), 60, placeholder="…")
    return DecodeError(f"{place or 'document'}: expected {expected}, found {shown}")


def _scalar(kind: type, value: object, place: str) -> object:
    if kind is Path:
        return Path(str(_scalar(str, value, place)))
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _misfit(place, _WORDS[kind], value)
    return value


def _record(kind: type, value: object, place: str) -> object:
    if not isinstance(value, dict):
        raise _misfit(place, "an object", value)
    members: dict[str, Any] = {}
    hints = _field_types(kind)
    for field in dataclasses.fields(kind):
        name = field.metadata.get(NAME, field.name)
        inner = f"{place}.{name}" if place else name
        if name in value:
            members[field.name] = _any(hints[field.name], value[name], inner)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise DecodeError(f"{inner}: missing")
    return kind(**members)


def _union(alternatives: tuple[Any, ...], value: object, place: str) -> object:
    for alternative in alternatives:
        try:
            return _any(alternative, value, place)
        except DecodeError as error:
            failure = error
    if len([alternative for alternative in alternatives if alternative is not types.NoneType]) == 1:
        raise failure
    raise _misfit(
        place,
        " or ".join(
            _WORDS.get(alternative, getattr(alternative, "__name__", str(alternative))) for alternative in alternatives
        ),
        value,
    )


def _any(kind: Any, value: object, place: str) -> Any:  # noqa: ANN401, PLR0911 - one return for each kind of type
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any or kind is object:
        return value
    if origin is typing.Literal:
        if value not in inner:
            raise _misfit(place, "one of " + ", ".join(map(str, inner)), value)
        return value
    if origin in (typing.Union, types.UnionType):
        # Null first: the failure worth telling is that of the alternative that says something.
        return _union(tuple(sorted(inner, key=lambda one: one is not types.NoneType)), value, place)
    if origin is tuple:
        if not isinstance(value, list):
            raise _misfit(place, "a list", value)
        return tuple(_any(inner[0], one, f"{place}[{index}]") for index, one in enumerate(value))
    if origin in (dict, Mapping):
        if not isinstance(value, dict):
            raise _misfit(place, "an object", value)
        return {key: _any(inner[1], one, f"{place}.{key}") for key, one in value.items()}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _record(kind, value, place)
    return _scalar(kind, value, place)


def decode(kind: type[T], document: object) -> T:
    """Make a `kind`, a dataclass of text, numbers, paths, `X | None`, and tuples, dictionaries and dataclasses of them.

    Members that the dataclass does not know are ignored: a producer may add some within one schema. Members with a
    default may be missing. Raises `DecodeError`.
    """
    return typing.cast("T", _any(kind, document, ""))
