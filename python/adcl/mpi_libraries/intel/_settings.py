"""Intel MPI: `impi_info` lists the variables; I_MPI_DEBUG verifies them."""

from __future__ import annotations

import functools
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from adcl.errors import AdclError
from adcl.mpi_libraries._base import Advice, Evidence, shell_lines
from adcl.mpi_libraries._catalog import Catalog, Variable, VariableKind, truth
from adcl.mpi_libraries._eager import Cells, EagerLimit, MemoryBuffer, named
from adcl.mpi_libraries._native import ask, companion, companion_environment
from adcl.mpi_libraries._own import ENVIRONMENT, CleanEnvironment, OwnSetting, readable_path
from adcl.mpi_libraries.intel._launcher import INTEL_MPI
from adcl.mpi_libraries.mpich import FAMILY
from adcl.mpi_libraries.mpich._settings import HydraLibrary
from adcl.tune.space import Choices, Steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.jobs import Family, Launcher, LauncherKind
    from adcl.tune.space import Configuration

__all__ = ["IntelMpi", "parse_impi_info"]

_NAME = re.compile(r"^((?:I_MPI|MPIR_CVAR)_\w+)\s*$")
_ROW = re.compile(r"^\s*\|\s*(\w+)\s*\|\s*(.*?)\s*\|\s*(MPI_\w+)\s*\|")
_RANGE = re.compile(r"range:\s*(-?\d+)\s*-\s*(\d+)")
_WHOLE = re.compile(r"-?\d+")
_STARTUP = re.compile(r"^\[\d+\] (?:MPI startup\(\):|\t )")
_TOLD = re.compile(r"^\[\d+\] MPI startup\(\): (I_MPI_\w+)=(.*?)\s*$", re.MULTILINE)
_UNSUPPORTED = re.compile(r"^\[\d+\] MPI startup\(\): (I_MPI_\w+) environment variable is not supported", re.MULTILINE)
_INCORRECT = re.compile(r"^\[\d+\] MPI startup\(\): Incorrect algorithm: (\w+)=(.*?), will be ignored", re.MULTILINE)
_PRESELECTED = re.compile(
    r"^I_MPI_ADJUST_(?:ALLREDUCE|ALLTOALL|ALLTOALLV|ALLGATHER|ALLGATHERV|BCAST|REDUCE|BARRIER)$"
    r"|^I_MPI_(?:SHM_EAGER_THRESHOLD|SHM_EAGER_NUM|SHM_CELL_FWD_SIZE|SHM_CELL_BWD_SIZE|SHM_CELL_FWD_NUM|SHM_CMA_THRESHOLD|FABRICS|SHM_PAUSE|"
    r"PIN_DOMAIN|PIN_ORDER|THREAD_YIELD|INTRANODE_EAGER_THRESHOLD|EAGER_THRESHOLD)$"
)
_RELEVANT = re.compile(
    r"^I_MPI_(?:ADJUST|SHM|PIN|FABRICS|OFI|ASYNC|THREAD|COLL|EAGER|INTRANODE|WAIT|MALLOC|BIND|NUM|EXTRA)"
)
_USUAL: dict[str, Steps | Choices] = {
    "I_MPI_FABRICS": Choices(("shm:ofi", "ofi")),
    "I_MPI_PIN_DOMAIN": Choices(("auto:compact", "auto:scatter", "core", "socket", "numa", "node")),
    "I_MPI_PIN_ORDER": Choices(("compact", "scatter", "spread", "bunch")),
    "I_MPI_THREAD_YIELD": Choices((0, 1, 2, 3)),
    "I_MPI_SHM_EAGER_THRESHOLD": Steps(1024, 262144, multiply=2),
    "I_MPI_SHM_EAGER_NUM": Steps(1, 256, multiply=2),
    "I_MPI_SHM_CELL_FWD_SIZE": Steps(4096, 1048576, multiply=2),
    "I_MPI_SHM_CELL_BWD_SIZE": Steps(4096, 1048576, multiply=2),
    "I_MPI_SHM_CELL_FWD_NUM": Steps(4, 1024, multiply=2),
    "I_MPI_SHM_CMA_THRESHOLD": Steps(1024, 1048576, multiply=2),
    "I_MPI_SHM_PAUSE": Steps(1, 1024, multiply=4),
}
_STAYS = re.compile(
    r"^I_MPI_(?:ROOT|HYDRA|JOB|PMI|MPIRUN|PERHOST|DEVICE|LIBRARY|OFI_(?:LIBRARY|PROVIDER|INTERFACE))|DEBUG|PRINT|SHOW|LOG|DUMP"
)
_GENV = "-genv"
_DIAGNOSTIC = re.compile(r"DEBUG|_LIST$|_FILE|PRINT|SHOW|LOG|DUMP|INTERNAL")


