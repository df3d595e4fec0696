"""Run MPI programs: one job description for every launcher, and no leftover processes.

result = run(Job("./solver", ("--steps", "10"), ranks=4, timeout_s=60.0)).check()

Requires Linux's /proc; Python does not load MPI. This package re-exports `adcl.jobs`.
"""

from typing import TYPE_CHECKING, Any

from adcl import _later, jobs

if TYPE_CHECKING:
    from adcl.jobs import (
        ANYWHERE,
        NO_MPI,
        BatchJob,
        BusyProgram,
        Family,
        Job,
        JobConditions,
        JobFailedError,
        Launcher,
        LauncherKind,
        MachineLoad,
        Placement,
        ProgramNotFoundError,
        Result,
        Stop,
        command_line,
        cores_here,
        find_program,
        job_conditions,
        launch_environment,
        library_variables,
        measure_load,
        nodes_of_allocation,
        read_placement,
        strip_launcher_messages,
        usable_cores,
    )
    from adcl.launch._detect import LauncherError, detect, installed, launcher_for, launcher_for_settings
    from adcl.launch._kinds import KINDS, ON_EMULATED_CLUSTERS, SIMULATOR
    from adcl.launch._linkage import Linkage, abi_library, linkage
    from adcl.launch._preload import find_library, preload
    from adcl.launch._run import plan, run

__all__ = [
    "ANYWHERE",
    "KINDS",
    "NO_MPI",
    "ON_EMULATED_CLUSTERS",
    "SIMULATOR",
    "BatchJob",
    "BusyProgram",
    "Family",
    "Job",
    "JobConditions",
    "JobFailedError",
    "Launcher",
    "LauncherError",
    "LauncherKind",
    "Linkage",
    "MachineLoad",
    "Placement",
    "ProgramNotFoundError",
    "Result",
    "Stop",
    "abi_library",
    "command_line",
    "cores_here",
    "detect",
    "find_library",
    "find_program",
    "installed",
    "job_conditions",
    "launch_environment",
    "launcher_for",
    "launcher_for_settings",
    "library_variables",
    "linkage",
    "measure_load",
    "nodes_of_allocation",
    "plan",
    "preload",
    "read_placement",
    "run",
    "strip_launcher_messages",
    "usable_cores",
]

_own = _later.lazy_names(
    __name__,
    {
        "_detect": ("LauncherError", "detect", "launcher_for_settings", "installed", "launcher_for"),
        "_kinds": ("KINDS", "ON_EMULATED_CLUSTERS", "SIMULATOR"),
        "_linkage": ("Linkage", "abi_library", "linkage"),
        "_preload": ("find_library", "preload"),
        "_run": ("plan", "run"),
    },
)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - of any kind
    return getattr(jobs, name) if name in jobs.__all__ else _own(name)
