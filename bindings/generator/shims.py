"""Generates the entry points in C++, which take descriptors and references and call the functions of ADCL.h."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from generator.fortran import HEAD
from generator.interface import Argument, Direction, Function, Kind, Length

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["by_hand_header", "shims_source"]

_MPI_CONVERSIONS = {"MPI_Comm": "communicator", "MPI_Datatype": "datatype", "MPI_Op": "operation"}


def _null(handle: str) -> str:
    return f"{handle.upper()}_NULL"


def _parameter(argument: Argument) -> str:
    name, is_out = argument.name, argument.direction is not Direction.IN
    if argument.array or argument.kind in (Kind.TEXT, Kind.DATA, Kind.MESSAGE):
        return f"const CFI_cdesc_t* {name}"
    if argument.kind is Kind.ADDRESS:
        return f"void** {name}" if is_out else f"void* const* {name}"
    if argument.kind is Kind.WORK:
        return f"Address {name}"
    if argument.kind is Kind.CALLBACK:
        return f"{argument.type}* {name}"
    type_ = {Kind.REAL: "double", Kind.MPI: "MPI_Fint"}.get(argument.kind, "int")
    return f"{type_}* {name}" if is_out else f"const {type_}* {name}"


def _prototype(function: Function) -> str:
    parameters = [_parameter(one) for one in function.arguments]
    if any(one.kind is Kind.WORK for one in function.arguments):
        parameters.append("Caller caller")
    if function.returns_text:
        return f"ADCL_F_API const char* {function.shim}({', '.join(parameters)})"
    return f"ADCL_F_API void {function.shim}({', '.join([*parameters, 'int* ierror'])})"


def _length(length: Length) -> str:
    if length.of == "argument":
        return f"*{length.name}"
    if length.of == "sum":
        return f"total({length.name}_in)"
    if length.at_root:
        return "processes.size_at(*root)"
    return (
        f"processes.size_unless_in_place({length.unless_in_place}_in)" if length.unless_in_place else "processes.size"
    )


def _prepared(argument: Argument) -> str | None:
    """Return the statement that converts an argument for the library; None if an expression converts it."""
    name = argument.name
    if argument.kind is Kind.DATA:
        return f'void* const {name}_in = given.data({name}, "{name}");'
    if argument.kind is Kind.MESSAGE:
        return f'void* const {name}_in = given.message({name}, "{name}");'
    if argument.length is None:
        return None
    if argument.length.of == "attributes":
        return f"const AttributeValues {name}_in({argument.length.name}, {name});"
    element = "double" if argument.kind is Kind.REAL else "int"
    given = f'{name}, "{name}", {_length(argument.length)}'
    if argument.direction is Direction.OUT:
        return f"auto {name}_out = given.results<{element}>({given});"
    reader = {
        Kind.HANDLE: f"handles<{argument.type}>",
        Kind.MPI: "datatypes",
        Kind.TEXT: "texts",
    }.get(argument.kind, f"array<{element}>")
    return f"const auto {name}_in = given.{'indices' if argument.from_one else reader}({given});"


def _result(argument: Argument) -> str | None:
    """Return the statement that sets the value of a result for a failed call."""
    if argument.direction is not Direction.OUT or argument.array or argument.kind is Kind.TEXT:
        return None
    if argument.kind is Kind.HANDLE:
        return f"Result<{argument.type}> {argument.name}_out({argument.name}, {_null(argument.type)});"
    if argument.kind is Kind.MPI:
        return f"CommunicatorResult {argument.name}_out({argument.name});"
    value = f", static_cast<int>({argument.on_failure})" if argument.on_failure else ""
    return f"preset({argument.name}{value});"


def _passed(argument: Argument, *, may_be_mistaken: bool) -> str:
    """Return the expression that is passed to the library."""
    name = argument.name
    if argument.array:
        return f"{name}_{'out' if argument.direction is Direction.OUT else 'in'}.data()"
    if argument.direction is Direction.OUT:
        if argument.kind is Kind.HANDLE:
            return f"given.null_if_invalid({name}_out)" if may_be_mistaken else f"{name}_out.pointer()"
        return f"{name}_out.pointer()" if argument.kind is Kind.MPI else name
    return {
        Kind.TEXT: f"trimmed({name}).c_str()",
        Kind.HANDLE: f"handle<{argument.type}>({name})",
        Kind.MPI: f"{_MPI_CONVERSIONS.get(argument.type)}({name})",
        Kind.DATA: f"{name}_in",
        Kind.MESSAGE: f"{name}_in",
        Kind.WORK: f"work_function({name}, caller)",
        Kind.CALLBACK: name,
    }.get(argument.kind, f"*{name} - 1" if argument.from_one else f"*{name}")


def _call(function: Function, called: str, values: Sequence[str]) -> str:
    """Return the expression that calls the library and stores its results in the Fortran arguments."""
    texts = [one for one in function.arguments if one.has_size]
    arrays = [f"{one.name}_out" for one in function.arguments if one.array and one.direction is Direction.OUT]
    call = f"{called}({', '.join(values)})"
    for text in texts:
        call = f"fetch_text({text.name}, [&](char* buffer, int size) {{ return {call}; }})"
    return f"stored({call}, {', '.join(arrays)})" if arrays else call


def _values(declared: Function, form: Function, *, may_be_mistaken: bool) -> list[str]:
    """Return the arguments in C's order; the default replaces an argument that this form lacks."""
    values = []
    for argument in declared.arguments:
        if argument.has_size:
            values += ["buffer", "size"]
        elif argument in form.arguments:
            values.append(_passed(argument, may_be_mistaken=may_be_mistaken))
        else:
            values.append(str(argument.default))
    return values


