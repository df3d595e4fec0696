"""The document that ``adcl-describe`` prints, schema 1, member by member."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from adcl._decode import NAME

__all__ = [
    "SCHEMA",
    "Attribute",
    "AttributeValue",
    "Build",
    "Capabilities",
    "Codelet",
    "Description",
    "FunctionSet",
    "Method",
    "Option",
]

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Build:
    """How the library was built, and the MPI library that it found at run time."""

    compiler: str
    flags: str
    mpi_standard: str
    mpi_library: str


@dataclass(frozen=True, slots=True)
class AttributeValue:
    """One value of an attribute. Values of one class can be ruled out together; the level is for factorial designs."""

    name: str
    value: int
    value_class: str = field(metadata={NAME: "class"})
    level: int


@dataclass(frozen=True, slots=True)
class Attribute:
    """A characteristic of the codelets of a function set."""

    name: str
    values: tuple[AttributeValue, ...]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a codelet can do or asks for, as in the library's own table."""

    nonblocking: bool
    fixed_buffers: bool
    fixed_several: bool
    collective_plan: bool
    touches_data: bool
    #: From which depth on ADCL_Request_progress advances it; None: it never does.
    progress_depth: int | None


@dataclass(frozen=True, slots=True)
class Codelet:
    """One implementation of a communication pattern. An attribute that it does not have is None.

    The expectation is how its time should grow with the number of ranks p, in big O; empty where none is stated.
    """

    name: str
    attributes: dict[str, str | None]
    capabilities: Capabilities
    requirements: str
    source: str
    expectation: str
    available: bool
    unavailable_because: str


@dataclass(frozen=True, slots=True)
class FunctionSet:
    """Codelets of the same functionality; the first is kept when measurements do not separate them."""

    name: str
    constant: str
    summary: str
    attributes: tuple[Attribute, ...]
    codelets: tuple[Codelet, ...]


@dataclass(frozen=True, slots=True)
class Method:
    """A selection logic or a statistical method."""

    name: str
    summary: str
    source: str


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of the library, its range, and the value in force with its origin."""

    name: str
    type: Literal["choice", "integer", "real", "switch", "text", "path"]
    choices: tuple[str, ...]
    minimum: float | None
    maximum: float | None
    default: str
    value: str
    origin: Literal["default", "method", "environment", "file", "program"]
    help: str
    role: Literal["decides", "timer", "output", "process"]
    """What it affects: decisions of requests, timers, what is written, or this process alone."""

    users: tuple[str, ...]
    """The selection logics and statistical methods that read it; empty: the library itself does."""


@dataclass(frozen=True, slots=True)
class Description:
    """Everything that the library says about itself."""

    schema: int
    version: str
    build: Build
    function_sets: tuple[FunctionSet, ...]
    searches: tuple[Method, ...]
    estimators: tuple[Method, ...]
    options: tuple[Option, ...]
