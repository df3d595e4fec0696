"""Reads parameters out of the names of files: p8 and n100 in ``solver.p8.n100.r1``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["parameters_in_names"]

_NAMED = re.compile(r"(?:^|[._-])(?P<name>[A-Za-z]+)(?P<value>\d+(?:[.,]\d+)?)(?=[._-]|$)")
_REPETITION = ("r", "rep", "run", "repetition", "trial")


def parameters_in_names(path: Path, suffix: str) -> dict[str, float]:
    """Return the parameters in the names of a file, without its suffix, and of its folder; the file's come last."""
    found = {}
    for name in (path.absolute().parent.name, path.name.removesuffix(suffix)):
        # As with Extra-P, what is before the first point is the program.
        text = name.partition(".")[2] or name
        for match in _NAMED.finditer(text):
            if match["name"].lower() not in _REPETITION:
                found[match["name"]] = float(match["value"].replace(",", "."))
    return found
