"""Programs without MPI: serial and threaded ones, and a library of four functions, one of them quadratic."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from adcl.launch import usable_cores
from adcl.scale import Expected, Match, Measurement, judge_series, parse, series_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    Adcl = Callable[..., Ended]

_PROGRAM = """#!{python}
import json, os, sys
n, threads = int(sys.argv[1]), int(os.environ.get("OMP_NUM_THREADS", "1"))
def show(function, seconds):
    print(json.dumps(dict(schema=1, function=function, metric="time_s", repetitions=[seconds],
                          parameters=dict(n=n, threads=threads))))
show("total", 3e-6 + 2e-8 * n)
show("unique", 3e-6 + 5e-10 * n * n)
show("scan", 1e-8 * n / threads + 1e-6)
"""
_STUDY = """
[run]
program = "./library"
arguments = ["{{n}}"]
mpi = "none"
{more}
[[expect]]
function = {functions}
growth = "{growth}"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "library").write_text(_PROGRAM.format(python=sys.executable), encoding="utf-8")
    (tmp_path / "library").chmod(0o755)
    return tmp_path


def _write(folder: Path, more: str, growth: str, *functions: str) -> None:
    text = _STUDY.format(more=more, growth=growth, functions=json.dumps(functions))
    (folder / "s.toml").write_text(text, encoding="utf-8")


def test_a_serial_program_is_swept_and_judged(folder: Path, adcl: Adcl) -> None:
    _write(folder, "parameters = { n = [1000, 2000, 4000, 8000, 16000, 32000, 64000] }", "n", "total", "unique")
    ran = adcl("scale", "run", "s.toml")
    assert ran.code == 0, ran.err
    checked = adcl("scale", "check", "s.toml", "--json")
    found = {row["function"]: row["match"] for row in json.loads(checked.out)["rows"]}
    assert (checked.code, found) == (1, {"total": "total", "unique": "none"})


def test_threads_are_a_parameter_that_the_environment_may_name(folder: Path, adcl: Adcl) -> None:
    more = (
        'parameters = { n = [4000], threads = [1, 2, 3, 4, 6, 8] }\nenvironment = { OMP_NUM_THREADS = "{threads}" }\n'
    )
    _write(folder, more + 'oversubscribed = "mark"', "1 / threads + 1", "scan")
    assert adcl("scale", "run", "s.toml").code == 0
    checked = adcl("scale", "check", "s.toml", "--json")
    (row,) = json.loads(checked.out)["rows"]
    assert (checked.code, row["match"]) == (0, "total"), checked.out
    assert row["oversubscribed"] == [one > usable_cores() for one in (1, 2, 3, 4, 6, 8)]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("ranks = [1, 2]", "a program without MPI is one process"),
        ("parameters = { threads = [1, 4096] }", "4096 threads would share"),
        ("parameters = { threads = [1.5] }", "expected integers of at least 1"),
        ('environment = { OMP_NUM_THREADS = "{thread}" }', "{thread} is not a parameter of this run"),
    ],
)
def test_invalid_studies_without_mpi(folder: Path, adcl: Adcl, more: str, said: str) -> None:
    _write(folder, more + ("" if "parameters" in more else "\nparameters = { n = [1, 2] }"), "n", "total")
    if "{n}" not in more and "parameters" in more:
        text = (folder / "s.toml").read_text(encoding="utf-8").replace('arguments = ["{n}"]', 'arguments = ["1"]')
        (folder / "s.toml").write_text(text, encoding="utf-8")
    ended = adcl("scale", "run", "s.toml")
    assert ended.code == 2
    assert said in ended.err


def _jobs(values: list[float], *, scatter: float = 0.01) -> list[Measurement]:
    rng = np.random.default_rng(4)
    return [
        Measurement("f", "time_s", {"n": 1000.0 * 2**at}, (value * (1 + scatter * float(rng.standard_normal())),))
        for at, value in enumerate(values)
        for _ in range(5)
    ]


def test_outgrown_limits_are_broken_without_a_fitting_model() -> None:
    """Quadratic, with a step where the data exceed a cache: a factor of five between two sizes."""
    rising: list[Any] = [0.0005, 0.0017, 0.0147, 0.0517, 0.205, 0.845]
    verdict = judge_series(series_of(_jobs(rising), "f", "time_s"), Expected(parse("n")))
    assert verdict.misfit is not None
    assert verdict.match is Match.NONE
    assert verdict.outgrown == pytest.approx(2.5, rel=0.1)
    flattening: list[Any] = [0.0005, 0.0017, 0.0147, 0.0297, 0.059, 0.119]
    kept = judge_series(series_of(_jobs(flattening), "f", "time_s"), Expected(parse("n")))
    assert kept.match is not Match.NONE
