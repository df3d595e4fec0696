"""Results of a check in formats of other tools: JUnit XML, SARIF, GitHub annotations, Markdown."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from scale_support import measurements
from support import PROJECT, script

from adcl.scale import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    Adcl = Callable[..., Ended]

STUDY = """\
schema = 1
name = "a|b"

[[expect]]
function = "steady"
growth = "log p"

[[expect]]
function = "linear <&> 100%"
growth = "log p"

[[expect]]
function = "quick"
growth = "p^2"

[[expect]]
function = "open"

[[rule]]
rule = "steady <= open"

[[limit]]
function = "quick"
at_most = 1e6
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "s.toml").write_text(STUDY, encoding="utf-8")
    formulas = {"steady": "5 + 3 log p", "linear <&> 100%": "1 + p", "quick": "2 + log p", "open": "1 + log p"}
    rows = [one for name, formula in formulas.items() for one in measurements(name, formula)]
    Store(tmp_path / "sub" / "s.jsonl").append("v\x011", "job", 0.0, rows)
    return tmp_path


def test_the_page_lists_the_formats() -> None:
    page = (PROJECT / "docs/scale.md").read_text(encoding="utf-8")
    assert script("tools/report_formats.py").table() in page, "run tools/report_formats.py"


def test_all_formats_report_broken_rows_with_their_place(folder: Path, adcl: Adcl) -> None:
    files = ("--junit", "j.xml", "--sarif", "s.sarif", "--markdown", "m.md")
    ended = adcl("scale", "check", "sub/s.toml", *files, "--github", "--strict-better", COLUMNS="80")
    assert ended.code == 1

    suite = ET.parse(folder / "j.xml").getroot()[0]  # noqa: S314 - it is our own
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("6", "3", "1")
    states = {case.get("name"): [child.tag for child in case] for case in suite}
    assert states["steady (time_s)"] == ["system-out"]
    assert states["linear <&> 100% (time_s)"] == ["failure"]
    assert states["quick (time_s)"] == ["failure"], "--strict-better"
    assert states["open (time_s)"] == ["skipped"]
    assert states["steady <= open (time_s)"] == ["failure"]

    document = json.loads((folder / "s.sarif").read_text(encoding="utf-8"))
    results: list[dict[str, Any]] = document["runs"][0]["results"]
    assert [(one["ruleId"], one["level"]) for one in results] == [
        ("growth", "error"),
        ("growth", "note"),
        ("rule", "error"),
    ]
    places = [one["locations"][0]["physicalLocation"] for one in results]
    assert {one["artifactLocation"]["uri"] for one in places} == {"sub/s.toml"}
    assert [one["region"]["startLine"] for one in places] == [8, 12, 19]
    known = {one["id"] for one in document["runs"][0]["tool"]["driver"]["rules"]}
    assert {one["ruleId"] for one in results} <= known

    annotations = [line for line in ended.out.splitlines() if line.startswith("::")]
    assert [line.split(" ")[0] for line in annotations] == ["::error", "::notice", "::error"]
    assert annotations[0].startswith("::error file=sub/s.toml,line=8,title=linear <&> 100%25 (time_s)::linear")

    table = (folder / "m.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in table if line.startswith("|")]
    assert {len(re.split(r"(?<!\\)\|", line)) for line in rows[:6]} == {7}
    assert r"| linear \<&\> 100% (time\_s) | O(log p) | O(p) | 100% | ✗ |" in rows
    assert r"a\|b" in table[0]


def test_undecided_fails_or_is_skipped(folder: Path, adcl: Adcl) -> None:
    study = folder / "sub" / "s.toml"
    study.write_text('[[expect]]\nfunction = "f"\ngrowth = "p^0.5"\ndeviation = "1"\n', encoding="utf-8")
    study.with_suffix(".jsonl").unlink()
    rng = [1.08, 0.93, 1.04, 0.97, 1.05]
    lines = "".join(f"f,{2**at},{(2**at) ** 0.6 * one}\n" for at, one in enumerate(rng))
    (folder / "t.csv").write_text("function,p,time_s\n" + lines, encoding="utf-8")
    assert adcl("scale", "add", "sub/s.toml", "t.csv").code == 0
    for option, tag, code in ((), "failure", 3), (("--allow-undecided",), "skipped", 0):
        ended = adcl("scale", "check", "sub/s.toml", "--junit", "j.xml", "--github", *option)
        assert ended.code == code, ended.out
        assert "::warning file=sub/s.toml,line=1," in ended.out
        (case,) = ET.parse(folder / "j.xml").getroot()[0]  # noqa: S314
        assert [child.tag for child in case] == [tag]
        assert "measure p = 32" in str(case[0].get("message"))


def test_annotations_and_a_document_exclude_each_other(folder: Path, adcl: Adcl) -> None:
    ended = adcl("scale", "check", "sub/s.toml", "--json", "--github")
    assert (ended.code, "give only one" in ended.err) == (2, True), folder


def test_documented_workflow_is_valid() -> None:
    text = (PROJECT / "docs" / "scale.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    steps = pytest.importorskip("yaml").safe_load(block)["jobs"]["scaling"]["steps"]
    check = next(step["run"] for step in steps if "scale check" in step.get("run", ""))
    for option in re.findall(r"--\w+", check):
        assert f"`{option}" in text


def test_rows_that_hold_are_only_counted_in_long_lists(tmp_path: Path, adcl: Adcl) -> None:
    names = [f"f{at}" for at in range(120)]
    (tmp_path / "s.toml").write_text(f'[[expect]]\nfunction = {names}\ngrowth = "log p"\n', encoding="utf-8")
    rows = [one for name in names for one in measurements(name, "2 + p" if name == "f37" else "2 + log p")]
    Store(tmp_path / "s.jsonl").append("v1", "job", 0.0, rows)
    brief = adcl("scale", "check", "s.toml")
    assert brief.code == 1
    assert "rows that meet their expectations and are not listed: 119; --all lists them" in brief.out
    assert [line.split()[0] for line in brief.out.splitlines() if "[time_s]" in line] == ["f37"]
    assert adcl("scale", "check", "s.toml", "--all").out.count("[time_s]") == 120
