"""What else uses the cores on which a job is about to be timed."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.jobs._command import cores_here, nodes_of_allocation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.jobs._launcher import Launcher
    from adcl.jobs._placement import Placement

__all__ = ["BusyProgram", "JobConditions", "MachineLoad", "job_conditions", "measure_load"]

_PROC = Path("/proc")
_WINDOW_S = 0.3
"""30 ticks of the kernel's clock: a core's share is known to 3 %."""

_NAMED = 3
_LEAST_NAMED = 0.05
"""A program that uses less of a core is not named."""

_DISTURBING = 0.1
"""Share of the ranks' cores that others may use before a warning is due."""

# Fields of the lines cpuN of /proc/stat.
_IDLE, _IOWAIT, _STEAL = 3, 4, 7


@dataclass(frozen=True, slots=True)
class BusyProgram:
    """Processes of one name that use the cores."""

    name: str
    processes: tuple[int, ...]
    """Their ids."""

    cores: float
    """How many cores they keep busy together."""

    def __str__(self) -> str:
        """Name, processes and cores."""
        several = len(self.processes) > 1
        which = f"{len(self.processes)} processes" if several else f"process {self.processes[0]}"
        return f"{self.name}, {which}: {self.cores:.1f}"


@dataclass(frozen=True, slots=True)
class MachineLoad:
    """What other processes than this one do with the cores that this process may use."""

    cores: int
    busy: float
    """How many of the cores others keep busy; the hypervisor's share is included."""

    stolen: float
    """How many cores' worth of time the hypervisor gives to other virtual machines."""

    runnable: int
    """Threads of the whole machine that run or wait for a core, without this one."""

    top: tuple[BusyProgram, ...]
    """The programs that use most, the busiest first."""


@dataclass(frozen=True, slots=True)
class JobConditions:
    """The machine that a job finds when its ranks run here."""

    ranks: int
    load: MachineLoad

    @property
    def oversubscribed(self) -> bool:
        """Whether there are more ranks than usable cores."""
        return self.ranks > self.load.cores

    @property
    def taken(self) -> float:
        """The share of the cores that the ranks need which others keep busy, 0 to 1."""
        needed = min(self.ranks, self.load.cores)
        return min(1.0, max(0.0, self.load.busy - (self.load.cores - needed)) / needed)

    @property
    def disturbed(self) -> bool:
        """Whether others keep more than a tenth of these cores busy."""
        return self.taken > _DISTURBING

    def warnings(self, meaning: str) -> list[str]:
        """Say what disturbs the job and what to do; `meaning` says what follows for the result."""
        said = []
        if self.oversubscribed:
            said.append(
                f"oversubscribed: {self.ranks} ranks share {_cores(self.load.cores)}, and each waits for a core "
                f"{1 - self.load.cores / self.ranks:.0%} of the time or more: {meaning}; use at most "
                f"{self.load.cores} ranks here, or more nodes"
            )
        if self.disturbed:
            said.append(
                f"busy machine: {self._others()}, so that ranks wait for a core: {meaning}; wait until the machine is "
                "idle, or end these processes"
            )
        return said

    def _others(self) -> str:
        load = self.load
        named = [str(one) for one in load.top]
        if load.stolen >= _LEAST_NAMED:
            named.append(f"other virtual machines: {load.stolen:.1f}")
        who = f" ({'; '.join(named)})" if named else ""
        queue = f", and {load.runnable} threads compete for them" if load.runnable > load.cores else ""
        return f"other processes keep {load.busy:.1f} of {_cores(load.cores)} busy{who}{queue}"


def _cores(count: int) -> str:
    return "1 core" if count == 1 else f"{count} cores"


def _cpu_ticks(stat: str) -> dict[int, tuple[int, int, int]]:
    """By the number of the processor: ticks in all, ticks without work, ticks of the hypervisor."""
    found = {}
    for line in stat.splitlines():
        name, *words = line.split()
        if name.startswith("cpu") and name != "cpu":
            ticks = [int(word) for word in words[:8]]
            found[int(name[3:])] = (sum(ticks), ticks[_IDLE] + ticks[_IOWAIT], ticks[_STEAL])
    return found


def _process_ticks() -> dict[int, tuple[str, int, int]]:
    """By process id: name, ticks used so far, and the processor that it ran on last."""
    found = {}
    for folder in _PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            head, _, tail = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
        except OSError:
            continue  # it has ended
        fields = tail.split()
        found[int(folder.name)] = (head.partition("(")[2], int(fields[11]) + int(fields[12]), int(fields[36]))
    return found


def _runnable() -> int:
    """Threads that run or wait for a core now, without the one that asks."""
    words = (_PROC / "loadavg").read_text(encoding="ascii").split()
    return max(int(words[3].partition("/")[0]) - 1, 0)


def _busiest(
    before: dict[int, tuple[str, int, int]], after: dict[int, tuple[str, int, int]], usable: set[int], elapsed: float
) -> tuple[BusyProgram, ...]:
    used: dict[str, list[tuple[int, float]]] = {}
    for pid, (name, ticks, processor) in after.items():
        share = (ticks - before.get(pid, (name, 0, 0))[1]) / elapsed
        if pid != os.getpid() and processor in usable and share > 0:
            used.setdefault(name, []).append((pid, share))
    found = [
        BusyProgram(name, tuple(pid for pid, _ in several), sum(share for _, share in several))
        for name, several in used.items()
    ]
    worth_naming = [one for one in found if one.cores >= _LEAST_NAMED]
    return tuple(sorted(worth_naming, key=lambda one: -one.cores))


def measure_load(window_s: float = _WINDOW_S, named: int = _NAMED) -> MachineLoad | None:
    """Watch the usable cores for so long, in which this process sleeps; None where /proc does not tell.

    The result names so many programs at most.
    """
    cores = cores_here()
    usable = {thread for core in cores for thread in core}
    try:
        begin, before, processes = time.monotonic(), _cpu_ticks(_read_stat()), _process_ticks()
        time.sleep(window_s / 2)
        waiting = [_runnable()]
        time.sleep(window_s / 2)
        waiting.append(_runnable())
        after, later = _cpu_ticks(_read_stat()), _process_ticks()
        elapsed = (time.monotonic() - begin) * os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None
    if not usable <= before.keys() & after.keys():
        return None
    busy = stolen = 0.0
    for core in cores:
        shares = [_shares(before[thread], after[thread]) for thread in core]
        busy += min(1.0, sum(share for share, _ in shares))
        stolen += max(share for _, share in shares)
    top = _busiest(processes, later, usable, elapsed)[:named]
    return MachineLoad(len(cores), busy, stolen, round(sum(waiting) / 2), top)


def _read_stat() -> str:
    return (_PROC / "stat").read_text(encoding="ascii")


def _shares(before: Sequence[int], after: Sequence[int]) -> tuple[float, float]:
    """Return the shares of the time in which a processor worked, and in which the hypervisor had it."""
    total, idle, stolen = (b - a for a, b in zip(before, after, strict=True))
    return (max(0.0, (total - idle) / total), max(0.0, stolen / total)) if total > 0 else (0.0, 0.0)


def job_conditions(ranks: int, placement: Placement, launcher: Launcher) -> JobConditions | None:
    """Say which machine a job of that many ranks finds now; None where its ranks run elsewhere, or in a simulator.

    The hosts of an emulated cluster are all on this machine.
    """
    here = placement.local and nodes_of_allocation() == 1
    if launcher.kind.simulates or launcher.kind.of_batch_system or not (here or placement.within):
        return None
    load = measure_load()
    return None if load is None else JobConditions(ranks, load)
