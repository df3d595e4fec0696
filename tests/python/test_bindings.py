"""The generated interfaces for Fortran and Python are up to date with ADCL.h and its table."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
from support import PROJECT, within

if TYPE_CHECKING:
    from pathlib import Path

_HEADER = "include/ADCL.h"
_TABLE = "bindings/interface.toml"


def _check(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROJECT / "bindings/generate.py"), "--check", "--root", str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=within(60))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the files that the generator reads and writes."""
    for name in (_HEADER, _TABLE, ".clang-format", "src/codelets/sets.def"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, tmp_path / name)
    for folder in ("bindings/fortran/generated", "python/adcl/runtime/generated"):
        shutil.copytree(PROJECT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def _change(root: Path, name: str, before: str, after: str) -> None:
    text = (root / name).read_text(encoding="utf-8")
    assert text.count(before) == 1, before
    (root / name).write_text(text.replace(before, after), encoding="utf-8")


def test_the_committed_files_are_up_to_date() -> None:
    done = _check(PROJECT)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "before", "after", "objection"),
    [
        (_HEADER, "_Timer_commit(ADCL_Timer timer)", "_Timer_commit(ADCL_Timer timer, int how)", "shims.cpp is out of"),
        (_HEADER, "#define ADCL_ORDER_FORTRAN 1", "#define ADCL_ORDER_FORTRAN 2", "ADCL.inc is out of date"),
        (_TABLE, 'attrs = "n"', "", "array attrs needs its length"),
        (_TABLE, 'attrs = "n"', 'attrs = "m"', "it has no argument m"),
        (_TABLE, 'attrs = "n"', 'attrs = "n", atrs = "n"', "it has no argument atrs"),
        (
            _TABLE,
            'Alltoallv_init.rdispls = "size(comm)',
            'Alltoallv_init.rdispls = "size(comm) at root',
            "argument root",
        ),
        (_TABLE, 'attrs = "n"', 'attrs = "all of them"', "unknown description 'all of them'"),
        (_TABLE, "void *buf, int ndims", "void *buf int ndims", "cannot read its parameters"),
        (_TABLE, "int nc, int hwidth", "int hwidth, int nc", "out of date"),
        (_TABLE, "ADCL_Attrset_create", "ADCL_Attrset_make", "ADCL_Attrset_make is not in ADCL.h"),
        (_HEADER, "#define ADCL_ORDER_FORTRAN 1", "#define ADCL_ORDER_FORTRAN 2", "declarations.py is out of date"),
        (_HEADER, "_Timer_stop(ADCL_Timer timer)", "_Timer_stop(ADCL_Timer timer, int how)", "declarations.py is out"),
        ("src/codelets/sets.def", "(BCAST,", "(BROADCAST,", "declarations.py is out of date"),
        ("bindings/fortran/generated/ADCL.inc", "subroutine ADCL_Init(", "subroutine ADCL_Start(", "is out of date"),
    ],
)
def test_a_change_is_reported(copy: Path, name: str, before: str, after: str, objection: str) -> None:
    _change(copy, name, before, after)
    done = _check(copy)
    assert done.returncode == 1
    assert objection in done.stderr


def test_a_new_function_needs_no_row_if_its_declaration_suffices(copy: Path) -> None:
    new = "ADCL_API int ADCL_Timer_name(ADCL_Timer timer, const char *name, int *flag);\n"
    _change(copy, _HEADER, "ADCL_API int ADCL_Timer_commit(", f"{new}ADCL_API int ADCL_Timer_commit(")
    command = [sys.executable, str(PROJECT / "bindings/generate.py"), "--root", str(copy)]
    subprocess.run(command, check=True, timeout=within(60))
    for file in ("ADCL.inc", "adcl_calls.f90"):
        text = (copy / "bindings/fortran/generated" / file).read_text(encoding="utf-8")
        assert "subroutine ADCL_Timer_name(timer, name, flag, ierror)" in text
        assert "logical, intent(out) :: flag" in text


def test_each_function_has_its_entry_point() -> None:
    table = tomllib.loads((PROJECT / _TABLE).read_text(encoding="utf-8"))
    header = (PROJECT / _HEADER).read_text(encoding="utf-8")
    folder = PROJECT / "bindings/fortran"
    by_hand = "".join(one.read_text(encoding="utf-8") for one in folder.glob("*.cpp"))
    generated = (folder / "generated/shims.cpp").read_text(encoding="utf-8")
    functions = set(re.findall(r"^ADCL_API [^(]*?(ADCL_\w+)\(", header, re.MULTILINE)) - table["absent"].keys()
    assert len(functions) > 90
    for name in functions:
        source = by_hand if table["functions"].get(name, {}).get("shim") == "by hand" else generated
        assert f" adcl_f_{name.removeprefix('ADCL_').lower()}(" in source.replace("* adcl_f", " adcl_f"), name


def test_the_documentation_lists_the_functions_missing_in_fortran() -> None:
    table = tomllib.loads((PROJECT / _TABLE).read_text(encoding="utf-8"))
    text = (PROJECT / "docs/fortran.md").read_text(encoding="utf-8")
    sentence = text[text.index("except") : text.index("`ADCL.h` documents")]
    assert set(re.findall(r"`(ADCL_\w+)`", sentence)) == table["absent"].keys()
