"""What Open MPI tells of its MCA parameters, and where those come from that the user or the site has set."""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.errors import AdclError
from adcl.mpi_libraries._catalogue import Catalogue, Variable, VariableKind
from adcl.mpi_libraries._mpi_t import read_catalogue
from adcl.mpi_libraries._native import ask, companion, companion_environment
from adcl.mpi_libraries._own import ENVIRONMENT, OwnSetting, assignments, readable_path

if TYPE_CHECKING:
    from adcl.jobs import Launcher

__all__ = [
    "LAUNCHER_FRAMEWORKS",
    "PREFIX",
    "aliases_in_file",
    "catalogue_of",
    "found_settings",
    "parse_ompi_info",
    "readable_source",
    "settings_of_launcher",
    "stays",
]

PREFIX = "OMPI_MCA_"

_LINE = re.compile(r"^mca:[^:]*:[^:]*:param:(\w+):([a-z_]+):(.*)$")
_FILE = re.compile(r"file \((.+)\)")
_PARAM_FILES = f"{PREFIX}mca_base_param_files"
_SITE_FILE = "openmpi-mca-params.conf"
_OVERRIDE = "mca-params-override.conf"
_OF_LAUNCHER = ("PRTE_MCA_", "PMIX_MCA_")
_ITEM = re.compile(r"value:(-?\d+):(.+)")

_NUMBERS = frozenset(
    (
        "int",
        "unsigned_int",
        "unsigned_long",
        "unsigned_long_long",
        "size_t",
        "long",
        "int32_t",
        "uint32_t",
        "int64_t",
        "uint64_t",
    )
)

# Frameworks of the run-time environment: the launcher and its daemons read them, and ranks do not.
LAUNCHER_FRAMEWORKS = re.compile(
    r"^(?:rmaps|plm|oob|odls|ras|rml|routed|grpcomm|iof|errmgr|state|regx|schizo|filem|rtc|sstore|snapc|orte|prte)(?:_|$)"
)

_FRAMEWORK = re.compile(r"^[a-z]+$")
_NETWORKS = re.compile(r"_if_(?:in|ex)clude$")

_TALK = re.compile(r"verbose|_debug|monitoring|show_|abort|warn|stacktrace|_dump|port_m|directory")


def parse_ompi_info(text: str) -> dict[str, Variable]:
    """Read the output of ``ompi_info --all --parsable``."""
    facts: dict[str, dict[str, str]] = {}
    items: dict[str, dict[str, int | None]] = {}
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        name, fact, rest = match.groups()
        if fact == "enumerator":
            item = _ITEM.match(rest)
            if item:
                items.setdefault(name, {})[item[2]] = int(item[1])
        else:
            facts.setdefault(name, {})[fact] = rest
    return {name: _variable(name, known, items.get(name, {})) for name, known in facts.items()}


def _variable(name: str, known: dict[str, str], items: dict[str, int | None]) -> Variable:
    told = known.get("type", "")
    kind: VariableKind = "text"
    if told == "bool" or set(items) == {"true", "false"}:
        kind = "switch"
    elif items:
        kind = "choice"
    elif told in _NUMBERS:
        kind = "number"
    unsigned = told.startswith(("unsigned", "size", "uint"))
    told_source = known.get("source", "")
    in_file = _FILE.fullmatch(told_source)
    source = in_file[1] if in_file is not None else ENVIRONMENT if told_source == "environment" else ""
    return Variable(
        name,
        kind,
        default=known.get("value", ""),
        description=known.get("help", "").strip('"'),
        alias=known["synonym_of"].removeprefix("name:") if "synonym_of" in known else "",
        choices=items if kind == "choice" else {},
        minimum=0 if kind == "number" and unsigned else None,
        settable=told != "version_string" and not name.endswith("_version"),
        source=source,
    )


def environment_of(launcher: Launcher) -> dict[str, str]:
    """The environment for what lies beside the launcher, which may have been moved since it was built."""
    environment = companion_environment(launcher)
    prefix = launcher.path.resolve().parent.parent
    if (prefix / "etc" / _SITE_FILE).is_file():
        environment.setdefault("OPAL_PREFIX", str(prefix))
    return environment


