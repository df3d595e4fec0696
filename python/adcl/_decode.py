"""Convert parsed JSON into typed dataclasses and report the place of each mismatch."""

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
"""Metadata key of a field: the JSON member's name where it is not a valid Python name."""


class DecodeError(AdclError):
    """A document lacks a member or a member has the wrong type; the message names the place."""


_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}


@functools.cache
def _field_types(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _type_mismatch(place: str, expected: str, value: object) -> DecodeError:
    shown = textwrap.shorten(repr(value), 60, placeholder="…")
    return DecodeError(f"{place or 'document'}: expected {expected}, found {shown}")


def _scalar(kind: type, value: object, place: str) -> object:
    if kind is Path:
        return Path(str(_scalar(str, value, place)))
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _type_mismatch(place, _WORDS[kind], value)
    return value


def _record(kind: type, value: object, place: str) -> object:
    if not isinstance(value, dict):
        raise _type_mismatch(place, "an object", value)
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
    raise _type_mismatch(
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
            raise _type_mismatch(place, "one of " + ", ".join(map(str, inner)), value)
        return value
    if origin in (typing.Union, types.UnionType):
        # Try null first: if all alternatives fail, the error of the other type is more informative.
        return _union(tuple(sorted(inner, key=lambda one: one is not types.NoneType)), value, place)
    if origin is tuple:
        if not isinstance(value, list):
            raise _type_mismatch(place, "a list", value)
        return tuple(_any(inner[0], one, f"{place}[{index}]") for index, one in enumerate(value))
    if origin in (dict, Mapping):
        if not isinstance(value, dict):
            raise _type_mismatch(place, "an object", value)
        return {key: _any(inner[1], one, f"{place}.{key}") for key, one in value.items()}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _record(kind, value, place)
    return _scalar(kind, value, place)


def decode(kind: type[T], document: object) -> T:
    """Convert `value` to `kind`: a dataclass, text, number, path, `X | None`, or a tuple or dictionary of these.

    Unknown members are ignored, so that a producer may add members within one schema. Members with a default are
    optional. Raises `DecodeError`.
    """
    return typing.cast("T", _any(kind, document, ""))
