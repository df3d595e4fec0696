"""Read TOML documents with the position of each key and value. All TOML input of the package passes here."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcl._toml_places import places

if TYPE_CHECKING:
    from adcl._source import Source, SourceError
    from adcl._toml_places import Path, Places

__all__ = ["KINDS", "TomlDocument", "has_toml_type", "read_toml", "shown"]

KINDS: dict[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table",
    list: "a list",
}
"""Names of the TOML types in messages."""

_SYNTAX = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_SHOWN = 60


@dataclass(frozen=True)
class TomlDocument:
    """Values of a document and their places. A path consists of keys and list indices."""

    source: Source
    values: dict[str, Any]
    places: Places

    def line(self, path: Path) -> int:
        """Return the line of a key, or of the enclosing table if the key is missing."""
        return self.source.position(self.places.key(path))[0]

    def error(self, path: Path, message: str, *, at_key: bool = False) -> SourceError:
        """Return the error for the value or the key at a path."""
        return self.source.error(self.places.key(path) if at_key else self.places.value(path), message)


def read_toml(source: Source) -> TomlDocument:
    """Parse a document. Raises `SourceError` if it is not TOML."""
    try:
        values = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        found = _SYNTAX.fullmatch(str(error))
        message = f"invalid TOML: {found[1] if found else error}"
        if found and found[2]:
            raise source.error_at(int(found[2]), int(found[3]), message) from error
        raise source.error(len(source.text), message) from error
    return TomlDocument(source, values, places(source.text))


def has_toml_type(value: object, kind: type) -> bool:
    """Return whether a value has this TOML type. An integer is also a number; a boolean is neither."""
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind) and not (kind is int and isinstance(value, bool))


def shown(value: object) -> str:
    """Format a value for a message."""
    match value:
        case bool():
            return str(value).lower()
        case dict() | list():
            return KINDS[type(value)]
        case str() if len(value) > _SHOWN:
            return repr(value[:_SHOWN] + "…")
    return repr(value)