def _read(launcher: Launcher, environment: dict[str, str]) -> Catalogue:
    program = companion(launcher, ("ompi_info.openmpi", "ompi_info"))
    library = f"{launcher.kind.title} ({launcher.version})"
    if program is not None:
        variables = parse_ompi_info(ask([program, "--all", "--parsable"], environment))
        if variables:
            return Catalogue(library, str(program), variables)
    found = read_catalogue(launcher, ("mpicc.openmpi", "mpicc"), environment)
    if "Open MPI" not in found.library:
        raise AdclError(
            f"{found.source} belongs to {found.library} and not to {launcher}; name the right launcher with --mpi"
        )
    return found


@functools.cache
def catalogue_of(launcher: Launcher) -> Catalogue:
    """Return all parameters with the library's own defaults. Raises `AdclError`."""
    # What the user or the site has set is no default of the library.
    environment = {name: value for name, value in environment_of(launcher).items() if not name.startswith(PREFIX)}
    return _read(launcher, {**environment, _PARAM_FILES: "none"})


def found_settings(launcher: Launcher, catalogue: Catalogue, *, exported: bool) -> dict[str, tuple[str, str]]:
    """What is set in files, and where it is `exported` in the environment too: value and source by full name."""
    environment = environment_of(launcher)
    if not exported:
        keep = f"{PREFIX}mca_"
        environment = {
            name: value for name, value in environment.items() if not name.startswith(PREFIX) or name.startswith(keep)
        }
    read, found = _read(launcher, environment), {}
    # MPI_T does not tell where a value comes from.
    untold = read.source.startswith("MPI_T")
    for name, variable in read.variables.items():
        own, source = catalogue.variables.get(name), variable.source
        if untold and own is not None and variable.default != own.default and not name.startswith("mca_"):
            source = ENVIRONMENT if f"{PREFIX}{name}" in environment else "a file that Open MPI reads"
        if source and not variable.alias:
            found[name] = (variable.default, source)
    return found


def aliases_in_file(name: str, source: str, catalogue: Catalogue) -> list[str]:
    """Return the other names of a parameter under which a file, which `source` names with a line, sets it too."""
    written = {one for one, _, _ in assignments(Path(source.rpartition(":")[0]))}
    return [one for one in sorted(written) if one in catalogue.variables and catalogue.variables[one].alias == name]


def stays(name: str, source: str) -> bool:
    """Whether a setting says how or where ranks are started, or what this machine can use, or only makes Open MPI talk.

    Which components there are is such a thing in a file of the site. A file of overrides is stronger than anything.
    """
    of_site = source != ENVIRONMENT and not source.startswith(str(Path.home()))
    return (
        name.startswith("mca_")
        or _OVERRIDE in source
        or (of_site and _FRAMEWORK.match(name) is not None)
        or any(pattern.search(name) is not None for pattern in (LAUNCHER_FRAMEWORKS, _NETWORKS, _TALK))
    )


def settings_of_launcher(launcher: Launcher) -> list[OwnSetting]:
    """What is set for the launcher of Open MPI 5 and for PMIx."""
    found = [
        OwnSetting(name, value, ENVIRONMENT, stays=True)
        for name, value in sorted(os.environ.items())
        if name.startswith(_OF_LAUNCHER)
    ]
    for part in ("prte", "pmix"):
        site = launcher.path.resolve().parent.parent / "etc" / f"{part}-mca-params.conf"
        for path in (Path.home() / f".{part}" / "mca-params.conf", site):
            found += [
                OwnSetting(f"{part.upper()}_MCA_{name}", value, source, stays=True)
                for name, value, source in assignments(path)
            ]
    return found


def readable_source(source: str) -> str:
    """Write a source of ompi_info's, a file with a line, below the user's home."""
    return source if source == ENVIRONMENT or not source.startswith("/") else readable_path(Path(source))
