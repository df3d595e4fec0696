"""Bencher's and exaCB's formats, and the ready files for GitLab, GitHub and ReFrame in packaging/ci."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from scale_support import measurements
from support import PROJECT, clean_environment, within

from adcl.scale import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    Adcl = Callable[..., Ended]

CI = PROJECT / "packaging/ci"
STUDY = """\
schema = 1
name = "sorting"

[[expect]]
function = "steady"
growth = "log p"

[[expect]]
function = "linear"
growth = "log p"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s.toml").write_text(STUDY, encoding="utf-8")
    formulas = {"steady": "5 + 3 log p", "linear": "1 + p"}
    store = Store(tmp_path / "s.jsonl")
    for job in ("first", "second"):
        store.append("v1", job, 0.0, [one for name, text in formulas.items() for one in measurements(name, text)])
    return tmp_path


def checked(folder: Path, adcl: Adcl, option: str) -> dict[str, Any]:
    ended = adcl("scale", "check", "s.toml", option, "out.json")
    assert ended.code == 1
    document: dict[str, Any] = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    return document


def test_bencher_has_a_measure_for_every_setting(folder: Path, adcl: Adcl) -> None:
    document = checked(folder, adcl, "--bencher")
    assert document["sorting: adcl scale"] == {"broken": {"value": 1.0}, "undecided": {"value": 0.0}}
    linear = {name: one for name, one in document.items() if ": linear (" in name}
    assert len(linear) == len(measurements("linear", "1 + p"))
    for name, measures in linear.items():
        ranks = re.search(r"p=(\d+)", name)
        assert ranks is not None
        (measure,) = measures.values()
        assert measure["value"] == pytest.approx(1.0 + float(ranks[1]), rel=0.2)
        assert measure["lower_value"] <= measure["value"] <= measure["upper_value"]
    for measures in document.values():
        for metric, measure in measures.items():
            assert 0 < len(metric) <= 64
            assert set(measure) <= {"value", "lower_value", "upper_value"}
            assert all(isinstance(number, float) for number in measure.values())


def test_exacb_has_an_entry_for_every_setting(folder: Path, adcl: Adcl) -> None:
    document = checked(folder, adcl, "--exacb")
    assert set(document) == {"version", "reporter", "experiment", "parameter", "data"}
    assert document["experiment"] == {"name": "sorting", "variant": "v1"}
    verdicts = {entry["variant"]: entry["success"] for entry in document["data"]}
    assert verdicts == {"steady": True, "linear": False}
    for entry in document["data"]:
        assert entry["runtime"] == entry["metrics"]["time_s"]
        assert entry["parameter"]["p"] > 0


def commands(text: str) -> list[list[str]]:
    """Return the adcl commands of a YAML file, as words; a command continues in deeper lines after `>-`."""
    joined = re.sub(r">-\n\s+", "", text)
    joined = re.sub(r"\n\s+(?=--)", " ", joined)
    return [shlex.split(one) for one in re.findall(r"(?:^|[ '\"])(adcl (?:scale|tune) [^\n]*)", joined)]


@pytest.mark.parametrize("path", sorted(CI.rglob("*.yml")), ids=lambda path: path.name)
def test_ready_files_use_existing_options(path: Path, adcl: Adcl) -> None:
    found = [one for one in commands(path.read_text(encoding="utf-8")) if one[2] in {"run", "check"}]
    assert found
    for words in found:
        help_text = adcl(*words[1:3], "--help").out
        for option in (word for word in words if word.startswith("--")):
            assert re.search(rf"(^|\s|,){option}\b", help_text), f"{path}: {' '.join(words[:3])} has no {option}"


def test_gitlab_component_passes_its_inputs() -> None:
    for path in (CI / "gitlab/templates").iterdir():
        spec, job = path.read_text(encoding="utf-8").split("\n---\n")
        declared = set(re.findall(r"^    (\w+):$", spec, re.MULTILINE))
        used = set(re.findall(r"\$\[\[ inputs\.(\w+) \]\]", job))
        assert declared == used, path


def test_github_workflow_passes_its_inputs() -> None:
    text = (CI / "github/adcl.yml").read_text(encoding="utf-8")
    head, jobs = text.split("\njobs:\n")
    declared = set(re.findall(r"^      (\w+):$", head, re.MULTILINE))
    assert declared == set(re.findall(r"inputs\.(\w+)", jobs))


def test_reframe_recipe_compiles() -> None:
    subprocess.run([sys.executable, "-m", "py_compile", CI / "reframe/adcl_scale.py"], check=True)


@pytest.mark.parametrize("broken", [False, True])
def test_reframe_runs_the_recipe(tmp_path: Path, *, broken: bool) -> None:
    reframe = PROJECT / ".venvs/reframe/bin/reframe"
    if not reframe.is_file():
        pytest.skip("needs ReFrame, which tools/setup.sh reframe installs")
    study = tmp_path / "s.toml"
    study.write_text(STUDY if broken else STUDY.rpartition("[[expect]]")[0], encoding="utf-8")
    store = Store(tmp_path / "s.jsonl")
    for job in ("first", "second"):
        formulas = {"steady": "5 + 3 log p", "linear": "1 + p"}
        rows = [one for name, text in formulas.items() for one in measurements(name, text)]
        store.append("reframe", job, 0.0, rows)
    # The store has the measurements, so `adcl scale run` does nothing.
    command = tmp_path / "bin/adcl"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\n[ "$2" != run ] || exit 0\nexec {sys.executable} -m adcl "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    path = f"{command.parent}:{os.environ['PATH']}"
    words = ["-c", str(CI / "reframe/adcl_scale.py"), "-r", "-S", f"study={study}", "--prefix", str(tmp_path / "out")]
    done = subprocess.run(
        [str(reframe), *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=clean_environment(PATH=path, PYTHONPATH=str(PROJECT / "python"), TMPDIR=str(tmp_path)),
        timeout=within(120),
    )
    assert (done.returncode != 0) == broken, done.stdout + done.stderr
    assert ("P:  steady (p=64) time_s: " in done.stdout) != broken, done.stdout
    assert ("adcl scale check: exit code 1" in done.stdout) == broken, done.stdout
