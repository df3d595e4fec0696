"""Defects of a library are found (a linear broadcast, and a table per rank); the fixed version passes.

The times of tests/bench_mpi/seeded.jsonl come from the fat tree of testbed/smpi, the memory from Open MPI 4.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support import PROJECT, Ended

from adcl.scale import read_measurements

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Adcl = Callable[..., Ended]

_RECORDED = PROJECT / "tests" / "bench_mpi"
_LIVE = """\
schema = 1
[run]
program = "{program}"
arguments = ["--functions", "Comm_dup", "--repetitions", "4", "--warmup", "1"]
ranks = [2, 3, 4, 6, 8]
mpi = "openmpi"
timeout_s = 30.0

[[expect]]
function = "Comm_dup"
metric = "memory_bytes"
growth = "1"
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    for name in ("seeded.toml", "seeded.jsonl"):
        shutil.copy(_RECORDED / name, tmp_path / name)
    return tmp_path / "seeded.toml"


def test_the_defects_are_found(adcl: Adcl, study: Path) -> None:
    checked = adcl("scale", "check", str(study), "--run", "seeded", "--json")
    assert checked.code == 1
    assert "broken: Bcast" in checked.err
    matches = {row["function"]: row["match"] for row in json.loads(checked.out)["rows"]}
    assert matches == {"Bcast": "none", "Comm_dup": "none"}


def test_the_fixed_version_passes(adcl: Adcl, study: Path) -> None:
    checked = adcl("scale", "check", str(study), "--run", "fixed", "--json")
    assert checked.code == 0, checked.err


def test_introducing_version_is_named(adcl: Adcl, study: Path) -> None:
    compared = adcl("scale", "compare", str(study), "fixed", "seeded")
    assert compared.code == 1
    assert "in seeded" in compared.err


def _built(name: str) -> Path:
    found = sorted(PROJECT.glob(f"build/openmpi/bin/{name}"))
    if not found:
        pytest.skip(f"{name} is not built")
    return found[0]


@pytest.mark.mpi
@pytest.mark.parametrize(("program", "code"), [("adcl-bench-seeded", 1), ("adcl-bench-fixed", 0)])
def test_table_per_rank_is_found_in_local_measurements(adcl: Adcl, tmp_path: Path, program: str, code: int) -> None:
    study = tmp_path / "live.toml"
    study.write_text(_LIVE.format(program=_built(program)), encoding="utf-8")
    assert adcl("scale", "run", str(study)).code == 0
    checked = adcl("scale", "check", str(study))
    assert checked.code == code, checked.out


@pytest.mark.parametrize(("run", "code", "match"), [("first", 1, "none"), ("fixed", 3, "approximate")])
def test_the_quadratic_function_of_a_serial_library(
    adcl: Adcl, tmp_path: Path, run: str, code: int, match: str
) -> None:
    for name in ("library.toml", "library.jsonl"):
        shutil.copy(PROJECT / "examples" / "scale" / name, tmp_path / name)
    checked = adcl("scale", "check", "library.toml", "--run", run, "--json")
    assert checked.code == code, checked.err
    assert {row["function"]: row["match"] for row in json.loads(checked.out)["rows"]}["merge"] == match


def test_the_serial_library_prints_records() -> None:
    program = PROJECT / "examples" / "scale" / "library.py"
    done = subprocess.run([sys.executable, program, "100", "fixed"], capture_output=True, text=True, check=True)
    assert [row.function for row in read_measurements(done.stdout, "here")] == ["total", "find", "order", "merge"]
