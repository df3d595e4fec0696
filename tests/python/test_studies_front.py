"""The front page has a row for each table, figure, and listing, with a part of a page, a record, or a reason."""

from __future__ import annotations

import dataclasses
import re
import sys
from typing import TYPE_CHECKING

import pytest
from support import PROJECT

if str(PROJECT) not in sys.path:
    sys.path.append(str(PROJECT))

from studies import _rows
from studies._catalog import Rendered, Study, StudyError, all_publications, all_studies, find_study
from studies._programs import Listing, all_listings, calls_of, listing_differences
from studies._publications import Publication, Row, missing_rows, read_publication, rows_of
from studies._statements import Statement, counted, of

if TYPE_CHECKING:
    from pathlib import Path

_STUDIES = all_studies()
_RECORDED = [one for one in _STUDIES if one.recorded]
_PART = re.compile(r"\{\{|!\[|^\|", re.MULTILINE)
"""A table or a picture."""


def _part(text: str, heading: str) -> str:
    """Return the text below a heading up to the next heading of a page's parts."""
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("study", _STUDIES, ids=lambda one: one.key)
def test_each_row_of_a_study_has_a_part_on_its_page(study: Study) -> None:
    text = (study.folder / "text.md").read_text(encoding="utf-8")
    for row in study.redoes:
        heading = _rows.heading_of(row, text)
        assert heading is not None, f"{study.key}: no heading names {row.name}"
        part = _part(text, heading)
        assert _PART.search(part) or (row.nothing and part.strip()), f"{study.key}: {row.name} has no table or picture"


@pytest.mark.parametrize("study", _STUDIES, ids=lambda one: one.key)
def test_a_study_has_a_record_and_its_files_or_neither(study: Study) -> None:
    files = _rows.record_files(study)
    if study.recorded and study.measures:
        assert files, f"{study.key}: study.toml names a full run, and no records are stored"
        assert re.search(r"\b[0-9a-f]{7,40}\b", study.record["commit"]), f"{study.key}: no commit"
    else:
        assert files == [], f"{study.key}: records are stored, and study.toml names no commit of a full run"


@pytest.mark.parametrize("study", _RECORDED, ids=lambda one: one.key)
def test_each_row_with_a_record_is_compared_or_says_why_not(study: Study) -> None:
    rendered = _rows.rendered_of(study)
    shown = {name for one in rendered.statements for name in one.rows}
    names = [row.name for row in study.redoes]
    assert shown <= set(names), f"{study.key}: statements name rows that redoes.toml lacks"
    for row in study.redoes:
        assert (row.name in shown) != bool(row.nothing), f"{study.key}: {row.name}"


def test_each_row_that_does_not_agree_says_why() -> None:
    rows = _rows.front_rows(_rows.rendered_studies())
    assert len(rows) > 41
    for one in rows:
        assert one.state in _rows.STATES
        if one.state in ("agrees in part", "does not agree") and one.command.startswith("make study"):
            assert one.row.why, f"{one.row.name} of {one.publication.title}"
        if one.state == "not reproduced":
            assert one.row.reason


def test_publications_belong_to_studies_or_listings_and_links_are_valid() -> None:
    for one in _rows.front_rows({}):
        path = one.link.partition("#")[0]
        assert not path or (PROJECT / path).is_file(), one.link
    used = {study.publication.key for study in _STUDIES} | {one.publication for one in all_listings()}
    assert used == {one.key for one in all_publications()}


def test_row_names_of_a_publication_are_unique() -> None:
    names = [(one.publication.key, one.row.name) for one in _rows.front_rows({})]
    assert len(names) == len(set(names))


def test_sections_of_the_thesis_have_their_pages() -> None:
    (thesis,) = [one for one in all_publications() if one.key == "thesis"]
    assert (thesis.page("2.4.1"), thesis.page("5.3.3.2"), thesis.page("9")) == ("19", "73", "–")
    for one in _rows.front_rows({}):
        if one.publication.key == "thesis":
            assert thesis.page(one.row.section) != "–", one.row.name


