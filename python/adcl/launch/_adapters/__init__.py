"""One module for each kind of launcher, and one row for each flavour."""

from adcl.launch._adapters._base import Adapter
from adcl.launch._adapters._hydra import IntelMpi, Mpich
from adcl.launch._adapters._openmpi import OpenMpi4, OpenMpi5
from adcl.launch._adapters._poe import Poe
from adcl.launch._adapters._slurm import Slurm
from adcl.launch._adapters._smpi import Smpi
from adcl.launch._flavour import Flavour

__all__ = ["ADAPTERS", "Adapter"]

ADAPTERS: dict[Flavour, Adapter] = {
    Flavour.OPEN_MPI_4: OpenMpi4(),
    Flavour.OPEN_MPI_5: OpenMpi5(),
    Flavour.INTEL_MPI: IntelMpi(),
    Flavour.MPICH: Mpich(),
    Flavour.SMPI: Smpi(),
    Flavour.SLURM: Slurm(),
    Flavour.POE: Poe(),
}
