"""Studies of the MPI parameters plugin: records of searches, statements, and platforms."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from support import PROJECT

if str(PROJECT) not in sys.path:
    sys.path.append(str(PROJECT))

from studies import _picture
from studies._catalog import Agreement, Place, StudyError, find_study
from studies._verdicts import published
from studies.periscope import _measure, _records, _school, _statements
from studies.periscope._measure import INTEL, NETWORK, SIMULATED, Workload
from studies.periscope._records import Profile, Records, Search, Trial
from studies.periscope.cg_is import study as cg_is
from studies.periscope.fish_school import study as fish_school
from studies.periscope.printed import study as printed_examples
from studies.periscope.simulated import study as simulated

if TYPE_CHECKING:
    from pathlib import Path

_ABOUT = {
    "size": "64K",
    "program": "fish",
    "library": "MPI",
    "other": False,
    "platform": "shared memory",
    "ranks": 2,
    "search": "gde3",
    "method": "paper",
    "eager": "eager",
    "eager_default": 4096,
}


def _run(kind: str, seconds: float, status: str = "ok", **settings: int) -> dict[str, Any]:
    return {"kind": kind, "status": status, "objectives": {"output": seconds}, "configuration": settings}


def _document(*runs: dict[str, Any], interval: tuple[float, float] | None = (0.9, 1.3)) -> dict[str, Any]:
    conclusion = {"ratio": interval and 1.1, "interval": interval, "interrupted": False}
    about = {"mpi": "MPI"}
    return {"objectives": ["output"], "runs": list(runs), "conclusion": conclusion, "elapsed_s": 60.04, "about": about}


_RUNS = (
    _run("warm-up", 100.0),
    _run("default", 2.0),
    _run("default", 8.0),
    _run("trial", 2.0, eager=1024),
    _run("trial", 3.0, eager=2048),
    _run("trial", 1.0, "failed", eager=8192),
    _run("repetition", 8.0, eager=1024),
)


def _search(**changes: Any) -> Search:
    trials = tuple(Trial(time, {"eager": str(limit)}) for time, limit in ((1.2, 1024), (0.8, 32768), (0.9, 65536)))
    known = _records.search_of(_document(*_RUNS), _ABOUT)
    fields: dict[str, Any] = {"trials": trials, **changes}
    return dataclasses.replace(known, **fields)


def test_search_is_recorded_by_scenario_means() -> None:
    found = _records.search_of(_document(*_RUNS), _ABOUT)
    assert found.default_s == pytest.approx(4.0)
    assert found.best_s == pytest.approx(3.0)
    assert found.gain == pytest.approx(4 / 3)
    assert found.compared == (1.1, 0.9, 1.3)
    assert (found.scenarios, found.runs) == (3, 7)
    assert [trial.time for trial in found.trials] == pytest.approx([0.5, 0.75])
    assert found.eager_limit(found.fastest()) == 1024
    assert found.eager_limit(Trial(1.0, {})) == 4096


def test_a_search_has_scenarios_if_a_trial_passed() -> None:
    failed = _run("trial", 1.0, "failed", eager=1)
    assert not _records.has_scenarios(_document(_run("default", 1.0), failed))
    assert _records.has_scenarios(_document(_run("default", 1.0), failed, _run("trial", 1.0, eager=2)))


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    profile = _records.profile_of({"ranks": 2, "messages": {"sizes": [{"up_to": 64, "bytes": 5}]}}, "64K", "fish")
    written = Records((_search(best_s=3.0), _search(best_s=1.25, compared=None, eager_default=None)), (profile,))
    _records.write(tmp_path / "records.jsonl", written)
    read = _records.read(tmp_path / "records.jsonl")
    assert read.profiles == written.profiles
    assert read.searches == tuple(dataclasses.replace(one, tuning_s=60.0) for one in written.searches)


def test_search_is_found_by_platform_size_and_library() -> None:
    other, cluster = _search(other=True), _search(platform="flat")
    records = Records((_search(), other, cluster), ())
    assert records.search("shared memory", "64K", "gde3", other=True) is other
    assert records.search("flat", "64K", "gde3") is cluster
    assert records.search("flat", "256K", "gde3") is None
    assert records.platforms("64K") == ["shared memory", "flat"]


@pytest.mark.parametrize(
    ("compared", "best", "holds"),
    [
        ((1.6, 1.2, 2.1), 2.0, [True, True]),
        ((1.6, 0.9, 2.1), 2.0, [True, False]),
        ((1.4, 1.2, 1.6), 3.0, [False, False]),
        (None, 2.0, [True, None]),
    ],
)
def test_gain_in_paired_runs_must_be_significant(
    compared: tuple[float, float, float] | None, best: float, holds: list[bool | None]
) -> None:
    search = _search(default_s=3.0, best_s=best, compared=compared)
    assert [one.holds for one in _statements.gain_at_least("", 1.56, 1.5, search)] == holds


def test_defaults_are_best_without_a_significant_gain() -> None:
    def holds(best: float, low: float) -> list[bool | None]:
        search = _search(default_s=3.0, best_s=best, compared=(1.1, low, 1.3))
        return [one.holds for one in _statements.no_gain("", "none", search)]

    assert holds(2.9, 0.99) == [False, True]
    assert holds(3.0, 1.01) == [True, False]


def test_larger_gain_requires_disjoint_intervals() -> None:
    small = _search(best_s=2.0, compared=(1.1, 1.0, 1.2))

    def holds(low: float) -> list[bool | None]:
        large = _search(best_s=1.9, compared=(1.4, low, 1.6))
        return [one.holds for one in _statements.grows("", (1.5, 2.1), small, large)]

    assert holds(1.3) == [True, True]
    assert holds(1.15) == [True, False]


def test_best_times_are_relative_to_their_defaults() -> None:
    reference = _search(default_s=2.0, best_s=1.0)
    assert _statements.within_of("", 1.03, _search(default_s=4.0, best_s=2.05), reference).holds
    assert not _statements.within_of("", 1.03, _search(default_s=4.0, best_s=2.07), reference).holds


def test_equal_printed_times_may_differ_by_their_last_digit() -> None:
    pair = [_search(default_s=1.0, best_s=0.5), _search(default_s=1.0, best_s=0.5017)]
    assert _statements.same_best("", [2.86, 2.86], 0.01, pair).holds
    assert not _statements.same_best("", [2.86, 2.86], 0.001, pair).holds
    assert _statements.same_best("", [2.86, 2.86], 0.01, [pair[0], None]).holds is None


def test_fewer_scenarios_means_fewer() -> None:
    few, many = _search(scenarios=9), _search(scenarios=10)
    assert _statements.fewer_scenarios("", (1, 2), few, many).holds
    assert not _statements.fewer_scenarios("", (1, 2), few, few).holds


def test_best_eager_limit_belongs_to_the_fastest_trial() -> None:
    search = _search()
    assert _statements.best_limit_near("", 40, search).holds
    assert not _statements.best_limit_near("", 60, search).holds
    assert not _statements.best_limit_above("", 32, search).holds
    assert _statements.best_limit_above("", 31, search).holds
    assert _statements.reduced_limit("", _search(eager_default=65536)).holds
    assert not _statements.reduced_limit("", _search(eager_default=65535)).holds
    unknown = _search(eager="another", eager_default=None)
    assert _statements.best_limit_above("", 31, unknown).holds is None


def test_slowest_trials_are_a_tenth_of_each_search() -> None:
    trials = tuple(Trial(2.0 - number / 100, {"eager": "1024" if number < 2 else "65536"}) for number in range(20))
    few, many = _search(), _search(trials=trials)
    found = _statements.slowest_below("", 17, [few, many])
    assert (found.here, found.holds) == ("3 of 3", True)
    high = _search(trials=trials[2:])
    assert _statements.slowest_below("", 17, [few, high]).here == "1 of 2"
    assert not _statements.slowest_below("", 17, [few, high]).holds
    assert _statements.slowest_below("", 17, [few, _search(eager="another", eager_default=None)]).holds is None


def test_messages_are_counted_by_their_bytes() -> None:
    profile = Profile("64K", "fish", 2, ((32768, 60), (65536, 31), (131072, 9)))
    assert _statements.messages_up_to("", 64, 0.9, profile).holds
    assert not _statements.messages_up_to("", 32, 0.9, profile).holds
    assert Profile("64K", "fish", 2, ()).share_up_to(1) == 0


def test_agreement_ignores_undecided_statements() -> None:
    every = [_statements.Judgment("gains", "", "", "", holds) for holds in (True, False, None, True)]
    none = [_statements.Judgment("settings", "", "", "", None)]
    assert _statements.agreements("flat", [*every, *none]) == (Agreement("flat, gains", 2, 3),)


def test_equal_values_share_a_place() -> None:
    assert _statements.ranks([2.0, 1.0, None, 1.0]) == ["3", "1", "–", "1"]


def test_clusters_require_root_and_libraries_must_be_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_measure, "ROOT", tmp_path)
    every = [
        Workload("64K", "fish", (), ("gde3", "random"), 1, setting)
        for setting in (_measure.SHARED_MEMORY, NETWORK, INTEL)
    ]
    pairs, reasons = _measure.plan(every, root=False)
    assert [(one.setting.platform, search) for one, search in pairs] == [
        ("shared memory", "gde3"),
        ("shared memory", "random"),
    ]
    assert len(reasons) == 2
    assert "root" in reasons[0]
    assert "tools/setup.sh impi" in reasons[1]
    (tmp_path / INTEL.launcher).parent.mkdir(parents=True)
    (tmp_path / INTEL.launcher).touch()
    pairs, reasons = _measure.plan(every, root=True)
    assert (len(pairs), reasons) == (6, [])


def test_a_simulated_cluster_requires_the_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    workload = Workload("64K", "fish", (), ("gde3",), 1, SIMULATED, 8, runs={"gde3": 9})
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert _measure.plan([workload], root=False) == ([(workload, "gde3")], [])
    monkeypatch.setattr("shutil.which", lambda _: None)
    _, reasons = _measure.plan([workload], root=True)
    assert reasons == ["64K on shark: smpirun was not found; install SimGrid (Debian: libsimgrid-dev)"]


def test_a_simulation_gets_its_cluster_its_launcher_and_its_number_of_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "fake.py"
    fake.write_text(_FAKE.replace("'paper' if '--method' in words else ''", "' '.join(words)"), encoding="utf-8")
    (tmp_path / "document.json").write_text(json.dumps(_document(*_RUNS)), encoding="utf-8")
    monkeypatch.setattr(_measure, "_adcl", lambda *words: [sys.executable, str(fake), *words])
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    place = Place(find_study("periscope/fish_school"), tmp_path, tmp_path, quick=True)
    _measure.measure(place, [Workload("64K", "fish", (), ("gde3",), 90, SIMULATED, 8, runs={"gde3": 9})])
    called = (tmp_path / "calls").read_text(encoding="utf-8")
    assert "-n 8 --study study --time 90s --trials 9 --on shark --mpi smpirun" in called
    assert "--launcher-option=--cfg=smpi/simulate-computation:no" in called
    assert called.rstrip().endswith(f"-- {PROJECT}/build/smpi/bin/fish")


def test_quick_searches_are_limited_by_runs_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = (*cg_is._QUICK, *fish_school._QUICK, *simulated._QUICK)
    assert {one.limit(search) for one in quick for search in one.searches} == {"40 runs"}
    fake = tmp_path / "fake.py"
    fake.write_text(_FAKE.replace("'paper' if '--method' in words else ''", "' '.join(words)"), encoding="utf-8")
    (tmp_path / "document.json").write_text(json.dumps(_document(*_RUNS)), encoding="utf-8")
    monkeypatch.setattr(_measure, "_adcl", lambda *words: [sys.executable, str(fake), *words])
    place = Place(find_study("periscope/fish_school"), tmp_path, tmp_path, quick=True)
    _measure.measure(place, [Workload("64K", "fish", (), ("gde3",), runs={"gde3": 20})])
    called = (tmp_path / "calls").read_text(encoding="utf-8")
    assert "--study study --trials 20 -- " in called
    assert "--time" not in called
    assert "64K, shared memory, gde3: up to 20 runs\n" in capsys.readouterr().out


def test_printed_examples_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place.of(find_study("periscope/printed"), quick=False)
    held = {one.text: one.holds for one in printed_examples.render(place).statements}
    assert held.pop("The advice is `set MP_EAGER_LIMIT = 16384`.") is False
    assert len(held) == 24
    assert all(held.values())
    read = published

    def changed(path: Path) -> dict[str, Any]:
        document = read(path)
        document["property"]["buffer_kb"][1] = 64000
        document["parameters"]["wait_mode"]["default"] = "nopoll"
        document["files"]["exhaustive"] = 1023
        return document

    monkeypatch.setattr(printed_examples, "published", changed)
    assert sum(one.holds is False for one in printed_examples.render(place).statements) == 4


def test_every_search_of_a_study_has_a_separate_folder() -> None:
    for workloads in (fish_school._FULL, fish_school._QUICK, simulated._FULL, simulated._QUICK):
        names = [one.name(search) for one in workloads for search in one.searches]
        assert len(set(names)) == len(names)


_FAKE = """\
import json, pathlib, sys
folder, words = pathlib.Path.cwd(), sys.argv[1:]
if words[0] == "analyze":
    print(json.dumps({"ranks": 2, "messages": {"sizes": [{"up_to": 64, "bytes": 5}]}}))
    sys.exit()
