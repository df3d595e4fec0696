"""MPICH: control variables, which MPI_T lists and MPIR_CVAR_DEBUG_CVARS proves."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, ClassVar

from adcl.errors import AdclError
from adcl.launch import Family, Flavour
from adcl.tune.libraries._base import Evidence
from adcl.tune.libraries._eager import EagerLimit, named
from adcl.tune.libraries._environment import EnvironmentLibrary
from adcl.tune.libraries._mpi_t import read_catalogue
from adcl.tune.libraries._native import companion_environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.launch import Launcher
    from adcl.tune.libraries._catalogue import Catalogue, Variable

__all__ = ["Mpich"]

_PREFIX = "MPIR_CVAR_"
_TOLD = re.compile(r"^CVAR: (MPIR_CVAR_\w+) = (.*?)\s*$", re.MULTILINE)
_PRESELECTED = re.compile(
    r"^MPIR_CVAR_(?:ALLREDUCE|ALLTOALL|ALLGATHER|ALLGATHERV|BCAST|REDUCE|BARRIER)_INTRA_ALGORITHM$"
    r"|^MPIR_CVAR_(?:ALLREDUCE|REDUCE|ALLTOALL|ALLGATHER|BCAST)_SHORT_MSG_SIZE$"
    r"|^MPIR_CVAR_CH4_OFI_EAGER_(?:THRESHOLD|MAX_MSG_SIZE)$|^MPIR_CVAR_CH4_IPC_(?:CMA|XPMEM)_P2P_THRESHOLD$"
    r"|^MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_(?:NUM_CELLS|CELL_SIZE)$|^MPIR_CVAR_POLLS_BEFORE_YIELD$"
)
_DIAGNOSTIC = re.compile(
    r"DEBUG|VERBOSE|DUMP|PRINT|FILE|ERROR|ABORT|COREDUMP|PROCTABLE|HOSTNAME|TIMEOUT|LEAK|INTER_ALGORITHM|CH3_|NEMESIS"
)
_RELEVANT = re.compile(
    r"SIZE|_SZ|THRESHOLD|ALGORITHM|KVAL|TREE|CHUNK|CELLS|EAGER|THROTTLE|PROGRESS|YIELD|POLL|VCIS|ASYNC|NUM_|COMPOSITION|ENABLE|MIN_PROCS|"
    r"INTERVAL|SMP|DEVICE_COLLECTIVE"
)


@functools.cache
def _catalogue(launcher: Launcher) -> Catalogue:
    environment = companion_environment(launcher)
    # What the user has set is a default of this user, and none of the library.
    environment = {name: value for name, value in environment.items() if not name.startswith(_PREFIX)}
    found = read_catalogue(launcher, ("mpicc.mpich", "mpicc"), environment)
    if not any(name.startswith(_PREFIX) for name in found.variables) or "Intel" in found.library:
        raise AdclError(
            f"{found.source} belongs to {found.library} and not to {launcher}; name the right launcher with --mpi"
        )
    return found


class Mpich(EnvironmentLibrary):
    """MPICH 4 and 5."""

    key: ClassVar[str] = "mpich"
    title: ClassVar[str] = "MPICH"
    prefix: ClassVar[str] = _PREFIX
    family: ClassVar[Family] = Family.MPICH
    launchers: ClassVar[tuple[Flavour, ...]] = (Flavour.MPICH,)
    proof: ClassVar[Mapping[str, str]] = {"MPIR_CVAR_DEBUG_CVARS": "1"}

    # From the descriptions of its control variables.
    eager_limits: ClassVar[tuple[EagerLimit, ...]] = (
        EagerLimit(named(r"(?:MPIR_CVAR_|MPICH_)?(?:[A-Z0-9]+_)*EAGER_(?:MAX_MSG_SIZE|MAX_SZ|THRESHOLD)")),
    )
    one_sided: ClassVar[re.Pattern[str]] = named(r"MPIR_CVAR_(?:.*_)?RMA(?:_.*)?")
    collective: ClassVar[re.Pattern[str]] = named(r"MPIR_CVAR_(?P<operation>[A-Z_]+?)_(?:INTRA|INTER)_ALGORITHM")

    def catalogue(self, launcher: Launcher) -> Catalogue:
        return _catalogue(launcher)

    def evidence(self, output: str) -> Evidence | None:
        effective = {match[1]: match[2] for match in _TOLD.finditer(output)}
        return Evidence(effective) if effective else None

    def is_evidence(self, line: str) -> bool:
        return _TOLD.match(line) is not None

    def of_network(self, variable: Variable) -> bool:
        return re.search(r"_OFI_|_UCX_", variable.name) is not None

    def preselected(self, variable: Variable) -> bool:
        return _PRESELECTED.match(variable.name) is not None

    def relevant(self, variable: Variable) -> bool:
        return _RELEVANT.search(variable.name) is not None and _DIAGNOSTIC.search(variable.name) is None
