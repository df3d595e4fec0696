"""Existing settings of the user or the site: their origin, and how to run jobs without them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from adcl.mpi_libraries._catalog import Catalog

__all__ = ["ENVIRONMENT", "CleanEnvironment", "OwnSetting", "Whose", "assignments", "readable_path", "with_own"]

Whose: TypeAlias = Literal["library", "mine"]
"""Origin of the defaults: the MPI library alone, or also the settings of the user and the site."""

ENVIRONMENT = "the environment"


@dataclass(frozen=True)
class OwnSetting:
    """A setting that the user or the site has made."""

    name: str
    """Full name in the catalog, if the catalog has the setting."""

    value: str
    source: str
    """Origin: `ENVIRONMENT`, or a file, with the line if known."""

    stays: bool = False
    """Whether the setting applies to all runs, even with the library's defaults: it controls how or where ranks start,
    or which components and networks this machine can use, or it cannot be removed.
    """

    def __str__(self) -> str:
        """Format the setting in one line."""
        return f"{self.name} = {self.value} ({self.source})"


@dataclass(frozen=True)
class CleanEnvironment:
    """Variables and options that start a launcher without the settings of the user and the site."""

    environment: Mapping[str, str | None] = field(default_factory=dict)
    """Variables of the launcher's environment; None removes a variable."""

    options: tuple[str, ...] = ()


def with_own(catalog: Catalog, own: Iterable[OwnSetting], whose: Whose) -> Catalog:
    """Return the catalog with the defaults that apply in runs: settings in `own` that are kept, or all of them."""
    holding = {one.name: one.value for one in own if one.stays or whose == "mine"}
    variables = {
        name: dataclasses.replace(variable, default=holding[name]) if name in holding else variable
        for name, variable in catalog.variables.items()
    }
    return dataclasses.replace(catalog, variables=variables) if holding else catalog


def readable_path(path: Path) -> str:
    """Abbreviate the user's home folder to ~ in a path."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and home != Path("/") else str(path)


def assignments(path: Path) -> list[tuple[str, str, str]]:
    """Parse lines ``name = value`` of a file without comments: name, value, and file with line.

    Returns none if the file does not exist or cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    found = []
    for number, line in enumerate(lines, 1):
        name, equals, value = line.partition("#")[0].partition("=")
        if equals and name.strip():
            found.append((name.strip(), value.strip(), f"{readable_path(path)}:{number}"))
    return found
