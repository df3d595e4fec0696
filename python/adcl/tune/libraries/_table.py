"""The MPI libraries: one row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.tune.libraries._ibm import IbmMpi
from adcl.tune.libraries._intel import IntelMpi
from adcl.tune.libraries._mpich import Mpich
from adcl.tune.libraries._openmpi import OpenMpi4, OpenMpi5

if TYPE_CHECKING:
    from adcl.tune.libraries._base import MpiLibrary

__all__ = ["LIBRARIES"]

LIBRARIES: dict[str, MpiLibrary] = {
    library.key: library
    for library in (
        IbmMpi(),
        IntelMpi(),
        OpenMpi4(),
        OpenMpi5(),
        Mpich(),
    )
}
