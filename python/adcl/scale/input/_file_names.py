"""Parse parameters in file names: p8 and n100 in ``solver.p8.n100.r1``."""

from __future__ import annotations

import re

__all__ = ["parameters_in_names"]

_NAMED = re.compile(r"(?:^|[._-])(?P<name>[A-Za-z]+)(?P<value>\d+(?:[.,]\d+)?)(?=[._-]|$)")
_REPETITION = ("r", "rep", "run", "repetition", "trial")


def parameters_in_names(*names: str) -> dict[str, float]:
    """Return the parameters in names, such as the names of a folder and a file; later names take precedence."""
    found = {}
    for name in names:
        # As in Extra-P, the part before the first point is the program.
        text = name.partition(".")[2] or name
        for match in _NAMED.finditer(text):
            if match["name"].lower() not in _REPETITION:
                found[match["name"]] = float(match["value"].replace(",", "."))
    return found
