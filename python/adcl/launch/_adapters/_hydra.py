"""Hydra, the launcher of MPICH, and Intel MPI's variant of it."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, ClassVar

from adcl.launch._adapters._base import given

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.launch._job import Job

__all__ = ["IntelMpiLauncher", "MpichLauncher"]

_MPICH = re.compile(r"HYDRA build details:\s+Version:\s+(\S+)")
_MPICH_CRASH = re.compile(r"^YOUR APPLICATION TERMINATED WITH THE EXIT STRING: .*\(signal (\d+)\)", re.MULTILINE)
_INTEL_CRASH = re.compile(r"^=\s+KILLED BY SIGNAL: (\d+)", re.MULTILINE)
_INTEL = re.compile(r"Intel\(R\) MPI Library .*Version (\S+)")


# A block between rulers, and two sentences after it.
_FAREWELL = re.compile(
    r"^={60,}\n(?:=.*\n)+={60,}(?:\n|\Z)"
    r"|^(?:YOUR APPLICATION TERMINATED WITH|This typically refers to a problem|Please see the FAQ page).*(?:\n|\Z)"
    r"|^\[(?:mpiexec|proxy:)[^]]*\] .*(?:\n|\Z)",
    re.MULTILINE,
)


def _options(job: Job) -> list[str]:
    options = ["-n", str(job.ranks)]
    if job.placement.ranks_per_node is not None:
        options += ["-ppn", str(job.placement.ranks_per_node)]
    if job.placement.hosts:
        options += ["-hosts", ",".join(job.placement.hosts)]
    if job.placement.hostfile is not None:
        options += ["-f", str(job.placement.hostfile)]
    if job.cwd is not None:
        options += ["-wdir", str(job.cwd)]
    # Hydra hands its whole environment to the ranks, so variables that have a value already need no option;
    # `-genvlist` would keep all others away.
    for name, value in given(job):
        options += ["-genv", name, value]
    return options


class MpichLauncher:
    """MPICH."""

    names: ClassVar[tuple[str, ...]] = ("mpiexec", "mpirun", "mpiexec.mpich", "mpirun.mpich", "mpiexec.hydra")
    farewell: ClassVar[re.Pattern[str]] = _FAREWELL

    def version(self, text: str) -> str | None:
        found = _MPICH.search(text)
        return found[1] if found else None

    def options(self, job: Job) -> list[str]:
        return _options(job)

    def inherited(self, job: Job) -> dict[str, str]:  # noqa: ARG002
        return {}

    def environment(self, job: Job, path: Path, *, as_root: bool) -> dict[str, str]:  # noqa: ARG002
        # No control variable of MPICH 4 or 5 makes waiting ranks give way measurably.
        return {}

    def crash(self, exit_code: int, output: str) -> int | None:  # noqa: ARG002
        found = _MPICH_CRASH.search(output)
        return int(found[1]) if found else None


class IntelMpiLauncher:
    """Intel MPI, which must be told where it is installed unless its set-up script was run."""

    names: ClassVar[tuple[str, ...]] = ("mpiexec.hydra", "mpiexec", "mpirun")
    farewell: ClassVar[re.Pattern[str]] = _FAREWELL

    def version(self, text: str) -> str | None:
        found = _INTEL.search(text)
        return found[1] if found else None

    def options(self, job: Job) -> list[str]:
        return _options(job)

    def inherited(self, job: Job) -> dict[str, str]:  # noqa: ARG002
        return {}

    def environment(self, job: Job, path: Path, *, as_root: bool) -> dict[str, str]:  # noqa: ARG002
        prefix = path.parent.parent
        needed = {"I_MPI_ROOT": str(prefix)}
        for providers in (prefix / "opt/mpi/libfabric/lib/prov", prefix / "libfabric/lib/prov"):
            if providers.is_dir():
                needed["FI_PROVIDER_PATH"] = str(providers)
                break
        if job.placement.oversubscribe:
            # Waiting ranks call sched_yield. 4 ranks on 2 cores: an Alltoall takes 0.2 ms instead of 40.
            needed["I_MPI_THREAD_YIELD"] = "2"
        return needed

    def crash(self, exit_code: int, output: str) -> int | None:  # noqa: ARG002
        # All ranks are listed, and those that the launcher itself ended, whatever one had done, with SIGKILL.
        return next((number for number in map(int, _INTEL_CRASH.findall(output)) if number != signal.SIGKILL), None)
