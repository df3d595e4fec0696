"""The strong-scaling study: blocks, records, and verdicts on the stored measurements."""

from __future__ import annotations

import importlib.util
import json
import sys
from typing import TYPE_CHECKING

import pytest
from support import PROJECT

from adcl.scale import read_study

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

_ANSWER = {
    "ranks": 4,
    "exchange": "fcfs",
    "iterations": 50,
    "seconds": {"total": 5.0, "exchange": 1.0, "reduction": 2.0},
}
_FAKE = """#!/bin/sh
while [ "$1" != --json ]; do case $1 in -np) ranks=$2 ;; esac; shift; done
[ ! -e "{folder}/broken" ] || {{ echo 'no such cluster' >&2; exit 3; }}
echo $ranks >>"{folder}/calls"
echo '{answer}' | sed "s/\"ranks\": 4/\"ranks\": $ranks/" >"$2"
"""


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Import strong_study.py."""
    path = PROJECT / "studies" / "adcl" / "solver3d" / "measure.py"
    specification = importlib.util.spec_from_file_location("measure_strong", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_the_grid_stays_the_same(study: ModuleType) -> None:
    assert study.block_of(64, 1) == (64, 64, 64)
    assert study.block_of(64, 2) == (32, 64, 64)
    assert study.block_of(64, 16) == (16, 32, 32)
    assert study.block_of(64, 256) == (8, 8, 16)
    for points, ranks in ((63, 2), (64, 3), (4, 128)):
        with pytest.raises(ValueError, match="cannot be divided evenly"):
            study.block_of(points, ranks)


def test_records_are_seconds_for_an_iteration(study: ModuleType) -> None:
    rows = {one["function"]: one["repetitions"] for one in study.records_of(_ANSWER, 64)}
    assert rows == {"iteration": [0.1], "halo exchange": [0.02], "scalar products": [0.04]}
    alone = study.records_of({**_ANSWER, "ranks": 1}, 64)
    assert [one["function"] for one in alone] == ["iteration"]


def test_it_continues_after_an_interruption(
    study: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "smpirun"
    program.write_text(_FAKE.format(folder=tmp_path, answer=json.dumps(_ANSWER)), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(
        sys, "argv", ["measure.py", "solver3d", str(tmp_path), "--ranks", "1,2", "--jobs", "2", "--points", "64"]
    )
    assert study.main() == 0
    (tmp_path / "broken").touch()
    monkeypatch.setattr(sys, "argv", [*sys.argv[:-5], "1,2,4", "--jobs", "2", "--points", "64"])
    with pytest.raises(SystemExit, match="no such cluster"):
        study.main()
    (tmp_path / "broken").unlink()
    assert study.main() == 0
    assert (tmp_path / "calls").read_text(encoding="utf-8").split() == ["1", "2", "1", "2", "4", "4"]
    assert capsys.readouterr().out.count("job=") == 6
    study_of = read_study(PROJECT / "studies" / "adcl" / "solver3d" / "scale.toml")
    assert [one.function for one in study_of.efficiencies] == ["iteration"]