# ---- Parts of pages ----


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("Which codelet wins: Figures 4.3 and 4.4", {"Figure 4.3", "Figure 4.4"}),
        ("Codelets: Figures 2 to 4", {"Figure 2", "Figure 3", "Figure 4"}),
        ("Tables 5.1 to 5.3", {"Table 5.1", "Table 5.2", "Table 5.3"}),
        ("Best: Table 5.2 and Figures 5.4 and 5.5", {"Table 5.2", "Figure 5.4", "Figure 5.5"}),
        ("Whether: Table 6.1 and Figure 6.6", {"Table 6.1", "Figure 6.6"}),
        ("Figure 2i", {"Figure 2i"}),
        ("Why they differ", set()),
    ],
)
def test_a_heading_names_tables_and_figures(heading: str, names: set[str]) -> None:
    assert _rows.numbers_in(heading) == names


def test_a_part_is_found_by_its_heading() -> None:
    text = "# Title\n\n## One: Figure 4.3\n\nx\n\n## Why they differ\n"
    assert _rows.anchor_of(Row("Figure 4.3", "", ""), text) == "one-figure-43"
    assert _rows.anchor_of(Row("Figure 4.4", "", ""), text) is None
    assert _rows.anchor_of(Row("x", "", "", heading="Why they differ"), text) == "why-they-differ"
    assert _rows.anchor_of(Row("x", "", "", heading="Another"), text) is None


# ---- Rows of a study ----


def _row_of(study: Study, row: Row, statements: tuple[Statement, ...]) -> _rows.FrontRow:
    changed = dataclasses.replace(study, redoes=(row,))
    return _rows.study_row(changed, row, Rendered({}, {}, (), statements))


@pytest.mark.parametrize(
    ("holds", "state", "cell"),
    [
        ((True, True), "agrees", "same verdict: 2 of 2"),
        ((True, False), "agrees in part", "same verdict: 1 of 2; it is small ([more]("),
        ((False, None), "does not agree", "same verdict: 0 of 1; it is small ([more]("),
        ((None,), "nothing to compare", "no statement is decidable from the records"),
    ],
)
def test_statements_decide_whether_a_row_agrees(holds: tuple[bool | None, ...], state: str, cell: str) -> None:
    statements = (
        *(Statement("a", "1", "x", one, ("Table 4",)) for one in holds),
        Statement("of another table", "1", "x", holds=False, rows=("Table 5",)),
    )
    row = Row("Table 4", "growths", "4.3", same="verdict", why="it is small", heading="Table 4 with set kernels")
    found = _row_of(find_study("exascaling/mafia"), row, statements)
    assert found.state == state
    assert found.agrees.startswith(cell)
    assert found.link.endswith("page.md#table-4-with-set-kernels")
    assert "records.jsonl" in found.record
    assert "d7964b6" in found.record


def test_a_study_without_a_full_run_says_so() -> None:
    study = dataclasses.replace(find_study("exascaling/mafia"), record={"date": "none yet"})
    found = _rows.study_row(study, study.redoes[0], None)
    assert not study.recorded
    assert (found.state, found.record) == ("no full run", "none")
    assert "no full run is stored" in found.agrees
    assert found.command == "make study NAME=exascaling/mafia"


def test_statements_are_counted_under_the_name_of_their_publication() -> None:
    every = [Statement("a", "1", "x", one) for one in (True, False, None)]
    assert str(counted(every, find_study("hips2007/solver"))) == "statements of the HIPS 2007 paper that hold: 1 of 2"
    assert str(counted(every, find_study("thesis/ft"))) == "statements of the thesis that hold: 1 of 2"
    assert [one.rows for one in of(("Figure 1",), every)] == [("Figure 1",)] * 3


