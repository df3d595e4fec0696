"""Use of the profiler in trials: its library, and the time of ranks in MPI."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

from adcl.errors import AdclError, UsageError
from adcl.launch import JobFailedError, find_library, preload, run
from adcl.tune.file import BadOutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from adcl.launch import Family, Job, Launcher, Result

    Run = Callable[[Job, Launcher], Result]

__all__ = ["find_profiler", "profiled", "run_profiled", "seconds_in_mpi"]

_VARIABLE = "ADCL_PROFILE"
"""Variable with the folder into which the profiler writes one file for each rank."""

_LIBRARY = "libadcl-profile.so"


def find_profiler(family: Family, named: Path | None = None, mpi: Path | None = None) -> Path | None:
    """Return the profiler's library for programs of a family; None if there is none.

    `named` is the library that the user named, `mpi` the program's MPI library. Raises `UsageError`.
    """
    if named is not None:
        if not named.is_file():
            raise UsageError(f"the profiler {str(named)!r} does not exist; correct --profiler")
        return named.absolute()
    return find_library(_LIBRARY, family, mpi)


def profiled(environment: Mapping[str, str | None], profiler: Path, folder: Path) -> dict[str, str | None]:
    """Return the environment in which a job writes its profile to the folder."""
    return {**preload(environment, profiler), _VARIABLE: str(folder.absolute())}


def run_profiled(job: Job, launcher: Launcher, folder: Path, runner: Run = run) -> None:
    """Run a `profiled` job that writes to `folder`. Raises `AdclError` if it fails or a rank has written nothing."""
    result = runner(job, launcher)
    if not result.ok:
        # Omit the profiler's additions to the launcher's command from the message.
        last = result.last_words()
        words = f"{shlex.join([job.program, *job.arguments])} on {job.ranks} ranks {result.ending()}"
        raise JobFailedError(f"{words}, with the profiler preloaded" + (f": {last}" if last else ""))
    try:
        seconds_in_mpi(folder, job.ranks)
    except BadOutputError as error:
        raise AdclError(f"{' '.join(result.command)}: {error}") from error


def seconds_in_mpi(folder: Path | None, ranks: int) -> float:
    """Return the largest time that a rank spent in MPI. Raises `BadOutputError`."""
    files = sorted(folder.glob("adcl-profile.*.json")) if folder is not None else []
    if len(files) < ranks:
        raise BadOutputError(
            f"the profiler wrote files for {len(files)} of {ranks} ranks; check that the program calls MPI_Finalize "
            "and is linked with the MPI library's shared library"
        )
    try:
        times = [sum(json.loads(file.read_text(encoding="utf-8"))["seconds_in"].values()) for file in files]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadOutputError(f"invalid file of the profiler: {error!r}") from error
    return float(max(times))
