"""Studies from the user's view: forecasts, stored files, and new beginnings."""

from __future__ import annotations

import csv
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support import clean_environment, within
from tune_programs import TUNING_FILE, result_of

from adcl.tune.result._exports import _tcl

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended


def test_forecast_is_shown_and_endless_search_is_rejected(tune: Callable[..., Ended], tmp_path: Path) -> None:
    assert "runs: defaults at most 4, search at most 20, comparison at most 64, simplification at most 140" in " ".join(
        tune("check", "t.toml").out.split()
    )
    large = TUNING_FILE.replace("[1024, 32768]", "{ from = 1, to = 2000, step = 1 }")
    (tmp_path / "large.toml").write_text(large, encoding="utf-8")
    ended = tune("run", "large.toml", "--", "./program", "usual")
    assert ended.code == 2
    assert "the search exhaustive would run all 4002 scenarios; limit it with --trials or --time" in ended.err
    assert not (tmp_path / "large.study").exists()
    ended = tune("run", "large.toml", "--trials", "3", "--", "./program", "usual")
    assert ended.code == 2
    assert "3 runs are too few to confirm a gain: a study requires at least 20" in ended.err
    ended = tune("run", "large.toml", "--trials", "24", "--", "./program", "usual")
    assert ended.code == 0, ended.err
    assert "defaults at most 4, search at most 10, comparison at most 13, simplification at most 13" in ended.out
    assert len(result_of(tmp_path, "large.study")["runs"]) <= 24
    assert "if all runs take as long as this run: defaults at most 4 (" in ended.err


def test_output_of_runs_is_stored(tune: Callable[..., Ended], tmp_path: Path) -> None:
    ended = tune("run", "t.toml", "--", "./program", "crashing")
    assert ended.code == 0, ended.err
    numbers = [run["number"] for run in result_of(tmp_path)["runs"]]
    kept = {path.name for path in (tmp_path / "t.study" / "output").iterdir()}
    assert kept == {f"{number}.txt" for number in numbers}
    failed = next(run["number"] for run in result_of(tmp_path)["runs"] if run["status"] == "crashed")
    assert f"(t.study/output/{failed}.txt)" in ended.err
    first = (tmp_path / "t.study" / "output" / "0.txt").read_text(encoding="utf-8")
    assert "Time in seconds = 2.0" in first


def test_new_study_keeps_the_old_one(tune: Callable[..., Ended], tmp_path: Path) -> None:
    assert tune("run", "t.toml", "--trials", "20", "--", "./program", "usual").code == 0
    before = (tmp_path / "t.study" / "journal.jsonl").read_text(encoding="utf-8")
    ended = tune("run", "t.toml", "--trials", "20", "--", "./program", "flat")
    assert ended.code == 2
    told = " ".join(ended.err.split())
    assert (
        "already contains a different study: arguments was ('usual',) and is now ('flat',); --resume renames it" in told
    )
    assert "begin a new study with --fresh" in told
    assert "--trials" not in told, "a budget may change"
    assert "give only one" in tune("run", "t.toml", "--fresh", "--resume", "--", "./program").err
    ended = tune("run", "t.toml", "--trials", "20", "--fresh", "--", "./program", "flat")
    assert ended.code == 0, ended.err
    assert "the earlier study was moved to t.study.1" in ended.out
    assert (tmp_path / "t.study.1" / "journal.jsonl").read_text(encoding="utf-8") == before
    assert "keep the defaults" in ended.out


def test_a_study_is_read_and_continued_with_the_space_that_it_began_with(
    tune: Callable[..., Ended], tmp_path: Path
) -> None:
    """An upgrade of adcl may derive another space from the file; a changed file simulates that."""
    assert tune("run", "t.toml", "--trials", "20", "--", "./program", "usual").code == 0
    before = result_of(tmp_path)
    kept = tmp_path / "t.study" / "study.json"
    kept.write_text(kept.read_text(encoding="utf-8").replace("[1024, 32768]", "[1024, 2048, 32768]"), encoding="utf-8")

    after = json.loads(tune("report", "t.study", "--json").out)
    assert (after["runs"], after["conclusion"]) == (before["runs"], before["conclusion"])
    assert tune("resume", "t.study", "--trials", "24").code == 0


def test_too_short_time_is_reported(tune: Callable[..., Ended]) -> None:
    ended = tune("run", "t.toml", "--time", "2s", "--", "./program", "slow")
    assert "the remaining time suffices for " in ended.err
    assert "are needed to confirm a gain: allow more time (for example --time 1m)" in ended.err


