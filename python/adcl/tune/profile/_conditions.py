"""Conditions of a profiled run: cores, other processes, and the current eager limits."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl._decode import DecodeError, decode
from adcl.errors import AdclError

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.mpi_libraries import Catalog, MpiLibrary

__all__ = ["CurrentLimit", "RunConditions", "current_limits", "read_conditions", "write_conditions"]

_FILE = "conditions.json"


@dataclass(frozen=True, slots=True)
class CurrentLimit:
    """An eager limit of the MPI library that applies to the profiled run."""

    name: str
    value: int
    """Value of the setting, in bytes."""

    largest_message: int
    """Bytes of the largest eager message: the value minus the library's header."""


@dataclass(frozen=True, slots=True)
class RunConditions:
    """State of the machine and the MPI library during the profiled run."""

    ranks: int
    cores: int | None = None
    """Cores for all ranks; None if the ranks ran on other machines."""

    busy: float = 0.0
    """Number of these cores in use by other processes before the run."""

    eager_limits: tuple[CurrentLimit, ...] = ()

    @property
    def waiting(self) -> float:
        """Minimum share of the time in which a rank waits for a core, with equal shares of the cores."""
        if self.cores is None:
            return 0.0
        return 1.0 - min(1.0, self.cores / (self.ranks + self.busy))

    @property
    def smallest_limit(self) -> CurrentLimit | None:
        """The smallest limit; None if no limit is known."""
        return min(self.eager_limits, key=lambda one: one.largest_message, default=None)


def current_limits(
    library: MpiLibrary, catalog: Catalog, *, one_node: bool, unused: frozenset[str] = frozenset()
) -> tuple[CurrentLimit, ...]:
    """Return the eager limits with a known value in `catalog`, without limits of networks for ranks on one node.

    `unused` has variables of components that the program does not use.
    """
    found = []
    for name, variable in catalog.variables.items():
        limit, value = library.eager_limit(name), variable.as_value(variable.default)
        out_of_use = variable.alias or name in unused or (one_node and library.is_network_only(variable))
        if limit is not None and isinstance(value, int) and value > 0 and not out_of_use:
            found.append(CurrentLimit(name, value, value - limit.overhead))
    return tuple(found)


def write_conditions(conditions: RunConditions, folder: Path) -> None:
    """Write the conditions next to the profile. Raises `AdclError`."""
    try:
        (folder / _FILE).write_text(json.dumps(dataclasses.asdict(conditions), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise AdclError(f"cannot write to {folder}: {error.strerror}") from error


def read_conditions(folder: Path) -> RunConditions | None:
    """Read the conditions; None if none were written. Raises `AdclError`."""
    path = folder / _FILE
    try:
        return decode(RunConditions, json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, DecodeError) as error:
        raise AdclError(f"cannot read {path}: {error}") from error
