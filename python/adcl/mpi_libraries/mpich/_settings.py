"""MPICH: MPI_T lists the control variables; MPIR_CVAR_DEBUG_CVARS verifies them."""

from __future__ import annotations

import dataclasses
import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from adcl.errors import AdclError
from adcl.mpi_libraries._base import Evidence, option_words, split
from adcl.mpi_libraries._eager import Cells, EagerLimit, MemoryBuffer, named
from adcl.mpi_libraries._environment import EnvironmentLibrary
from adcl.mpi_libraries._mpi_t import plain_variable, read_catalog
from adcl.mpi_libraries._native import companion_environment
from adcl.mpi_libraries._own import OwnSetting, assignments
from adcl.mpi_libraries.mpich._description import read_mpich_description
from adcl.mpi_libraries.mpich._launcher import FAMILY, MPICH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.jobs import Family, Launcher, LauncherKind
    from adcl.mpi_libraries._catalog import Catalog, Variable
    from adcl.tune.space import Configuration

__all__ = ["HydraLibrary", "Mpich", "control_variable"]

_PREFIX = "MPIR_CVAR_"
_OTHER_PREFIXES = ("MPIR_PARAM_", "MPICH_")
_PREFIXES = (_PREFIX, *_OTHER_PREFIXES)
_TOLD = re.compile(r"^CVAR: (MPIR_CVAR_\w+) = (.*?)\s*$", re.MULTILINE)
_PRESELECTED = re.compile(
    r"^MPIR_CVAR_(?:ALLREDUCE|ALLTOALL|ALLTOALLV|ALLGATHER|ALLGATHERV|BCAST|REDUCE|BARRIER)_INTRA_ALGORITHM$"
    r"|^MPIR_CVAR_(?:ALLREDUCE|REDUCE|ALLTOALL|ALLGATHER|BCAST)_SHORT_MSG_SIZE$"
    r"|^MPIR_CVAR_CH4_OFI_EAGER_(?:THRESHOLD|MAX_MSG_SIZE)$|^MPIR_CVAR_CH4_IPC_(?:CMA|XPMEM)_P2P_THRESHOLD$"
    r"|^MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_(?:NUM_CELLS|CELL_SIZE)$|^MPIR_CVAR_POLLS_BEFORE_YIELD$"
)
# Longer prefixes first, since they contain the shorter prefixes.
_OPERATIONS = (
    *("REDUCE_SCATTER_BLOCK", "REDUCE_SCATTER", "ALLREDUCE", "REDUCE", "ALLGATHERV", "ALLGATHER"),
    *("ALLTOALLV", "ALLTOALLW", "ALLTOALL", "BARRIER", "BCAST", "EXSCAN", "SCAN", "GATHERV", "GATHER"),
    *("SCATTERV", "SCATTER"),
    *(f"NEIGHBOR_{name}" for name in ("ALLGATHERV", "ALLGATHER", "ALLTOALLV", "ALLTOALLW", "ALLTOALL")),
)
_DIAGNOSTIC = re.compile(
    r"DEBUG|VERBOSE|DUMP|PRINT|FILE|ERROR|ABORT|COREDUMP|PROCTABLE|HOSTNAME|TIMEOUT|LEAK|INTER_ALGORITHM|CH3_|NEMESIS"
)
_STAYS = re.compile(
    r"DEBUG|VERBOSE|DUMP|PRINT|ERROR|ABORT|COREDUMP|PROCTABLE|HOSTNAME|TIMEOUT|LEAK|PORT_RANGE|PROVIDER|IFACE|INTERFACE|NETMOD$"
)
_SITE_FILE = Path("/etc/mpich.conf")
"""File that MPICH, from version 5 on, reads for variables that are not in the environment."""

_RELEVANT = re.compile(
    r"SIZE|_SZ|THRESHOLD|ALGORITHM|KVAL|TREE|CHUNK|CELLS|EAGER|THROTTLE|PROGRESS|YIELD|POLL|VCIS|ASYNC|NUM_|COMPOSITION|ENABLE|MIN_PROCS|"
    r"INTERVAL|SMP|DEVICE_COLLECTIVE"
)


_SWITCH = re.compile(r"\b(?:true|false|enabled?|disabled?|nonzero|non-zero)\b", re.IGNORECASE)


def control_variable(row: dict[str, Any]) -> Variable:
    """Convert a row of MPI_T to a control variable.

    MPICH reports enumerations and booleans as integers; the description of an enumeration explains its words.
    """
    plain = plain_variable(row)
    if plain.kind != "number" or row["type"] != "int":
        return plain
    described = read_mpich_description(row["description"])
    plain = dataclasses.replace(plain, description=str(described))
    if described.words:
        # Without numbers the default is unknown, except 0, which is "auto".
        default = "auto" if plain.default == "0" and "auto" in described.words else ""
        return dataclasses.replace(plain, kind="choice", choices=dict.fromkeys(described.words), default=default)
    if plain.default in ("0", "1") and _SWITCH.search(plain.description):
        return dataclasses.replace(plain, kind="switch")
    return plain


