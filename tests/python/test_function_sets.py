"""The one list of function sets, and what must exist for each entry."""

from __future__ import annotations

import re

import pytest
from support import PROJECT

_DEFINITIONS = (PROJECT / "src" / "codelets" / "sets.def").read_text(encoding="utf-8")
_SETS = re.findall(r'^ADCL_FUNCTION_SET\(([A-Z_]+),\s*(\w+),\s*"[^"]+"\)$', _DEFINITIONS, re.MULTILINE)


def test_every_entry_is_read() -> None:
    assert len(_SETS) == _DEFINITIONS.count("\nADCL_FUNCTION_SET(") >= 1


@pytest.mark.parametrize(("constant", "name"), _SETS)
def test_a_set_has_a_folder_and_a_conformance_program(constant: str, name: str) -> None:
    assert constant == name.upper()
    assert (PROJECT / "src" / "codelets" / name / "table.cpp").is_file()
    stated = f"// set: {name}\n"
    programs = (PROJECT / "tests" / "mpi").glob("conformance_*.cpp")
    covering = [one.name for one in programs if stated in one.read_text(encoding="utf-8")[:400]]
    assert covering, f"no tests/mpi/conformance_*.cpp says '{stated.strip()}' in its first lines"
