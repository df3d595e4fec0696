"""Settings that the user or the site has made already: where each comes from, and how a job does without them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from adcl.mpi_libraries._catalogue import Catalogue

__all__ = ["ENVIRONMENT", "Bare", "OwnSetting", "Whose", "assignments", "readable_path", "with_own"]

Whose: TypeAlias = Literal["library", "mine"]
"""Whose values the defaults are: the MPI library's own, or those that the user or the site has made of them."""

ENVIRONMENT = "the environment"


@dataclass(frozen=True)
class OwnSetting:
    """A setting of the MPI library that the user or the site has made."""

    name: str
    """As the catalog has it, where it is in the catalog."""

    value: str
    source: str
    """Where it is set: `ENVIRONMENT`, or a file, with the line where it is known."""

    stays: bool = False
    """Whether it holds in all runs, also where the defaults are the library's: it says how or where ranks are started,
    or which components and networks this machine can use, or it cannot be left out."""

    def __str__(self) -> str:
        """Tell it in one line."""
        return f"{self.name} = {self.value} ({self.source})"


@dataclass(frozen=True)
class Bare:
    """How a launcher is started so that settings of the user and the site do not hold."""

    environment: Mapping[str, str | None] = field(default_factory=dict)
    """Variables of the launcher; None: it does not see the one that there is."""

    options: tuple[str, ...] = ()


def with_own(catalogue: Catalogue, own: Iterable[OwnSetting], whose: Whose) -> Catalogue:
    """Return the catalog with the defaults that hold in runs: with those of `own` that stay, or with all of them."""
    holding = {one.name: one.value for one in own if one.stays or whose == "mine"}
    variables = {
        name: dataclasses.replace(variable, default=holding[name]) if name in holding else variable
        for name, variable in catalogue.variables.items()
    }
    return dataclasses.replace(catalogue, variables=variables) if holding else catalogue


def readable_path(path: Path) -> str:
    """Write a path as a shell would, below the user's home."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and home != Path("/") else str(path)


def assignments(path: Path) -> list[tuple[str, str, str]]:
    """Read lines ``name = value`` of a file, comments left out: name, value, and the file with the line.

    None of them where there is no such file, or none that can be read.
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
