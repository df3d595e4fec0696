"""The first trials where parameters are many: each one alone is changed, since few of many matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

    from adcl.tune.space import Coordinates, Space

__all__ = ["single_changes"]

_MOST_CHOICES = 2


def single_changes(space: Space, generator: random.Random) -> list[Coordinates]:
    """Return scenarios that differ from the defaults in one parameter, in random order.

    Of numbers there are the smallest and the largest, of other values two at most. A parameter that has no meaning
    with the defaults is changed together with those that give it one.
    """
    home = space.home()
    found: dict[Coordinates, None] = {}
    for place, parameter in enumerate(space.parameters):
        start = _with_meaning(space, place)
        others = [value for value in range(space.shape[place]) if value != home[place]]
        if parameter.ordered:
            others = sorted({*others[:1], *others[-1:]})
        elif len(others) > _MOST_CHOICES:
            others = generator.sample(others, _MOST_CHOICES)
        for value in others:
            scenario = space.canonical((*start[:place], value, *start[place + 1 :]))
            if scenario != home:
                found[scenario] = None
    scenarios = list(found)
    generator.shuffle(scenarios)
    return scenarios


def _with_meaning(space: Space, place: int) -> Coordinates:
    """The defaults, but for the parameters on which it depends whether this one is used."""
    names = [parameter.name for parameter in space.parameters]
    start = list(space.home())
    condition = space.parameters[place].when
    while condition is not None:
        governor = names.index(condition.parameter)
        positions = space.parameters[governor].positions
        wanted = [positions[value] for value in condition.values]
        if start[governor] not in wanted:
            start[governor] = wanted[0]
        condition = space.parameters[governor].when
    return tuple(start)
