"""``adcl tune`` on the command line. Scripts replace `poe` and the program, so that runs are short."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support import clean_environment, processes_with, wait_until, within
from tune_programs import TUNING_FILE, result_of

from adcl.errors import UsageError
from adcl.launch import Placement, launcher_for
from adcl.tune.study import Session, StudyRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ended


_ADVISED = {"name": "eager_limit", "value": 32768, "default": 65536, "slower_without": None, "needed": False}


def test_it_finds_the_setting_that_makes_the_program_fast(tune: Callable[..., Ended], tmp_path: Path) -> None:
    ended = tune("run", "t.toml", "-n", "4", "--", "./program", "usual")
    assert ended.code == 0, ended.err
    document = result_of(tmp_path)
    conclusion = document["conclusion"]
    settings = {one["name"]: one["value"] for one in conclusion["settings"]}
    # The other parameter has no effect.
    assert settings.pop("wait_mode", "nopoll") == "nopoll"
    assert settings == {"eager_limit": 32768}
    assert conclusion["ratio"] == pytest.approx(2.0)
    assert conclusion["confirmed"]
    assert conclusion["not_confirmed"] is None
    assert "export MP_EAGER_LIMIT=32768" in (tmp_path / "t.study" / "adcl-settings.sh").read_text(encoding="utf-8")
    tried = [json.dumps(run["configuration"]) for run in document["runs"] if run["kind"] == "trial"]
    assert len(tried) == len(set(tried))
    assert document["about"]["ranks"] == 4
    again = tune("report", "t.study", "--json")
    assert json.loads(again.out)["conclusion"] == conclusion


def test_settings_linked_by_a_constraint_are_advised_together(tune: Callable[..., Ended], tmp_path: Path) -> None:
    """The constraint allows both settings or none, so they count as one change, which paired runs show to matter."""
    file = tmp_path / "t.toml"
    parameters = "eager_limit = [32768, 65536]\npolling_interval = [200000, 400000]\n\n"
    constraint = 'constraints = ["polling_interval * 65536 == eager_limit * 400000"]\n\n'
    head, rest = TUNING_FILE.split("[parameters]")
    objective = rest[rest.index("[objective]") :]
    file.write_text(f"{head}{constraint}[parameters]\n{parameters}{objective}", encoding="utf-8")

    ended = tune("run", "t.toml", "--", "./program", "usual")

    assert ended.code == 0, ended.err
    conclusion = result_of(tmp_path)["conclusion"]
    assert [one["name"] for one in conclusion["settings"]] == ["eager_limit", "polling_interval"]
    assert [one["slower_without"] for one in conclusion["settings"]] == [None, None]
    assert conclusion["confirmed"]
    assert conclusion["not_confirmed"] is None


def test_unconfirmed_settings_are_reported_separately(tune: Callable[..., Ended], tmp_path: Path) -> None:
    """The program is fast only with both settings, and 20 runs are too few to determine that."""
    file, program = tmp_path / "t.toml", tmp_path / "program"
    both = '[ "$MP_EAGER_LIMIT:$MP_WAIT_MODE" = 32768:nopoll ] && [ "$1" = both ]'
    text = program.read_text(encoding="utf-8").replace(
        "case $1:$MP_EAGER", f"if {both}; then time=0.5; else\ncase $1:$MP_EAGER"
    )
    program.write_text(text.replace("esac\n", "esac\nfi\n").replace("*:32768) time=1.0;;", ""), encoding="utf-8")
    file.write_text(TUNING_FILE.replace("[1024, 32768]", "[32768, 65536]"), encoding="utf-8")

    ended = tune("run", "t.toml", "--trials", "20", "--", "./program", "both")

    assert ended.code == 0, ended.err
    conclusion = result_of(tmp_path)["conclusion"]
    assert conclusion["settings"] == []
    told = conclusion["not_confirmed"]
    assert {one["name"]: one["value"] for one in told["settings"]} == {"eager_limit": 32768, "wait_mode": "nopoll"}
    assert told["ratio"] == pytest.approx(4.0)
    lines = ended.out.splitlines()
    assert any(line.startswith("keep the defaults: ") for line in lines)
    first = next(at for at, line in enumerate(lines) if line.startswith("not confirmed, and not part of the advice: "))
    assert lines[first + 1].startswith("  eager_limit = 32768")
    assert not (tmp_path / "t.study" / "adcl-settings.sh").exists()
    page = (tmp_path / "t.study" / "report.html").read_text(encoding="utf-8")
    assert "Keep the defaults" in page
    assert "Not confirmed, and not part of the advice" in page

    more = tune("resume", "t.study", "--trials", "80")

    assert more.code == 0, more.err
    after = result_of(tmp_path)["conclusion"]
    assert {one["name"]: one["slower_without"] for one in after["settings"]} == {
        "eager_limit": pytest.approx(4.0),
        "wait_mode": pytest.approx(4.0),
    }
    assert after["not_confirmed"] is None
    assert "without it, the program is 4.00 times slower" in more.out


def test_larger_budget_continues_a_study_and_a_smaller_one_is_harmless(
    tune: Callable[..., Ended], tmp_path: Path
) -> None:
    assert tune("run", "t.toml", "--trials", "20", "--", "./program", "flat").code == 0
    before = len(result_of(tmp_path)["runs"])
    refused = tune("resume", "t.study", "--trials", "0")
    assert refused.code == 2
    assert "at least 1 run, not 0" in refused.err
    assert tune("resume", "t.study", "--trials", "60", timeout_s=120).code == 0
    scenarios = {json.dumps(run["configuration"]) for run in result_of(tmp_path)["runs"] if run["kind"] == "trial"}
    assert len(scenarios) == 5, "the default of eager_limit is none of the file's values, and one of those tried"
    assert len(result_of(tmp_path)["runs"]) > before
    ended = tune("resume", "t.study", "--trials", "20")
    assert ended.code == 0, ended.err
    assert "no runs were left" in ended.out
    (tmp_path / "program").unlink()
    assert tune("report", "t.study").code == 0


def _yielding(folder: Path, **options: Any) -> StudyRequest:
    """Return a request to tune a setting whose default depends on oversubscription."""
    try:
        launcher_for("openmpi")
    except UsageError:
        pytest.skip("no Open MPI")
    text = 'mpi = "openmpi"\n[parameters]\nmpi_yield_when_idle = ["0", "1"]\n'
    (folder / "hello").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "hello").chmod(0o755)
    return StudyRequest("t.toml", text, str(folder / "hello"), **options)


@pytest.mark.mpi
def test_oversubscribed_open_mpi_has_another_default(tmp_path: Path) -> None:
    request = _yielding(tmp_path, placement=Placement(oversubscribe=False))

    roomy = Session.prepare(request, tmp_path)
    crowded = Session.prepare(dataclasses.replace(request, placement=Placement(oversubscribe=True)), tmp_path)

    assert roomy.checked.space.parameter("mpi_yield_when_idle").default == "0"
    assert crowded.checked.space.parameter("mpi_yield_when_idle").default == "1"
    assert crowded.changed({"mpi_yield_when_idle": "0"}) == {"mpi_yield_when_idle": "0"}
    assert roomy.changed({"mpi_yield_when_idle": "0"}) == {}


def test_placement_is_read_from_old_and_new_requests(tmp_path: Path) -> None:
    request = StudyRequest(
        "t.toml", "", "./p", placement=Placement(hostfile=Path("/hosts"), ranks_per_node=2, pmi="pmix")
    )
    request.save(tmp_path)
    assert StudyRequest.read(tmp_path) == request

    document = json.loads((tmp_path / "study.json").read_text(encoding="utf-8"))
    document["request"] |= document["request"].pop("placement")
    (tmp_path / "study.json").write_text(json.dumps(document), encoding="utf-8")
    assert StudyRequest.read(tmp_path) == request


@pytest.mark.mpi
def test_a_study_is_read_on_another_machine_but_not_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = _yielding(tmp_path, ranks=8)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)

    def cores(count: int) -> None:
        monkeypatch.setattr("adcl.tune.trial._trial.usable_cores", lambda: count)

    cores(4)
    began = Session.prepare(request, tmp_path)
    cores(64)
    began.request.save(tmp_path)
    kept = StudyRequest.read(tmp_path)
    elsewhere = Session.prepare(kept, tmp_path, reading=True)

    assert elsewhere.checked.space.fingerprint() == began.checked.space.fingerprint()
    assert elsewhere.checked.space.parameter("mpi_yield_when_idle").default == "1"
    with pytest.raises(UsageError, match="its nodes were oversubscribed, but now are not"):
        Session.prepare(kept, tmp_path)
    assert request.differences(kept) == []


def test_parameters_must_not_be_set_for_all_runs(tune: Callable[..., Ended], tmp_path: Path) -> None:
    ended = tune("run", "t.toml", "-x", "MP_EAGER_LIMIT=1024", "--", "./program")
    assert ended.code == 2
    told = " ".join(ended.err.split())
    assert "t.toml:5" in told
    assert "MP_EAGER_LIMIT=1024 is on the command line" in told
    text = TUNING_FILE.replace("wait_mode", '"env:UCX_TLS" = ["unset", "sm"]\nwait_mode')
    (tmp_path / "t.toml").write_text(text, encoding="utf-8")
    exported = tune("run", "t.toml", "--", "./program", UCX_TLS="tcp")
    assert exported.code == 2
    assert "UCX_TLS=tcp is in the environment" in " ".join(exported.err.split())


def test_irrelevant_settings_keep_the_defaults(tune: Callable[..., Ended], tmp_path: Path) -> None:
    ended = tune("run", "t.toml", "--", "./program", "flat")
    assert ended.code == 0, ended.err
    assert result_of(tmp_path)["conclusion"]["settings"] == []
    assert result_of(tmp_path)["conclusion"]["advice"] is None


@pytest.mark.parametrize(
    ("mode", "status"), [("crashing", "crashed"), ("hanging", "timeout"), ("printing", "bad_output")]
)
def test_bad_trials_are_results(tune: Callable[..., Ended], tmp_path: Path, tag: str, mode: str, status: str) -> None:
    ended = tune("run", "t.toml", "--timeout", "1.5", "-x", f"TAG={tag}", "--", "./program", mode)
    assert ended.code == 0, ended.err
    document = result_of(tmp_path)
    bad = [run for run in document["runs"] if run["status"] != "ok"]
    assert {run["status"] for run in bad} == {status}
    assert {run["configuration"]["eager_limit"] for run in bad} == {1024}
    assert document["conclusion"]["settings"][0] == _ADVISED
    assert processes_with(tag) == []


def test_settings_without_an_effect_are_reported(tune: Callable[..., Ended], tmp_path: Path) -> None:
    ended = tune("run", "t.toml", "--", "./program", "deaf")
    assert ended.code == 0, ended.err
    conclusion = result_of(tmp_path)["conclusion"]
    assert [one["name"] for one in conclusion["settings"]] == ["eager_limit"], "the other one was never proved"
    assert conclusion["statuses"]["ineffective"] == 3
    assert "MP_WAIT_MODE had no effect" in " ".join(conclusion["failures"])


def test_concurrent_trials(tune: Callable[..., Ended], tmp_path: Path) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core")
    ended = tune("run", "t.toml", "--parallel", "2", "--", "./program", "slow")
    assert ended.code == 0, ended.err
    runs = result_of(tmp_path)["runs"]
    trials = sorted((run["begin_s"], run["end_s"]) for run in runs if run["kind"] == "trial")
    assert any(second[0] < first[1] for first, second in itertools.pairwise(trials))
    assert {one["name"]: one["value"] for one in result_of(tmp_path)["conclusion"]["settings"]}["eager_limit"] == 32768


def _begin(tmp_path: Path, tag: str, *options: str) -> subprocess.Popen[str]:
    """Begin a study of slow trials; return when some have ended."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "adcl",
            "tune",
            "run",
            "t.toml",
            *options,
            "-x",
            f"TAG={tag}",
            "--",
            "./program",
            "slow",
        ],
        cwd=tmp_path,
        env=clean_environment(PATH=f"{tmp_path}:{os.environ['PATH']}"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    journal = tmp_path / "t.study" / "journal.jsonl"
    assert wait_until(lambda: journal.exists() and journal.read_text(encoding="utf-8").count('"done"') >= 5, 60)
    return process


def _done(tmp_path: Path) -> list[int]:
    """Return the numbers of the completed runs in the journal."""
    lines = (tmp_path / "t.study" / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines if line.endswith("}")]
    return [int(one["number"]) for one in events if one.get("event") == "done"]


def test_killed_study_is_resumed_without_repeating_runs(tune: Callable[..., Ended], tmp_path: Path, tag: str) -> None:
    process = _begin(tmp_path, tag)
    process.kill()
    process.communicate(timeout=within(30))
    assert wait_until(lambda: processes_with(tag) == [], 20)
    before = _done(tmp_path)
    assert len(before) >= 5
    ended = tune("resume", "t.study", timeout_s=120)
    assert ended.code == 0, ended.err
    after = _done(tmp_path)
    assert after[: len(before)] == before
    assert len(after) == len(set(after)) > len(before)
    assert result_of(tmp_path)["conclusion"]["settings"][0] == _ADVISED


def test_the_same_command_continues_a_study(tune: Callable[..., Ended], tmp_path: Path, tag: str) -> None:
    process = _begin(tmp_path, tag)
    process.kill()
    process.communicate(timeout=within(30))
    before = _done(tmp_path)
    environment = ("-x", f"TAG={tag}")
    ended = tune("run", "t.toml", "--resume", "--trials", "24", *environment, "--", "./program", "slow", timeout_s=120)
    assert ended.code == 0, ended.err
    assert _done(tmp_path)[: len(before)] == before


@pytest.mark.parametrize(
    ("number", "at_once"), [(signal.SIGINT, "1"), (signal.SIGTERM, "1"), (signal.SIGINT, "2")], ids=str
)
def test_a_signal_ends_a_study_with_the_best_so_far(
    tune: Callable[..., Ended], tmp_path: Path, tag: str, number: int, at_once: str
) -> None:
    if len(os.sched_getaffinity(0)) < int(at_once):
        pytest.skip("one core")
    process = _begin(tmp_path, tag, "--parallel", at_once)
    process.send_signal(number)
    out, err = process.communicate(timeout=within(30))
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "ended early; so far" in out
    assert processes_with(tag) == []
    assert result_of(tmp_path)["conclusion"]["interrupted"]
    assert tune("report", "t.study").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "t.toml", "--", "./nothing"], "the program '.*nothing' does not exist"),
        (["run", "none.toml", "--", "./program"], "cannot read 'none.toml'"),
        (["run", "t.toml", "-n", "1", "--", "./program"], "1 rank has no communication to tune"),
        (["run", "t.toml", "--search", "gde4", "--", "./program"], "unknown search gde4"),
        (["run", "t.toml", "--time", "soon", "--", "./program"], "--time: expected a time such as 60"),
        (["run", "t.toml", "--parallel", "9999", "--", "./program"], "9999 concurrent trials require 9999 cores"),
        (["resume", "nowhere"], "nowhere contains no study"),
        (["report", "nowhere"], "nowhere contains no study"),
        (["check", "misspelt.toml"], "misspelt.toml:3:1: .* no variable 'eager_limt'; did you mean MP_EAGER_LIMIT"),
        (["check", "large.toml"], "large.toml:3:1: eager_limit must be at most 65536, not 65537"),
        (["check", "alone.toml"], "alone.toml:3:1: bulk_min_msg_size has no effect unless MP_USE_BULK_XFER is yes"),
        (["init", "--mpi", "ibm", "-o", "t.toml"], "t.toml exists"),
    ],
)
def test_mistakes_are_one_line(tune: Callable[..., Ended], tmp_path: Path, arguments: list[str], message: str) -> None:
    head = 'mpi = "ibm"\n[parameters]\n'
    (tmp_path / "misspelt.toml").write_text(f"{head}eager_limt = [1]\n", encoding="utf-8")
    (tmp_path / "large.toml").write_text(f"{head}eager_limit = [65537]\n", encoding="utf-8")
    never = 'use_bulk_xfer = ["no"]\n'
    (tmp_path / "alone.toml").write_text(f"{head}bulk_min_msg_size = [4096, 8192]\n{never}", encoding="utf-8")
    ended = tune(*arguments)
    assert ended.code == 2
    assert len(ended.err.splitlines()) == 1
    assert re.search(message, ended.err), ended.err
    assert not (tmp_path / "t.study").exists()


def test_a_study_is_not_overwritten(tune: Callable[..., Ended], tmp_path: Path) -> None:
    (tmp_path / "t.study").mkdir()
    (tmp_path / "t.study" / "study.json").write_text("{", encoding="utf-8")
    ended = tune("run", "t.toml", "--", "./program")
    assert (ended.code, "t.study already contains a" in ended.err) == (2, True)
    assert "damaged" in tune("resume", "t.study").err


def test_a_starting_file_is_a_tuning_file(tune: Callable[..., Ended]) -> None:
    assert tune("init", "--mpi", "ibm", "-o", "start.toml").code == 0
    ended = tune("check", "start.toml", "--toml")
    assert (ended.code, ended.out.splitlines()[0]) == (0, 'mpi = "ibm"')
