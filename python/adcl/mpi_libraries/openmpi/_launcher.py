"""Open MPI's `mpirun`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from adcl.jobs import Family, LauncherKind

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.jobs import Job

__all__ = ["FAMILY", "OPEN_MPI_4", "OPEN_MPI_5", "OpenMpi4Launcher"]

FAMILY = Family("Open MPI", r"libopen-pal\.so\S*", numbered_library=r"libmpi\.so\.[24]0", batch_systems=True)

# Open MPI 4 reports itself as OpenRTE if its launcher has been renamed, as in distributions.
_VERSION = re.compile(r"\((?:Open MPI|OpenRTE|PRRTE)\) v?((\d+)\.\S+)")
_FIRST_WITH_PRRTE = 5
_RULER = "-{74}"
# Messages are between rulers. The output of a rank ended by a signal is prefixed with host and process in brackets.
# Backtraces of two ranks may interleave, so a frame may lack the prefix.
_FRAME = r"(?:\[ ?\d+\] )?/\S+\(\S*\+0x[0-9a-f]+\)\[0x[0-9a-f]+\]"
_FAILURE_MESSAGES = re.compile(
    rf"^{_RULER}\n(?:(?!{_RULER}).*\n)*?(?!{_RULER}).*(?:mpirun|mpiexec|prterun|orterun|Primary job|MPI_ABORT).*\n"
    rf"(?:(?!{_RULER}).*\n)*{_RULER}(?:\n|\Z)"
    r"|^\[[\w.-]+:\d+\] (?:\*\*\* |Signal|Associated errno|Failing at|\[ ?\d+\]|Set MCA parameter|\d+ more process)"
    r".*(?:\n|\Z)"
    rf"|^{_FRAME}(?:\n|\Z)",
    re.MULTILINE,
)


def _places(job: Job) -> list[str]:
    options = []
    if job.placement.hosts:
        options += ["--host", ",".join(job.placement.hosts)]
    if job.placement.hostfile is not None:
        options += ["--hostfile", str(job.placement.hostfile)]
    if job.cwd is not None:
        options += ["--wdir", str(job.cwd)]
    return options


def _variables(job: Job) -> list[str]:
    options = []
    for name, value in job.environment.items():
        options += ["-x", name if value is None else f"{name}={value}"]
    return options


class OpenMpi4Launcher(LauncherKind):
    """Open MPI up to version 4, with the run-time environment ORTE."""

    name: ClassVar[str] = "openmpi4"
    title: ClassVar[str] = "Open MPI 4"
    families: ClassVar[tuple[Family, ...]] = (FAMILY,)
    programs: ClassVar[tuple[str, ...]] = ("mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.openmpi", "orterun")
    on_emulated_clusters: ClassVar[bool] = True
    failure_messages: ClassVar[re.Pattern[str]] = _FAILURE_MESSAGES

    def version(self, text: str) -> str | None:
        found = _VERSION.search(text)
        return found[1] if found and "PRRTE" not in found[0] and int(found[2]) < _FIRST_WITH_PRRTE else None

    def options(self, job: Job) -> list[str]:
        options = ["-n", str(job.ranks)]
        if job.placement.oversubscribe:
            options += ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
        if job.placement.ranks_per_node is not None:
            options += ["--map-by", f"ppr:{job.placement.ranks_per_node}:node"]
        return [*options, *_places(job), *_variables(job)]

    def cluster_options(self, agent: str, subnet: str) -> list[str]:
        parameters = {
            "plm_rsh_agent": agent,
            "plm_rsh_no_tree_spawn": "1",
            "btl": "tcp,self",
            "pml": "ob1",
            "btl_tcp_if_include": subnet,
            "oob_tcp_if_include": subnet,
            # All hosts share the cores of this machine, and each would bind its first rank to the first core.
            "hwloc_base_binding_policy": "none",
        }
        return [word for name, value in parameters.items() for word in ("--mca", name, value)]

    def environment(self, job: Job, path: Path, *, as_root: bool) -> dict[str, str]:  # noqa: ARG002
        return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if as_root else {}


class _OpenMpi5Launcher(LauncherKind):
    """Open MPI from version 5 on, with the run-time environment PRRTE, where mapping is a single option."""

    name: ClassVar[str] = "openmpi5"
    title: ClassVar[str] = "Open MPI 5"
    families: ClassVar[tuple[Family, ...]] = (FAMILY,)
    programs: ClassVar[tuple[str, ...]] = ("mpirun", "mpiexec", "prterun")
    failure_messages: ClassVar[re.Pattern[str]] = _FAILURE_MESSAGES

    def version(self, text: str) -> str | None:
        found = _VERSION.search(text)
        return found[1] if found and ("PRRTE" in found[0] or int(found[2]) >= _FIRST_WITH_PRRTE) else None

    def options(self, job: Job) -> list[str]:
        mapping = "" if job.placement.ranks_per_node is None else f"ppr:{job.placement.ranks_per_node}:node"
        if job.placement.oversubscribe:
            mapping += ":OVERSUBSCRIBE"
        options = ["-n", str(job.ranks)]
        if not job.takes_input:
            # PRRTE 3 forwards the input but does not signal its end: a rank that reads to the end would hang.
            options += ["--stdin", "none"]
        if mapping:
            options += ["--map-by", mapping]
        if job.placement.oversubscribe:
            options += ["--mca", "mpi_yield_when_idle", "1"]
        return [*options, *_places(job), *_variables(job)]

    def environment(self, job: Job, path: Path, *, as_root: bool) -> dict[str, str]:  # noqa: ARG002
        if not as_root:
            return {}
        names = ("OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT")
        return {f"{name}{suffix}": "1" for name in names for suffix in ("", "_CONFIRM")}


OPEN_MPI_4: LauncherKind = OpenMpi4Launcher()
OPEN_MPI_5: LauncherKind = _OpenMpi5Launcher()
