"""Generates ADCL.inc, whose lines are valid in fixed and in free form."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from generator.fortran import HEAD, Style, broken, comment, declarations, forms, indented
from generator.interface import Function, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generator.header import Header

__all__ = ["inc_file"]

_ABOUT = (
    "The Fortran interface of ADCL for programs with integer handles. Valid in fixed and in free source form: "
    "statements are in columns 7 to 72, a continued line has & in column 73, the next one in column 6. docs/fortran.md "
    "explains it, ADCL.h states the contract of each call. Arrays of any type and rank are passed by reference, never "
    "copied."
)
_WORK = (
    "A work function is subroutine fn(request) with integer request, declared EXTERNAL; ADCL_NULL_FUNCTION stands for "
    "none."
)
_STYLE = Style(work="external", ierror="integer(c_int), intent(out)")
_LAST_COLUMN = 72


def _both_forms(line: str) -> list[str]:
    indent = 6 + len(line) - len(line.lstrip())
    first, *others = broken(line.strip(), _LAST_COLUMN - indent - 2)
    pieces = [" " * indent + first, *(" " * 5 + "&" + " " * (indent - 4) + one for one in others)]
    return [f"{one:<{_LAST_COLUMN}}&" for one in pieces[:-1]] + pieces[-1:]


def _remark(text: str) -> str:
    return "".join(f"{one}\n" for one in comment(text, "! ", _LAST_COLUMN))


def _kinds(lines: Sequence[str]) -> str:
    """Return the USE statement for the kinds in the declarations."""
    names = ("c_char", "c_double", "c_funptr", "c_int", "c_intptr_t", "c_ptr")
    used = [name for name in names if any(f"({name})" in line or f"={name})" in line for line in lines)]
    return f"use, intrinsic :: iso_c_binding, only: {', '.join(used)}"


def _procedure(name: str, function: Function, style: Style) -> list[str]:
    names = ", ".join([one.name for one in function.arguments] + ["ierror"] * (not function.returns_text))
    body = declarations(function, style)
    if function.returns_text:
        body.append(f"character(len=:), allocatable :: {name}")
        body = [_kinds(body), *body] if function.arguments else body
        return [f"function {name}({names})", *body, "end function"]
    binding = "" if function.is_wrapped else f" bind(C, name='{function.shim}')"
    return [f"subroutine {name}({names}){binding}", _kinds(body), *body, "end subroutine"]


def _interface(function: Function) -> str:
    specific = forms(function, [("", _STYLE)])
    if len(specific) == 1:
        lines = ["interface", *("  " + one for one in _procedure(function.name, function, _STYLE))]
    else:
        lines = [f"interface {function.name}"]
        for name, form, style in specific:
            lines += ["  " + one for one in _procedure(f"adcl_f_{name}", form, style)]
    return _remark(function.note) + indented([*lines, "end interface"], 0, _both_forms)


def inc_file(header: Header, functions: Sequence[Function]) -> str:
    """Return the text of ADCL.inc."""
    constants = [f"integer, parameter :: {one.name} = {one.value}" for one in header.constants]
    parts = [_remark(HEAD) + _remark(_ABOUT), indented([*constants, "include 'ADCL_sets.inc'"], 0, _both_forms)]
    null = ["interface", "  subroutine ADCL_NULL_FUNCTION(request)", "  integer request", "  end subroutine"]
    for section, members in itertools.groupby(functions, lambda one: one.section):
        chosen = list(members)
        parts.append(_remark(f"---- {section}"))
        if any(one.kind is Kind.WORK for member in chosen for one in member.arguments) and null:
            parts.append(_remark(_WORK) + indented([*null, "end interface"], 0, _both_forms))
            null = []
        parts += [_interface(one) for one in chosen]
    return "\n".join(parts)