def test_incomplete_file_of_rows_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="section"):
        rows_of({"Table 1": {"shows": "x"}}, tmp_path)
    with pytest.raises(ValueError, match="pagee"):
        rows_of({"Table 1": {"shows": "x", "section": "1", "pagee": "3"}}, tmp_path)
    with pytest.raises(ValueError, match="Table 1 has no reason"):
        missing_rows({"Table 1": {"shows": "x", "section": "1"}}, tmp_path)
    (tmp_path / "publication.toml").write_text('short = "x"\n', encoding="utf-8")
    with pytest.raises(ValueError, match="title"):
        read_publication(tmp_path)


# ---- Listings ----


@pytest.mark.parametrize("listing", all_listings(), ids=lambda one: one.row.name)
def test_a_program_makes_the_printed_calls_in_the_printed_order(listing: Listing) -> None:
    assert listing.program.is_file()
    assert listing_differences(listing) == []


def test_each_program_in_examples_published_has_a_listing() -> None:
    folder = PROJECT / "examples" / "published"
    programs = {path for suffix in ("*.c", "*.f", "*.F90", "*.inc") for path in folder.glob(suffix)}
    assert programs <= {one.program for one in all_listings()}


def _listing(tmp_path: Path, name: str, text: str, *calls: str) -> Listing:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return Listing("thesis", Row("Figure 1", "x", "1"), path, calls, "ctest", (), {})


def test_another_argument_another_order_and_a_missing_call_are_found(tmp_path: Path) -> None:
    text = "check(ADCL_Init(), 1); /* ADCL_Finalize() */\nADCL_Request_start( req[f(1)] );\n"
    assert calls_of(_listing(tmp_path, "a.c", text).program) == ["ADCL_Init()", "ADCL_Request_start(req[f(1)])"]
    assert listing_differences(_listing(tmp_path, "a.c", text, "ADCL_Init ()", "ADCL_Request_start(req[f(1)])")) == []
    for calls in (("ADCL_Request_start(req)",), ("ADCL_Request_start(req[f(1)])", "ADCL_Init()"), ("ADCL_Finalize()",)):
        (found,) = listing_differences(_listing(tmp_path, "a.c", text, *calls))
        assert found.startswith("a.c: Figure 1: ")
    other = dataclasses.replace(_listing(tmp_path, "a.c", text, "ADCL_Init()"), differs={"ADCL_Free()": ("x", "y")})
    assert listing_differences(other) == ["Figure 1: ADCL_Free() is not a published call"]


def test_undeclared_variable_is_found(tmp_path: Path) -> None:
    text = "      integer adcl_topology, adcl_vmap ! adcl_svec\n      common /adcl/ adcl_vmap\n"
    listing = dataclasses.replace(_listing(tmp_path, "a.inc", text), declares=("adcl_vmap", "/adcl/"))
    assert listing_differences(listing) == []
    for name in ("adcl_topo", "adcl_svec"):
        (found,) = listing_differences(dataclasses.replace(listing, declares=(name,)))
        assert found == f"a.inc: Figure 1: {name} is not declared there"


def test_calls_of_fortran_may_span_lines_and_ignore_case(tmp_path: Path) -> None:
    fixed = "c     call adcl_init(ierr)\n      call ADCL_Vmap_free( vmap,\n     >     ierr )   ! ends\n"
    assert calls_of(_listing(tmp_path, "a.f", fixed).program) == ["adcl_vmap_free(vmap,ierr)"]
    free = "call ADCL_Vector_register ( 3, &  ! three\n  dims )\n"
    assert listing_differences(_listing(tmp_path, "a.F90", free, "adcl_vector_register(3, DIMS)")) == []


def test_a_listing_without_a_key_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "printed.toml").write_text('[[listing]]\nname = "Figure 1"\n', encoding="utf-8")
    with pytest.raises(StudyError, match="the key 'publication' is missing"):
        all_listings(tmp_path)


def test_a_page_of_a_publication_is_that_of_the_enclosing_section() -> None:
    one = Publication("x", "x", "x", {"4.1": "47"}, ())
    assert [one.page(section) for section in ("4.1", "4.1.2", "4.2", "IV")] == ["47", "47", "–", "–"]
