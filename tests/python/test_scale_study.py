"""Scripts that measure the studies, with an `smpirun` and an `adcl-bench` that only record their calls."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support import processes_with, wait_until, within

if TYPE_CHECKING:
    from types import ModuleType

_PROJECT = Path(__file__).resolve().parents[2]
_SCRIPT = _PROJECT / "studies" / "exascaling" / "collectives" / "simulate.py"
_LISTED = """case "$*" in *--list*)
echo 'bcast:Native     time             broadcast'
echo 'bcast:Chain      time  O(p)       broadcast'
echo 'alltoall:Bruck   time  O(log p)   all-to-all'
echo 'alltoall:Linear  time  O(p)       all-to-all'
exit;; esac
"""
_FAKE = """#!/bin/sh
{listed}echo "$*" >>"{log}"
[ ! -e "{log}.broken" ] || {{ echo 'no such cluster' >&2; exit 3; }}
echo '{{"schema": 1, "function": "Bcast"}}'
"""

# Returns a microsecond for each rank for every request.
_LINEAR = """
import json, sys
ranks = int(sys.argv[sys.argv.index("-np") + 1])
codelet = sys.argv[sys.argv.index("--codelets") + 1]
growth = "log p" if codelet == "alltoall:Bruck" else "p"
record = {"schema": 1, "function": codelet, "metric": "time_s", "expectation": growth, "parameters": {"p": ranks}}
print(json.dumps({**record, "repetitions": [1e-6 * ranks]}))
"""


class ScaleStudy:
    def __init__(self, folder: Path) -> None:
        self.log = folder / "log"
        self.results = folder / "results"
        program = folder / "smpirun"
        program.write_text(_FAKE.format(log=self.log, listed=_LISTED), encoding="utf-8")
        strip = folder / "strip"
        strip.write_text('#!/bin/sh\n: >"$2"\n', encoding="utf-8")
        for made in (program, strip):
            made.chmod(0o755)
        self._environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(_SCRIPT), "bench", str(self.results), *arguments]
        return subprocess.run(
            command, env=self._environment, capture_output=True, text=True, check=False, timeout=within(30)
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(_SCRIPT), "bench", str(self.results), *arguments]
        return subprocess.Popen(command, env=self._environment, stdout=subprocess.DEVNULL, text=True)

    @property
    def calls(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines()

    def fail(self, *, broken: bool) -> None:
        marker = self.log.with_name("log.broken")
        if broken:
            marker.touch()
        else:
            marker.unlink()


def _records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def study(tmp_path: Path) -> ScaleStudy:
    return ScaleStudy(tmp_path)


def test_every_platform_and_selection_is_measured_at_every_number_of_ranks(study: ScaleStudy) -> None:
    done = study.run("--ranks", "2,4,8")
    assert done.returncode == 0, done.stderr
    names = [
        f"{platform}-{selector}"
        for platform in ("torus", "fat_tree", "dragonfly")
        for selector in ("mpich", "ompi", "mvapich2")
    ]
    assert sorted(path.name for path in study.results.iterdir()) == sorted(
        [*(f"{name}.jsonl" for name in names), "collectives.jsonl"]
    )
    for name in names:
        assert [record["function"] for record in _records(study.results / f"{name}.jsonl")] == ["Bcast"] * 3
    store = _records(study.results / "collectives.jsonl")
    assert [line["run"] for line in store] == [name for name in names for _ in range(3)]
    assert {line["measurement"]["function"] for line in store} == {"Bcast"}
    first = study.calls[0]
    assert "-np 2 " in first
    assert "torus.xml" in first
    assert "--cfg=smpi/coll-selector:mpich" in first
    assert "--label platform=torus --label collectives=mpich" in first


def test_stored_measurements_are_not_repeated(study: ScaleStudy) -> None:
    study.run("--platforms", "torus", "--selectors", "ompi", "--ranks", "2,4")
    study.run("--platforms", "torus", "--selectors", "ompi,mpich", "--ranks", "2,4")
    assert ["selector:ompi" in call for call in study.calls] == [True, True, False, False]


def test_interrupted_study_continues(study: ScaleStudy) -> None:
    one = ("--platforms", "torus", "--selectors", "ompi", "--ranks")
    study.run(*one, "2")
    (study.results / "torus-ompi.jsonl").rename(study.results / "torus-ompi-2.part")
    study.fail(broken=True)
    failed = study.run(*one, "2,4")
    assert failed.returncode == 1
    assert "no such cluster" in failed.stderr
    study.fail(broken=False)
    assert study.run(*one, "2,4").returncode == 0
    assert ["-np 2 " in call for call in study.calls] == [True, False, False]
    assert sorted(path.name for path in study.results.iterdir()) == ["collectives.jsonl", "torus-ompi.jsonl"]


def test_codelets_are_compared_with_their_stated_growth(study: ScaleStudy) -> None:
    program = study.log.parent / "smpirun"
    program.write_text(f"#!/bin/sh\n{_LISTED}exec {sys.executable} {program}.py $*\n", encoding="utf-8")
    program.with_name("smpirun.py").write_text(_LINEAR, encoding="utf-8")
    many = ("--ranks", "2,4,8,16,32", "--jobs", "2")

    done = study.run("--codelets", "alltoall,bcast", "--platforms", "torus", "--selectors", "mpich", *many)

    assert done.returncode == 0, done.stderr
    written = tomllib.loads((study.results / "codelets.toml").read_text(encoding="utf-8"))
    assert [(one["growth"], one["function"]) for one in written["expect"]] == [
        ("log p", ["alltoall:Bruck"]),
        ("p", ["alltoall:Linear", "bcast:Chain"]),
    ]
    command = [sys.executable, "-m", "adcl", "scale", "check", str(study.results / "codelets.toml")]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, timeout=within(60))
    assert checked.returncode == 1, checked.stdout + checked.stderr
    verdicts = {name: line for line in checked.stdout.splitlines() for name in ("Bruck", "Linear") if name in line}
    assert "✓" in verdicts["Linear"]
    assert "✓" not in verdicts["Bruck"]


def test_the_platforms_have_512_hosts() -> None:
    for platform in ("torus", "fat_tree", "dragonfly"):
        text = (_PROJECT / "testbed" / "smpi" / f"{platform}.xml").read_text(encoding="utf-8")
        assert 'radical="0-511"' in text


def _memory_study() -> ModuleType:
    path = _PROJECT / "studies" / "exascaling" / "memory" / "measure.py"
    spec = importlib.util.spec_from_file_location("measure_memory", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _launcher(folder: Path, words: str) -> None:
    folder.mkdir(parents=True)
    program = folder / "launch"
    program.write_text(f"#!/bin/sh\n{words}\n", encoding="utf-8")
    program.chmod(0o755)


class TestMemory:
    _RECORD = """echo '{"schema": 1, "function": "Comm_dup", "context": {"ranks": '$1', "hosts": 1}}'"""

    def _run(self, monkeypatch: pytest.MonkeyPatch, build: Path, *arguments: str) -> None:
        module = _memory_study()
        monkeypatch.setattr(module, "_BUILD", build)
        monkeypatch.setattr(sys, "argv", ["measure.py", str(build / "results"), *arguments])
        assert module.main() == 0

    def test_each_library_is_a_run_of_the_store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        _launcher(tmp_path / "mpich", self._RECORD)
        _launcher(tmp_path / "openmpi", self._RECORD)
        self._run(monkeypatch, tmp_path, "mpich", "--ranks", "2,3")
        self._run(monkeypatch, tmp_path, "openmpi", "--ranks", "2")
        (tmp_path / "results" / "memory.jsonl").unlink()
        self._run(monkeypatch, tmp_path)
        store = _records(tmp_path / "results" / "memory.jsonl")
        assert [(line["run"], line["measurement"]["context"]) for line in store] == [
            ("openmpi", {"ranks": 2}),
            ("mpich", {"ranks": 2}),
            ("mpich", {"ranks": 3}),
        ]

    def test_a_failure_ends_it_and_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        _launcher(tmp_path / "mpich", "echo 'no ranks' >&2; exit 1")
        with pytest.raises(SystemExit, match="no ranks"):
            self._run(monkeypatch, tmp_path, "mpich", "--ranks", "2")
        with pytest.raises(SystemExit, match="build the preset impi"):
            self._run(monkeypatch, tmp_path, "impi", "--ranks", "2")


def _measured(study: ScaleStudy) -> list[tuple[str, str]]:
    """Return codelet and number of ranks of each simulation."""
    words = [call.split() for call in study.calls]
    return [(call[call.index("--codelets") + 1], call[call.index("-np") + 1]) for call in words]


def test_each_codelet_has_a_separate_simulation(study: ScaleStudy) -> None:
    words = ("--platforms", "torus", "--selectors", "mpich", "--ranks", "2,4,8")

    assert study.run("--codelets", "bcast,alltoall,alltoall:Linear@4", *words).returncode == 0

    codelets = ("bcast:Chain", "alltoall:Bruck", "alltoall:Linear")
    every = [(codelet, ranks) for ranks in ("2", "4", "8") for codelet in codelets]
    assert _measured(study) == [one for one in every if one != ("alltoall:Linear", "8")]


def test_codelet_without_a_stated_growth_is_measured_by_name(study: ScaleStudy) -> None:
    words = ("--platforms", "torus", "--selectors", "mpich", "--ranks", "2")

    assert study.run("--codelets", "bcast:Native", *words).returncode == 0

    assert _measured(study) == [("bcast:Native", "2")]


def test_codelet_excluded_on_sixteen_ranks_is_not_run_on_more(study: ScaleStudy) -> None:
    program = study.log.parent / "smpirun"
    text = program.read_text(encoding="utf-8")
    program.write_text(
        text.replace("echo '{", 'case "$*" in *alltoall:Bruck*) exit;; esac\necho \'{'), encoding="utf-8"
    )
    words = ("--codelets", "alltoall", "--platforms", "torus", "--selectors", "mpich", "--ranks", "4,12,16,32,64")

    assert study.run(*words).returncode == 0

    tried = [ranks for codelet, ranks in _measured(study) if codelet == "alltoall:Bruck"]
    assert tried == ["4", "12", "16"]
    assert len(_records(study.results / "torus-mpich.jsonl")) == 5


def test_terminated_study_leaves_no_processes(study: ScaleStudy) -> None:
    program = study.log.parent / "smpirun"
    program.write_text(f"#!/bin/sh\necho $$ >>{study.log}; sleep 617\n", encoding="utf-8")

    with study.start("--platforms", "torus", "--jobs", "2") as running:
        assert wait_until(lambda: study.log.exists() and len(study.calls) == 2, 10)
        running.terminate()
        assert running.wait(within(10)) == 128 + signal.SIGTERM

    assert wait_until(lambda: processes_with(str(study.log.parent)) == [], 5)
