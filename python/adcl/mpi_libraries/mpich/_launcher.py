"""Hydra, MPICH's launcher, and the base class for launchers derived from it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from adcl.jobs import Family, LauncherKind, given

if TYPE_CHECKING:
    from adcl.jobs import Job

__all__ = ["FAMILY", "MPICH", "Hydra"]

FAMILY = Family("MPICH", r"libmpich\.so\S*", numbered_library=r"libmpi\.so\.12", standard_abi=True, batch_systems=True)

_VERSION = re.compile(r"HYDRA build details:\s+Version:\s+(\S+)")
_CRASH = re.compile(r"^YOUR APPLICATION TERMINATED WITH THE EXIT STRING: .*\(signal (\d+)\)", re.MULTILINE)

# A block between rulers, and the two sentences after it.
_FAILURE_MESSAGES = re.compile(
    r"^={60,}\n(?:=.*\n)+={60,}(?:\n|\Z)"
    r"|^(?:YOUR APPLICATION TERMINATED WITH|This typically refers to a problem|Please see the FAQ page).*(?:\n|\Z)"
    r"|^\[(?:mpiexec|proxy:)[^]]*\] .*(?:\n|\Z)",
    re.MULTILINE,
)


class Hydra(LauncherKind):
    """A launcher with Hydra's options."""

    families: ClassVar[tuple[Family, ...]] = (FAMILY,)
    failure_messages: ClassVar[re.Pattern[str]] = _FAILURE_MESSAGES

    def options(self, job: Job) -> list[str]:
        options = ["-n", str(job.ranks)]
        if job.placement.ranks_per_node is not None:
            options += ["-ppn", str(job.placement.ranks_per_node)]
        if job.placement.hosts:
            options += ["-hosts", ",".join(job.placement.hosts)]
        if job.placement.hostfile is not None:
            options += ["-f", str(job.placement.hostfile)]
        if job.cwd is not None:
            options += ["-wdir", str(job.cwd)]
        # Hydra passes its whole environment to the ranks, so variables with a value require no option; `-genvlist`
        # would exclude all others.
        for name, value in given(job):
            options += ["-genv", name, value]
        return options


class _MpichLauncher(Hydra):
    """MPICH. No control variable of MPICH 4 or 5 measurably makes waiting ranks yield."""

    name: ClassVar[str] = "mpich"
    title: ClassVar[str] = "MPICH"
    programs: ClassVar[tuple[str, ...]] = ("mpiexec", "mpirun", "mpiexec.mpich", "mpirun.mpich", "mpiexec.hydra")

    def version(self, text: str) -> str | None:
        found = _VERSION.search(text)
        return found[1] if found else None

    def crash(self, exit_code: int, output: str) -> int | None:  # noqa: ARG002
        found = _CRASH.search(output)
        return int(found[1]) if found else None


MPICH: LauncherKind = _MpichLauncher()
