"""Combines the declarations of ADCL.h with the descriptions of interface.toml."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from generator.header import read_parameters

if TYPE_CHECKING:
    from generator.header import Declaration, Header, Parameter

__all__ = ["Argument", "Direction", "Function", "Kind", "Length", "describe"]

Row = dict[str, str]


class Kind(enum.Enum):
    """Kind of an argument, or of the elements of an array argument."""

    INTEGER = "integer"
    REAL = "real"
    TEXT = "text"
    LOGICAL = "logical"
    HANDLE = "handle of ADCL"
    MPI = "handle of MPI"
    DATA = "data"
    MESSAGE = "message"
    ADDRESS = "address"
    WORK = "work function"
    CALLBACK = "other function"


class Direction(enum.Enum):
    """INTENT in Fortran."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"


@dataclass(frozen=True)
class Length:
    """The number of elements of an array."""

    of: str
    """``argument``, ``sum``, ``size`` of a communicator, or ``attributes`` of an attribute set."""

    name: str
    at_root: bool = False
    unless_in_place: str | None = None
    """Name of the buffer that may be MPI_IN_PLACE; then the array is ignored."""

    @property
    def names(self) -> list[str]:
        """Return the arguments that determine the length."""
        others = ["root"] * self.at_root + ([self.unless_in_place] if self.unless_in_place else [])
        return [self.name, *others]


@dataclass(frozen=True)
class Argument:
    """An argument of a function, in C and in Fortran."""

    name: str
    """Name in Fortran."""

    kind: Kind
    direction: Direction
    type: str
    """Type in C, without pointers."""

    array: bool = False
    length: Length | None = None
    optional: bool = False
    from_one: bool = False
    default: int | None = None
    on_failure: str = ""
    """Value of a result after a failure, if it is not 0."""

    has_size: bool = False
    """Whether the next argument in C is its size."""


@dataclass(frozen=True)
class Function:
    """A function of the Fortran interface."""

    name: str
    section: str
    arguments: tuple[Argument, ...]
    returns_text: bool
    by_hand: bool
    note: str

    @property
    def short(self) -> str:
        """Return the name without its prefix, in lower case."""
        return self.name.removeprefix("ADCL_").lower()

    @property
    def shim(self) -> str:
        """Return the name of the entry point in C++."""
        return f"adcl_f_{self.short}"

    @property
    def has_mpi(self) -> bool:
        """Return whether an argument is a handle of MPI, whose type differs between modules mpi and mpi_f08."""
        return any(one.kind is Kind.MPI for one in self.arguments)

    @property
    def is_wrapped(self) -> bool:
        """Return whether Fortran needs a wrapper instead of a direct binding to the entry point."""
        return self.returns_text or any(one.kind in (Kind.LOGICAL, Kind.WORK) for one in self.arguments)

    def without_defaults(self) -> Function | None:
        """Return the form without arguments that have defaults; None if there are none."""
        left = tuple(one for one in self.arguments if one.default is None)
        if left == self.arguments:
            return None
        omitted = "_".join(one.name for one in self.arguments if one.default is not None)
        return replace(self, name=f"{self.name}_without_{omitted}", arguments=left)


_BY_TYPE = {"int": Kind.INTEGER, "double": Kind.REAL, "char": Kind.TEXT, "ADCL_work_fnct_ptr": Kind.WORK}
_LENGTH = re.compile(r"(?:(sum|size|attributes)\((\w+)\)|(\w+))( at root)?(?: unless (\w+) in place)?")


def _kind(parameter: Parameter) -> Kind | None:
    if parameter.type in _BY_TYPE:
        return _BY_TYPE[parameter.type]
    if parameter.type.endswith("_fnct_ptr"):
        return Kind.CALLBACK
    if parameter.type.startswith("ADCL_"):
        return Kind.HANDLE
    if parameter.type.startswith("MPI_"):
        return Kind.MPI
    return Kind.ADDRESS if parameter.type == "void" and parameter.pointers == 2 else None


def _direction(function: str, parameter: Parameter, kind: Kind | None) -> Direction:
    """Return the direction of a parameter that is not an array."""
    if kind is Kind.HANDLE and function.endswith(("_free", "_deregister")):
        return Direction.INOUT
    if kind is None and not parameter.const:
        return Direction.INOUT
    is_value = parameter.const or kind in (Kind.WORK, Kind.CALLBACK) or parameter.pointers == 0
    return Direction.IN if is_value else Direction.OUT


