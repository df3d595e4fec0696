"""Store a study's search space: a later version of adcl might derive another space from the tuning file."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from adcl.tune.space import Choices, Condition, Parameter, Space, Value

__all__ = ["KeptParameter", "keep_space", "kept_space"]


@dataclass(frozen=True)
class KeptParameter:
    """A parameter with all its values, and the values of another parameter that activate it."""

    name: str
    values: tuple[Value, ...]
    default: Value | None
    governor: str | None = None
    where: tuple[Value, ...] = ()


def keep_space(space: Space) -> tuple[KeptParameter, ...]:
    """Return the parameters of a space for storing; the tuning file has its constraints."""
    return tuple(
        KeptParameter(parameter.name, parameter.values, parameter.default)
        if parameter.when is None
        else KeptParameter(
            parameter.name, parameter.values, parameter.default, parameter.when.parameter, parameter.when.values
        )
        for parameter in space.parameters
    )


def kept_space(kept: tuple[KeptParameter, ...], now: Space) -> Space:
    """Return the stored space with the constraints of `now`. Raises `UsageError` for an invalid space."""
    if keep_space(now) == kept:
        return now
    switches = {parameter.name for parameter in now.parameters if parameter.switch}
    parameters = tuple(
        Parameter(
            one.name,
            Choices(one.values),
            one.default,
            None if one.governor is None else Condition(one.governor, one.where),
            one.name in switches,
        )
        for one in kept
    )
    return dataclasses.replace(now, parameters=parameters)
