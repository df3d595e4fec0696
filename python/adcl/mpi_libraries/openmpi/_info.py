"""Open MPI's MCA parameters, and the origin of settings that the user or the site has made."""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.errors import AdclError
from adcl.mpi_libraries._catalog import Catalog, Variable, VariableKind
from adcl.mpi_libraries._mpi_t import read_catalog
from adcl.mpi_libraries._native import ask, companion, companion_environment
from adcl.mpi_libraries._own import ENVIRONMENT, OwnSetting, assignments, readable_path

if TYPE_CHECKING:
    from adcl.jobs import Launcher

__all__ = [
    "LAUNCHER_FRAMEWORKS",
    "PREFIX",
    "aliases_in_file",
    "catalog_of",
    "found_settings",
    "is_kept",
    "parse_ompi_info",
    "readable_source",
    "settings_of_launcher",
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

# Frameworks of the run-time environment: only the launcher and its daemons read them.
LAUNCHER_FRAMEWORKS = re.compile(
    r"^(?:rmaps|plm|oob|odls|ras|rml|routed|grpcomm|iof|errmgr|state|regx|schizo|filem|rtc|sstore|snapc|orte|prte)(?:_|$)"
)

_FRAMEWORK = re.compile(r"^[a-z]+$")
_NETWORKS = re.compile(r"_if_(?:in|ex)clude$")

_TALK = re.compile(r"verbose|_debug|monitoring|show_|abort|warn|stacktrace|_dump|port_m|directory")


def parse_ompi_info(text: str) -> dict[str, Variable]:
    """Parse the output of ``ompi_info --all --parsable``."""
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
    type_name = known.get("type", "")
    kind: VariableKind = "text"
    if type_name == "bool" or set(items) == {"true", "false"}:
        kind = "switch"
    elif items:
        kind = "choice"
    elif type_name in _NUMBERS:
        kind = "number"
    unsigned = type_name.startswith(("unsigned", "size", "uint"))
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
        settable=type_name != "version_string" and not name.endswith("_version"),
        source=source,
    )


def environment_of(launcher: Launcher) -> dict[str, str]:
    """Return the environment for programs next to the launcher, whose prefix may have moved since the build."""
    environment = companion_environment(launcher)
    prefix = launcher.path.resolve().parent.parent
    if (prefix / "etc" / _SITE_FILE).is_file():
        environment.setdefault("OPAL_PREFIX", str(prefix))
    return environment


def _read(launcher: Launcher, environment: dict[str, str]) -> Catalog:
    program = companion(launcher, ("ompi_info.openmpi", "ompi_info"))
    library = f"{launcher.kind.title} ({launcher.version})"
    if program is not None:
        variables = parse_ompi_info(ask([program, "--all", "--parsable"], environment))
        if variables:
            return Catalog(library, str(program), variables)
    found = read_catalog(launcher, ("mpicc.openmpi", "mpicc"), environment)
    if "Open MPI" not in found.library:
        raise AdclError(
            f"{found.source} belongs to {found.library} and not to {launcher}; name the right launcher with --mpi"
        )
    return found


@functools.cache
def catalog_of(launcher: Launcher) -> Catalog:
    """Return all parameters with the library's own defaults. Raises `AdclError`."""
    # Remove the settings of the user and the site, so that the values are the library's defaults.
    environment = {name: value for name, value in environment_of(launcher).items() if not name.startswith(PREFIX)}
    return _read(launcher, {**environment, _PARAM_FILES: "none"})


def found_settings(launcher: Launcher, catalog: Catalog, *, exported: bool) -> dict[str, tuple[str, str]]:
    """Return settings in files, including those also `exported` in the environment: value and source by full name."""
    environment = environment_of(launcher)
    if not exported:
        keep = f"{PREFIX}mca_"
        environment = {
            name: value for name, value in environment.items() if not name.startswith(PREFIX) or name.startswith(keep)
        }
    read, found = _read(launcher, environment), {}
    # MPI_T does not report the origin of a value.
    untold = read.source.startswith("MPI_T")
    for name, variable in read.variables.items():
        own, source = catalog.variables.get(name), variable.source
        if untold and own is not None and variable.default != own.default and not name.startswith("mca_"):
            source = ENVIRONMENT if f"{PREFIX}{name}" in environment else "a file that Open MPI reads"
        if source and not variable.alias:
            found[name] = (variable.default, source)
    return found


def aliases_in_file(name: str, source: str, catalog: Catalog) -> list[str]:
    """Return the other names of a parameter that set it in a file; `source` is the file with a line."""
    written = {one for one, _, _ in assignments(Path(source.rpartition(":")[0]))}
    return [one for one in sorted(written) if one in catalog.variables and catalog.variables[one].alias == name]


def is_kept(name: str, source: str) -> bool:
    """Return whether a setting controls how or where ranks start, the use of this machine, or only output.

    In a site's file, the selection of components counts as use of the machine. A file of overrides has the highest
    precedence.
    """
    of_site = source != ENVIRONMENT and not source.startswith(str(Path.home()))
    return (
        name.startswith("mca_")
        or _OVERRIDE in source
        or (of_site and _FRAMEWORK.match(name) is not None)
        or any(pattern.search(name) is not None for pattern in (LAUNCHER_FRAMEWORKS, _NETWORKS, _TALK))
    )


def settings_of_launcher(launcher: Launcher) -> list[OwnSetting]:
    """Return the settings for Open MPI 5's launcher and for PMIx."""
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
    """Format a source reported by ompi_info, a file with a line, with ~ for the user's home."""
    return source if source == ENVIRONMENT or not source.startswith("/") else readable_path(Path(source))
