"""Detect contradicting constraints: whether any combination of values satisfies all of them. Pure."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.tune.space._space import Space, SpaceConstraint, Value

__all__ = ["conflict", "satisfiable"]

_MOST_STEPS = 150_000


class _StepLimitReached(Exception):  # noqa: N818 - not an error, but the end of a search
    """The search exceeded its maximum number of steps."""


def _names(space: Space, constraint: SpaceConstraint) -> list[str]:
    """Return the parameters of a constraint in order: a parameter follows the parameters in its condition."""
    own = getattr(constraint, "names", None) or [parameter.name for parameter in space.parameters]
    found: dict[str, None] = {}
    for name in own:
        chain = [name]
        while (condition := space.parameter(chain[-1]).when) is not None:
            chain.append(condition.parameter)
        found.update(dict.fromkeys(reversed(chain)))
    return list(found)


def _independent_groups(space: Space) -> list[list[SpaceConstraint]]:
    """Divide the constraints into groups without common parameters."""
    groups: list[tuple[set[str], list[SpaceConstraint]]] = []
    for constraint in space.constraints:
        names, members = set(_names(space, constraint)), [constraint]
        for group in [group for group in groups if group[0] & names]:
            names |= group[0]
            members = group[1] + members
            groups.remove(group)
        groups.append((names, members))
    return [members for _, members in groups]


def _satisfied(space: Space, constraints: Sequence[SpaceConstraint]) -> bool:
    """Assign one parameter after the other, and check each constraint as soon as all its parameters have values."""
    order = list(dict.fromkeys(name for constraint in constraints for name in _names(space, constraint)))
    place = {name: number for number, name in enumerate(order)}
    due: dict[int, list[SpaceConstraint]] = {}
    for constraint in constraints:
        due.setdefault(max(place[name] for name in _names(space, constraint)), []).append(constraint)
    chosen: dict[str, Value] = {}
    steps = 0

    def extend(number: int) -> bool:
        nonlocal steps
        if number == len(order):
            return True
        parameter = space.parameter(order[number])
        when = parameter.when
        active = when is None or chosen.get(when.parameter) in when.values
        for value in parameter.values if active else (None,):
            steps += 1
            if steps > _MOST_STEPS:
                raise _StepLimitReached
            if value is not None:
                chosen[parameter.name] = value
            if all(constraint.holds(chosen) for constraint in due.get(number, ())) and extend(number + 1):
                return True
            chosen.pop(parameter.name, None)
        return False

    return extend(0)


def satisfiable(space: Space) -> bool | None:
    """Return whether a scenario satisfies all constraints; None if that takes too long."""
    answer: bool | None = True
    for constraints in _independent_groups(space):
        try:
            if not _satisfied(space, constraints):
                return False
        except _StepLimitReached:
            answer = None
    return answer


def conflict(space: Space) -> tuple[SpaceConstraint, ...]:
    """Return a minimal set of constraints that no scenario satisfies together; empty if there is none.

    The result is also empty if the search takes too long.
    """
    if satisfiable(space) is not False:
        return ()
    left = list(space.constraints)
    for constraint in space.constraints:
        others = [one for one in left if one is not constraint]
        if satisfiable(dataclasses.replace(space, constraints=tuple(others))) is False:
            left = others
    return tuple(left)
