"""Parameters, their values, and allowed combinations: the space that is searched."""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "Choices",
    "Condition",
    "Configuration",
    "Coordinates",
    "Parameter",
    "Space",
    "SpaceConstraint",
    "Steps",
    "Value",
]

Value: TypeAlias = str | int
Configuration: TypeAlias = Mapping[str, Value]
"""Values of the active parameters only. With the empty configuration, the MPI library uses its defaults."""

Coordinates: TypeAlias = tuple[int, ...]
"""For each parameter of a space, the position of its value in `Parameter.values`."""

_WIDE = 8
_NARROW_STEPS = 16
_MOST_VALUES = 1_000_000
_COUNT_LIMIT = 1 << 20


@dataclass(frozen=True)
class Steps:
    """Integers from `start` to at most `end`, with an increment or a factor.

    Without increment and factor, any integer between is allowed, and a grid is chosen: powers of two and the numbers
    halfway between them if the range is wide (the end at least 8 times the start), otherwise up to 17 equidistant
    numbers. The grid always includes both ends. Raises `UsageError`.
    """

    start: int
    end: int
    add: int | None = None
    multiply: int | None = None

    def __post_init__(self) -> None:
        """Reject ranges without a value or without an end."""
        if self.end < self.start:
            raise UsageError(f"a range cannot go from {self.start} to the smaller {self.end}")
        if self.add is not None and self.multiply is not None:
            raise UsageError("a range has either a step or a factor, not both")
        if self.add is not None and self.add < 1:
            raise UsageError(f"the step of a range must be at least 1, not {self.add}")
        if self.multiply is not None and self.multiply < 2:  # noqa: PLR2004
            raise UsageError(f"the factor of a range must be at least 2, not {self.multiply}")
        if self.add is not None and (self.end - self.start) // self.add >= _MOST_VALUES:
            raise UsageError(
                f"{self.start}:{self.add}:{self.end} has more than {_MOST_VALUES} values; enlarge the step"
            )
        if self.multiply is not None and self.start < 1:
            raise UsageError(f"a range with a factor must start at 1 or more, not at {self.start}")

    @functools.cached_property
    def values(self) -> tuple[int, ...]:
        """All values, ascending."""
        if self.add is not None:
            return tuple(range(self.start, self.end + 1, self.add))
        if self.multiply is not None:
            found = [self.start]
            while found[-1] * self.multiply <= self.end:
                found.append(found[-1] * self.multiply)
            return tuple(found)
        return self._grid()

    def _grid(self) -> tuple[int, ...]:
        if self.start >= 0 and self.end >= _WIDE * max(self.start, 1):
            powers = [1 << bit for bit in range(self.end.bit_length())]
            inner = {number for power in powers for number in (power, power + power // 2)}
        else:
            steps = min(self.end - self.start, _NARROW_STEPS)
            inner = {self.start + (self.end - self.start) * step // steps for step in range(1, steps)}
        return tuple(sorted({self.start, self.end} | {number for number in inner if self.start < number < self.end}))


@dataclass(frozen=True)
class Choices:
    """Listed values, in the order of the list. Raises `UsageError` if the list is empty or has duplicates."""

    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        """Reject empty lists and duplicates."""
        if not self.values:
            raise UsageError("a list of values cannot be empty")
        seen: set[Value] = set()
        for value in self.values:
            if value in seen:
                raise UsageError(f"the value {value} is listed twice")
            seen.add(value)


@dataclass(frozen=True)
class Condition:
    """Condition that a parameter is active only if `parameter` is active and has one of `values`."""

    parameter: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Parameter:
    """One setting of the MPI library."""

    name: str
    domain: Steps | Choices
    default: Value | None = None
    """Value that the MPI library uses by default; None if unknown. It may be outside the domain."""

    when: Condition | None = None
    switch: bool = False
    """Whether the parameter only enables other parameters."""

    @property
    def values(self) -> tuple[Value, ...]:
        """All values, in the order of their coordinates."""
        return self.domain.values

    @functools.cached_property
    def positions(self) -> Mapping[Value, int]:
        """Position of each value in `values`."""
        return {value: position for position, value in enumerate(self.values)}

    @functools.cached_property
    def ordered(self) -> bool:
        """Whether adjacent coordinates are adjacent numbers."""
        numbers = [value for value in self.values if isinstance(value, int)]
        return len(numbers) == len(self.values) and numbers == sorted(numbers)

    @functools.cached_property
    def home(self) -> int:
        """Coordinate of the default; of the nearest value if the domain lacks the default; 0 if it is unknown."""
        if self.default is not None and self.default in self.positions:
            return self.positions[self.default]
        if self.ordered and isinstance(self.default, int):
            default = self.default
            return min(range(len(self.values)), key=lambda position: abs(int(self.values[position]) - default))
        return 0


class SpaceConstraint(Protocol):
    """A condition on several parameters; `Constraint` is an implementation."""

    @property
    def text(self) -> str:
        """The value as the user wrote it."""

    def holds(self, configuration: Configuration) -> bool:
        """Return whether the configuration, which has active parameters only, is allowed."""


@dataclass(frozen=True)
class Space:
    """Parameters and their allowed combinations of values.

    A *scenario* is a configuration that sets exactly the active parameters, each to a value of its domain, and violates
    no constraint. Coordinates that differ only in inactive parameters denote the same scenario; the canonical
    coordinates have `Parameter.home` there. Raises `UsageError` for invalid parameters.
    """

    parameters: tuple[Parameter, ...]
    constraints: tuple[SpaceConstraint, ...] = ()

    def __post_init__(self) -> None:
        """Reject duplicate names, and conditions with unknown names or cycles."""
        names = [parameter.name for parameter in self.parameters]
        for place, name in enumerate(names):
            if name in names[:place]:
                raise UsageError(f"the parameter {name} is defined twice")
        for parameter in self.parameters:
            self._check_condition(parameter, names)

    def _check_condition(self, parameter: Parameter, names: Sequence[str]) -> None:
        condition, seen = parameter.when, [parameter.name]
        while condition is not None:
            if condition.parameter not in names:
                raise UsageError(f"{seen[-1]} depends on {condition.parameter}, which is not defined")
            if condition.parameter in seen:
                raise UsageError(f"the conditions of {', '.join(seen)} form a cycle; remove one")
            governor = self.parameters[names.index(condition.parameter)]
            for value in condition.values:
                if value not in governor.positions:
                    raise UsageError(f"{seen[-1]} depends on {governor.name}={value}, which is not one of its values")
            seen.append(governor.name)
            condition = governor.when

    @functools.cached_property
    def _index(self) -> Mapping[str, int]:
        return {parameter.name: place for place, parameter in enumerate(self.parameters)}

    @functools.cached_property
    def _governors(self) -> tuple[tuple[int, frozenset[int]] | None, ...]:
        """Return, for each parameter, the parameter of its condition and the coordinates that activate it."""
        return tuple(
            None
            if parameter.when is None
            else (
                self._index[parameter.when.parameter],
                frozenset(
                    self.parameters[self._index[parameter.when.parameter]].positions[v] for v in parameter.when.values
                ),
            )
            for parameter in self.parameters
        )

    @functools.cached_property
    def order(self) -> tuple[int, ...]:
        """Indices of the parameters; each parameter follows the parameter in its condition."""

        def depth(place: int) -> int:
            governor = self._governors[place]
            return 0 if governor is None else 1 + depth(governor[0])

        return tuple(sorted(range(len(self.parameters)), key=depth))

    @functools.cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each parameter."""
        return tuple(len(parameter.values) for parameter in self.parameters)

    def parameter(self, name: str) -> Parameter:
        """Return a parameter by name. Raises `UsageError`."""
        if name not in self._index:
            raise UsageError(f"unknown parameter {name}; parameters: {', '.join(self._index)}")
        return self.parameters[self._index[name]]

    def size(self) -> int:
        """Return the number of scenarios; an upper bound without constraints unless `size_is_exact`."""
        return self._size

    def size_is_exact(self) -> bool:
        """Whether `size` accounts for the constraints, which it does up to 2^20 combinations."""
        return not self.constraints or self._combinations <= _COUNT_LIMIT

    @functools.cached_property
    def _size(self) -> int:
        if self.constraints and self._combinations <= _COUNT_LIMIT:
            return sum(1 for _ in self.scenarios())
        return self._combinations

    @functools.cached_property
    def _combinations(self) -> int:
        """Return the number of scenarios without constraints; conditions arrange the parameters as a forest."""

        def below(place: int, position: int) -> int:
            return math.prod(
                count(dependent)
                for dependent, governor in enumerate(self._governors)
                if governor and governor[0] == place and position in governor[1]
            )

        def count(place: int) -> int:
            return sum(below(place, position) for position in range(self.shape[place]))

        return math.prod(count(place) for place, governor in enumerate(self._governors) if governor is None)

    def active_mask(self, coordinates: Coordinates) -> tuple[bool, ...]:
        """Return, for each parameter, whether it is active."""
        mask = [True] * len(self.parameters)
        for place in self.order:
            governor = self._governors[place]
            if governor is not None:
                mask[place] = mask[governor[0]] and coordinates[governor[0]] in governor[1]
        return tuple(mask)

    def active(self, configuration: Configuration) -> tuple[str, ...]:
        """Return the names of the active parameters in order; inactive parameters may also have values."""
        names: set[str] = set()
        for place in self.order:
            parameter = self.parameters[place]
            condition = parameter.when
            if condition is None or (
                condition.parameter in names and configuration.get(condition.parameter) in condition.values
            ):
                names.add(parameter.name)
        return tuple(parameter.name for parameter in self.parameters if parameter.name in names)

    def contains(self, configuration: Configuration) -> bool:
        """Return whether the coordinates are a scenario."""
        return (
            set(self.active(configuration)) == set(configuration)
            and all(value in self.parameter(name).positions for name, value in configuration.items())
            and self.allows(configuration)
        )

    def allows(self, configuration: Configuration) -> bool:
        """Return whether no constraint is violated."""
        return all(constraint.holds(configuration) for constraint in self.constraints)

    def canonical(self, coordinates: Coordinates) -> Coordinates:
        """Return the canonical coordinates of the same scenario."""
        mask = self.active_mask(coordinates)
        return tuple(
            position if active else parameter.home
            for position, active, parameter in zip(coordinates, mask, self.parameters, strict=True)
        )

    def configuration(self, coordinates: Coordinates) -> dict[str, Value]:
        """Return the values of the active parameters."""
        mask = self.active_mask(coordinates)
        return {
            parameter.name: parameter.values[position]
            for position, active, parameter in zip(coordinates, mask, self.parameters, strict=True)
            if active
        }

    def coordinates(self, configuration: Configuration) -> Coordinates:
        """Return the canonical coordinates. Inactive parameters are ignored; constraints are not checked.

        Raises `UsageError` if an active parameter has no value, or a value outside its domain.
        """
        found = [parameter.home for parameter in self.parameters]
        for name in self.active(configuration):
            parameter = self.parameter(name)
            if name not in configuration:
                raise UsageError(f"the configuration has no value for {name}")
            if configuration[name] not in parameter.positions:
                raise UsageError(f"{name} does not accept the value {configuration[name]}")
            found[self._index[name]] = parameter.positions[configuration[name]]
        return tuple(found)

    def home(self) -> Coordinates:
        """Return the canonical coordinates nearest to the MPI library's defaults; constraints are not checked."""
        return self.canonical(tuple(parameter.home for parameter in self.parameters))

    def changed(self, coordinates: Coordinates) -> tuple[int, ...]:
        """Return the indices of the active parameters whose values differ from the defaults."""
        mask = self.active_mask(coordinates)
        return tuple(
            place
            for place, (position, parameter) in enumerate(zip(coordinates, self.parameters, strict=True))
            if mask[place] and position != parameter.home
        )

    def scenarios(self) -> Iterator[Coordinates]:
        """Iterate over the canonical coordinates of every scenario; values of later parameters change first."""
        current = [parameter.home for parameter in self.parameters]

        def extend(depth: int, mask: list[bool]) -> Iterator[Coordinates]:
            if depth == len(self.order):
                found = tuple(current)
                if not self.constraints or self.allows(self.configuration(found)):
                    yield found
                return
            place = self.order[depth]
            governor = self._governors[place]
            mask[place] = governor is None or (mask[governor[0]] and current[governor[0]] in governor[1])
            for position in range(self.shape[place]) if mask[place] else (self.parameters[place].home,):
                current[place] = position
                yield from extend(depth + 1, mask)

        yield from extend(0, [True] * len(self.parameters))

    def __iter__(self) -> Iterator[dict[str, Value]]:
        """Iterate over every scenario once."""
        return map(self.configuration, self.scenarios())

    def changes_only_switches(self, coordinates: Coordinates) -> bool:
        """Return whether only parameters that enable others are changed; programs then behave as with the defaults."""
        return all(self.parameters[place].switch for place in self.changed(coordinates))

    def fingerprint(self) -> str:
        """Return a text that identifies the space, for files that outlive the process."""
        document = {
            "parameters": [
                {
                    "name": parameter.name,
                    "values": list(parameter.values),
                    "default": parameter.default,
                    "when": None if parameter.when is None else [parameter.when.parameter, list(parameter.when.values)],
                }
                for parameter in self.parameters
            ],
            "constraints": [constraint.text for constraint in self.constraints],
        }
        return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16]