def test_budget_for_single_settings_is_reported(tune: Callable[..., Ended]) -> None:
    few = tune("run", "t.toml", "--trials", "40", "--", "./program", "usual")
    assert "40 runs are too few to compare combinations of settings" in few.err
    assert "use --trials 111 to compare combinations of two" in few.err
    enough = tune("run", "t.toml", "--trials", "120", "--fresh", "--", "./program", "usual")
    assert "too few to compare" not in enough.err


def test_full_disk_ends_a_study_with_its_advice_and_complete_files(tune: Callable[..., Ended], tmp_path: Path) -> None:
    """With a limit of 5 KB per file, the journal reaches the limit during the search, and the page exceeds it."""
    command = f"ulimit -f 5; exec {sys.executable} -m adcl tune run t.toml -- ./program usual"
    path = f"{tmp_path}:{os.environ['PATH']}"
    ended = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        env=clean_environment(PATH=path),
        capture_output=True,
        text=True,
        timeout=within(60),
        check=False,
    )

    assert ended.returncode == 1, ended.stderr
    assert "so far: " in ended.stdout
    told = " ".join(ended.stderr.split())
    assert "cannot write the journal t.study/journal.jsonl: File too large; free disk space, then continue" in told
    assert "cannot write t.study/report.html: File too large" in told
    journal = (tmp_path / "t.study" / "journal.jsonl").read_text(encoding="utf-8")
    assert journal.endswith("\n")
    assert 4000 < len(journal) <= 5120
    assert not (tmp_path / "t.study" / "report.html").exists()
    again = tune("resume", "t.study")
    assert again.code == 0, again.err
    assert result_of(tmp_path)["conclusion"]["settings"][0]["value"] == 32768
    assert (tmp_path / "t.study" / "journal.jsonl").read_text(encoding="utf-8").startswith(journal)


_CASES = """
[[case]]
name = "long"
arguments = ["usual"]
weight = 4

[[case]]
name = "short"
arguments = ["small"]
ranks = 3

[[case]]
name = "other"
program = "./program"
arguments = ["flat"]
"""


def test_settings_for_several_cases_and_a_case_with_other_needs(tune: Callable[..., Ended], tmp_path: Path) -> None:
    """32768 halves the time of the first case, of weight four; 1024 divides the time of the second case by four."""
    (tmp_path / "t.toml").write_text(TUNING_FILE + _CASES, encoding="utf-8")
    checked = " ".join(tune("check", "t.toml").out.split())
    assert "case long: PROGRAM usual, weight 4" in checked
    assert "case other: ./program flat, weight 1" in checked
    assert "no program is given" in " ".join(tune("run", "t.toml", "--study", "x").err.split())

    ended = tune("run", "t.toml", "--", "./program")

    assert ended.code == 0, ended.err
    assert "3 cases" in ended.out
    document = result_of(tmp_path)
    conclusion = document["conclusion"]
    assert [one["name"] for one in conclusion["settings"]] == ["eager_limit"]
    assert conclusion["settings"][0]["value"] == 32768
    assert conclusion["ratio"] == pytest.approx(2.0 ** (5 / 6))
    gains = {one["name"]: one for one in conclusion["cases"]}
    assert {name: one["ratio"] for name, one in gains.items()} == pytest.approx({"long": 2, "short": 2, "other": 1})
    assert gains["short"]["own"] == {"eager_limit": 1024}
    assert gains["short"]["own_ratio"] == pytest.approx(4.0)
    assert gains["long"]["own_ratio"] is None
    assert "short: 2.00 times as fast as with the defaults" in ended.out
    assert "with eager_limit=1024, 4.00 times as fast in the search; tune this case separately to confirm" in " ".join(
        ended.out.split()
    )
    assert document["about"]["cases"][1]["ranks"] == 3
    kept = (tmp_path / "t.study" / "output" / "3.txt").read_text(encoding="utf-8")
    assert kept.count("Time in seconds") == 3
    assert "== short" in kept
    page = (tmp_path / "t.study" / "report.html").read_text(encoding="utf-8")
    assert "clearly better in the search" in page


