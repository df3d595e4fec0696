"""Defects of MPI libraries: rows in the code, programs that show the defects, and the table in the documentation."""

from __future__ import annotations

import re

from support import PROJECT

_ROWS = (PROJECT / "src" / "codelets" / "collectives" / "call_defects.def").read_text(encoding="utf-8")
_PAGE = (PROJECT / "docs" / "mpi-libraries.md").read_text(encoding="utf-8")
_FOLDER = PROJECT / "tests" / "mpi_defects"
_ROW = re.compile(r'^ADCL_(CALL|AVOIDED)_DEFECT\(\w+, "(\w*)", "(\w*)",(?: \w+,)? "([^"]+)",$', re.MULTILINE)


def _of_code() -> list[tuple[str, str, bool]]:
    """Return program with argument, libraries, and whether codelets are excluded, for each row of the code."""
    rows = _ROW.findall(_ROWS)
    assert len(rows) == len(re.findall(r"^ADCL_\w+_DEFECT\(", _ROWS, re.MULTILINE)) >= 20
    return [(f"{program} {argument}".strip(), libraries, kind == "CALL") for kind, program, argument, libraries in rows]


def _of_page() -> list[tuple[str, str, bool]]:
    """Return these values for each row of the table in the documentation."""
    section = _PAGE.split("\n## Defects in collective calls\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines() if line[:1] == "|"]
    assert rows[0] == ["library", "calls", "condition", "what happens", "shown by", "ADCL"]
    return [
        (shown.strip("`–"), libraries.replace("Intel MPI", "Intel(R) MPI Library"), does.startswith("not applicable"))
        for libraries, _, _, _, shown, does in rows[2:]
    ]


def _of_programs() -> set[str]:
    arguments = {}
    for program in _FOLDER.glob("*.c"):
        found = re.search(r"^ \* arguments:((?: \w+)+)$", program.read_text(encoding="utf-8"), re.MULTILINE)
        assert found, f"{program.name} does not state its arguments"
        arguments[program.stem] = found[1].split()
    return {f"{program} {one}" for program, all_of_it in arguments.items() for one in all_of_it}


def test_the_page_has_the_rows_of_the_code() -> None:
    assert sorted(_of_page()) == sorted(_of_code())


def test_programs_and_table_list_the_same_defects() -> None:
    assert {shown for shown, _, _ in _of_code() if shown} == _of_programs()


def test_programs_use_only_mpi() -> None:
    for program in _FOLDER.glob("*.c"):
        includes = re.findall(r"^#include (\S+)$", program.read_text(encoding="utf-8"), re.MULTILINE)
        assert "<mpi.h>" in includes
        assert all(include.startswith("<") for include in includes), program.name