def _shim(declared: Function, form: Function) -> list[str]:
    prototype = _prototype(form)
    if form.returns_text:
        values = _values(declared, form, may_be_mistaken=False)
        return [f"{prototype} {{ return {declared.name}({', '.join(values)}); }}"]
    if any(one.direction is Direction.INOUT and one.kind is Kind.HANDLE for one in form.arguments):
        names = ", ".join([declared.name, *(one.name for one in form.arguments)])
        return [f"{prototype} {{ call(ierror, [&] {{ return release({names}); }}); }}"]
    prepared = [statement for statement in map(_prepared, form.arguments) if statement]
    may_be_mistaken = any("given." in statement for statement in prepared)
    communicators = {one.length.name for one in form.arguments if one.length and one.length.of == "size"}
    prepared[:0] = [f"const Processes processes({name});" for name in sorted(communicators)]
    call = _call(form, declared.name, _values(declared, form, may_be_mistaken=may_be_mistaken))
    first = f'call("{declared.name}", ierror, [&](Arguments& given) {{' if may_be_mistaken else "call(ierror, [&] {"
    results = [statement for statement in map(_result, form.arguments) if statement]
    return [f"{prototype} {{", *results, first, *prepared, f"return {call};", "});", "}"]


def shims_source(functions: Sequence[Function]) -> str:
    """Return the C++ source with the generated entry points."""
    lines = [f"// {HEAD}", '#include "arguments.hpp"', '#include "procedures.hpp"', "using namespace adcl::fortran;"]
    for section, members in itertools.groupby(functions, lambda one: one.section):
        lines += ["", f"// ---- {section}"]
        for one in members:
            for form in () if one.by_hand else (one, one.without_defaults()):
                lines += ["", *_shim(one, form)] if form else []
    return "\n".join(lines) + "\n"


def by_hand_header(functions: Sequence[Function]) -> str:
    """Return the declarations of the hand-written entry points."""
    lines = [f"// {HEAD}", "// The entry points that are written by hand.", "#pragma once", '#include "shim.hpp"']
    for one in functions:
        if one.by_hand:
            lines += ["", f"{_prototype(one)};"]
    return "\n".join(lines) + "\n"
