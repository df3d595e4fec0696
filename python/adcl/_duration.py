"""Durations in command lines and files."""

from __future__ import annotations

import re

from adcl.errors import UsageError

__all__ = ["seconds"]

_NUMBER = r"(\d+(?:\.\d+)?)"
_DURATION = re.compile(rf"(?:{_NUMBER}h)?(?:{_NUMBER}m(?:in)?)?(?:{_NUMBER}s?)?")


def seconds(text: str, name: str = "", *, zero: bool = False) -> float:
    """Return a duration such as 60, 90s, 15m, 1m30s or 2h in seconds; a number without a unit is in seconds.

    Raises `UsageError`, prefixed with `name` if it is given, for an invalid duration and for 0 unless 0 is allowed.
    """
    place = f"{name}: " if name else ""
    match = _DURATION.fullmatch("".join(text.split()))
    if match is None or not any(match.groups()):
        raise UsageError(f"{place}expected a time such as 60, 90s, 1m30s or 2h, found {text!r}")
    hours, minutes, rest = (float(group or 0) for group in match.groups())
    total = hours * 3600 + minutes * 60 + rest
    if total <= 0 and not zero:
        raise UsageError(f"{place}expected a time above 0, found {text!r}")
    return total
