"""Generates the modules: constants and handles, interfaces, and wrappers of procedures that C cannot bind directly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generator.fortran import HEAD, Style, comment, declarations, forms, indented
from generator.interface import Function, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from generator.header import Header

__all__ = ["calls_module", "inc_procedures", "shims_module", "types_module"]

_KINDS = "use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_intptr_t, c_ptr"
_IN_SHIM = Style(logical="integer(c_int)", work="type(c_funptr), value")


def _module(name: str, about: str, uses: Sequence[str], parts: Iterable[str]) -> str:
    head = indented([*comment(about, "!> "), f"module {name}"], 0)
    body = indented([*uses, "implicit none", "private"], 2)
    return f"! {HEAD}\n{head}{body}\n" + "\n".join(parts) + f"end module {name}\n"


def _public(names: Iterable[str]) -> list[str]:
    return [f"public :: {name}" for name in names]


# ---- Constants and handles -------------------------------------------------------------------------------------------


def _comparison(handle: str, name: str, operator: str) -> list[str]:
    return [
        f"elemental logical function {handle.removeprefix('ADCL_').lower()}_{name}(a, b) result({name})",
        f"  type({handle}), intent(in) :: a, b",
        f"  {name} = a%ADCL_VAL {operator} b%ADCL_VAL",
        "end function",
    ]


def types_module(header: Header) -> str:
    """Return module adcl_types."""
    types, procedures = [], []
    for null in header.handles:
        value = f"  integer(c_int) :: ADCL_VAL = {null.value}"
        types += [f"type, bind(C), public :: {null.handle}", value, "end type"]
    types += [f"type({null.handle}), parameter, public :: {null.name} = {null.handle}()" for null in header.handles]
    types.append("include 'adcl_sets_of_module.inc'")
    values = [one for one in header.constants if not one.handle]
    types += ["", *(f"integer(c_int), parameter, public :: {one.name} = {one.value}" for one in values), ""]
    for name, operator in (("equal", "=="), ("differ", "/=")):
        specific = [f"{str(null.handle).removeprefix('ADCL_').lower()}_{name}" for null in header.handles]
        types += [f"interface operator({operator})", f"  procedure :: {', '.join(specific)}", "end interface"]
        for null in header.handles:
            procedures += ["", *_comparison(str(null.handle), name, operator)]
    types.append("public :: operator(==), operator(/=)")
    about = (
        "Handles and constants. A handle holds the integer that ADCL.inc and, as a pointer's value, ADCL.h use for the "
        "same object. It starts as the null handle of its kind."
    )
    parts = [indented(types, 2), "contains\n" + indented(procedures, 2)]
    return _module("adcl_types", about, ["use, intrinsic :: iso_c_binding, only: c_int"], parts)


# ---- Interfaces ------------------------------------------------------------------------------------------------------


def _names(function: Function) -> str:
    return ", ".join([one.name for one in function.arguments] + ["ierror"] * (not function.returns_text))


def _bound(name: str, function: Function, style: Style) -> list[str]:
    """Return the interface of a procedure that is bound to the entry point."""
    lines = [
        f"subroutine {name}({_names(function)}) bind(C, name='{function.shim}')",
        "  import",
        *("  " + one for one in declarations(function, style)),
        "end subroutine",
    ]
    return ["  " + one for one in lines]


def _interface(function: Function, styles: Sequence[tuple[str, Style]]) -> str:
    specific = forms(function, styles)
    if len(specific) == 1 and not specific[0][0].removeprefix(function.short):
        lines = ["interface", *_bound(function.name, function, specific[0][2]), "end interface"]
    else:
        lines = [f"interface {function.name}"]
        for number, (name, form, style) in enumerate(specific):
            lines += [""] * (number > 0) + _bound(name, form, style)
        lines.append("end interface")
    return indented(comment(function.note, "!> ", 110) + lines, 2)


def _passed(function: Function, component: str) -> str:
    """Return the actual arguments in a wrapper's call of the entry point."""
    values = []
    for one in function.arguments:
        if one.kind is Kind.WORK:
            values.append(f"work_address({one.name})")
        elif one.kind is Kind.LOGICAL:
            values.append(f"{one.name}_c")
        else:
            values.append(one.name + (component if one.kind is Kind.HANDLE else ""))
    if any(one.kind is Kind.WORK for one in function.arguments):
        values.append("work_caller()")
    return ", ".join(values if function.returns_text else [*values, "ierror"])


