"""Jobs, their placement, and launchers; `run` ends all processes of a job.

This package does not depend on MPI libraries: `adcl.mpi_libraries` defines their launchers, and `adcl.launch` finds a
launcher. Requires Linux's /proc.
"""

from typing import TYPE_CHECKING

from adcl import _later

if TYPE_CHECKING:
    from adcl.jobs._batch import BatchJob
    from adcl.jobs._command import (
        ProgramNotFoundError,
        command_line,
        cores_here,
        find_program,
        launch_environment,
        library_variables,
        nodes_of_allocation,
        prepared,
        usable_cores,
    )
    from adcl.jobs._job import Job, JobFailedError, Result
    from adcl.jobs._kind import Family, LauncherKind, given, signal_of_exit_code
    from adcl.jobs._launcher import Launcher, search_path
    from adcl.jobs._load import BusyProgram, JobConditions, MachineLoad, job_conditions, measure_load
    from adcl.jobs._none import NO_MPI
    from adcl.jobs._placement import ANYWHERE, Placement
    from adcl.jobs._placement_file import read_placement
    from adcl.jobs._run import run_with, strip_launcher_messages
    from adcl.jobs._signals import Stop
    from adcl.jobs._slurm import SLURM

_HOMES = {
    "_batch": ("BatchJob",),
    "_command": (
        "ProgramNotFoundError",
        "command_line",
        "cores_here",
        "find_program",
        "launch_environment",
        "library_variables",
        "nodes_of_allocation",
        "prepared",
        "usable_cores",
    ),
    "_job": ("Job", "JobFailedError", "Result"),
    "_kind": ("Family", "LauncherKind", "signal_of_exit_code", "given"),
    "_launcher": ("Launcher", "search_path"),
    "_load": ("BusyProgram", "JobConditions", "MachineLoad", "job_conditions", "measure_load"),
    "_none": ("NO_MPI",),
    "_placement": ("ANYWHERE", "Placement"),
    "_placement_file": ("read_placement",),
    "_run": ("run_with", "strip_launcher_messages"),
    "_signals": ("Stop",),
    "_slurm": ("SLURM",),
}

__all__ = [
    "ANYWHERE",
    "NO_MPI",
    "SLURM",
    "BatchJob",
    "BusyProgram",
    "Family",
    "Job",
    "JobConditions",
    "JobFailedError",
    "Launcher",
    "LauncherKind",
    "MachineLoad",
    "Placement",
    "ProgramNotFoundError",
    "Result",
    "Stop",
    "command_line",
    "cores_here",
    "find_program",
    "given",
    "job_conditions",
    "launch_environment",
    "library_variables",
    "measure_load",
    "nodes_of_allocation",
    "prepared",
    "read_placement",
    "run_with",
    "search_path",
    "signal_of_exit_code",
    "strip_launcher_messages",
    "usable_cores",
]

__getattr__ = _later.lazy_names(__name__, _HOMES)
