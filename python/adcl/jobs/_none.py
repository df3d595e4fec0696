"""Launcher kind for programs without MPI: it starts a single process directly."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from adcl.errors import UsageError
from adcl.jobs._kind import Family, LauncherKind, given

if TYPE_CHECKING:
    from adcl.jobs._job import Job

__all__ = ["NO_MPI"]


class _NoLauncher(LauncherKind):
    """One process, started through ``env``, which executes the program. Never detected automatically."""

    name: ClassVar[str] = "none"
    title: ClassVar[str] = "no MPI"
    programs: ClassVar[tuple[str, ...]] = ()
    single: ClassVar[bool] = True

    def starts(self, family: Family) -> bool:  # noqa: ARG002
        return True

    def version(self, text: str) -> str | None:  # noqa: ARG002
        return None

    def options(self, job: Job) -> list[str]:
        placement = job.placement
        if job.ranks != 1:
            raise UsageError(
                f"a program without MPI is one process, not {job.ranks}; name a launcher with --mpi, or omit the "
                "number of ranks"
            )
        if not placement.local or placement.ranks_per_node is not None:
            raise UsageError("a program without MPI runs on this machine; omit the hosts and the ranks per node")
        if placement.launcher_options:
            raise UsageError(
                f"a program without MPI has no launcher for the option {placement.launcher_options[0]!r}; omit it"
            )
        return []

    def inherited(self, job: Job) -> dict[str, str]:
        return dict(given(job))


NO_MPI: LauncherKind = _NoLauncher()
