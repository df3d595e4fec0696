"""Advice on further measurements that decide an undecided verdict."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcl.scale.judge._judge import Verdict
    from adcl.scale.model import Series

__all__ = ["advice"]

_FEW_POINTS = 7
"""Below this value, sums of two terms are indistinguishable."""

_MANY_JOBS = 10
_OCCUPY_CORES = ("p", "ranks", "tasks", "processes", "num_tasks", "threads")
_NAMED = 3
"""Maximum number of settings in a message."""


def advice(verdict: Verdict) -> str:
    """Return advice on what to measure next. Never recommends more ranks than the machine has cores."""
    series = verdict.series
    if any(series.oversubscribed) and not verdict.own_cores_only:
        return _other_than_more_ranks(series)
    if verdict.misfit is not None and verdict.changes_at is None:
        return "measure more settings between the existing ones: the model does not describe the measurements"
    jobs = _more_jobs(series)
    name = series.parameters[0]
    scales = sorted({float(x) for x in verdict.model.series.column(name)})
    more = 2 * scales[-1] - scales[-2] if scales[-1] < 2 * scales[-2] * (1 - 1e-9) else 2 * scales[-1]
    room = series.cores if name in _OCCUPY_CORES and series.cores is not None else math.inf
    if more > room:
        between = [float(x) for x in range(int(scales[0]) + 1, int(min(room, 1e6)) + 1) if float(x) not in scales]
        chosen = ", ".join(f"{x:g}" for x in between[-_NAMED:])
        wanted = ([f"also measure {name} = {chosen}"] if chosen else []) + ([jobs] if jobs else [])
        wanted.append(f"measure larger scales on a machine with more than {room:g} cores, or simulate one")
        return ", or ".join(wanted)
    if len(scales) < _FEW_POINTS:
        middle = round((scales[-1] * scales[-2]) ** 0.5)
        between_last = f" and {middle}" if middle not in scales else ""
        return f"also measure {name} = {more:g}{between_last}"
    return f"also measure {name} = {more:g}" + (f", or {jobs}" if jobs else "")


def _more_jobs(series: Series) -> str:
    jobs = min((len(one) for one in series.jobs), default=1)
    return "" if jobs >= _MANY_JOBS else f"run {_MANY_JOBS} jobs for each setting"


def _other_than_more_ranks(series: Series) -> str:
    """Return advice for a verdict on oversubscribed times, and why more ranks on this machine do not help."""
    most, name = max(series.sharing, default=math.inf), series.parameters[0]
    largest = max(float(x) for x in series.column(name))
    cores = "" if series.cores is None else f"the {series.cores:g} "
    why = f"runs up to {name} = {largest:g} use more ranks or threads than {cores}cores"
    if 1 < most < math.inf:
        why += f", and waiting for a core may make a scalable function take up to {most:.2g} times as long"
    jobs = _more_jobs(series)
    ways = [jobs] if jobs else []
    ways += [
        "give the function more work (larger messages or tables), so that its own time outweighs the waiting time",
        'measure on a machine with a core for each rank, or simulate one (mpi = "smpi")',
    ]
    return f"more ranks on this machine do not help: {why}; {', or '.join(ways)}"
