"""Finds a launcher of an MPI library."""

from __future__ import annotations

from pathlib import Path

from adcl.errors import UsageError
from adcl.launch import Flavour, Launcher, detect

__all__ = ["elsewhere", "launcher_for"]

_KINDS = {"ibm": "poe"}
"""What `detect` calls the launchers of a flavour, where that is not the flavour's own name."""


def elsewhere(mpi: str, named: str | None) -> Launcher:
    """Find a launcher to look settings up with. IBM's come from a list, so that a file can be written elsewhere."""
    if mpi == "ibm" and named is None:
        try:
            return launcher_for(mpi)
        except UsageError:
            return Launcher(Flavour.POE, Path("poe"), "not installed here")
    return launcher_for(mpi, named)


def launcher_for(mpi: str, named: str | None = None, program: Path | None = None) -> Launcher:
    """Find a launcher of the MPI library that a tuning file names, or the one that the user names.

    Raises `UsageError`.
    """
    return detect(named or _KINDS.get(mpi, mpi), program=program)
