"""Options of searches: each is a dataclass field in its search's module."""

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
    """Options of a search without options."""


@dataclass(frozen=True)
class OptionRow:
    """Description of an option for users."""

    name: str
    default: OptionValue
    about: str


def option(default: Any, about: str) -> Any:  # noqa: ANN401 - the field's type, as with `dataclasses.field`
    """Return the field of an option; `about` is its documentation."""
    return dataclasses.field(default=default, metadata={_ABOUT: about})


def option_rows(kind: type[Any]) -> tuple[OptionRow, ...]:
    """Return the options of a class."""
    return tuple(
        OptionRow(one.name, cast("OptionValue", one.default), one.metadata[_ABOUT]) for one in dataclasses.fields(kind)
    )


def make_options(kinds: Iterable[type[Any]], given: Mapping[str, object]) -> tuple[Any, ...]:
    """Create the options of several searches from the given values. Raises `UsageError`."""
    known = {one.name: one for kind in kinds for one in option_rows(kind)}
    for name, value in given.items():
        if name not in known:
            raise UsageError(f"no search has an option {name}; known options: {', '.join(known)}")
        wanted = type(known[name].default)
        fits = isinstance(value, wanted) or (wanted is float and isinstance(value, int))
        if not fits or isinstance(value, bool):
            raise UsageError(f"invalid value {value!r} of the search's option {name}")
    return tuple(
        kind(**{one.name: given[one.name] for one in option_rows(kind) if one.name in given}) for kind in kinds
    )
