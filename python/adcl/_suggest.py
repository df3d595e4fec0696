"""Did you mean."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["nearest", "suggestion"]

_FEW = 12


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like `name`, or None when none is; capitals do not matter."""
    spellings: dict[str, str] = {}
    for one in known:
        spellings.setdefault(one.lower(), one)
    near = difflib.get_close_matches(name.lower(), spellings, 1, cutoff=0.6)
    return spellings[near[0]] if near else None


def suggestion(name: str, known: Iterable[str]) -> str:
    """Words for the end of an error message: the nearest name, or all names where they are few."""
    names = list(known)
    near = nearest(name, names)
    if near is not None:
        return f"did you mean {near}?"
    return f"known are {', '.join(names)}" if 0 < len(names) <= _FEW else "nothing has a similar name"
