"""The site of `make docs`: in a real browser at two widths, with its search, in light and dark."""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from support import PROJECT, script, within

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("test_site")
"""One process builds the site for all tests."""

_SITE = PROJECT / "build/site"
_BROWSER = PROJECT / ".venvs/browser/bin/python"


def _newest(*patterns: str) -> float:
    return max(file.stat().st_mtime for pattern in patterns for file in PROJECT.glob(pattern) if file.is_file())


@functools.cache
def _built() -> Path:
    """Return the folder of the site; build it if a source is newer. Skip the test without Sphinx."""
    if not (PROJECT / ".venvs/site/bin/sphinx-build").is_file() or not shutil.which("doxygen"):
        pytest.skip("Sphinx or Doxygen is not installed (tools/setup.sh docs)")
    index = _SITE / "docs/index.html"
    sources = _newest("docs/**/*", "include/**/*", "examples/**/*", "studies/*/*/page.md", "python/adcl/runtime/*.py")
    if not index.is_file() or index.stat().st_mtime < sources:
        done = subprocess.run(
            ["tools/docs.sh"], cwd=PROJECT, capture_output=True, text=True, check=False, timeout=within(600)
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return _SITE


def _browsed(site: Path, pages: list[str]) -> dict[str, Any]:
    if not _BROWSER.is_file() or not (shutil.which("chromium") or shutil.which("google-chrome")):
        pytest.skip("no browser is installed (tools/setup.sh site)")
    done = subprocess.run(
        [str(_BROWSER), str(PROJECT / "tests/python/programs/browse.py"), str(site), *pages],
        capture_output=True,
        text=True,
        check=False,
        timeout=within(300),
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _too_wide(found: dict[str, Any]) -> list[str]:
    return [
        f"{one['name']} at {one['width']}: {one['page']} of {one['window']} pixels: {one['elements']}"
        for one in found["sizes"]
        if one["page"] > one["window"] or one["elements"]
    ]


def test_pages_fit_the_screen_and_the_search_finds_a_word() -> None:
    site = _built()
    pages = sorted(str(page.relative_to(site)) for page in (site / "docs").glob("*.html"))
    pages += sorted(str(page.relative_to(site)) for page in (site / "studies").rglob("page.html"))
    pages.remove("docs/index.html")
    found = _browsed(site, ["docs/index.html", *pages])
    assert len(found["sizes"]) == 2 * (len(pages) + 1)
    assert _too_wide(found) == []
    assert found["errors"] == []
    assert any("How ranks agree" in title for title in found["search"]), found["search"]

    def brightness(color: str) -> int:
        return sum(int(one) for one in re.findall(r"\d+", color)[:3])

    background, text = found["colors"]["light"]
    assert brightness(background) > 600
    assert brightness(text) < 200
    background, text = found["colors"]["dark"]
    assert brightness(background) < 150
    assert brightness(text) > 500


def test_a_wide_table_is_found(tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(_built(), site, ignore=shutil.ignore_patterns("internals", "studies"))
    page = site / "docs/faq.html"
    text = page.read_text(encoding="utf-8")
    table = '<table style="min-width: 900px"><tr><td>too wide</td></tr></table>'
    page.write_text(re.sub(r"</h1>", "</h1>" + table, text, count=1), encoding="utf-8")
    found = _too_wide(_browsed(site, ["docs/faq.html"]))
    assert any("at 400" in one and "too wide" in one for one in found), found


def test_the_first_page_is_the_start_of_the_site() -> None:
    site = _built()
    assert 'url=docs/index.html"' in (site / "index.html").read_text(encoding="utf-8")
    text = (site / "docs/index.html").read_text(encoding="utf-8")
    for title in ("You write a program", "You cannot change the program", "You tune the settings", "You check how"):
        assert f"<h2>{title}" in text
    assert re.search(r"<title>ADCL \d+[.]\d+[.]\d+</title>", text)
    assert (site / "internals/index.html").is_file()


def test_interfaces_are_complete() -> None:
    docs = _built() / "docs"
    header = (PROJECT / "include/ADCL.h").read_text(encoding="utf-8")
    functions = set(re.findall(r"^ADCL_API [^(]*?(ADCL_\w+)\(", header, re.MULTILINE))
    assert len(functions) > 90
    shown = set(re.findall(r'id="c\.(ADCL_\w+)"', (docs / "api-c.html").read_text(encoding="utf-8")))
    assert functions <= shown
    text = (docs / "api-fortran.html").read_text(encoding="utf-8")
    absent = {"ADCL_Inside", "ADCL_Error_record", "ADCL_Error_set"}
    assert functions - absent == {name for name in functions if f"<h3>{name}<" in text}
    python = (docs / "api-python.html").read_text(encoding="utf-8")
    runtime = (PROJECT / "python/adcl/runtime/__init__.py").read_text(encoding="utf-8")
    names = set(re.findall(r'^    "(\w+)",$', runtime, re.MULTILINE)) - {"Array", "BufferSpec", "VectorSpec", "Width"}
    assert names == {name for name in names if f'id="adcl.{name}"' in python}


def test_procedures_of_fortran_are_read_from_the_source() -> None:
    module = script("docs/_fortran.py")
    source = """
  public :: ADCL_One
  !> Two lines of
  !> comment.
  interface ADCL_One
    subroutine one_f08(a, &
      ierror) bind(C, name='adcl_f_one')
      import
      integer(c_int), intent(in) :: a
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  function ADCL_Text() result(text)
    character(len=:), allocatable :: text
    integer :: inside
    text = 'x'
  end function
"""
    assert module.procedures(source) == [
        (
            "ADCL_One",
            "Two lines of comment.",
            (
                "subroutine ADCL_One(a, ierror)\n  integer(c_int), intent(in) :: a\n"
                "  integer(c_int), intent(out), optional :: ierror"
            ),
        ),
        ("ADCL_Text", "", "function ADCL_Text() result(text)\n  character(len=:), allocatable :: text"),
    ]
