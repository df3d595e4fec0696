"""The profiler as trials use it: where its library is, and how long ranks were in MPI."""

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

__all__ = ["find_profiler", "profiled", "seconds_in_mpi", "take_profile"]

_VARIABLE = "ADCL_PROFILE"
"""Names the folder into which the profiler writes one file for each rank."""

_LIBRARY = "libadcl-profile.so"


def find_profiler(family: Family, named: Path | None = None) -> Path | None:
    """Find the profiler's library for programs of that family; None where there is none. Raises `UsageError`."""
    if named is not None:
        if not named.is_file():
            raise UsageError(f"there is no profiler {str(named)!r}")
        return named.absolute()
    return find_library(_LIBRARY, family)


def profiled(environment: Mapping[str, str | None], profiler: Path, folder: Path) -> dict[str, str | None]:
    """Return the environment with which a job writes its profile into that folder."""
    return {**preload(environment, profiler), _VARIABLE: str(folder.absolute())}


def take_profile(job: Job, launcher: Launcher, folder: Path, runner: Run = run) -> None:
    """Run a job that is `profiled` into `folder`. Raises `AdclError` when it fails or a rank has written nothing."""
    result = runner(job, launcher)
    if not result.ok:
        # The launcher's command would show what was put in for the profiler, before what the user has written.
        last = result.last_words()
        words = f"{shlex.join([job.program, *job.arguments])} on {job.ranks} ranks {result.ending()}"
        raise JobFailedError(f"{words}, with the profiler preloaded" + (f": {last}" if last else ""))
    try:
        seconds_in_mpi(folder, job.ranks)
    except BadOutputError as error:
        raise AdclError(f"{' '.join(result.command)}: {error}") from error


def seconds_in_mpi(folder: Path | None, ranks: int) -> float:
    """Return the time that the rank which was longest in MPI spent there. Raises `BadOutputError`."""
    files = sorted(folder.glob("adcl-profile.*.json")) if folder is not None else []
    if len(files) < ranks:
        raise BadOutputError(
            f"the profiler wrote files of {len(files)} instead of {ranks} ranks; does the program call MPI_Finalize, "
            "and is it linked with the MPI library's shared library?"
        )
    try:
        times = [sum(json.loads(file.read_text(encoding="utf-8"))["seconds_in"].values()) for file in files]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadOutputError(f"invalid file of the profiler: {error!r}") from error
    return float(max(times))
