"""An option is one row of the table and the code that reads it by name; no other code lists options."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from support import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

_ROW = re.compile(r'Option::(?:choice|integer|real|toggle|text|path)\(\s*("?\w+"?)')
_CONSTANT = re.compile(r'constexpr const char\* (\w+) = ("ADCL_[A-Z_]+");')
_READ = re.compile(r'(?:toggle|integer|real|word|option|value|origin|getenv)\(("?\w+"?)\)')
_NAME = re.compile(r"\bADCL_[A-Z]+(?:_[A-Z]+)*\b")
_COMMENT = re.compile(r"//[^\n]*")
_SUFFIXES = {".c", ".cpp", ".hpp", ".h", ".py", ".f90", ".F90", ".f", ".sh", ".toml", ".cmake", ".txt", ".md", ".jsonl"}
_NO_OPTIONS = {"ADCL_CONFIG", "ADCL_PROFILE", "ADCL_DESCRIBE", "ADCL_INTERPOSE", "ADCL_LIBRARY_PATH"}
_NO_OPTIONS |= {f"ADCL_INTERPOSE_{name}" for name in ("BITS", "BUDGET", "HISTORY", "HOSTS", "PROGRAMS", "REPORT")}
"""Environment variables that are not options of the library."""
_OF_CMAKE = {"ADCL_LIBRARY_ONLY", "ADCL_TESTS"}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


@cache
def _sources() -> dict[str, str]:
    """Return the text of each file of the library without comments; constants with names are substituted."""
    texts = {}
    for path in sorted((PROJECT / "src").rglob("*.[ch]pp")):
        if path.relative_to(PROJECT).parts[1:3] != ("capi", "v1") and path.relative_to(PROJECT).parts[1] != "profile":
            text = _COMMENT.sub("", _text(path))
            for constant, literal in _CONSTANT.findall(text):
                text = re.sub(rf"\b{constant}\b", literal, text.replace(f"{constant} = {literal}", ""))
            texts[path.relative_to(PROJECT).as_posix()] = text
    return texts


@cache
def _options() -> frozenset[str]:
    names = {name.strip('"') for text in _sources().values() for name in _ROW.findall(text)}
    return frozenset(name for name in names if name.startswith("ADCL_"))


def _literals(text: str) -> list[str]:
    return re.findall(r'"(ADCL_[A-Z_]+)"', text)


def test_the_table_is_found() -> None:
    assert {"ADCL_SEARCH", "ADCL_TIMING", "ADCL_OUTLIER_FRACTION", "ADCL_CODELETS", "ADCL_TRACE"} <= _options()
    assert len(_options()) > 20


@pytest.mark.parametrize("name", sorted(_options()))
def test_an_option_is_named_in_its_row_and_where_it_is_read(name: str) -> None:
    rows = reads = literals = 0
    for text in _sources().values():
        literals += _literals(text).count(name)
        literals -= text.count(f'"{name}", "="') + text.count(f'.set("{name}", ')  # a message, and a change
        rows += sum(found == f'"{name}"' for found in _ROW.findall(text))
        reads += sum(found == f'"{name}"' for found in _READ.findall(text))
    assert rows >= 1, "it has no row"
    assert reads >= 1, "nothing reads it"
    assert literals == rows + reads, "another list of options names it"


def test_all_names_of_the_library_are_options() -> None:
    unknown = {
        (file, name)
        for file, text in _sources().items()
        for name in _literals(text)
        if name not in _options() | _NO_OPTIONS and not name.startswith(("ADCL_TEST_", "ADCL_FNCTSET_"))
    }
    assert not unknown


@cache
def _uses() -> frozenset[str]:
    """Return names of variables in all other programs, studies and tests."""
    used: set[str] = set()
    for folder in ("apps", "examples", "studies", "tests", "bench", "testbed", "python", "programs"):
        for path in (PROJECT / folder).rglob("*"):
            if path.suffix in _SUFFIXES and path.name != "test_options.py":
                used.update(_NAME.findall(_text(path)))
    return frozenset(used)


@pytest.mark.parametrize("name", sorted(_options()))
def test_each_option_is_set_somewhere(name: str) -> None:
    assert name in _uses(), "no application, example, study or test sets it: remove it"


@pytest.mark.parametrize(
    "page", sorted([PROJECT / "README.md", PROJECT / "include/ADCL.h", *(PROJECT / "docs").glob("*.md")])
)
def test_pages_name_existing_options(page: Path) -> None:
    assigned = set(re.findall(r"\b(ADCL_[A-Z_]+)=", _text(page)))
    unknown = {
        name
        for name in assigned - _options() - _NO_OPTIONS - _OF_CMAKE
        if not name.startswith(("ADCL_TEST_", "ADCL_EMETHOD_"))
    }
    assert not unknown