@functools.cache
def _catalog(launcher: Launcher) -> Catalog:
    environment = companion_environment(launcher)
    # Remove the user's settings, so that the values are the library's defaults.
    environment = {name: value for name, value in environment.items() if not name.startswith(_PREFIXES)}
    found = read_catalog(launcher, ("mpicc.mpich", "mpicc"), environment, control_variable)
    if not any(name.startswith(_PREFIX) for name in found.variables) or "MPICH" not in found.library:
        raise AdclError(
            f"{found.source} belongs to {found.library} and not to {launcher}; name the right launcher with --mpi"
        )
    return found


class HydraLibrary(EnvironmentLibrary):
    """A library whose launcher is Hydra."""

    def option_form(self, configuration: Configuration) -> list[str]:
        words = [word for pair in self.environment(configuration).items() for word in ("-genv", *pair)]
        return [*words, *option_words(split(configuration).options)]


class Mpich(HydraLibrary):
    """MPICH 4 and 5."""

    key: ClassVar[str] = "mpich"
    title: ClassVar[str] = "MPICH"
    prefix: ClassVar[str] = _PREFIX
    other_prefixes: ClassVar[tuple[str, ...]] = _OTHER_PREFIXES
    stays: ClassVar[re.Pattern[str]] = _STAYS
    family: ClassVar[Family] = FAMILY
    launchers: ClassVar[tuple[LauncherKind, ...]] = (MPICH,)
    proof: ClassVar[Mapping[str, str]] = {"MPIR_CVAR_DEBUG_CVARS": "1"}

    # From the descriptions of the control variables.
    eager_limits: ClassVar[tuple[EagerLimit, ...]] = (
        EagerLimit(named(r"(?:MPIR_CVAR_|MPICH_)?(?:[A-Z0-9]+_)*EAGER_(?:MAX_MSG_SIZE|MAX_SZ|THRESHOLD)")),
    )
    memory_buffers: ClassVar[tuple[MemoryBuffer, ...]] = (
        MemoryBuffer(
            named(r"(?:MPIR_CVAR_)?CH4_SHM_POSIX_IQUEUE_NUM_CELLS"),
            cells=Cells(named(r"(?:MPIR_CVAR_)?CH4_SHM_POSIX_IQUEUE_CELL_SIZE"), usual=69632, header=64),
        ),
    )
    not_above: ClassVar[Mapping[str, str]] = {
        # Asserted by MPI_Init, from version 5 on.
        f"{_PREFIX}CH4_SHM_POSIX_IQUEUE_CELL_SIZE": f"{_PREFIX}CH4_PACK_BUFFER_SIZE"
    }
    one_sided: ClassVar[re.Pattern[str]] = named(r"MPIR_CVAR_(?:.*_)?RMA(?:_.*)?")
    collective: ClassVar[re.Pattern[str]] = named(
        rf"MPIR_CVAR_(?:(?:MAX|ENABLE)_SMP_)?(?P<operation>I?(?:{'|'.join(_OPERATIONS)}))(?:_.+)?",
    )

    counts: ClassVar[re.Pattern[str]] = re.compile("CELLS$|POLLS")

    def catalog(self, launcher: Launcher) -> Catalog:
        return _catalog(launcher)

    def own_settings(self, home: Launcher, catalog: Catalog, *, started_by: Launcher) -> tuple[OwnSetting, ...]:
        exported = super().own_settings(home, catalog, started_by=started_by)
        names, found = {one.name for one in exported}, []
        for word, value, source in assignments(_SITE_FILE):
            name, _, force = word.partition(":")
            variable = catalog.variables.get(name)
            # If the library reads the file, the catalog has the file's value; no option disables the file.
            read = variable is not None and (variable.default == "" or variable.same(variable.default, value))
            if read and (force or name not in names):
                found.append(OwnSetting(name, value, source, stays=True))
        forced = {one.name for one in found}
        return (*found, *(one for one in exported if one.name not in forced))

    def evidence(self, output: str) -> Evidence | None:
        effective = {match[1]: match[2] for match in _TOLD.finditer(output)}
        return Evidence(effective) if effective else None

    def is_evidence(self, line: str) -> bool:
        return _TOLD.match(line) is not None

    def is_network_only(self, variable: Variable) -> bool:
        return re.search(r"_OFI_|_UCX_", variable.name) is not None

    def preselected(self, variable: Variable) -> bool:
        return _PRESELECTED.match(variable.name) is not None

    def relevant(self, variable: Variable) -> bool:
        return _RELEVANT.search(variable.name) is not None and _DIAGNOSTIC.search(variable.name) is None