def _variable(name: str, type_name: str, default: str, description: str) -> Variable:
    default = "" if default in ("not defined", "none") else default
    kind: VariableKind = "text"
    if type_name == "MPI_INT" and _WHOLE.fullmatch(default):
        kind = "number"
    elif type_name == "MPI_INT" and truth(default) is not None:
        kind = "switch"
    bounds = _RANGE.search(description)
    minimum, maximum = (int(bounds[1]), int(bounds[2])) if bounds else (None, None)
    return Variable(name, kind, default, description, minimum=minimum, maximum=maximum)


def parse_impi_info(described: str, table: str) -> dict[str, Variable]:
    """Parse the output of ``impi_info -a`` and ``-e``: descriptions of public variables, defaults of all variables."""
    rows = {match[1]: (match[2], match[3]) for match in map(_ROW.match, table.splitlines()) if match}
    descriptions: dict[str, list[str]] = {}
    types: dict[str, str] = {}
    name, part = "", ""
    for line in described.splitlines():
        if match := _NAME.match(line):
            name, part = match[1], ""
            descriptions[name] = []
        elif line.strip() in ("MPI Datatype:", "Description:", "Default:"):
            part = line.strip()
        elif name and part == "MPI Datatype:":
            types[name] = line.strip()
        elif name and part == "Description:":
            # Long lines break within words; continuation lines have less indentation than first lines.
            continues = descriptions[name] and line.startswith("   ") and not line.startswith("    ")
            if continues:
                descriptions[name][-1] += line.strip()
            else:
                descriptions[name].append(line.strip())
    found = {}
    for name in {**dict.fromkeys(descriptions), **dict.fromkeys(rows)}:
        default, type_name = rows.get(name, ("", types.get(name, "MPI_CHAR")))
        if name.startswith("I_MPI_"):
            found[name] = _variable(name, type_name, default, " ".join(descriptions.get(name, [])))
    return found


@functools.cache
def _catalog(launcher: Launcher) -> Catalog:
    program = companion(launcher, ("impi_info",))
    if program is None:
        raise AdclError(
            f"cannot read the variables of Intel MPI: there is no impi_info next to {launcher.path}; install it"
        )
    environment = companion_environment(launcher)
    variables = parse_impi_info(ask([program, "-a"], environment), ask([program, "-e"], environment))
    if not variables:
        raise AdclError(f"{program} listed no variables")
    return Catalog(f"Intel MPI ({launcher.version})", str(program), variables)


def _files(launcher: Launcher) -> list[Path]:
    """Return the option files that mpiexec reads at every start."""
    site = launcher.path.resolve().parent.parent / "intel64" / "etc" / "mpiexec.conf"
    return [site, Path.home() / ".mpiexec.conf", Path.cwd() / "mpiexec.conf"]


def _read_options(path: Path) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Parse a file of options: variables with their places, and the other words."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return [], []
    variables, others = [], []
    for number, line in enumerate(lines, 1):
        words = iter(line.partition("#")[0].split())
        for word in words:
            if word != _GENV:
                others.append(word)
                continue
            name, equals, value = next(words, "").partition("=")
            value = value if equals else next(words, "")
            variables.append((name, shlex.split(value)[0] if value else "", f"{readable_path(path)}:{number}"))
    return variables, others


