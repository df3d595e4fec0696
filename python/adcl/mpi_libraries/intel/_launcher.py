"""Intel MPI's variant of Hydra."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, ClassVar

from adcl.mpi_libraries.mpich import Hydra

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.jobs import Job, LauncherKind

__all__ = ["INTEL_MPI"]

_CRASH = re.compile(r"^=\s+KILLED BY SIGNAL: (\d+)", re.MULTILINE)
_VERSION = re.compile(r"Intel\(R\) MPI Library .*Version (\S+)")


class _IntelMpiLauncher(Hydra):
    """Intel MPI. The launcher needs the installation's path unless its setup script was run."""

    name: ClassVar[str] = "intel"
    title: ClassVar[str] = "Intel MPI"
    programs: ClassVar[tuple[str, ...]] = ("mpiexec.hydra", "mpiexec", "mpirun")

    def version(self, text: str) -> str | None:
        found = _VERSION.search(text)
        return found[1] if found else None

    def environment(self, job: Job, path: Path, *, as_root: bool) -> dict[str, str]:  # noqa: ARG002
        prefix = path.parent.parent
        needed = {"I_MPI_ROOT": str(prefix)}
        for providers in (prefix / "opt/mpi/libfabric/lib/prov", prefix / "libfabric/lib/prov"):
            if providers.is_dir():
                needed["FI_PROVIDER_PATH"] = str(providers)
                break
        if job.placement.oversubscribe:
            # Waiting ranks call sched_yield. With 4 ranks on 2 cores, an Alltoall takes 0.2 ms instead of 40 ms.
            needed["I_MPI_THREAD_YIELD"] = "2"
        return needed

    def crash(self, exit_code: int, output: str) -> int | None:  # noqa: ARG002
        # The list contains all ranks; ranks that the launcher itself ended have SIGKILL, whatever the cause.
        return next((number for number in map(int, _CRASH.findall(output)) if number != signal.SIGKILL), None)


INTEL_MPI: LauncherKind = _IntelMpiLauncher()
