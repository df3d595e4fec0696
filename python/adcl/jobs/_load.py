"""Measure the load of the cores on which a job will be timed."""

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
"""Duration of a measurement in seconds: 30 ticks of the kernel's clock, which resolve a core's share to 3 %."""

_NAMED = 3
_LEAST_NAMED = 0.05
"""Minimum number of cores that a program must use to be named."""

_DISTURBING = 0.1
"""Share of the ranks' cores in use by other programs above which a warning is printed."""

# Fields of the cpuN lines of /proc/stat.
_IDLE, _IOWAIT, _STEAL = 3, 4, 7


@dataclass(frozen=True, slots=True)
class BusyProgram:
    """Processes with the same name that use the cores."""

    name: str
    processes: tuple[int, ...]
    """Process ids."""

    cores: float
    """Total number of cores in use by these processes."""

    def __str__(self) -> str:
        """Text with name, number of processes, and cores."""
        several = len(self.processes) > 1
        which = f"{len(self.processes)} processes" if several else f"process {self.processes[0]}"
        return f"{self.name}, {which}: {self.cores:.1f} cores"


@dataclass(frozen=True, slots=True)
class MachineLoad:
    """Use of this process's cores by other processes."""

    cores: int
    busy: float
    """Number of cores in use by other programs, including the hypervisor's share."""

    stolen: float
    """Number of cores that the hypervisor gives to other virtual machines."""

    runnable: int
    """Runnable threads of the whole machine, except this thread."""

    top: tuple[BusyProgram, ...]
    """The busiest programs, in descending order."""


@dataclass(frozen=True, slots=True)
class JobConditions:
    """Conditions on this machine for a job whose ranks run here."""

    ranks: int
    load: MachineLoad

    @property
    def oversubscribed(self) -> bool:
        """Whether there are more ranks than usable cores."""
        return self.ranks > self.load.cores

    @property
    def taken(self) -> float:
        """Share of the ranks' cores that other processes use, 0 to 1."""
        needed = min(self.ranks, self.load.cores)
        return min(1.0, max(0.0, self.load.busy - (self.load.cores - needed)) / needed)

    @property
    def disturbed(self) -> bool:
        """Whether other processes use more than 10 % of the cores that the ranks need."""
        return self.taken > _DISTURBING

    def warnings(self, meaning: str) -> list[str]:
        """Return warnings about load and oversubscription; `meaning` is the consequence for the result."""
        found = []
        if self.oversubscribed:
            found.append(
                f"oversubscribed: {self.ranks} ranks share {_cores(self.load.cores)}, and each waits for a core "
                f"{1 - self.load.cores / self.ranks:.0%} of the time or more; {meaning}; use at most "
                f"{self.load.cores} ranks here, or more nodes"
            )
        if self.disturbed:
            found.append(
                f"busy machine: {self._others()}, so ranks wait for a core; {meaning}; wait until the machine is "
                "idle, or end these processes"
            )
        return found

    def _others(self) -> str:
        load = self.load
        named = [str(one) for one in load.top]
        if load.stolen >= _LEAST_NAMED:
            named.append(f"other virtual machines: {load.stolen:.1f} cores")
        who = f" ({'; '.join(named)})" if named else ""
        queue = f", and {load.runnable} threads compete for them" if load.runnable > load.cores else ""
        return f"other processes use {load.busy:.1f} of {_cores(load.cores)}{who}{queue}"


def _cores(count: int) -> str:
    return "1 core" if count == 1 else f"{count} cores"


def _cpu_ticks(stat: str) -> dict[int, tuple[int, int, int]]:
    """Return for each processor: total ticks, idle ticks, and ticks of the hypervisor."""
    found = {}
    for line in stat.splitlines():
        name, *words = line.split()
        if name.startswith("cpu") and name != "cpu":
            ticks = [int(word) for word in words[:8]]
            found[int(name[3:])] = (sum(ticks), ticks[_IDLE] + ticks[_IOWAIT], ticks[_STEAL])
    return found


def _process_ticks() -> dict[int, tuple[str, int, int]]:
    """Return for each process id: name, ticks used, and the processor it last ran on."""
    found = {}
    for folder in _PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            head, _, tail = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
        except OSError:
            continue  # the process has ended
        fields = tail.split()
        found[int(folder.name)] = (head.partition("(")[2], int(fields[11]) + int(fields[12]), int(fields[36]))
    return found


def _runnable() -> int:
    """Return the number of runnable threads, except the calling one."""
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
    """Measure the load of the usable cores during `seconds`, asleep; None if /proc does not provide it.

    The result names at most `most` programs.
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
    """Return the share of the time in which a processor was busy, and the hypervisor's share."""
    total, idle, stolen = (b - a for a, b in zip(before, after, strict=True))
    return (max(0.0, (total - idle) / total), max(0.0, stolen / total)) if total > 0 else (0.0, 0.0)


def job_conditions(ranks: int, placement: Placement, launcher: Launcher) -> JobConditions | None:
    """Measure the conditions for a job with `ranks` ranks; None if the ranks run elsewhere or in a simulator.

    The hosts of an emulated cluster are all on this machine.
    """
    here = placement.local and nodes_of_allocation() == 1
    if launcher.kind.simulates or launcher.kind.of_batch_system or not (here or placement.within):
        return None
    load = measure_load()
    return None if load is None else JobConditions(ranks, load)
