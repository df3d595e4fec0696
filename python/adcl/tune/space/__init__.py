"""The space of settings: parameters, their values, and allowed combinations."""

from adcl.tune.space._conflict import conflict
from adcl.tune.space._constraint import Constraint, ConstraintError
from adcl.tune.space._part import SpacePart, nearest_scenario
from adcl.tune.space._space import (
    Choices,
    Condition,
    Configuration,
    Coordinates,
    Parameter,
    Space,
    Steps,
    Value,
)

__all__ = [
    "Choices",
    "Condition",
    "Configuration",
    "Constraint",
    "ConstraintError",
    "Coordinates",
    "Parameter",
    "Space",
    "SpacePart",
    "Steps",
    "Value",
    "conflict",
    "nearest_scenario",
]