search = words[words.index("--search") + 1]
with (folder.parent / "calls").open("a") as file:
    file.write(f"{search} {'paper' if '--method' in words else ''}\\n")
document = json.loads((folder.parent / "document.json").read_text())
document["conclusion"]["interrupted"] = search == "random" and not (folder.parent / "mended").exists()
(folder / "study").mkdir(exist_ok=True)
(folder / "study" / "result.json").write_text(json.dumps(document))
"""


def test_only_interrupted_searches_are_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = tmp_path / "fake.py"
    fake.write_text(_FAKE, encoding="utf-8")
    (tmp_path / "document.json").write_text(json.dumps(_document(*_RUNS)), encoding="utf-8")
    monkeypatch.setattr(_measure, "_adcl", lambda *words: [sys.executable, str(fake), *words])
    place = Place(find_study("periscope/fish_school"), tmp_path, tmp_path, quick=True)
    workloads = [Workload("64K", "fish", (), ("gde3", "random"), 90)]
    with pytest.raises(StudyError, match="resumes it"):
        _measure.measure(place, workloads)
    assert "2 of 2 searches are left\n64K, shared memory, gde3: up to 90 s\n" in capsys.readouterr().out
    (tmp_path / "mended").touch()
    _measure.measure(place, workloads)
    assert (tmp_path / "calls").read_text(encoding="utf-8").splitlines() == [
        "gde3 paper",
        "random paper",
        "random paper",
    ]
    assert "1 of 2 searches are left\n64K, shared memory, random: up to 90 s\n" in capsys.readouterr().out
    records = _records.read(place.records)
    assert [one.search for one in records.searches] == ["gde3", "random"]
    assert records.profiles == (Profile("64K", "fish", 2, ((64, 5),)),)


def test_search_without_a_scenario_is_omitted_and_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = tmp_path / "fake.py"
    fake.write_text(_FAKE.replace("'paper' if '--method' in words else ''", "words[2]"), encoding="utf-8")
    (tmp_path / "mended").touch()
    (tmp_path / "document.json").write_text(json.dumps(_document(_run("default", 1.0))), encoding="utf-8")
    monkeypatch.setattr(_measure, "_adcl", lambda *words: [sys.executable, str(fake), *words])
    place = Place(find_study("periscope/fish_school"), tmp_path, tmp_path, quick=True)
    workloads = [Workload("64K", "fish", (), ("gde3",), 90)]
    with pytest.raises(StudyError, match="less other work"):
        _measure.measure(place, workloads)
    (tmp_path / "document.json").write_text(json.dumps(_document(*_RUNS)), encoding="utf-8")
    _measure.measure(place, workloads)
    assert (tmp_path / "calls").read_text(encoding="utf-8").splitlines() == ["gde3 --resume", "gde3 --fresh"]
    assert "skipped: gde3" in capsys.readouterr().out


def test_statements_on_a_platform_need_its_exhaustive_search() -> None:
    cluster = _search(platform="flat")
    assert _school._compared(Records((cluster, _search(search="exhaustive")), ())) == ["shared memory"]


def test_a_linear_panel_has_round_numbers_and_texts_of_points() -> None:
    assert _picture._steps(0.83, 1.31) == pytest.approx([0.9, 1.0, 1.1, 1.2, 1.3])
    curve = _picture.Curve("gde3", [(1.0, 0.9), (2.0, 1.1)], labels=["a < b", "c"])
    picture = _picture.panels([_picture.Panel("", [curve], linear=True)])
    assert "<title>a &lt; b</title>" in picture
    heights = [float(part.split('cy="')[1].split('"')[0]) for part in picture.split("<circle")[1:3]]
    assert heights[0] > heights[1]
