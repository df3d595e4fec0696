"""The list of function sets is complete, and each entry has its files."""

from __future__ import annotations

import re

import pytest
from support import PROJECT

_DEFINITIONS = (PROJECT / "src" / "codelets" / "sets.def").read_text(encoding="utf-8")
_SETS = re.findall(r'^ADCL_FUNCTION_SET\(([A-Z_]+),\s*(\w+),\s*"[^"]+"\)$', _DEFINITIONS, re.MULTILINE)


def test_every_entry_is_read() -> None:
    assert len(_SETS) == _DEFINITIONS.count("\nADCL_FUNCTION_SET(") >= 1


@pytest.mark.parametrize(("constant", "name"), _SETS)
def test_a_set_has_a_table_and_a_conformance_program(constant: str, name: str) -> None:
    assert constant == name.upper()
    tables = (PROJECT / "src" / "codelets").glob("*/table.cpp")
    stating = [one for one in tables if f"const FunctionSet& {name}()" in one.read_text(encoding="utf-8")]
    assert len(stating) == 1, f"one src/codelets/*/table.cpp defines {name}()"
    programs = (PROJECT / "tests" / "mpi").glob("conformance_*.cpp")
    stated = re.compile(rf"^// sets?:.*\b{name}\b", re.MULTILINE)
    covering = [one.name for one in programs if stated.search(one.read_text(encoding="utf-8")[:600])]
    assert covering, f"no tests/mpi/conformance_*.cpp says '// set: {name}' in its first lines"


@pytest.mark.parametrize(("constant", "name"), [one for one in _SETS if one[1] != "neighborhood"])
def test_a_collective_can_be_made_in_one_call_in_each_language(constant: str, name: str) -> None:
    call = f"ADCL_{name.capitalize()}_init"
    assert f"int {call}(" in (PROJECT / "include" / "ADCL.h").read_text(encoding="utf-8"), constant
    fortran = PROJECT / "bindings" / "fortran" / "generated"
    assert f"subroutine {call}(" in (fortran / "ADCL.inc").read_text(encoding="utf-8")
    for kind in ("f08", "mpi"):
        module = (fortran / f"adcl_calls_{kind}.f90").read_text(encoding="utf-8")
        assert f"interface {call}\n" in module, kind
        assert f"name='adcl_f_{name}_init'" in module, kind
