"""One module for each MPI library, and one row for each flavour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.errors import UsageError
from adcl.launch import Flavour
from adcl.tune.libraries._base import Advice, MpiFlavour, clean_output, split
from adcl.tune.libraries._catalogue import UNSET, Catalogue, UnknownSettingError, Variable
from adcl.tune.libraries._eager_limits import EagerLimit, find_eager_limit, find_memory_buffer
from adcl.tune.libraries._find import elsewhere, launcher_for
from adcl.tune.libraries._ibm import IbmMpi
from adcl.tune.libraries._intel import IntelMpi
from adcl.tune.libraries._mpich import Mpich
from adcl.tune.libraries._openmpi import OpenMpi4, OpenMpi5

if TYPE_CHECKING:
    from adcl.launch import Launcher

__all__ = [
    "FLAVOURS",
    "FLAVOUR_NAMES",
    "UNSET",
    "Advice",
    "Catalogue",
    "EagerLimit",
    "MpiFlavour",
    "UnknownSettingError",
    "Variable",
    "clean_output",
    "elsewhere",
    "find_eager_limit",
    "find_memory_buffer",
    "flavour_of",
    "launcher_for",
    "split",
]

FLAVOUR_NAMES = ("ibm", "intel", "openmpi", "openmpi4", "openmpi5", "mpich")
"""MPI libraries that a file can be for; `openmpi` is whichever version is used."""

FLAVOURS: dict[str, MpiFlavour] = {one.key: one for one in (IbmMpi(), IntelMpi(), OpenMpi4(), OpenMpi5(), Mpich())}


def flavour_of(name: str, launcher: Launcher) -> MpiFlavour:
    """Return the flavour that a tuning file names, where the job is started by that launcher. Raises `UsageError`.

    `openmpi` is the version of the launcher. Slurm's launcher starts programs of every library.
    """
    own = {flavour: one for one in FLAVOURS.values() for flavour in one.launchers}.get(launcher.flavour)
    named = FLAVOURS.get(name)
    if name == "openmpi":
        if own is not None and own.key in ("openmpi4", "openmpi5"):
            return own
        if launcher.flavour is Flavour.SLURM:
            raise UsageError("the file is for openmpi, and srun does not tell its version: write openmpi4 or openmpi5")
    if named is None and name != "openmpi":
        raise UsageError(f"there is no MPI library {name!r}; there are {', '.join(FLAVOUR_NAMES)}")
    if named is None or (launcher.flavour is not Flavour.SLURM and own is not named):
        raise UsageError(
            f"the file is for {name} and {launcher} starts programs of {own.title if own else launcher.flavour.title}; "
            f"name another launcher with --mpi, or write mpi = {(own.key if own else '…')!r} into the file"
        )
    return named
