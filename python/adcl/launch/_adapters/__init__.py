"""One module for each kind of launcher, and one row for each flavor."""

from adcl.launch._adapters._base import Adapter
from adcl.launch._adapters._hydra import IntelMpiLauncher, MpichLauncher
from adcl.launch._adapters._none import NoLauncher
from adcl.launch._adapters._openmpi import OpenMpi4Launcher, OpenMpi5Launcher
from adcl.launch._adapters._poe import PoeLauncher
from adcl.launch._adapters._slurm import SlurmLauncher
from adcl.launch._adapters._smpi import SmpiLauncher
from adcl.launch._flavour import Flavour

__all__ = ["ADAPTERS", "Adapter"]

ADAPTERS: dict[Flavour, Adapter] = {
    Flavour.OPEN_MPI_4: OpenMpi4Launcher(),
    Flavour.OPEN_MPI_5: OpenMpi5Launcher(),
    Flavour.INTEL_MPI: IntelMpiLauncher(),
    Flavour.MPICH: MpichLauncher(),
    Flavour.SMPI: SmpiLauncher(),
    Flavour.SLURM: SlurmLauncher(),
    Flavour.POE: PoeLauncher(),
    Flavour.NO_MPI: NoLauncher(),
}
