"""Catalog of an MPI library's variables: names, kinds of values and descriptions, as the library reports them."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from adcl._suggest import nearest, suggestion
from adcl.errors import UsageError
from adcl.tune.space import Steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.tune.space import Parameter, Space, Value

__all__ = ["UNSET", "Catalog", "UnknownSettingError", "Variable", "VariableKind", "same_value", "truth"]

VariableKind: TypeAlias = Literal["number", "switch", "choice", "text"]

UNSET = "unset"
"""Value of a parameter that is left to the MPI library."""

_TRUTH = {
    **dict.fromkeys(("1", "yes", "true", "on", "enable", "enabled", "t", "y"), True),
    **dict.fromkeys(("0", "no", "false", "off", "disable", "disabled", "f", "n"), False),
}
_NUMBER = re.compile(r"-?\d+")
_SHOWN = 12


class UnknownSettingError(UsageError):
    """The MPI library has no variable of this name, or the variable does not accept the value."""


def truth(value: Value) -> bool | None:
    """Return the boolean value of a word; None if it is not boolean."""
    return _TRUTH.get(str(value).lower())


def same_value(left: Value, right: Value) -> bool:
    """Return whether two words mean the same value; numbers compare as numbers, booleans as booleans."""
    if str(left).lower() == str(right).lower():
        return True
    try:
        return int(str(left), 0) == int(str(right), 0)
    except ValueError:
        pass
    switches = truth(left), truth(right)
    return None not in switches and switches[0] == switches[1]


@dataclass(frozen=True)
class Variable:
    """One variable of an MPI library."""

    name: str
    kind: VariableKind
    default: str = ""
    """Default in the library's spelling; empty if unknown or decided at run time."""

    description: str = ""
    choices: Mapping[str, int | None] = field(default_factory=dict)
    """Words of an enumeration, each with the equivalent number if there is one."""

    minimum: int | None = None
    maximum: int | None = None
    settable: bool = True
    alias: str = ""
    """Name of the variable that this variable is an alias of."""

    source: str = ""
    """File and line in which the user or the site has set `default`; empty if it is the library's own."""

    def objection(self, value: Value) -> str | None:
        """Return why the variable does not accept the value; None if the value is accepted or this is unknown."""
        word = str(value)
        if word == UNSET:
            return None
        if self.kind == "number":
            return self._number_objection(word)
        if self.kind == "switch" and truth(value) is None and not _NUMBER.fullmatch(word):
            return f"must be yes or no, not {word!r}"
        if self.kind == "choice" and self.choices:
            numbers = {str(number) for number in self.choices.values() if number is not None}
            if word.lower() not in {choice.lower() for choice in self.choices} and word not in numbers:
                some = ", ".join(list(self.choices)[:_SHOWN]) + (", …" if len(self.choices) > _SHOWN else "")
                near = nearest(word, self.choices)
                return f"must be one of {some}, not {word!r}" + (f"; did you mean {near}?" if near else "")
        return None

    def _number_objection(self, word: str) -> str | None:
        try:
            number = int(word, 0)
        except ValueError:
            return f"must be an integer, not {word!r}"
        if self.minimum is not None and number < self.minimum:
            return f"must be at least {self.minimum}, not {number}"
        if self.maximum is not None and number > self.maximum:
            return f"must be at most {self.maximum}, not {number}"
        return None

    def as_value(self, word: str) -> Value | None:
        """Convert a default in the library's spelling to a value; None if there is none."""
        if word == "":
            return None
        if self.kind == "number":
            try:
                return int(word, 0)
            except ValueError:
                return None
        return word

    def same(self, left: Value, right: Value) -> bool:
        """Return whether two words mean the same value of this variable; an enumeration accepts word or number."""
        if same_value(left, right):
            return True
        numbers = {word.lower(): str(number) for word, number in self.choices.items() if number is not None}
        return numbers.get(str(left).lower(), str(left)) == numbers.get(str(right).lower(), str(right))


@dataclass(frozen=True)
class Catalog:
    """All variables of an installed MPI library by full name."""

    library: str
    """Library and version, as the library reports them."""

    source: str
    """Program that reported the variables."""

    variables: Mapping[str, Variable]

    def find(self, name: str, written: str) -> Variable:
        """Return the variable with that full name. `written` is the user's spelling. Raises `UnknownSettingError`."""
        variable = self.variables.get(name)
        if variable is None:
            raise UnknownSettingError(f"{self.library} has no variable {written!r}; {suggestion(name, self.variables)}")
        if not variable.settable:
            raise UnknownSettingError(f"{written} is a constant of {self.library} and cannot be set")
        return variable

    def check(self, parameter: Parameter, name: str) -> Variable:
        """Check name and values of a parameter whose full name is `name`. Raises `UnknownSettingError`."""
        variable = self.find(name, parameter.name)
        values = parameter.values
        if isinstance(parameter.domain, Steps):
            # If both ends of a range are valid, all values between are.
            values = (values[0], values[-1])
        for value in values:
            objection = variable.objection(value)
            if objection is not None:
                raise UnknownSettingError(f"{parameter.name} {objection} ({self.library})")
        return variable

    def with_defaults(self, space: Space, names: Mapping[str, str]) -> Space:
        """Fill in defaults that the file omits. `names` maps names in the file to full names."""
        parameters = []
        for parameter in space.parameters:
            variable = self.variables.get(names.get(parameter.name, ""))
            if parameter.default is None:
                default = None if variable is None else variable.as_value(variable.default)
                if variable is not None and default is not None:
                    # Use the file's own spelling of the value, so that it belongs to the domain.
                    own = next((value for value in parameter.values if variable.same(value, default)), default)
                    default = UNSET if own not in parameter.values and UNSET in parameter.values else own
                elif UNSET in parameter.values:
                    default = UNSET
                parameter = dataclasses.replace(parameter, default=default)  # noqa: PLW2901
            parameters.append(parameter)
        return dataclasses.replace(space, parameters=tuple(parameters))
