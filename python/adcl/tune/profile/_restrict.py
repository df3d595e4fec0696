"""Remove settings from a space that a profile shows to be irrelevant. Pure.

- Eager limits (A. Sikora et al., section 4.2) stay only if `EagerLimitDependency` holds, reduced to the range of the
most frequent message sizes, or unchanged if most of the time in MPI is in collective operations. The memory for eager
messages follows by Expression (1), even if the default is larger: A. Sikora et al. found smaller buffers to be faster
(section 6.2).
- Settings of a collective operation that the program does not call, or that takes less than 1 % of the time, and
unused settings of one-sided communication keep their defaults.
- For a program that hardly communicates, only settings that bind ranks to cores stay.
- For several programs, or several inputs, a setting stays if it matters for one of them.

The method of A. Sikora et al. evaluates only eager limits and the memory for eager messages.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from adcl.errors import UsageError
from adcl.mpi_libraries import UNSET
from adcl.tune.profile._conditions import CurrentLimit
from adcl.tune.profile._properties import (
    EagerRange,
    collectives_dominate,
    eager_limit_dependency,
    eager_limit_dependency_as_in_paper,
    find_properties,
    mpi_matters,
    one_sided_used,
    unused_collectives,
)
from adcl.tune.space import Choices, Condition, Parameter, Space, Steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.mpi_libraries import EagerLimit, MemoryBuffer, MpiLibrary
    from adcl.tune.profile._properties import EagerLimitDependency, ProfileMethod, Property
    from adcl.tune.profile._read import Profile

__all__ = ["ParameterChange", "Restriction", "restrict", "restrict_for_all"]

_MOST_STEPS = 16


@dataclass(frozen=True, slots=True)
class ParameterChange:
    """Change of one parameter. A dropped parameter keeps the MPI library's default."""

    parameter: str
    kind: Literal["cut", "dropped"]
    before: tuple[str | int, ...]
    after: tuple[str | int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Restriction:
    """Properties of a profile, the remaining space, and all changes.

    `space` may have no parameters: then no setting can make this program faster.
    """

    space: Space
    properties: tuple[Property, ...]
    changes: tuple[ParameterChange, ...]

    def found(self, name: str) -> Property:
        """Return the property with this name. Raises `UsageError`."""
        for known in self.properties:
            if known.name == name:
                return known
        raise UsageError(f"unknown property {name}; properties: {', '.join(known.name for known in self.properties)}")


def _cut(parameter: Parameter, wanted: EagerRange, largest: int | None) -> Parameter | None:
    """Intersect the parameter with the range; None if the intersection is empty."""
    high = wanted.high if largest is None else min(wanted.high, largest)
    if isinstance(parameter.domain, Choices):
        numbers = tuple(value for value in parameter.values if isinstance(value, int) and wanted.low <= value <= high)
        left = tuple(value for value in parameter.values if value == UNSET or value in numbers)
        return dataclasses.replace(parameter, domain=Choices(left)) if numbers else None
    low, high = max(wanted.low, parameter.domain.start), min(high, parameter.domain.end)
    if low > high:
        return None
    return dataclasses.replace(parameter, domain=Steps(low, high, add=wanted.step))


def _cut_eager(parameter: Parameter, row: EagerLimit, wanted: EagerRange) -> tuple[Parameter, str]:
    """Intersect an eager limit with the range; return it unchanged if the intersection is empty."""
    reason = f"most messages near the limit are {wanted.low} to {wanted.high} bytes long"
    if row.overhead:
        # A limit must include the header to admit the largest of these messages.
        wanted = dataclasses.replace(wanted, high=wanted.high + wanted.step)
    return _cut(parameter, wanted, row.largest) or parameter, reason


def _unused(parameter: Parameter, library: MpiLibrary, profile: Profile) -> str:
    """Return why the parameter cannot affect the program; empty if it can."""
    matters = mpi_matters(profile)
    if not matters.holds and matters.confidence > 0 and not library.is_placement(parameter.name):
        return matters.text
    if library.is_one_sided(parameter.name) and not one_sided_used(profile).holds:
        return "the program does not use one-sided communication"
    operation = library.operation(parameter.name)
    if operation is not None and {operation, operation.removeprefix("i")} & unused_collectives(profile):
        name = f"MPI_{operation.removeprefix('i').capitalize()}"
        return f"the program does not call {name} or spends less than 1% of the time in it"
    return ""


def _judge(
    parameter: Parameter, space: Space, profile: Profile, eager: EagerLimitDependency, library: MpiLibrary
) -> tuple[Parameter | None, str]:
    """Return the remaining parameter and the reason for the change; the reason is empty without a change."""
    reason = _unused(parameter, library, profile)
    if reason:
        return None, reason
    limit = library.eager_limit(parameter.name)
    if limit is not None and isinstance(parameter.default, int):
        largest = parameter.default - limit.overhead
        eager = eager_limit_dependency(profile, CurrentLimit(parameter.name, parameter.default, largest))
    if limit is not None and eager.range is None and collectives_dominate(profile).holds:
        # Collective operations use messages whose sizes are not in the profile.
        return parameter, ""
    return _judge_eager(parameter, space, profile, eager, library)


def _judge_eager(
    parameter: Parameter, space: Space, profile: Profile, eager: EagerLimitDependency, library: MpiLibrary
) -> tuple[Parameter | None, str]:
    """Return the remaining eager limit or memory for eager messages, and the reason; other parameters are unchanged."""
    limit, buffer = library.eager_limit(parameter.name), library.memory_buffer(parameter.name)
    if limit is not None:
        return (None, eager.text) if eager.range is None else _cut_eager(parameter, limit, eager.range)
    if buffer is None or eager.range is None:
        return parameter, ""
    cut = _cut(parameter, _memory(buffer, eager.range, profile.ranks, space), buffer.largest)
    default = parameter.default
    if cut is not None and isinstance(default, int) and set(cut.values) != {default} and len(cut.values) == 1:
        # A single value would be set in all runs without a comparison.
        cut = dataclasses.replace(cut, domain=Choices((default, *cut.values)))
    return cut or parameter, buffer.text


def _memory(buffer: MemoryBuffer, limits: EagerRange, ranks: int, space: Space) -> EagerRange:
    """Return the range of the memory for eager messages, for an eager limit in the range `limits`.

    In bytes the step is n for each KB, as in A. Sikora et al. The number of cells has as many values as the sizes that
    are tried.
    """
    if buffer.cells is None:
        low, high = buffer.required_size(limits.low, ranks), buffer.required_size(limits.high, ranks)
        return EagerRange(low, high, max(1, (high - low) * limits.step // (2 * max(limits.high - limits.low, 1))))
    sizes: list[int | None] = [None]
    pattern = buffer.cells.size
    if pattern is not None:
        found = [parameter for parameter in space.parameters if pattern.fullmatch(parameter.name)]
        known = [value for parameter in found for value in (*parameter.values, parameter.default)]
        sizes = [value for value in known if isinstance(value, int) and value > 0] or sizes
    counts = [buffer.required_size(limit, ranks, size) for limit in (limits.low, limits.high) for size in sizes]
    low, high = min(counts), max(counts)
    return EagerRange(low, high, max(1, math.ceil((high - low) / _MOST_STEPS)))


def _adapt_conditions(space: Space, kept: list[Parameter], changes: list[ParameterChange]) -> tuple[Parameter, ...]:
    """Adapt conditions on dropped and reduced parameters.

    A dropped parameter has its default, a reduced parameter has fewer values. Parameters that are dropped as a
    consequence are appended to `changes`.
    """
    inactive: set[str] = set()
    while True:
        here = {parameter.name: parameter for parameter in kept}
        settled: list[Parameter] = []
        for parameter in kept:
            when = parameter.when
            if when is None:
                settled.append(parameter)
            elif when.parameter in here:
                left = tuple(value for value in when.values if value in here[when.parameter].positions)
                if left:
                    settled.append(dataclasses.replace(parameter, when=Condition(when.parameter, left)))
            elif when.parameter not in inactive and space.parameter(when.parameter).default in {None, *when.values}:
                settled.append(dataclasses.replace(parameter, when=None))
        names = {parameter.name for parameter in settled}
        for parameter in kept:
            if parameter.name not in names and parameter.when is not None:
                reason = f"it has an effect only for values of {parameter.when.parameter} that are no longer tried"
                changes.append(ParameterChange(parameter.name, "dropped", parameter.values, (), reason))
                inactive.add(parameter.name)
        if settled == kept:
            return tuple(settled)
        kept = settled


def _without_unused_switches(
    space: Space, kept: tuple[Parameter, ...], library: MpiLibrary, changes: list[ParameterChange]
) -> tuple[Parameter, ...]:
    """Drop parameters that enable only parameters that were dropped. Append them to `changes`."""
    before = {parameter.when.parameter for parameter in space.parameters if parameter.when is not None}
    there = {parameter.when.parameter for parameter in kept if parameter.when is not None}
    left = []
    for parameter in kept:
        if parameter.name in before - there and library.only_enables_others(parameter.name):
            reason = "the settings that depend on it are not tried"
            changes.append(ParameterChange(parameter.name, "dropped", parameter.values, (), reason))
        else:
            left.append(parameter)
    return tuple(left)


def _union(parameter: Parameter, parts: list[Parameter]) -> Parameter:
    """Return the union of several reductions of a parameter, each of which has all or a subset of its values."""
    if any(part.values == parameter.values for part in parts):
        return parameter
    steps = [part.domain for part in parts if isinstance(part.domain, Steps)]
    if len(steps) == len(parts):
        add = min((domain.add for domain in steps if domain.add is not None), default=None)
        low, high = min(domain.start for domain in steps), max(domain.end for domain in steps)
        return dataclasses.replace(parameter, domain=Steps(low, high, add=add))
    wanted = {value for part in parts for value in part.values}
    return dataclasses.replace(parameter, domain=Choices(tuple(value for value in parameter.values if value in wanted)))


def restrict(space: Space, profile: Profile, library: MpiLibrary, method: ProfileMethod = "evidence") -> Restriction:
    """Drop or reduce the parameters that the profile covers; leave all other parameters unchanged."""
    return restrict_for_all(space, (profile,), library, method)


def restrict_for_all(
    space: Space, profiles: Sequence[Profile], library: MpiLibrary, method: ProfileMethod = "evidence"
) -> Restriction:
    """Drop parameters that matter for none of several profiled runs, and reduce all other parameters to their union.

    The restriction has the properties of all runs, in order.
    """
    by_paper = method == "paper"
    dependency, judge = (
        (eager_limit_dependency_as_in_paper, _judge_eager) if by_paper else (eager_limit_dependency, _judge)
    )
    eager = [dependency(profile) for profile in profiles]
    kept: list[Parameter] = []
    changes: list[ParameterChange] = []
    for parameter in space.parameters:
        judged = [judge(parameter, space, *found, library) for found in zip(profiles, eager, strict=True)]
        parts = [part for part, _ in judged if part is not None]
        left = bool(parts)
        reason = "; ".join(dict.fromkeys(why for part, why in judged if why and (part is not None) is left))
        if not left:
            changes.append(ParameterChange(parameter.name, "dropped", parameter.values, (), reason))
            continue
        kept.append(_union(parameter, parts))
        if kept[-1].values != parameter.values:
            changes.append(ParameterChange(parameter.name, "cut", parameter.values, kept[-1].values, reason))
    parameters = _without_unused_switches(space, _adapt_conditions(space, kept, changes), library, changes)
    properties = tuple(one for profile in profiles for one in find_properties(profile, method))
    return Restriction(Space(parameters, space.constraints), properties, tuple(changes))
