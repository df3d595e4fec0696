"""Part of a space: some parameters vary, all others stay as close as possible to the MPI library's defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.tune.space._space import Space

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adcl.tune.space._space import Configuration, Coordinates

__all__ = ["SpacePart", "nearest_scenario"]


@dataclass(frozen=True)
class _WholeSpaceConstraint:
    """Constraints of the whole space, applied to configurations of a part of it."""

    whole: Space
    text: str = "constraints of the whole space"

    def holds(self, configuration: Configuration) -> bool:
        """Return whether the configuration is allowed with all other parameters fixed."""
        places = {parameter.name: place for place, parameter in enumerate(self.whole.parameters)}
        found = list(self.whole.home())
        for name, value in configuration.items():
            found[places[name]] = self.whole.parameters[places[name]].positions[value]
        return self.whole.allows(self.whole.configuration(self.whole.canonical(tuple(found))))


@dataclass(frozen=True)
class SpacePart:
    """A space with a subset of another space's parameters; converts coordinates between both."""

    whole: Space
    places: tuple[int, ...]
    """Indices of the varying parameters in the whole space, ascending."""

    space: Space

    @staticmethod
    def of(whole: Space, places: Iterable[int]) -> SpacePart:
        """Return the part in which the parameters at `places` and their governors vary."""
        names = [parameter.name for parameter in whole.parameters]
        wanted, open_ = set(), list(places)
        while open_:
            place = open_.pop()
            wanted.add(place)
            condition = whole.parameters[place].when
            if condition is not None and names.index(condition.parameter) not in wanted:
                open_.append(names.index(condition.parameter))
        kept = tuple(sorted(wanted))
        constraints = (_WholeSpaceConstraint(whole),) if whole.constraints else ()
        return SpacePart(whole, kept, Space(tuple(whole.parameters[place] for place in kept), constraints))

    def lift(self, coordinates: Coordinates) -> Coordinates:
        """Return the canonical coordinates in the whole space."""
        found = list(self.whole.home())
        for place, position in zip(self.places, coordinates, strict=True):
            found[place] = position
        return self.whole.canonical(tuple(found))

    def project(self, coordinates: Coordinates) -> Coordinates | None:
        """Return the canonical coordinates in the part; None if a fixed parameter has another value."""
        found = self.space.canonical(tuple(coordinates[place] for place in self.places))
        return found if self.lift(found) == coordinates else None


def nearest_scenario(space: Space, configuration: Configuration) -> Coordinates | None:
    """Return the scenario with these values where they are in the domains, and defaults elsewhere.

    The configuration may belong to another space. None if the scenario is not allowed.
    """
    found = space.canonical(
        tuple(
            parameter.positions.get(configuration.get(parameter.name, ""), parameter.home)
            for parameter in space.parameters
        )
    )
    return found if space.allows(space.configuration(found)) else None
