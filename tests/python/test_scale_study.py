"""The study on simulated clusters, with an `smpirun` that only says how it was called."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_SCRIPT = Path(__file__).resolve().parents[2] / "testbed" / "smpi" / "scale_study.py"
_FAKE = """#!/bin/sh
echo "$*" >>"{log}"
[ ! -e "{log}.broken" ] || {{ echo 'no such cluster' >&2; exit 3; }}
echo '{{"schema": 1, "function": "Bcast"}}'
"""


class Study:
    def __init__(self, folder: Path) -> None:
        self.log = folder / "log"
        self.results = folder / "results"
        program = folder / "smpirun"
        program.write_text(_FAKE.format(log=self.log), encoding="utf-8")
        program.chmod(0o755)
        self._environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(_SCRIPT), "bench", str(self.results), *arguments]
        return subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False, timeout=30)

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
def study(tmp_path: Path) -> Study:
    return Study(tmp_path)


def test_every_platform_and_selection_is_measured_at_every_number_of_ranks(study: Study) -> None:
    done = study.run("--most-ranks", "8")
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


def test_what_is_there_is_not_measured_again(study: Study) -> None:
    study.run("--platforms", "torus", "--selectors", "ompi", "--most-ranks", "4")
    study.run("--platforms", "torus", "--selectors", "ompi,mpich", "--most-ranks", "4")
    assert ["selector:ompi" in call for call in study.calls] == [True, True, False, False]


def test_an_interrupted_study_goes_on_where_it_was(study: Study) -> None:
    one = ("--platforms", "torus", "--selectors", "ompi", "--most-ranks")
    study.run(*one, "2")
    (study.results / "torus-ompi.jsonl").rename(study.results / "torus-ompi-2.part")
    study.fail(broken=True)
    failed = study.run(*one, "4")
    assert failed.returncode == 1
    assert "no such cluster" in failed.stderr
    study.fail(broken=False)
    assert study.run(*one, "4").returncode == 0
    assert ["-np 2 " in call for call in study.calls] == [True, False, False]
    assert sorted(path.name for path in study.results.iterdir()) == ["collectives.jsonl", "torus-ompi.jsonl"]


def test_the_platforms_have_512_hosts() -> None:
    for platform in ("torus", "fat_tree", "dragonfly"):
        text = (_SCRIPT.parent / f"{platform}.xml").read_text(encoding="utf-8")
        assert 'radical="0-511"' in text
