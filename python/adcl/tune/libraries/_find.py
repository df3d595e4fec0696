"""Finds the MPI library that a tuning file names, and a launcher of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.errors import UsageError
from adcl.launch import detect
from adcl.tune.libraries._table import LIBRARIES

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.launch import Launcher
    from adcl.tune.libraries._base import MpiLibrary

__all__ = ["elsewhere", "launcher_for", "library_names", "library_of", "library_started_by"]


def library_names() -> tuple[str, ...]:
    """Return all names that a tuning file may have for an MPI library."""
    return tuple(dict.fromkeys(name for library in LIBRARIES.values() for name in (*library.aliases, library.key)))


def _named(name: str) -> list[MpiLibrary]:
    return [library for library in LIBRARIES.values() if name in (library.key, *library.aliases)]


def library_started_by(launcher: Launcher) -> MpiLibrary | None:
    """Return the library that the launcher belongs to; None for one of a batch system or a simulator."""
    return next((library for library in LIBRARIES.values() if launcher.flavour in library.launchers), None)


def library_of(name: str, launcher: Launcher) -> MpiLibrary:
    """Return the library that a tuning file names, where the job is started by that launcher.

    The launcher tells which of several versions a name stands for. Raises `UsageError` for a name that there is not,
    and where the launcher does not start programs of the library.
    """
    named = _named(name)
    if not named:
        raise UsageError(f"there is no MPI library {name!r}; there are {', '.join(library_names())}")
    started = [library for library in named if launcher.flavour in library.launchers]
    if started:
        return started[0]
    if launcher.flavour.of_batch_system:
        if len(named) == 1:
            return named[0]
        keys = " or ".join(library.key for library in named)
        raise UsageError(f"the file is for {name}, and {launcher.path.name} does not tell its version: write {keys}")
    own = library_started_by(launcher)
    raise UsageError(
        f"the file is for {name} and {launcher} starts programs of {own.title if own else launcher.flavour.title}; "
        f"name another launcher with --mpi, or write mpi = {(own.key if own else '…')!r} into the file"
    )


def launcher_for(mpi: str, named: str | None = None, program: Path | None = None) -> Launcher:
    """Find a launcher of the MPI library that a tuning file names, or the one that the user names.

    Raises `UsageError`.
    """
    kind = LIBRARIES[mpi].launchers[0].value if mpi in LIBRARIES else mpi
    return detect(named or kind, program=program)


def elsewhere(mpi: str, named: str | None = None) -> Launcher:
    """Find a launcher to look settings up with: of the library `mpi`, or the one `named`.

    Where the library is not installed but known without that, its `stand_in`. Raises `UsageError`.
    """
    try:
        return launcher_for(mpi, named)
    except UsageError:
        instead = LIBRARIES[mpi].stand_in() if mpi in LIBRARIES and named is None else None
        if instead is None:
            raise
        return instead
