"""Find the MPI library of a tuning file or of a launcher."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.errors import UsageError
from adcl.mpi_libraries._settings import LIBRARIES

if TYPE_CHECKING:
    from adcl.jobs import Launcher
    from adcl.mpi_libraries._base import MpiLibrary

__all__ = ["library_names", "library_of", "library_started_by", "stand_in", "usual_launcher"]


def library_names() -> tuple[str, ...]:
    """Return all names for MPI libraries in tuning files."""
    return tuple(sorted({name for library in LIBRARIES.values() for name in (*library.aliases, library.key)}))


def _named(name: str) -> list[MpiLibrary]:
    return [library for library in LIBRARIES.values() if name in (library.key, *library.aliases)]


def library_started_by(launcher: Launcher) -> MpiLibrary | None:
    """Return the library of a launcher; None for a batch system."""
    return next((library for library in LIBRARIES.values() if launcher.kind in library.launchers), None)


def library_of(name: str, launcher: Launcher) -> MpiLibrary:
    """Return the library that a tuning file names, for jobs started by `launcher`.

    The launcher selects among versions with the same name. Raises `UsageError` for an unknown name, and if the launcher
    does not start programs of the library.
    """
    named = _named(name)
    if not named:
        raise UsageError(f"unknown MPI library {name!r}; supported: {', '.join(library_names())}")
    started = [library for library in named if launcher.kind in library.launchers]
    if started:
        return started[0]
    if launcher.kind.of_batch_system:
        if len(named) == 1:
            return named[0]
        keys = " or ".join(repr(library.key) for library in named)
        raise UsageError(
            f"the file is for {name}, but {launcher.path.name} does not report the version; write mpi = {keys}"
        )
    own = library_started_by(launcher)
    raise UsageError(
        f"the file is for {name}, but {launcher} starts programs of {own.title if own else launcher.kind.title}; name "
        f"another launcher with --mpi, or write mpi = {(own.key if own else '…')!r} into the file"
    )


def usual_launcher(mpi: str) -> str:
    """Return the kind of launcher that usually starts programs of the library `mpi`; return other names unchanged."""
    return LIBRARIES[mpi].launchers[0].name if mpi in LIBRARIES else mpi


def stand_in(mpi: str) -> Launcher | None:
    """Return the `stand_in` of the library `mpi`, or None."""
    return LIBRARIES[mpi].stand_in() if mpi in LIBRARIES else None
