"""What to measure next so that an undecided verdict is decided."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcl.scale.judge._judge import Verdict
    from adcl.scale.model import Series

__all__ = ["advice"]

_FEW_POINTS = 7
"""Below this, sums of two terms cannot be told apart."""

_MANY_JOBS = 10
_OCCUPY_CORES = ("p", "ranks", "tasks", "processes", "num_tasks", "threads")
_NAMED = 3
"""Settings that a message lists."""


def advice(verdict: Verdict) -> str:
    """Return what to measure next. Never recommends more ranks than the machine has cores."""
    series = verdict.series
    if any(series.doubtful) and not verdict.own_cores_only:
        return _other_than_more_ranks(series)
    if verdict.misfit is not None and verdict.changes_at is None:
        return "measure at more settings between those that there are: the model misses something"
    jobs = _more_jobs(series)
    name = series.parameters[0]
    scales = sorted({float(x) for x in verdict.model.series.column(name)})
    more = 2 * scales[-1] - scales[-2] if scales[-1] < 2 * scales[-2] * (1 - 1e-9) else 2 * scales[-1]
    room = series.cores if name in _OCCUPY_CORES and series.cores is not None else math.inf
    if more > room:
        between = [float(x) for x in range(int(scales[0]) + 1, int(min(room, 1e6)) + 1) if float(x) not in scales]
        chosen = ", ".join(f"{x:g}" for x in between[-_NAMED:])
        wanted = ([f"measure at {name} = {chosen} as well"] if chosen else []) + ([jobs] if jobs else [])
        wanted.append(f"measure larger scales on a machine with more than {room:g} cores, or simulate one")
        return ", or ".join(wanted)
    if len(scales) < _FEW_POINTS:
        middle = round((scales[-1] * scales[-2]) ** 0.5)
        between_last = f" and {middle}" if middle not in scales else ""
        return f"measure at {name} = {more:g}{between_last} as well"
    return f"measure at {name} = {more:g} as well" + (f", or {jobs}" if jobs else "")


def _more_jobs(series: Series) -> str:
    jobs = min((len(one) for one in series.jobs), default=1)
    return "" if jobs >= _MANY_JOBS else f"take {_MANY_JOBS} jobs for each setting"


def _other_than_more_ranks(series: Series) -> str:
    """Return what decides a verdict on times with shared cores, and why more ranks here do not."""
    most, name = max(series.sharing, default=math.inf), series.parameters[0]
    largest = max(float(x) for x in series.column(name))
    cores = "" if series.cores is None else f"the {series.cores:g} "
    why = f"up to {name} = {largest:g} there are more ranks or threads than {cores}cores"
    if 1 < most < math.inf:
        why += f", and waiting for one may make a function that scales take up to {most:.2g} times as long"
    jobs = _more_jobs(series)
    ways = [jobs] if jobs else []
    ways += [
        "give the function more to do (larger messages or tables), so that it outweighs the scheduler",
        'measure on a machine with a core for each rank, or simulate one (mpi = "smpi")',
    ]
    return f"more ranks on this machine do not help: {why}; {', or '.join(ways)}"
