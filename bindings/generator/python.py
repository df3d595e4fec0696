"""Generates python/adcl/runtime/generated/declarations.py, which cffi reads at run time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pycparser import c_ast, c_generator, c_parser  # type: ignore[import-untyped]

from generator.header import plain_c, prelude

if TYPE_CHECKING:
    from generator.header import Header

__all__ = ["declarations_module"]

_WIDTH = 120
_SET = re.compile(r"^ADCL_FUNCTION_SET\(([A-Z_]+),", re.MULTILINE)
_FIRST_SET = "ADCL_FNCTSET_NULL"


def _declarations(text: str) -> list[str]:
    """Return the declarations of the header, one per line if they fit."""
    own = len(c_parser.CParser().parse(prelude(), "prelude").ext)
    tree = c_parser.CParser().parse(plain_c(text), "ADCL.h")
    write = c_generator.CGenerator()
    lines = []
    for node in tree.ext[own:]:
        if not isinstance(node, (c_ast.Decl, c_ast.Typedef)):
            raise TypeError(f"line {node.coord.line} of ADCL.h is neither a declaration nor a typedef")
        lines += _broken(f"{write.visit(node)};")
    return lines


def _broken(declaration: str) -> list[str]:
    """Split a long declaration after commas."""
    lines = []
    for line in declaration.splitlines():
        rest = line
        while len(rest) > _WIDTH:
            end = rest.rindex(", ", 0, _WIDTH) + 1
            lines.append(rest[:end])
            rest = "  " + rest[end:].strip()
        lines.append(rest)
    return lines


def declarations_module(text: str, header: Header, sets: str, head: str) -> str:
    """Return the module: the C declarations of ADCL.h, its constants, and the predefined function sets."""
    constants = {one.name: one.value for one in header.constants}
    null = constants[_FIRST_SET]
    for number, name in enumerate(_SET.findall(sets), 1):
        constants[f"ADCL_FNCTSET_{name}"] = null + number
    lines = [
        f'"""Declarations of ADCL.h.\n\n{head}\n"""\n',
        '__all__ = ["CDEF", "CONSTANTS"]\n',
        'CDEF = """',
        *_declarations(text),
        '"""\n',
        "CONSTANTS: dict[str, int] = {",
        *(f'    "{name}": {value},' for name, value in constants.items()),
        "}",
    ]
    return "\n".join(lines) + "\n"
