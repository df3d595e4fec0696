"""The state of all requests, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.runtime._native import get
from adcl.runtime._request import requests

if TYPE_CHECKING:
    from adcl.runtime._request import Request

__all__ = ["report"]


def report() -> str:
    """Return a table for each request that was not freed: its function set, winner, and measured candidates. Local.

    Times are the largest mean of a rank, in microseconds, without outliers, as of the last agreement of the ranks. The
    option ADCL_REPORT writes a longer report when the program ends.
    """
    if get() is None:
        return "ADCL has no requests\n"
    parts = [_about(number, one) for number, one in enumerate(requests(), 1)]
    return "\n".join(parts) or "ADCL has no requests\n"


def _about(number: int, request: Request) -> str:
    candidates = request.candidates
    measured = sorted((one for one in candidates if one.measurements), key=lambda one: one.filtered_mean_s)
    state = f"winner {request.winner}" if request.winner else "searching"
    lines = [
        f"request {number}: {request.function_set}, {state}, {len(measured)} of {len(candidates)} candidates tried"
    ]
    width = max((len(one.name) for one in measured), default=0)
    for one in measured:
        mark = "*" if one.name == request.winner else " "
        lines.append(f"  {mark} {one.name:{width}} {one.filtered_mean_s * 1e6:10.2f} us  {one.measurements} samples")
    return "\n".join(lines) + "\n"