def test_failing_case_fails_the_trial_and_is_named(tune: Callable[..., Ended], tmp_path: Path) -> None:
    cases = _CASES.replace('"small"', '"crashing"')
    (tmp_path / "t.toml").write_text(TUNING_FILE + cases, encoding="utf-8")
    ended = tune("run", "t.toml", "--", "./program")
    assert ended.code == 0, ended.err
    failed = [run for run in result_of(tmp_path)["runs"] if run["status"] == "crashed"]
    assert {run["configuration"]["eager_limit"] for run in failed} == {1024}
    assert all(run["reason"].startswith("short: ") for run in failed)


_PREPARED = """
[trial]
files = ["mesh", "input/a.dat"]
setup = "test -f mesh && echo $(pwd) >> $PLACES && touch output"
cleanup = "test -f output && rm output && echo clean >> $PLACES"
"""


def test_the_advice_as_a_module_and_all_runs_as_a_table(tune: Callable[..., Ended], tmp_path: Path) -> None:
    ended = tune("run", "t.toml", "--", "./program", "usual")
    assert ended.code == 0, ended.err
    so_far = r"best so far 1: 2\.00 times better than the defaults' 2, at most \d+:\d\d left"
    assert re.search(rf"trial \d: ok 1, {so_far}; eager_limit=32768", ended.err), ended.err
    # The comparison reports the paired runs instead of the search.
    paired = r"the best is 2\.00 times better than the defaults in 3 paired runs so far, at most \d+:\d\d left"
    assert re.search(rf"comparison: ok [12], {paired}", ended.err), ended.err
    module = tmp_path / "t.study" / "modulefiles" / "mpi-settings"
    assert f"as a module: module use {module.parent} && module load mpi-settings" in ended.out
    lines = module.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#%Module1.0"
    assert lines[1].startswith("# 2.00 times better than the defaults")
    assert "setenv MP_EAGER_LIMIT 32768" in lines
    whatis = next(line for line in lines if line.startswith("module-whatis "))
    assert whatis.endswith("usual\\ on\\ 2\\ ranks,\\ found\\ by\\ adcl\\ tune")
    script = tmp_path / "t.study" / "job.sh"
    assert script.read_text(encoding="utf-8").splitlines()[:2] == ["#!/bin/bash", "#SBATCH --ntasks=2"]
    assert script.read_text(encoding="utf-8").splitlines()[-1] == (f"{tmp_path}/poe {tmp_path}/program usual")
    assert "export MP_PROCS=2\nexport MP_EAGER_LIMIT=32768\n" in script.read_text(encoding="utf-8")
    with (tmp_path / "t.study" / "runs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    runs = result_of(tmp_path)["runs"]
    assert [(int(row["number"]), row["status"]) for row in rows] == [(run["number"], run["status"]) for run in runs]
    assert {row["eager_limit"] for row in rows} == {"", "1024", "32768", "65536"}
    assert all(float(row["output"]) in (1.0, 2.0) for row in rows)
    # All exports are removed when the advice changes.
    assert tune("run", "t.toml", "--fresh", "--", "./program", "flat").code == 0
    assert not module.exists()
    assert not script.exists()


@pytest.mark.skipif(not shutil.which("tclsh"), reason="there is no tclsh")
def test_values_of_a_module_are_one_word_of_tcl(tmp_path: Path) -> None:
    values = ["", "a b", "$HOME", "{x", "[exit]", 'a"b', "back\\slash", "#;"]
    for value in values:
        script = tmp_path / "x.tcl"
        script.write_text(f"puts -nonewline {_tcl(value)}", encoding="utf-8")
        done = subprocess.run(["tclsh", script], capture_output=True, text=True, check=True, timeout=within(20))
        assert done.stdout == value


def test_each_run_has_a_separate_folder(tune: Callable[..., Ended], tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(TUNING_FILE + _PREPARED, encoding="utf-8")
    ended = tune("run", "t.toml", "--", "./program", "usual")
    assert ended.code == 2
    assert "t.toml: the file 'mesh' of the table [trial] is not in" in ended.err
    (tmp_path / "mesh").write_text("a mesh", encoding="utf-8")
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "a.dat").write_text("data", encoding="utf-8")
    places = tmp_path / "places"
    ended = tune("run", "t.toml", "--", "./program", "usual", PLACES=str(places))
    assert ended.code == 0, ended.err
    lines = places.read_text(encoding="utf-8").splitlines()
    runs = len(result_of(tmp_path)["runs"])
    assert lines.count("clean") == runs
    folders = [line for line in lines if line != "clean"]
    assert len(set(folders)) == len(folders) == runs
    assert all(folder.startswith(str(tmp_path / "t.study" / "scratch" / "trial-")) for folder in folders)
    assert list((tmp_path / "t.study" / "scratch").iterdir()) == []
    assert not (tmp_path / "output").exists()


def test_commands_that_fail(tune: Callable[..., Ended], tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(TUNING_FILE + '[trial]\nsetup = "echo no licence; exit 4"\n', encoding="utf-8")
    ended = tune("run", "t.toml", "--", "./program", "usual")
    assert ended.code == 1
    assert "the setup command ended with exit code 4: no licence" in ended.err
    (tmp_path / "t.toml").write_text(TUNING_FILE + '[trial]\ncleanup = "exit 5"\n', encoding="utf-8")
    ended = tune("run", "t.toml", "--fresh", "--", "./program", "usual")
    assert ended.code == 1
    assert "the cleanup command ended with exit code 5; later runs" in ended.err


_LARGE = "buffer_mem = { from = 131072, to = 8388608, step = 16 }\npolling_interval = [1, 2, 3]\n"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            "eager_limit = [1024]\nMP_EAGER_LIMIT = [2048]\n",
            "t.toml:4:1: MP_EAGER_LIMIT and eager_limit are two spellings of the same variable",
        ),
        (
            "eager_limit = [1024]\n",
            "t.toml:1:1: no combination of values satisfies the constraint 'eager_limit > 5000'",
        ),
        (
            f"eager_limit = [1024]\n{_LARGE}",
            "t.toml:1:1: no combination of values satisfies the constraint 'eager_limit > 5000'",
        ),
    ],
)
def test_files_without_anything_to_try(tune: Callable[..., Ended], tmp_path: Path, lines: str, message: str) -> None:
    constraint = "" if "spellings" in message else 'constraints = ["eager_limit > 5000"]\n'
    (tmp_path / "t.toml").write_text(f'mpi = "ibm"\n{constraint}[parameters]\n{lines}', encoding="utf-8")
    ended = tune("check", "t.toml")
    assert ended.code == 2
    assert message in ended.err


