"""The command line and the environment that start a job."""

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

# Of the adcl command alone; the library refuses names in its part of the environment that it does not know.
_OWN_VARIABLES = ("ADCL_DESCRIBE",)
_CPUS = Path("/sys/devices/system/cpu")


class ProgramNotFoundError(UsageError):
    """The program does not exist, or cannot be run."""


def command_line(job: Job, launcher: Launcher) -> list[str]:
    """Write the job in the words of the launcher. Pure; raises `UsageError` for what that launcher cannot express."""
    options = launcher.kind.options(job)
    placement = job.placement
    return [*placement.within, str(launcher.path), *options, *placement.launcher_options, job.program, *job.arguments]


def launch_environment(job: Job, launcher: Launcher, *, as_root: bool | None = None) -> dict[str, str]:
    """Return the environment to start the launcher in: this process's, and what launcher and job need there.

    The job's variables for the ranks are in the launcher's environment only where it has no other way of handing them
    on. `as_root` is by default whether that is so.
    """
    for name, value in job.environment.items():
        if value is None and name not in os.environ:
            raise UsageError(f"the variable {name} is to be passed on but is not set; set it, or write {name}=VALUE")
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
    """Return the names of ADCL's own variables that are set here, and that ranks must see."""
    return [name for name in sorted(os.environ) if name.startswith("ADCL_") and name not in _OWN_VARIABLES]


def find_program(name: str, environment_path: str | None = None) -> Path:
    """Find a program as a shell does: a name in the search path, a path from the current folder.

    Raises `ProgramNotFoundError`.
    """
    if os.sep not in name:
        found = shutil.which(name, path=environment_path)
        if found is not None:
            return Path(found).absolute()
        hint = f"; for the one in this folder write ./{name}" if Path(name).is_file() else ""
        if name.startswith("adcl-"):
            hint = "; it is installed with ADCL's library, whose folder bin belongs there (PATH)"
        raise ProgramNotFoundError(f"there is no program {name!r} in the search path{hint}")
    path = Path(name).absolute()
    if not path.exists():
        raise ProgramNotFoundError(f"there is no program {name!r}; build it, or correct its path")
    if path.is_dir():
        raise ProgramNotFoundError(f"{name!r} is a folder, not a program")
    if not os.access(path, os.X_OK):
        raise ProgramNotFoundError(f"{name!r} is not executable; if it is a program, chmod +x makes it so")
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
    """Count the cores that this process may use; launchers give each rank one, not one hardware thread."""
    return len(cores_here())


def nodes_of_allocation() -> int:
    """Count the machines on which a launcher starts ranks if it is told nothing: those of the batch job, or this one.

    Slurm, PBS and LSF tell it in variables; launchers read the same ones.
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
    """Fill in what depends on this machine: the program's path, and whether there are more ranks than cores."""
    program = job.program
    try:
        program = str(find_program(program, job.environment.get("PATH")))
    except ProgramNotFoundError:
        # It may exist only where the ranks will run.
        if job.placement.local and not launcher.kind.of_batch_system:
            raise
    if job.cwd is not None and job.placement.here and not job.cwd.is_dir():
        raise UsageError(f"the working folder {str(job.cwd)!r} does not exist")
    oversubscribe = job.placement.oversubscribe
    if oversubscribe is None:
        alone = job.placement.local and nodes_of_allocation() == 1
        here = alone and not (launcher.kind.of_batch_system or launcher.kind.simulates)
        oversubscribe = here and job.ranks > usable_cores()
    placement = dataclasses.replace(job.placement, oversubscribe=oversubscribe)
    return dataclasses.replace(job, program=program, placement=placement)
