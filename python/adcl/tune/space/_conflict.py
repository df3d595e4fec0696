"""Constraints that contradict each other: whether any combination of values fulfils all of them. Pure."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.tune.space._space import Space, SpaceConstraint, Value

__all__ = ["conflict", "satisfiable"]

_MOST_STEPS = 150_000


class _TooMany(Exception):  # noqa: N818 - no error, but the end of a search
    """The search took more steps than it may."""


def _names(space: Space, constraint: SpaceConstraint) -> list[str]:
    """The parameters that a constraint speaks of, each after those that its condition depends on."""
    own = getattr(constraint, "names", None) or [parameter.name for parameter in space.parameters]
    found: dict[str, None] = {}
    for name in own:
        chain = [name]
        while (condition := space.parameter(chain[-1]).when) is not None:
            chain.append(condition.parameter)
        found.update(dict.fromkeys(reversed(chain)))
    return list(found)


def _apart(space: Space) -> list[list[SpaceConstraint]]:
    """The constraints in groups that have no parameter in common."""
    groups: list[tuple[set[str], list[SpaceConstraint]]] = []
    for constraint in space.constraints:
        names, members = set(_names(space, constraint)), [constraint]
        for group in [group for group in groups if group[0] & names]:
            names |= group[0]
            members = group[1] + members
            groups.remove(group)
        groups.append((names, members))
    return [members for _, members in groups]


def _fulfilled(space: Space, constraints: Sequence[SpaceConstraint]) -> bool:
    """Try values one parameter after the other, and look at each constraint as soon as all of its are known."""
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
                raise _TooMany
            if value is not None:
                chosen[parameter.name] = value
            if all(constraint.holds(chosen) for constraint in due.get(number, ())) and extend(number + 1):
                return True
            chosen.pop(parameter.name, None)
        return False

    return extend(0)


def satisfiable(space: Space) -> bool | None:
    """Whether a scenario fulfils all constraints; None where finding that out takes too long."""
    answer: bool | None = True
    for constraints in _apart(space):
        try:
            if not _fulfilled(space, constraints):
                return False
        except _TooMany:
            answer = None
    return answer


def conflict(space: Space) -> tuple[SpaceConstraint, ...]:
    """Return constraints that no scenario fulfils together, none of which could be left out; none when there are none.

    There may be some where none are returned, in spaces in which that takes too long to find out.
    """
    if satisfiable(space) is not False:
        return ()
    left = list(space.constraints)
    for constraint in space.constraints:
        others = [one for one in left if one is not constraint]
        if satisfiable(dataclasses.replace(space, constraints=tuple(others))) is False:
            left = others
    return tuple(left)