class IntelMpi(HydraLibrary):
    """Intel MPI 2019 and later."""

    key: ClassVar[str] = "intel"
    title: ClassVar[str] = "Intel MPI"
    prefix: ClassVar[str] = "I_MPI_"
    stays: ClassVar[re.Pattern[str]] = _STAYS
    family: ClassVar[Family] = FAMILY
    launchers: ClassVar[tuple[LauncherKind, ...]] = (INTEL_MPI,)
    settings_file: ClassVar[str] = "~/.mpiexec.conf"
    # Intel MPI Library reference; A. Sikora et al., SEM4HPC 2016, §6.2.
    eager_limits: ClassVar[tuple[EagerLimit, ...]] = (
        EagerLimit(named(r"I_MPI_(?:[A-Z0-9]+_)*EAGER_THRESHOLD", r"(?:(?:intra|inter)node_)?eager_threshold")),
    )
    # Intel MPI Library reference, Shared Memory Control: each rank has this many cells of 64 KB of each kind.
    memory_buffers: ClassVar[tuple[MemoryBuffer, ...]] = tuple(
        MemoryBuffer(
            named(rf"(?:I_MPI_)?SHM_CELL_{kind}_NUM"), cells=Cells(named(rf"(?:I_MPI_)?SHM_CELL_{kind}_SIZE"), 65536)
        )
        for kind in ("FWD", "BWD")
    )
    one_sided: ClassVar[re.Pattern[str]] = named(r"I_MPI_(?:.*_)?RMA(?:_.*)?")
    placement: ClassVar[re.Pattern[str]] = named(r"(?:I_MPI_)?PIN(?:_.*)?")
    collective: ClassVar[re.Pattern[str]] = named(
        r"I_MPI_ADJUST_(?P<operation>[A-Z_]+?)(?:_(?:LIST|NODE|SEGSIZE|KN_RADIX|ALGO_NUM))*"
    )
    # The lowest level at which the library lists the variables that are set.
    proof: ClassVar[Mapping[str, str]] = {"I_MPI_DEBUG": "5"}

    def catalog(self, launcher: Launcher) -> Catalog:
        return _catalog(launcher)

    def own_settings(self, home: Launcher, catalog: Catalog, *, started_by: Launcher) -> tuple[OwnSetting, ...]:
        found = {one.name: one for one in super().own_settings(home, catalog, started_by=started_by)}
        if started_by.kind in self.launchers:
            # mpiexec's files override the environment.
            for path in _files(started_by):
                found |= {
                    name: self._own(name, value, source)
                    for name, value, source in _read_options(path)[0]
                    if name.startswith(self.prefix)
                }
        return tuple(found.values())

    def clean_environment(
        self, own: Sequence[OwnSetting], home: Launcher, catalog: Catalog, *, started_by: Launcher
    ) -> CleanEnvironment:
        usual = super().clean_environment(own, home, catalog, started_by=started_by)
        in_files = [one for one in own if one.source != ENVIRONMENT]
        if started_by.kind not in self.launchers or all(one.stays for one in in_files):
            return usual
        # Ignore its files, but pass the other settings that they contain.
        left = {one.name for one in in_files if not one.stays}
        words = ["-noconf"]
        for path in _files(started_by):
            variables, others = _read_options(path)
            words += [word for name, value, _ in variables if name not in left for word in (_GENV, name, value)]
            words += others
        return CleanEnvironment(usual.environment, tuple(words))

    def evidence(self, output: str) -> Evidence | None:
        effective = {match[1]: match[2] for match in _TOLD.finditer(output)}
        if not effective:
            return None
        ignored = {match[1]: "Intel MPI does not support it" for match in _UNSUPPORTED.finditer(output)}
        for match in _INCORRECT.finditer(output):
            ignored[f"I_MPI_ADJUST_{match[1]}"] = f"Intel MPI has no algorithm {match[2]} and ignores it"
        return Evidence(effective, ignored)

    def is_evidence(self, line: str) -> bool:
        return _STARTUP.match(line) is not None

    def advice(self, configuration: Configuration) -> Advice:
        usual = super().advice(configuration)
        environment = self.environment(configuration)
        return Advice(
            shell_lines(environment),
            usual.options,
            self.settings_file,
            "".join(f"-genv {name}={value}\n" for name, value in environment.items()),
            "mpiexec reads this file at every start; for all users, use the installation's intel64/etc/mpiexec.conf"
            + ("; the file cannot contain options" if usual.launcher_options else ""),
            usual.launcher_options,
        )

    def usual_values(self, variable: Variable) -> Steps | Choices | None:
        return _USUAL.get(variable.name)

    def is_network_only(self, variable: Variable) -> bool:
        return "_OFI_" in variable.name or variable.name == "I_MPI_FABRICS"

    def preselected(self, variable: Variable) -> bool:
        return _PRESELECTED.match(variable.name) is not None

    def relevant(self, variable: Variable) -> bool:
        return _RELEVANT.match(variable.name) is not None and _DIAGNOSTIC.search(variable.name) is None