def _wrapper(name: str, function: Function, style: Style, component: str, uses: Sequence[str] = ()) -> str:
    """Return a procedure that calls the entry point."""
    flags = [one.name for one in function.arguments if one.kind is Kind.LOGICAL]
    body = [*uses, *declarations(function, style), *(f"integer(c_int) :: {one}_c" for one in flags)]
    call = f"shim_{function.short}({_passed(function, component)})"
    if function.returns_text:
        first, last = f"function {name}({_names(function)}) result(text)", "end function"
        body += ["character(len=:), allocatable :: text", f"text = text_at({call})"]
    else:
        first, last = f"subroutine {name}({_names(function)})", "end subroutine"
        body += [f"call {call}", *(f"{one} = {one}_c /= 0" for one in flags)]
    note = comment(function.note, "!> ", 110) if component else []
    return indented([*note, first, *("  " + one for one in body), last], 2 if component else 0)


def calls_module(header: Header, functions: Sequence[Function], mpi: str | None) -> str:
    """Return the interfaces of functions with handles of module `mpi`; None: of functions without MPI handles."""
    handles = "use adcl_types, only: " + ", ".join(str(one.handle) for one in header.handles)
    if mpi:
        chosen = [one for one in functions if one.has_mpi]
        style = Style(handles=True, f08=mpi == "f08")
        mpi_types = ["use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Op"] if style.f08 else []
        about = "Calls with handles of module mpi_f08." if style.f08 else "Calls with integers as handles of MPI."
        parts = [indented(_public(one.name for one in chosen), 2)]
        parts += [_interface(one, [(f"_{mpi}", style)]) for one in chosen]
        return _module(f"adcl_calls_{mpi}", about, [_KINDS, *mpi_types, handles], parts)
    style = Style(handles=True)
    chosen = [one for one in functions if not one.has_mpi]
    wrapped = [one for one in chosen if one.is_wrapped]
    parts = [indented(_public(one.name for one in chosen), 2)]
    parts += [_interface(one, [("", style)]) for one in chosen if not one.is_wrapped]
    parts.append("contains\n")
    parts += [_wrapper(one.name, one, style, "%ADCL_VAL") for one in wrapped]
    uses = [_KINDS, "use adcl_shims", "use adcl_support, only: ADCL_work_function, text_at, work_address, work_caller"]
    return _module("adcl_calls", "Calls without handles of MPI.", [*uses, handles], parts)


# ---- Procedures that cannot be bound to C directly -------------------------------------------------------------------


def _shim(function: Function) -> list[str]:
    names = [one.name for one in function.arguments]
    body = [f"  {one}" for one in declarations(function, _IN_SHIM)]
    if function.returns_text:
        return [
            f"type(c_ptr) function shim_{function.short}({', '.join(names)}) bind(C, name='{function.shim}')",
            "  import",
            *body,
            "end function",
        ]
    if any(one.kind is Kind.WORK for one in function.arguments):
        names.append("caller")
        body.insert(-1, "  type(c_funptr), value :: caller")
    return [
        f"subroutine shim_{function.short}({', '.join([*names, 'ierror'])}) bind(C, name='{function.shim}')",
        "  import",
        *body,
        "end subroutine",
    ]


def shims_module(functions: Sequence[Function]) -> str:
    """Return the module of the entry points that both interfaces call through a Fortran procedure."""
    wrapped = [one for one in functions if one.is_wrapped]
    parts = [indented(_public(f"shim_{one.short}" for one in wrapped), 2)]
    parts += [indented(["interface", *("  " + line for line in _shim(one)), "end interface"], 2) for one in wrapped]
    return _module("adcl_shims", "Entry points with addresses of procedures, logicals or texts.", [_KINDS], parts)


def inc_procedures(functions: Sequence[Function]) -> str:
    """Return the external procedures that implement ADCL.inc."""
    style = Style(work="procedure(integer_work_function)", ierror="integer(c_int), intent(out)")
    parts = []
    for one in (one for one in functions if one.is_wrapped):
        uses = ["use, intrinsic :: iso_c_binding, only: c_char, c_int", f"use adcl_shims, only: shim_{one.short}"]
        if one.returns_text:
            uses.append("use adcl_support, only: text_at")
        if any(argument.kind is Kind.WORK for argument in one.arguments):
            uses.append("use adcl_inc_support, only: integer_work_function, work_address, work_caller")
        parts.append(_wrapper(one.name, one, style, "", [*uses, "implicit none"]))
    about = "!> The external procedures behind ADCL.inc, where it cannot be bound to C directly."
    return "\n".join([f"! {HEAD}\n{about}", *parts])
