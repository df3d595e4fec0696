"""Finds the MPI library that a tuning file names, or that a launcher belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.errors import UsageError
from adcl.mpi_libraries._settings import LIBRARIES

if TYPE_CHECKING:
    from adcl.jobs import Launcher
    from adcl.mpi_libraries._base import MpiLibrary

__all__ = ["library_names", "library_of", "library_started_by", "stand_in", "usual_launcher"]


def library_names() -> tuple[str, ...]:
    """Return all names that a tuning file may have for an MPI library."""
    return tuple(sorted({name for library in LIBRARIES.values() for name in (*library.aliases, library.key)}))


def _named(name: str) -> list[MpiLibrary]:
    return [library for library in LIBRARIES.values() if name in (library.key, *library.aliases)]


def library_started_by(launcher: Launcher) -> MpiLibrary | None:
    """Return the library that the launcher belongs to; None for one of a batch system or a simulator."""
    return next((library for library in LIBRARIES.values() if launcher.kind in library.launchers), None)


def library_of(name: str, launcher: Launcher) -> MpiLibrary:
    """Return the library that a tuning file names, where the job is started by that launcher.

    The launcher tells which of several versions a name stands for. Raises `UsageError` for a name that there is not,
    and where the launcher does not start programs of the library.
    """
    named = _named(name)
    if not named:
        raise UsageError(f"there is no MPI library {name!r}; there are {', '.join(library_names())}")
    started = [library for library in named if launcher.kind in library.launchers]
    if started:
        return started[0]
    if launcher.kind.of_batch_system:
        if len(named) == 1:
            return named[0]
        keys = " or ".join(library.key for library in named)
        raise UsageError(f"the file is for {name}, and {launcher.path.name} does not tell its version: write {keys}")
    own = library_started_by(launcher)
    raise UsageError(
        f"the file is for {name} and {launcher} starts programs of {own.title if own else launcher.kind.title}; "
        f"name another launcher with --mpi, or write mpi = {(own.key if own else '…')!r} into the file"
    )


def usual_launcher(mpi: str) -> str:
    """Return the kind of launcher that usually starts programs of the library `mpi`; any other name as it is."""
    return LIBRARIES[mpi].launchers[0].name if mpi in LIBRARIES else mpi


def stand_in(mpi: str) -> Launcher | None:
    """Return the `stand_in` of the library `mpi`, if there is that library and it has one."""
    return LIBRARIES[mpi].stand_in() if mpi in LIBRARIES else None
