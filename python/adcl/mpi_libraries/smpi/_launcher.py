"""SimGrid's `smpirun`: one process that simulates all ranks on a described cluster."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from adcl.errors import UsageError
from adcl.jobs import Family, LauncherKind, given

if TYPE_CHECKING:
    from adcl.jobs import Job

__all__ = ["FAMILY", "SMPI"]

FAMILY = Family("SMPI", r"libsimgrid\.so\S*")

_VERSION = re.compile(r"SimGrid version (\S+)")


class _SmpiLauncher(LauncherKind):
    """SMPI. All ranks share the environment of the single process."""

    name: ClassVar[str] = "smpi"
    title: ClassVar[str] = "SMPI"
    families: ClassVar[tuple[Family, ...]] = (FAMILY,)
    programs: ClassVar[tuple[str, ...]] = ("smpirun",)
    simulates: ClassVar[bool] = True

    def version(self, text: str) -> str | None:
        found = _VERSION.search(text)
        return found[1] if found else None

    def options(self, job: Job) -> list[str]:
        if job.placement.platform is None:
            raise UsageError(
                "SMPI simulates a cluster and requires its description: name a platform file with --platform"
            )
        if job.placement.hosts:
            raise UsageError("smpirun reads simulated hosts from a file: use a hostfile instead of a list of hosts")
        if job.placement.ranks_per_node is not None:
            raise UsageError(
                "smpirun places ranks by its hostfile: write host:count there instead of using ranks per node"
            )
        # smpirun is a shell script that splits its arguments at spaces.
        for word in (job.program, *job.arguments, str(job.placement.platform)):
            if not word or re.search(r"[\s*?\[\]]", word):
                raise UsageError(f"smpirun cannot pass {word!r}: the word is empty, or contains spaces or wildcards")
        files = {"-platform": job.placement.platform, "-hostfile": job.placement.hostfile}
        options = ["-np", str(job.ranks)]
        for option, file in files.items():
            if file is not None:
                # smpirun starts in the job's folder.
                options += [option, str(file if job.cwd is None else file.absolute())]
        return options

    def inherited(self, job: Job) -> dict[str, str]:
        return dict(given(job))


SMPI: LauncherKind = _SmpiLauncher()
