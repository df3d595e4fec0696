"""Documents that benches write, and their short form."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support import PROJECT, listed_tests, property_of

if TYPE_CHECKING:
    from pathlib import Path


def _show(document: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROJECT / "tools" / "figures.py"), str(document)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | environment)


def _figure(**changes: object) -> dict[str, object]:
    return {"name": "x", "value": 1, "unit": "s", "target": None} | changes


@pytest.mark.parametrize(
    ("document", "objection"),
    [
        ([], 'no "context"'),
        ({"context": {}, "figures": [_figure()]}, "the form of its context is None, not 'usual'"),
        ({"context": {"form": "short"}, "figures": [_figure()]}, "is 'short', not 'usual', which BENCH_FORM names"),
        ({"context": {"form": "usual"}, "figures": []}, 'no "figures"'),
        ({"context": {"form": "usual"}, "figures": [{"name": "x", "value": 1}]}, "figure x has no unit, target"),
        ({"context": {"form": "usual"}, "figures": [_figure(value="1")]}, "figure x is '1', not a finite number"),
        ({"context": {"form": "usual"}, "figures": [_figure(value=math.nan)]}, "figure x is nan, not a finite number"),
        ({"context": {"form": "usual"}, "figures": [_figure(target="2")]}, "figure x is '2', not a number or null"),
        ({"context": {"form": "usual"}, "figures": [_figure(), _figure()]}, "there are two figures x"),
    ],
)
def test_a_bad_result_of_a_bench_is_refused(tmp_path: Path, document: object, objection: str) -> None:
    (tmp_path / "x.json").write_text(json.dumps(document), encoding="utf-8")
    done = _show(tmp_path / "x.json", BENCH_FORM="")
    assert done.returncode == 1
    assert objection in done.stderr


def test_the_figures_of_a_bench_are_shown(tmp_path: Path) -> None:
    figure = {"name": "added", "value": 31.25, "unit": "ns", "target": 50, "interval": [30.0, 32.5]}
    for form in ("usual", "short"):
        (tmp_path / "x.json").write_text(json.dumps({"context": {"form": form}, "figures": [figure]}), encoding="utf-8")
        done = _show(tmp_path / "x.json", COLUMNS="100", BENCH_FORM=form)
        assert done.returncode == 0
        for word in ("added", "31.25", "ns", "50", "30 … 32.5"):
            assert word in done.stdout
        assert ("the values mean nothing" in done.stdout) == (form == "short")


def test_the_short_form_of_every_bench_is_a_test() -> None:
    scripts = [path.stem for path in (PROJECT / "bench").glob("[!_]*.py")]
    programs = re.findall(r"add_executable\(bench_(\w+)", (PROJECT / "bench/CMakeLists.txt").read_text("utf-8"))
    short = [test for test in listed_tests("openmpi") if "bench_short" in (property_of(test, "LABELS") or [])]

    assert {test["name"] for test in short} == {f"bench.{name}" for name in (*scripts, *programs)}
    for test in short:
        assert "BENCH_FORM=short" in property_of(test, "ENVIRONMENT")
