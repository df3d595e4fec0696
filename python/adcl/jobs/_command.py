"""Command line and environment of a job."""

from __future__ import annotations

import dataclasses
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.errors import UsageError
from adcl.jobs._launcher import Launcher, search_path

if TYPE_CHECKING:
    from adcl.jobs._job import Job

__all__ = [
    "ProgramNotFoundError",
    "command_line",
    "cores_here",
    "find_program",
    "launch_environment",
    "library_variables",
    "nodes_of_allocation",
    "prepared",
    "usable_cores",
]

# Used only by the adcl command; the library rejects unknown names with its prefix.
_OWN_VARIABLES = ("ADCL_DESCRIBE",)
_CPUS = Path("/sys/devices/system/cpu")


class ProgramNotFoundError(UsageError):
    """The program does not exist or is not executable."""


def command_line(job: Job, launcher: Launcher) -> list[str]:
    """Return the launcher's command line for a job. Pure; raises `UsageError` for unsupported requests."""
    options = launcher.kind.options(job)
    placement = job.placement
    return [*placement.within, str(launcher.path), *options, *placement.launcher_options, job.program, *job.arguments]


def launch_environment(job: Job, launcher: Launcher, *, as_root: bool | None = None) -> dict[str, str]:
    """Return the environment of the launcher: the environment of this process, extended for the launcher and the job.

    Job variables are included only if the launcher cannot pass them to the ranks itself. `as_root` (default: whether
    this process runs as root).
    """
    for name, value in job.environment.items():
        if value is None and name not in os.environ:
            raise UsageError(f"cannot pass {name} to the ranks: it is not set; set it, or write {name}=VALUE")
    kind = launcher.kind
    root = os.geteuid() == 0 if as_root is None else as_root
    own = {name: value for name, value in job.launcher_environment.items() if value is not None}
    here = {name: value for name, value in os.environ.items() if name not in job.launcher_environment}
    environment = {**kind.environment(job, launcher.path, as_root=root), **here, **own, **kind.inherited(job)}
    environment["PATH"] = search_path(launcher.path, environment.get("PATH"))
    for name in _OWN_VARIABLES:
        environment.pop(name, None)
    return environment


def library_variables() -> list[str]:
    """Return the names of ADCL's variables that are set here and that ranks need."""
    return [name for name in sorted(os.environ) if name.startswith("ADCL_") and name not in _OWN_VARIABLES]


def find_program(name: str, environment_path: str | None = None) -> Path:
    """Find a program like a shell: search PATH for a name; resolve a path from the current folder.

    Raises `ProgramNotFoundError`.
    """
    if os.sep not in name:
        found = shutil.which(name, path=environment_path)
        if found is not None:
            return Path(found).absolute()
        hint = f"; to run the program in this folder, write ./{name}" if Path(name).is_file() else ""
        if name.startswith("adcl-"):
            hint = "; ADCL installs it in the folder bin; add that folder to PATH"
        raise ProgramNotFoundError(f"the program {name!r} is not in PATH{hint}")
    path = Path(name).absolute()
    if not path.exists():
        raise ProgramNotFoundError(f"the program {name!r} does not exist; build it, or correct its path")
    if path.is_dir():
        raise ProgramNotFoundError(f"{name!r} is a folder, not a program")
    if not os.access(path, os.X_OK):
        raise ProgramNotFoundError(f"{name!r} is not executable; if it is a program, run chmod +x on it")
    return path


def cores_here(folder: Path = _CPUS) -> list[tuple[int, ...]]:
    """Return the cores that this process may use, each with the numbers of its hardware threads."""
    cores: dict[str, list[int]] = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        try:
            name = (folder / f"cpu{cpu}/topology/thread_siblings_list").read_text(encoding="ascii").strip()
        except OSError:
            name = str(cpu)
        cores.setdefault(name, []).append(cpu)
    return [tuple(threads) for threads in cores.values()]


def usable_cores() -> int:
    """Return the number of cores that this process may use; launchers place one rank per core, not per thread."""
    return len(cores_here())


def nodes_of_allocation() -> int:
    """Return the number of machines that launchers use by default: all machines of the batch job, or this machine.

    Reads the variables of Slurm, PBS and LSF, like launchers.
    """
    words = os.environ.get("SLURM_JOB_NUM_NODES") or os.environ.get("SLURM_NNODES") or ""
    if words.isdecimal():
        return max(int(words), 1)
    if "LSB_MCPU_HOSTS" in os.environ:
        return max(len(os.environ["LSB_MCPU_HOSTS"].split()) // 2, 1)
    try:
        return max(len(set(Path(os.environ["PBS_NODEFILE"]).read_text(encoding="utf-8").split())), 1)
    except (KeyError, OSError):
        return 1


def prepared(job: Job, launcher: Launcher) -> Job:
    """Resolve the program's path and decide whether the job oversubscribes the machine."""
    program = job.program
    try:
        program = str(find_program(program, job.environment.get("PATH")))
    except ProgramNotFoundError:
        # The program may exist only on the machines of the ranks.
        if job.placement.local and not launcher.kind.of_batch_system:
            raise
    if job.cwd is not None and job.placement.here and not job.cwd.is_dir():
        raise UsageError(f"the working folder {str(job.cwd)!r} does not exist; create it or correct --cwd")
    oversubscribe = job.placement.oversubscribe
    if oversubscribe is None:
        alone = job.placement.local and nodes_of_allocation() == 1
        here = alone and not (launcher.kind.of_batch_system or launcher.kind.simulates)
        oversubscribe = here and job.ranks > usable_cores()
    placement = dataclasses.replace(job.placement, oversubscribe=oversubscribe)
    return dataclasses.replace(job, program=program, placement=placement)
