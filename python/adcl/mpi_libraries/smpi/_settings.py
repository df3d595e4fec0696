"""SMPI: `--help` of a simulation lists the items of SimGrid's configuration; the simulator logs each changed item."""

from __future__ import annotations

import functools
import re
import shlex
from typing import TYPE_CHECKING, ClassVar

from adcl.errors import AdclError
from adcl.jobs import Job, Placement, run_with
from adcl.mpi_libraries._base import SHELL_FILE, Advice, Evidence, MpiLibrary, Passed, option_words, split
from adcl.mpi_libraries._catalog import Catalog, Variable, VariableKind
from adcl.mpi_libraries._eager import EagerLimit, named
from adcl.mpi_libraries.smpi._launcher import FAMILY, SMPI
from adcl.tune.space import Choices, Steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.jobs import Family, Launcher, LauncherKind
    from adcl.tune.space import Configuration

__all__ = ["Smpi", "parse_help"]

_PREFIX = "smpi/"
_UNDERSCORES = ("reduce_scatter",)
"""Items with an underscore; all other names have hyphens."""

_OPERATIONS = (
    *("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "barrier", "bcast"),
    *("gather", "reduce", "reduce_scatter", "scatter"),
)
_ALL_SELECTORS = "default ompi mpich mvapich2 impi"
_SELECTORS = tuple(_ALL_SELECTORS.split())
_ITEM = re.compile(
    r"^ +(?P<name>\S+): (?P<text>.*)\n +Type: (?P<type>\w+); Current value: (?P<value>.*)$", re.MULTILINE
)
_KINDS: dict[str, VariableKind] = {"int": "number", "boolean": "switch"}
_CHANGED = re.compile(r"\[xbt_cfg/INFO\] Configuration change: Set '(?P<name>[^']+)' to '(?P<value>[^']*)'")
_NO_SPEED = re.compile(r"\[smpi_config/INFO\] You did not set the power of the host running the simulation")
_RELEVANT = re.compile(
    rf"{_PREFIX}(?:async-small-thresh|send-is-detached-thresh|coll-selector|{'|'.join(_OPERATIONS)})"
)
_LIST_S = 30.0
_PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="zone" routing="Full"><host id="host" speed="1Gf"/></zone></platform>
"""


def parse_help(text: str, library: str, source: str) -> Catalog:
    """Parse the list of SimGrid's configuration items. Raises `AdclError` if it has none of SMPI."""
    variables = {
        match["name"]: Variable(
            match["name"],
            "choice" if match["name"] == f"{_PREFIX}coll-selector" else _KINDS.get(match["type"], "text"),
            default=match["value"].strip(),
            description=match["text"].strip(),
            choices=dict.fromkeys(_SELECTORS) if match["name"] == f"{_PREFIX}coll-selector" else {},
            minimum=0 if match["name"].endswith("-thresh") else None,
        )
        for match in _ITEM.finditer(text)
        if match["name"].startswith(_PREFIX)
    }
    if not variables:
        raise AdclError(f"{source} did not print SimGrid's configuration; check the installation of SimGrid")
    return Catalog(library, source, variables)


@functools.cache
def _catalog(launcher: Launcher) -> Catalog:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory(prefix="adcl-") as folder:
        platform = Path(folder) / "platform.xml"
        platform.write_text(_PLATFORM, encoding="utf-8")
        # The simulator prints its configuration and exits before it loads the program.
        job = Job("true", ("--help",), ranks=1, timeout_s=_LIST_S, placement=Placement(platform=platform))
        found = run_with(job, launcher)
    return parse_help(found.stdout, f"SimGrid SMPI {launcher.version}", str(launcher.path))


class Smpi(MpiLibrary):
    """SimGrid's SMPI, which simulates all ranks in one process."""

    key: ClassVar[str] = "smpi"
    title: ClassVar[str] = "SMPI"
    family: ClassVar[Family] = FAMILY
    launchers: ClassVar[tuple[LauncherKind, ...]] = (SMPI,)
    eager_limits: ClassVar[tuple[EagerLimit, ...]] = (
        # SMPI sends a message that is smaller than the threshold without waiting for its receive.
        EagerLimit(named(rf"(?:{_PREFIX})?async[-_]small[-_]thresh"), overhead=1),
    )
    not_above: ClassVar[Mapping[str, str]] = {
        # Checked by MPI_Init.
        f"{_PREFIX}async-small-thresh": f"{_PREFIX}send-is-detached-thresh"
    }
    collective: ClassVar[re.Pattern[str]] = named(rf"{_PREFIX}(?P<operation>{'|'.join(_OPERATIONS)})")

    def full_name(self, name: str) -> str:
        short = name.removeprefix(_PREFIX).removeprefix("smpi_")
        return f"{_PREFIX}{short if short in _UNDERSCORES else short.replace('_', '-')}"

    def variable_name(self, name: str) -> str:
        return name

    def catalog(self, launcher: Launcher) -> Catalog:
        return _catalog(launcher)

    def _options(self, settings: Mapping[str, object]) -> list[str]:
        return [f"--cfg={self.full_name(name)}:{value}" for name, value in settings.items()]

    def passed(self, configuration: Configuration, launcher: Launcher, *, oversubscribed: bool) -> Passed:  # noqa: ARG002
        parts = split(configuration)
        options = (*self._options(parts.settings), *option_words(parts.options))
        return Passed({name: str(value) for name, value in parts.variables.items()}, options)

    def evidence(self, output: str) -> Evidence | None:
        effective = {match["name"]: match["value"] for match in _CHANGED.finditer(output)}
        return Evidence(effective) if effective else None

    def is_evidence(self, line: str) -> bool:
        return _CHANGED.search(line) is not None or _NO_SPEED.search(line) is not None

    def advice(self, configuration: Configuration) -> Advice:
        parts = split(configuration)
        options = shlex.join([*self._options(parts.settings), *option_words(parts.options)])
        lines = tuple(f"export {name}={shlex.quote(str(value))}" for name, value in parts.variables.items())
        text = "".join(f"{line}\n" for line in lines)
        note = f"{self.title} reads its settings from options of smpirun only"
        return Advice(lines, options, SHELL_FILE, text, note, shlex.join(option_words(parts.options)))

    def usual_values(self, variable: Variable) -> Steps | Choices | None:
        if variable.name.endswith("-thresh"):
            return Steps(1024, 1 << 20, multiply=2)
        return None

    def preselected(self, variable: Variable) -> bool:
        return variable.name in {self.full_name(name) for name in ("async_small_thresh", "coll_selector")}

    def relevant(self, variable: Variable) -> bool:
        return _RELEVANT.fullmatch(variable.name) is not None
