"""Reads the constants, handles and functions of include/ADCL.h, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pycparser import c_ast, c_parser  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Constant", "Declaration", "Header", "Parameter", "plain_c", "prelude", "read_header", "read_parameters"]

_MPI_TYPES = ("MPI_Comm", "MPI_Datatype", "MPI_Op")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_ONLY_CXX = re.compile(r"^#ifdef __cplusplus\n.*?^#endif", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(r"^/\* ---- (.*?) -{3,}", re.MULTILINE)
_CONSTANT = re.compile(r"^#define (ADCL_[A-Z_]+) (\d+|\(\(ADCL_\w+\)\(intptr_t\)0x[0-9a-f]+\))", re.MULTILINE)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a C function."""

    name: str
    type: str
    """Type without qualifiers and pointers, such as ``int`` or ``MPI_Comm``."""

    pointers: int
    const: bool
    """Whether the value, or the object of the first pointer, is const."""


@dataclass(frozen=True)
class Declaration:
    """A function of the header."""

    name: str
    result: str
    parameters: tuple[Parameter, ...]
    section: str
    line: int


@dataclass(frozen=True)
class Constant:
    """A number, or the null handle of a type."""

    name: str
    value: int
    handle: str | None


@dataclass(frozen=True)
class Header:
    """The contents of the header."""

    constants: tuple[Constant, ...]
    functions: tuple[Declaration, ...]

    @property
    def handles(self) -> list[Constant]:
        """Return the null handles, one per type of handle."""
        return [one for one in self.constants if one.handle]


def _blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def prelude(types: Iterable[str] = _MPI_TYPES) -> str:
    """Return declarations of opaque types, by default those of MPI, and of size_t."""
    return "typedef unsigned long size_t;" + "".join(f"typedef struct {name}_s *{name};" for name in types)


def plain_c(text: str) -> str:
    """Return the declarations of the header, on the same lines."""
    text = _COMMENT.sub(_blank, text)
    text = _DIRECTIVE.sub(_blank, _ONLY_CXX.sub(_blank, text))
    return prelude() + re.sub(r"\bADCL_API\b", "", text)


def _parameter(declared: Any) -> Parameter:
    """Convert a declaration such as ``const int *dims``."""
    pointers, node = 0, declared.type
    while isinstance(node, c_ast.PtrDecl):
        pointers, node = pointers + 1, node.type
    return Parameter(declared.name, " ".join(node.type.names), pointers, "const" in node.quals)


def _parameters(function: Any) -> tuple[Parameter, ...]:
    return tuple(_parameter(one) for one in function.args.params if one.name)


def read_parameters(text: str) -> tuple[Parameter, ...]:
    """Parse a C parameter list. Raises ValueError if it is invalid."""
    types = sorted(set(re.findall(r"\b(?:ADCL|MPI)_\w+", text)))
    try:
        tree = c_parser.CParser().parse(f"{prelude(types)}int function({text});", "parameters")
    except c_parser.ParseError as error:
        raise ValueError(f"cannot read its parameters {text!r}: {error}") from None
    return _parameters(tree.ext[-1].type)


def _constant(match: re.Match[str]) -> Constant:
    name, value = match.groups()
    handle = re.match(r"\(\((\w+)\)\(intptr_t\)(\w+)\)", value)
    return Constant(name, int(handle[2], 16), handle[1]) if handle else Constant(name, int(value), None)


def read_header(text: str) -> Header:
    """Parse the text of ADCL.h."""
    sections = [(text.count("\n", 0, match.start()) + 1, match[1]) for match in _SECTION.finditer(text)]
    functions = []
    for node in c_parser.CParser().parse(plain_c(text), "ADCL.h").ext:
        if not isinstance(node, c_ast.Decl) or not isinstance(node.type, c_ast.FuncDecl):
            continue
        result = _parameter(c_ast.Decl(node.name, [], [], [], [], node.type.type, None, None))
        functions.append(
            Declaration(
                name=node.name,
                result=result.type + "*" * result.pointers,
                parameters=_parameters(node.type),
                section=[title for line, title in sections if line < node.coord.line][-1],
                line=node.coord.line,
            )
        )
    return Header(tuple(_constant(match) for match in _CONSTANT.finditer(text)), tuple(functions))