def _facts(part: str) -> dict[str, Any]:
    """Return the attributes of Argument for a part of a description. Raises ValueError for an unknown part."""
    facts: dict[str, Any]
    match part.split():
        case ["optional"]:
            facts = {"optional": True}
        case ["from", "1"]:
            facts = {"from_one": True}
        case ["as", name]:
            facts = {"name": name}
        case ["default", value]:
            facts = {"default": int(value)}
        case [value, "on", "failure"]:
            facts = {"on_failure": value}
        case ["address"]:
            facts = {"kind": Kind.ADDRESS, "direction": Direction.IN}
        case ["logical" | "data" | "message"]:
            facts = {"kind": Kind(part)}
        case _:
            length = _LENGTH.fullmatch(part)
            if length is None:
                raise ValueError(f"unknown description {part!r}")
            of = Length(length[1] or "argument", length[2] or length[3], bool(length[4]), length[5])
            facts = {"array": True, "length": of}
    return facts


def _argument(function: Declaration, parameter: Parameter, description: str) -> Argument:
    """Return the argument. Raises ValueError if declaration and description are incomplete."""
    kind = _kind(parameter)
    direction = _direction(function.name, parameter, kind)
    argument = Argument(parameter.name, kind or Kind.DATA, direction, parameter.type)
    if kind is None and not {"data", "message", "address"} & set(description.split(", ")):
        raise ValueError(f"argument {parameter.name} needs 'data', 'message' or 'address'")
    for part in description.split(", ") if description else ():
        argument = replace(argument, **_facts(part))
    const_array = kind not in (Kind.WORK, Kind.CALLBACK, None) and parameter.const
    if const_array and parameter.pointers == (2 if kind is Kind.TEXT else 1) and argument.length is None:
        raise ValueError(f"array {parameter.name} needs its length")
    return argument


def _arguments(function: Declaration, rows: Row, everywhere: Row) -> list[Argument]:
    if function.result not in ("int", "char*"):
        raise ValueError(f"a result of type {function.result} is unknown")
    arguments: list[Argument] = []
    for parameter in function.parameters:
        last = arguments[-1] if arguments else None
        if parameter.name == "size" and last and last.kind is Kind.TEXT and last.direction is Direction.OUT:
            arguments[-1] = replace(last, has_size=True)
        else:
            common = "" if _kind(parameter) is Kind.ADDRESS else everywhere.get(parameter.name, "")
            description = rows.get(parameter.name, common)
            arguments.append(_argument(function, parameter, description))
    known = {one.name for one in function.parameters}
    named = [name for one in arguments if one.length for name in one.length.names]
    for name in [*(rows.keys() - {"shim", "note", "parameters"}), *named]:
        if name not in known:
            raise ValueError(f"it has no argument {name}")
    return arguments


def _as_fortran_has_it(function: Declaration, row: Row) -> Declaration:
    """Return the function with the parameters of its row, if any. Raises ValueError if they are not valid C."""
    return replace(function, parameters=read_parameters(row["parameters"])) if "parameters" in row else function


def describe(header: Header, table: dict[str, Any]) -> list[Function]:
    """Return all functions of the Fortran interface. Raises ValueError if the table does not match the header."""
    absent, rows = table["absent"], table["functions"]
    for name in [*absent, *rows]:
        if name not in {one.name for one in header.functions}:
            raise ValueError(f"bindings/interface.toml: {name} is not in ADCL.h")
    functions = []
    for one in header.functions:
        if one.name in absent:
            continue
        row: Row = rows.get(one.name, {})
        try:
            arguments = _arguments(_as_fortran_has_it(one, row), row, table["arguments"])
        except ValueError as error:
            message = f"include/ADCL.h:{one.line}: {one.name}: {error}; see the head of bindings/interface.toml"
            raise ValueError(message) from None
        by_hand = row.get("shim") == "by hand"
        functions.append(
            Function(one.name, one.section, tuple(arguments), one.result != "int", by_hand, row.get("note", ""))
        )
    return functions
