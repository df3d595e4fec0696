"""Slurm's `srun`, inside an allocation or making one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from adcl.launch._adapters._base import beyond_128, given

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.launch._job import Job

__all__ = ["SlurmLauncher"]

_VERSION = re.compile(r"^slurm(?:-wlm)? (\d\S*)", re.MULTILINE)


class SlurmLauncher:
    """Slurm, which hands its whole environment to the ranks unless told otherwise."""

    names: ClassVar[tuple[str, ...]] = ("srun",)
    farewell: ClassVar[re.Pattern[str]] = re.compile(r"^(?:srun: |slurmstepd: ).*(?:\n|\Z)", re.MULTILINE)

    def version(self, text: str) -> str | None:
        found = _VERSION.search(text)
        return found[1] if found else None

    def options(self, job: Job) -> list[str]:
        # Without the first, the other ranks would wait for a crashed one until the allocation ends.
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
        # Commas separate variables in --export.
        return {name: value for name, value in given(job) if "," in value}

    def environment(self, job: Job, path: Path, *, as_root: bool) -> dict[str, str]:  # noqa: ARG002
        return {}

    def crash(self, exit_code: int, output: str) -> int | None:  # noqa: ARG002
        return beyond_128(exit_code)
