"""Every page of a study and every listing of verdicts matches the output of the current code for the stored records."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
from support import PROJECT

from adcl.scale.judge import _judge, _paper
from adcl.scale.model import _candidates, _choose

if str(PROJECT) not in sys.path:
    sys.path.append(str(PROJECT))

from studies import __main__ as studies_main
from studies import _front, _listings
from studies._catalog import Place, Study, StudyError, all_studies, find_study
from studies._page import differences, fill
from studies.exascaling.mafia import study as mafia

if TYPE_CHECKING:
    from pathlib import Path

_LISTING = """\
text

```console
$ adcl scale check tests/bench_mpi/seeded.toml --run fixed
{output}```
"""


@pytest.mark.parametrize("study", all_studies(), ids=lambda one: one.key)
def test_stored_page_matches_the_present_code(study: Study) -> None:
    assert differences(Place.of(study, quick=False)) == []


def test_listings_and_list_of_studies_match_the_present_code() -> None:
    assert _listings.listing_differences() == []
    assert _front.front_differences() == []


def test_a_page_without_a_full_run_is_found(tmp_path: Path) -> None:
    study = dataclasses.replace(find_study("exascaling/mafia"), record={"date": "none yet"})
    (found,) = differences(_copy(study, tmp_path))
    assert "study.toml names no commit" in found
    (tmp_path / "copy" / "page.md").unlink()
    assert differences(Place(study, tmp_path / "copy", tmp_path / "work")) == []


def _copy(study: Study, folder: Path) -> Place:
    shutil.copytree(study.folder, folder / "copy")
    return Place(study, folder / "copy", folder / "work")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("exascaling/collectives", "| p log p ≈ ▲ |", "| p log p ✓ ▲ |"),
        ("exascaling/memory", "5400 ▽", "5400 ✗"),
        ("exascaling/mafia", "| k 2^k ? |", "| k 2^k ≈ |"),
        ("exascaling/printed", "(differs)", ""),
        ("periscope/fish_school", "| 1.129 | no |", "| 1.129 | yes |"),
        ("periscope/cg_is", "| 1.14 | yes |", "| 1.14 | no |"),
    ],
)
def test_a_changed_verdict_in_a_page_is_found(tmp_path: Path, name: str, old: str, new: str) -> None:
    place = _copy(find_study(name), tmp_path)
    page = place.folder / "page.md"
    text = page.read_text(encoding="utf-8")
    assert old in text
    page.write_text(text.replace(old, new, 1), encoding="utf-8")
    (found,) = differences(place)
    assert "page.md" in found
    assert "the present code writes" in found


@pytest.mark.parametrize(
    ("module", "constant", "value", "name"),
    [
        (_judge, "_DOUBT", 1.0, "exascaling/collectives"),
        (_choose, "_EXPECTED", 0.01, "exascaling/memory"),
        (_paper, "_RANGE", 1.0, "exascaling/mafia"),
    ],
)
def test_a_changed_constant_of_the_judge_is_found(
    monkeypatch: pytest.MonkeyPatch, module: object, constant: str, value: float, name: str
) -> None:
    monkeypatch.setattr(module, constant, value)
    _candidates.candidates_of_one.cache_clear()
    found = differences(Place.of(find_study(name), quick=False))
    _candidates.candidates_of_one.cache_clear()
    assert len(found) == 1
    assert name in found[0]


def test_a_changed_record_is_found_by_table_and_picture(tmp_path: Path) -> None:
    place = _copy(find_study("exascaling/mafia"), tmp_path)
    lines = [json.loads(line) for line in place.records.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["measurement"]["function"] == "gen:set":
            line["measurement"]["repetitions"] = [1e-3 * line["measurement"]["parameters"]["k"]]
    place.records.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    assert differences(place) != []


def test_a_picture_that_no_study_writes_is_found(tmp_path: Path) -> None:
    place = _copy(find_study("exascaling/mafia"), tmp_path)
    (place.folder / "old.svg").touch()
    assert [one.rpartition("/")[2] for one in differences(place)] == ["old.svg: no study writes this picture"]


def test_a_claim_that_does_not_hold_is_an_error() -> None:
    values = {"paper/torus/Bcast": "log p ✓"}
    assert fill("is {{paper/torus/Bcast = log p ✓}}.", values, "text.md") == "is log p ✓."
    with pytest.raises(StudyError, match=r"text.md:2: the text claims .*'p ✗', but the records give 'log p ✓'"):
        fill("\n{{paper/torus/Bcast = p ✗}}", values, "text.md")
    with pytest.raises(StudyError, match="'paper/x' is not a value"):
        fill("{{paper/x}}", values, "text.md")


def test_a_changed_verdict_in_a_listing_is_renewed() -> None:
    stored = _LISTING.format(output="Bcast  O(log p)  O(p)  ✗\n")
    new, orphans = _listings.renewed(stored)
    assert "✗" not in new
    assert "Everything holds." in new
    assert orphans == []
    assert _listings.renewed(new) == (new, [])


def test_a_table_of_verdicts_needs_a_command() -> None:
    _, orphans = _listings.renewed("```console\nfunction  expected  match\nBcast  O(p)  ✓\n```\n")
    assert orphans == ["1: a listing of verdicts has no command that prints it"]


def test_every_listing_is_on_a_page() -> None:
    for path in _listings.pages():
        for block in _listings._BLOCK.findall(path.read_text(encoding="utf-8")):
            shows = "$ adcl scale" in block and any(sign in block for sign in "✓≈✗▽▲")
            assert not shows or _listings._is_ours(block), f"{path.name}: {block[:80]}"


def test_every_study_states_its_scope_and_duration() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "studies", "list"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    for study in all_studies():
        assert f"{study.key}: {study.title}" in done.stdout
        assert study.full in done.stdout
        for row in study.redoes:
            assert f"  {row.name}: {row.shows}\n    command make study NAME={study.key}" in done.stdout
    recorded = [one for one in all_studies() if one.recorded]
    assert done.stdout.count("state   page is current") == len(recorded)
    assert done.stdout.count("state   no full run is stored") == len(all_studies()) - len(recorded)


def test_an_unknown_study_is_named_with_those_that_there_are() -> None:
    with pytest.raises(StudyError, match=r"no study is named 'mafai'; available: .*exascaling/mafia"):
        find_study("mafai")
    assert find_study("mafia").key == "exascaling/mafia"


def test_a_full_run_stores_its_record_and_a_quick_one_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "exascaling" / "mafia"
    shutil.copytree(find_study("exascaling/mafia").folder, folder)
    study = dataclasses.replace(find_study("exascaling/mafia"), folder=folder)
    before = (study.folder / "study.toml").read_text(encoding="utf-8")
    monkeypatch.setattr(mafia, "measure", lambda _: None)
    monkeypatch.setattr(studies_main, "find_study", lambda _: study)
    monkeypatch.setattr(Place, "of", staticmethod(lambda one, quick: Place(one, one.folder, tmp_path / "work", quick)))
    studies_main._run(study, quick=True)
    assert (study.folder / "study.toml").read_text(encoding="utf-8") == before
    studies_main._run(study, quick=False)
    after = tomllib.loads((study.folder / "study.toml").read_text(encoding="utf-8"))
    assert after["record"].keys() >= {"date", "machine", "system", "duration"}
    assert {**after, "record": {}} == {**tomllib.loads(before), "record": {}}
    assert "study.toml" in capsys.readouterr().out


def test_two_quick_studies_belong_to_make_check() -> None:
    assert len([one for one in all_studies() if one.in_check]) == 2


def test_a_study_resumes_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "mafia"
    program.write_text(
        f"#!/bin/sh\nwhile [ \"$1\" != --k ]; do shift; done\necho $2 >>'{tmp_path}/calls'\n"
        f"[ $2 != 5 ] || [ -e '{tmp_path}/mended' ] || exit 1\n"
        'echo "{\\"schema\\": 1, \\"function\\": \\"gen:set\\", \\"parameters\\": {\\"k\\": $2}}"\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    monkeypatch.setattr(mafia, "_program", lambda: program)
    place = Place(find_study("mafia"), tmp_path, tmp_path, quick=True)
    with pytest.raises(StudyError, match="failed"):
        mafia.measure(place)
    (tmp_path / "mended").touch()
    mafia.measure(place)
    assert (tmp_path / "calls").read_text(encoding="utf-8").split() == [*"345", *"56789", "10"]
    runs = [json.loads(line)["run"] for line in place.records.read_text(encoding="utf-8").splitlines()]
    assert runs == ["both"] * 8
    assert "k = 10" in capsys.readouterr().out
