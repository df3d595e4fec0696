"""Suggestions for misspelled names."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["nearest", "suggestion"]

_FEW = 12


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to `name`, ignoring case, or None if none is similar."""
    spellings: dict[str, str] = {}
    for one in known:
        spellings.setdefault(one.lower(), one)
    near = difflib.get_close_matches(name.lower(), spellings, 1, cutoff=0.6)
    return spellings[near[0]] if near else None


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the end of an error message: the most similar name, or all names if there are few."""
    names = list(known)
    near = nearest(name, names)
    if near is not None:
        return f"did you mean {near}?"
    return f"known names: {', '.join(names)}" if 0 < len(names) <= _FEW else "no known name is similar"
