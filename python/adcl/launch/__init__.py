"""Running MPI programs: one description of a job for every launcher, and no process left behind.

    result = run(Job("./solver", ("--steps", "10"), ranks=4, timeout_s=60.0)).check()

Needs no MPI in Python, and Linux's /proc.
"""

from typing import TYPE_CHECKING

from adcl import _later

if TYPE_CHECKING:
    from adcl.launch._batch import BatchJob
    from adcl.launch._command import (
        ProgramNotFoundError,
        command_line,
        cores_here,
        find_program,
        launch_environment,
        library_variables,
        nodes_of_allocation,
        usable_cores,
    )
    from adcl.launch._detect import Launcher, LauncherError, detect, installed
    from adcl.launch._flavour import ON_EMULATED_CLUSTERS, Family, Flavour
    from adcl.launch._job import Job, JobFailedError, Result
    from adcl.launch._linkage import Linkage, abi_library, linkage
    from adcl.launch._load import BusyProgram, JobConditions, MachineLoad, job_conditions, measure_load
    from adcl.launch._placement import ANYWHERE, Placement
    from adcl.launch._placement_file import read_placement
    from adcl.launch._run import plan, run, without_farewell
    from adcl.launch._signals import Stop

__all__ = [
    "ANYWHERE",
    "ON_EMULATED_CLUSTERS",
    "BatchJob",
    "BusyProgram",
    "Family",
    "Flavour",
    "Job",
    "JobConditions",
    "JobFailedError",
    "Launcher",
    "LauncherError",
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
    "find_program",
    "installed",
    "job_conditions",
    "launch_environment",
    "library_variables",
    "linkage",
    "measure_load",
    "nodes_of_allocation",
    "plan",
    "read_placement",
    "run",
    "usable_cores",
    "without_farewell",
]

__getattr__ = _later.names_of(
    __name__,
    {
        "_batch": ("BatchJob",),
        "_command": (
            "ProgramNotFoundError",
            "command_line",
            "cores_here",
            "find_program",
            "launch_environment",
            "library_variables",
            "nodes_of_allocation",
            "usable_cores",
        ),
        "_detect": ("Launcher", "LauncherError", "detect", "installed"),
        "_flavour": ("ON_EMULATED_CLUSTERS", "Family", "Flavour"),
        "_job": ("Job", "JobFailedError", "Result"),
        "_linkage": ("Linkage", "abi_library", "linkage"),
        "_load": ("BusyProgram", "JobConditions", "MachineLoad", "job_conditions", "measure_load"),
        "_placement": ("ANYWHERE", "Placement"),
        "_placement_file": ("read_placement",),
        "_run": ("plan", "run", "without_farewell"),
        "_signals": ("Stop",),
    },
)
