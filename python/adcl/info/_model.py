"""Schema 1 of the document that ``adcl-describe`` prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

__all__ = [
    "SCHEMA",
    "Attribute",
    "AttributeValue",
    "Build",
    "Capabilities",
    "Description",
    "ListedCodelet",
    "ListedSet",
    "Method",
    "Option",
]

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Build:
    """Build options of the library, and the MPI library found at run time."""

    compiler: str
    flags: str
    mpi_standard: str
    mpi_library: str


class AttributeValue(msgspec.Struct, frozen=True):
    """One value of an attribute. Values of one class can be excluded together; factorial designs use the level."""

    name: str
    value: int
    value_class: str = msgspec.field(name="class")
    level: int


@dataclass(frozen=True, slots=True)
class Attribute:
    """A property of the codelets of a function set."""

    name: str
    values: tuple[AttributeValue, ...]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Abilities and requirements of a codelet."""

    nonblocking: bool
    fixed_buffers: bool
    fixed_several: bool
    collective_plan: bool
    touches_data: bool
    #: Minimum depth at which ADCL_Request_progress advances the codelet; None: never.
    progress_depth: int | None


@dataclass(frozen=True, slots=True)
class ListedCodelet:
    """One implementation of a communication pattern. An attribute that does not apply is None.

    The expectation is the growth of the implementation's time with the number of ranks p, in big O; empty if none is
    stated.
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
class ListedSet:
    """Codelets with the same functionality; the first is the default when measurements do not separate them."""

    name: str
    constant: str
    summary: str
    attributes: tuple[Attribute, ...]
    codelets: tuple[ListedCodelet, ...]


@dataclass(frozen=True, slots=True)
class Method:
    """A selection logic or a statistical method."""

    name: str
    summary: str
    source: str


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of the library, its range, and the current value with its origin."""

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
    """What the option affects: decisions of requests, timers, output files, or only this process."""

    users: tuple[str, ...]
    """Selection logics and statistical methods that read the option; empty if the library itself reads it."""


@dataclass(frozen=True, slots=True)
class Description:
    """The complete description of the library."""

    schema: int
    version: str
    build: Build
    function_sets: tuple[ListedSet, ...]
    searches: tuple[Method, ...]
    estimators: tuple[Method, ...]
    options: tuple[Option, ...]
