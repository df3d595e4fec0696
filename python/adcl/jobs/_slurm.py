"""Slurm's `srun`, inside an allocation or creating one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from adcl.jobs._kind import Family, LauncherKind, given

if TYPE_CHECKING:
    from adcl.jobs._job import Job

__all__ = ["SLURM"]

_VERSION = re.compile(r"^slurm(?:-wlm)? (\d\S*)", re.MULTILINE)


class _SlurmLauncher(LauncherKind):
    """Slurm passes its whole environment to the ranks by default."""

    name: ClassVar[str] = "slurm"
    title: ClassVar[str] = "Slurm"
    programs: ClassVar[tuple[str, ...]] = ("srun",)
    of_batch_system: ClassVar[bool] = True
    failure_messages: ClassVar[re.Pattern[str]] = re.compile(r"^(?:srun: |slurmstepd: ).*(?:\n|\Z)", re.MULTILINE)

    def starts(self, family: Family) -> bool:
        return family.batch_systems

    def version(self, text: str) -> str | None:
        found = _VERSION.search(text)
        return found[1] if found else None

    def options(self, job: Job) -> list[str]:
        # Without the first option, ranks wait for a crashed rank until the allocation ends.
        options = ["--kill-on-bad-exit=1", f"--ntasks={job.ranks}"]
        if job.placement.pmi is not None:
            options.append(f"--mpi={job.placement.pmi}")
        per_node = job.placement.ranks_per_node
        if per_node is not None:
            options += [
                f"--nodes={job.placement.nodes(job.ranks)}",
                f"--ntasks-per-node={per_node}",
            ]
        if job.placement.hosts:
            options.append(f"--nodelist={','.join(job.placement.hosts)}")
        if job.placement.hostfile is not None:
            options.append(f"--nodefile={job.placement.hostfile}")
        if job.placement.oversubscribe:
            options.append("--overcommit")
        if job.cwd is not None:
            options.append(f"--chdir={job.cwd}")
        named = [f"{name}={value}" for name, value in given(job) if name not in self.inherited(job)]
        return [*options, f"--export={','.join(['ALL', *named])}"]

    def inherited(self, job: Job) -> dict[str, str]:
        # --export separates variables by commas.
        return {name: value for name, value in given(job) if "," in value}


SLURM: LauncherKind = _SlurmLauncher()
