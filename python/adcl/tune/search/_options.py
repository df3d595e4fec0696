"""Options of searches: each is a field of a class in the file of its search."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["NoOptions", "OptionRow", "OptionValue", "make_options", "option", "option_rows"]

OptionValue: TypeAlias = str | int | float
_ABOUT = "about"


@dataclass(frozen=True)
class NoOptions:
    """The options of a search that has none."""


@dataclass(frozen=True)
class OptionRow:
    """An option as users know it."""

    name: str
    default: OptionValue
    about: str


def option(default: Any, about: str) -> Any:  # noqa: ANN401 - the field's type, as with `dataclasses.field`
    """Make the field of an option; `about` is what the documentation says of it."""
    return dataclasses.field(default=default, metadata={_ABOUT: about})


def option_rows(kind: type[Any]) -> tuple[OptionRow, ...]:
    """Return the options of such a class."""
    return tuple(
        OptionRow(one.name, cast("OptionValue", one.default), one.metadata[_ABOUT]) for one in dataclasses.fields(kind)
    )


def make_options(kinds: Iterable[type[Any]], given: Mapping[str, object]) -> tuple[Any, ...]:
    """Make the options of several searches of the values that are given. Raises `UsageError`."""
    known = {one.name: one for kind in kinds for one in option_rows(kind)}
    for name, value in given.items():
        if name not in known:
            raise UsageError(f"no search has an option {name}; there are {', '.join(known)}")
        wanted = type(known[name].default)
        fits = isinstance(value, wanted) or (wanted is float and isinstance(value, int))
        if not fits or isinstance(value, bool):
            raise UsageError(f"invalid value {value!r} of the search's option {name}")
    return tuple(
        kind(**{one.name: given[one.name] for one in option_rows(kind) if one.name in given}) for kind in kinds
    )
