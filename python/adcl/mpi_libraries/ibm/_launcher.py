"""`poe`, the launcher of IBM's Parallel Environment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from adcl.errors import UsageError
from adcl.jobs import Family, LauncherKind, given

if TYPE_CHECKING:
    from adcl.jobs import Job

__all__ = ["FAMILY", "POE"]

FAMILY = Family("IBM MPI", r"libmpi_ibm\S*|libpoe\S*")

# poe has no version option. All its messages have numbers of this form, including those about unknown options.
_MESSAGE = re.compile(r"\b0031-\d{3}\b|\bParallel (?:Operating )?Environment\b")
_VERSION = re.compile(r"\b(?:version|release)\s+(\d[\d.]*)", re.IGNORECASE)


class _PoeLauncher(LauncherKind):
    """Parallel Environment. Options of `poe` follow the program, so this kind uses variables instead."""

    name: ClassVar[str] = "poe"
    title: ClassVar[str] = "IBM Parallel Environment"
    families: ClassVar[tuple[Family, ...]] = (FAMILY,)
    programs: ClassVar[tuple[str, ...]] = ("poe",)

    def version(self, text: str) -> str | None:
        if not _MESSAGE.search(text):
            return None
        found = _VERSION.search(text)
        return found[1] if found else "unknown"

    def options(self, job: Job) -> list[str]:
        if job.placement.launcher_options:
            option = job.placement.launcher_options[0]
            raise UsageError(
                f"poe accepts options only as variables: write -x MP_{option.lstrip('-').upper()}=… instead of "
                f"{option!r}"
            )
        if job.placement.hosts:
            raise UsageError("poe reads hosts from a file: use a hostfile instead of a list of hosts")
        return []

    def inherited(self, job: Job) -> dict[str, str]:
        own = {"MP_PROCS": str(job.ranks)}
        if job.placement.ranks_per_node is not None:
            own |= {
                "MP_TASKS_PER_NODE": str(job.placement.ranks_per_node),
                "MP_NODES": str(job.placement.nodes(job.ranks)),
            }
        if job.placement.hostfile is not None:
            own["MP_HOSTFILE"] = str(job.placement.hostfile)
        if job.cwd is not None:
            own["MP_REMOTEDIR"] = str(job.cwd)
        return {**own, **dict(given(job))}


POE: LauncherKind = _PoeLauncher()
