"""Under which conditions a program was profiled: cores, other processes, and the eager limits in force."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl._decode import DecodeError, decode
from adcl.errors import AdclError

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.mpi_libraries import Catalogue, MpiLibrary

__all__ = ["LimitInForce", "RunConditions", "limits_in_force", "read_conditions", "write_conditions"]

_FILE = "conditions.json"


@dataclass(frozen=True, slots=True)
class LimitInForce:
    """An eager limit of the MPI library that holds for the profiled run."""

    name: str
    value: int
    """As it is set, in bytes."""

    largest_message: int
    """Bytes of the largest message that is sent eagerly: the value without what the library adds to a message."""


@dataclass(frozen=True, slots=True)
class RunConditions:
    """What the machine and the MPI library were like when the profile was taken."""

    ranks: int
    cores: int | None = None
    """Cores for all ranks; None where the ranks ran on other machines."""

    busy: float = 0.0
    """How many of these cores other processes kept busy before the run."""

    eager_limits: tuple[LimitInForce, ...] = ()

    @property
    def waiting(self) -> float:
        """The share of the time in which a rank waits for a core, at least, where all get the same share of them."""
        if self.cores is None:
            return 0.0
        return 1.0 - min(1.0, self.cores / (self.ranks + self.busy))

    @property
    def smallest_limit(self) -> LimitInForce | None:
        """The limit that the first messages exceed; None where no limit is known."""
        return min(self.eager_limits, key=lambda one: one.largest_message, default=None)


def limits_in_force(
    library: MpiLibrary, catalogue: Catalogue, *, one_node: bool, unused: frozenset[str] = frozenset()
) -> tuple[LimitInForce, ...]:
    """Return the eager limits whose values `catalogue` knows, without those of networks for ranks on one node.

    `unused` has variables of components that the program does not use.
    """
    found = []
    for name, variable in catalogue.variables.items():
        limit, value = library.eager_limit(name), variable.as_value(variable.default)
        out_of_use = variable.alias or name in unused or (one_node and library.of_network(variable))
        if limit is not None and isinstance(value, int) and value > 0 and not out_of_use:
            found.append(LimitInForce(name, value, value - limit.overhead))
    return tuple(found)


def write_conditions(conditions: RunConditions, folder: Path) -> None:
    """Write the conditions beside the profile. Raises `AdclError`."""
    try:
        (folder / _FILE).write_text(json.dumps(dataclasses.asdict(conditions), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise AdclError(f"cannot write into {folder}: {error.strerror}") from error


def read_conditions(folder: Path) -> RunConditions | None:
    """Read what `write_conditions` has written; None where nothing is there. Raises `AdclError`."""
    path = folder / _FILE
    try:
        return decode(RunConditions, json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, DecodeError) as error:
        raise AdclError(f"{path} cannot be read: {error}") from error