def test_advice_is_printed_if_the_page_cannot_be_written(tune: Callable[..., Ended], tmp_path: Path) -> None:
    """A limit on the size of files simulates a full disk: the page, which contains its figures, is larger."""
    assert tune("run", "t.toml", "--", "./program", "usual").code == 0
    page = tmp_path / "t.study" / "report.html"
    before = page.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20 << 10, limits[1]))
    try:
        ended = tune("report", "t.study")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert ended.code == 1
    assert "eager_limit = 32768" in ended.out
    assert "cannot write t.study/report.html: File too large" in ended.err
    assert page.read_bytes() == before
    assert list(page.parent.glob("*.new")) == []


def test_failed_start_leaves_no_partial_files(tune: Callable[..., Ended], tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (256, limits[1]))
    try:
        ended = tune("run", "t.toml", "--", "./program", "usual")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert ended.code == 1
    assert "cannot write t.study/study.json: File too large; free disk space" in ended.err
    assert [path.name for path in (tmp_path / "t.study").iterdir()] == []


def test_irrelevant_parameters_can_keep_their_default(tune: Callable[..., Ended], tmp_path: Path) -> None:
    """Defaults become values in numeric order; single values stay fixed; the paper's form is kept."""
    lines = '"env:UCX_TLS" = ["sm", "tcp"]\nbuffer_mem = [65536]\n"--label" = ["yes", "unset"]\n'
    text = TUNING_FILE.replace("wait_mode", f"{lines}wait_mode")
    (tmp_path / "t.toml").write_text(text, encoding="utf-8")
    (tmp_path / "t.pipo").write_text(
        "MPI_PIPO BEGIN ibm\nSEARCH=exhaustive;\neager_limit=1024,32768;\nMPI_PIPO END\n", encoding="utf-8"
    )

    checked, old = tune("check", "t.toml"), tune("check", "t.pipo")
    assert checked.code == 0, checked.err
    assert old.code == 0, old.err
    shown, paper = " ".join(checked.out.split()), " ".join(old.out.split())

    assert "eager_limit 3: 1024, 32768, 65536 65536" in shown
    assert "env:UCX_TLS 3: unset, sm, tcp unset" in shown
    assert "buffer_mem 1: 65536" in shown
    assert "--label 2: yes, unset unset" in shown
    assert "eager_limit 2: 1024, 32768 65536" in paper
