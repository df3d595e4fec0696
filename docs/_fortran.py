"""Describes the procedures of the Fortran interface from its source, for the page docs/api-fortran.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Procedure", "procedures", "with_procedures"]

_PLACE = re.compile(r"^<!-- procedures: (\S+) -->$", re.MULTILINE)
_PROCEDURE = re.compile(
    r"^ *(?P<kind>subroutine|function) (?P<own>\w+)(?P<rest>\([^\n]*)\n"
    r"(?P<body>(?:.*\n)*?) *end (?:subroutine|function)\n",
    re.MULTILINE,
)
_BLOCK = re.compile(
    r"(?P<comment>(?:^ *!>.*\n(?: *!> .*\n)*)?)"
    r"(?P<code>^ *interface\b(?: (?P<name>ADCL_\w+))?\n(?:.*\n)*?^ *end interface\n"
    r"|^ *(?:subroutine|function) ADCL_\w+(?:.*\n)*?^ *end (?:subroutine|function)\n)",
    re.MULTILINE,
)


class Procedure(NamedTuple):
    """A procedure, or several with one name."""

    name: str
    comment: str
    declarations: str


def _declarations(code: str, generic: str | None) -> tuple[str, str]:
    """Return the name and the declarations of the procedures of a block, without their statements."""
    found, name = [], generic or ""
    for one in _PROCEDURE.finditer(re.sub(r" *&\n *", " ", code)):
        name = generic or one["own"]
        head = re.sub(r" *bind\(C, name='\w+'\)", "", f"{one['kind']} {name}{one['rest']}")
        result = re.search(r"result\((\w+)\)", head)
        arguments = r"intent\(|procedure\(" + (rf"|:: {result[1]}$" if result else "")
        lines = [line.strip() for line in one["body"].splitlines() if re.search(arguments, line)]
        found.append("\n".join([head, *(f"  {line}" for line in lines)]))
    return name, "\n\n".join(found)


def procedures(source: str) -> list[Procedure]:
    """Return the public procedures of a module, in the order of the source."""
    found = []
    for block in _BLOCK.finditer(source):
        comment = " ".join(line.strip(" !>") for line in block["comment"].splitlines())
        name, declarations = _declarations(block["code"], block["name"])
        found.append(Procedure(name, comment, declarations))
    return found


def with_procedures(page: str, root: Path) -> str:
    """Replace each comment `procedures: FILE` of a page by descriptions of the file's procedures."""

    def described(place: re.Match[str]) -> str:
        return "\n".join(
            f"### {one.name}\n\n{one.comment}\n\n```fortran\n{one.declarations}\n```\n\nIn C: {{c:func}}`{one.name}`\n"
            for one in procedures((root / place[1]).read_text(encoding="utf-8"))
        )

    return _PLACE.sub(described, page)
