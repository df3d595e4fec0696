"""Implementation of ``adcl tune check`` and ``adcl tune init``."""

from __future__ import annotations

import dataclasses
import re
import shlex
import sys
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from adcl.cli._console import counted, output
from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from adcl.tune.file import Checked
    from adcl.tune.space import Parameter
    from adcl.tune.study import PhaseForecast

__all__ = ["announce_starting_file", "as_toml", "runs_text", "show", "starting_text", "values_text"]

_SHOWN = 6


def values_text(parameter: Parameter) -> str:
    """Format the values of a parameter; abbreviate a long list in the middle."""
    values = [str(value) for value in parameter.values]
    if len(values) > _SHOWN:
        values = [*values[: _SHOWN - 2], "…", values[-1]]
    return ", ".join(values)


def show(checked: Checked) -> None:
    """Print the contents of a tuning file."""
    from adcl.tune.study import forecast_study

    console = output()
    space = checked.space
    exact = "" if space.size_is_exact() else "at most "
    console.print(Text(f"{checked.catalog.library}, settings from {checked.catalog.source}", style="bold"))
    counts = f"{counted(len(space.parameters), 'parameter')}, {exact}{counted(space.size(), 'scenario')}"
    console.print(f"{counts}; search: {_search(checked)}")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("parameter", no_wrap=True)
    table.add_column("values", overflow="fold")
    table.add_column("default", overflow="fold")
    for parameter in space.parameters:
        values = Text(f"{len(parameter.values)}: {values_text(parameter)}")
        if parameter.when is not None:
            allowed = " or ".join(map(str, parameter.when.values))
            values.append(f"\nwhere {parameter.when.parameter} is {allowed}", style="dim")
        table.add_row(Text(parameter.name), values, "" if parameter.default is None else Text(str(parameter.default)))
    console.print(table)
    for case in checked.file.cases:
        words = "as on the command line" if case.program is None and case.arguments is None else ""
        words = words or " ".join([case.program or "PROGRAM", *(case.arguments or ())])
        ranks = "" if case.ranks is None else f" on {case.ranks} ranks"
        console.print(Text(f"case {case.name}: {words}{ranks}, weight {case.weight:g}"))
    for notice in checked.notices:
        console.print(Text(notice))
    console.print(Text(f"runs: {runs_text(forecast_study(checked.file, space))}"))


def runs_text(phases: Sequence[PhaseForecast], run_s: float | None = None) -> str:
    """Return the number of runs of the phases and, if the time of one run is known, their duration."""
    from adcl.pages import seconds

    parts = []
    for phase in phases:
        time = "" if run_s is None else f" ({seconds(phase.runs * run_s)})"
        few = "at most " if phase.at_most else "at least "
        parts.append(f"{phase.name} {few}{phase.runs}{time}")
    return ", ".join(parts)


def _search(checked: Checked) -> str:
    from adcl.tune.search import DEFAULT

    return checked.file.search or DEFAULT


def as_toml(checked: Checked) -> str:
    """Return the file as TOML."""
    from adcl.tune.file import write_toml

    return write_toml(dataclasses.replace(checked.file, space=checked.space))


def starting_text(mpi: str, *, ranks: int | None, network: bool, everything: bool) -> str:
    """Return a tuning file for the installation that `mpi` names. Raises `UsageError`."""
    from adcl.launch import launcher_for_settings
    from adcl.mpi_libraries import library_names, library_started_by
    from adcl.tune.file import starting_file

    launcher = launcher_for_settings(mpi, None if mpi in library_names() else mpi)
    library = library_started_by(launcher)
    if library is None:
        raise UsageError(
            f"{launcher} does not belong to a particular MPI library; name mpirun or mpiexec of the MPI library"
        )
    catalog = library.catalog(launcher)
    # A batch system's library can describe settings between machines; --all includes everything.
    unused = None if network or everything else library.unused_components(catalog, launcher)
    return starting_file(
        library, catalog, ranks=ranks, network=network, everything=everything, unused=unused or frozenset()
    )


def announce_starting_file(path: Path, text: str, mpi: str) -> None:
    """Print to standard error what a starting file contains and the next commands. `mpi` is the value of --mpi."""
    from adcl.mpi_libraries import library_names
    from adcl.tune.file import load

    parameters = len(load(path).space.parameters)
    further = re.search(r"^# (\d+) further variables", text, re.MULTILINE)
    comments = f", and {counted(int(further[1]), 'further variable')} as comments" if further else ""
    name = shlex.quote(str(path))
    launcher = "" if mpi in library_names() else f" --mpi {shlex.quote(mpi)}"
    sys.stderr.write(
        f"{name} has {counted(parameters, 'parameter')} with values{comments}. Next:\n"
        f"  adcl tune check {name}{launcher}\n  adcl tune run {name}{launcher} -n RANKS -- PROGRAM\n"
    )
