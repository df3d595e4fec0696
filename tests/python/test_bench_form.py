"""Documents of benches, and the short form of benches."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support import PROJECT, bench_files, listed_tests, property_of

if TYPE_CHECKING:
    from pathlib import Path


def _show(document: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROJECT / "tools" / "figures.py"), str(document)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | environment)


def _figure(**changes: object) -> dict[str, object]:
    return {"name": "creation", "value": 1, "unit": "us", "target": 200} | changes


@pytest.mark.parametrize(
    ("document", "objection"),
    [
        ([], 'no "context"'),
        ({"context": {}, "figures": [_figure()]}, "the form of its context is None, not 'usual'"),
        ({"context": {"form": "short"}, "figures": [_figure()]}, "is 'short', not 'usual', which BENCH_FORM names"),
        ({"context": {"form": "usual"}, "figures": []}, 'no "figures"'),
        ({"context": {"form": "usual"}, "figures": [_figure(name="y")]}, "figure y of bench creation is not declared"),
        (
            {"context": {"form": "usual"}, "figures": [_figure(unit="ms")]},
            "unit of figure creation is 'ms'; bench/figures.toml declares 'us'",
        ),
        (
            {"context": {"form": "usual"}, "figures": [_figure(value="1")]},
            "figure creation is '1', not a finite number",
        ),
        (
            {"context": {"form": "usual"}, "figures": [_figure(value=math.nan)]},
            "figure creation is nan, not a finite number",
        ),
        (
            {"context": {"form": "usual"}, "figures": [_figure(target=2)]},
            "target of figure creation is 2; bench/figures.toml declares 200",
        ),
        ({"context": {"form": "usual"}, "figures": [_figure(), _figure()]}, "figure creation occurs twice"),
    ],
)
def test_invalid_bench_result_is_rejected(tmp_path: Path, document: object, objection: str) -> None:
    (tmp_path / "creation.json").write_text(json.dumps(document), encoding="utf-8")
    done = _show(tmp_path / "creation.json", BENCH_FORM="")
    assert done.returncode == 1
    assert objection in done.stderr


def test_the_figures_of_a_bench_are_shown(tmp_path: Path) -> None:
    figure = {"name": "collective_start_added_ns", "value": 31.25, "interval": [30.0, 32.5]}
    file = tmp_path / "overhead.json"
    for form in ("usual", "short"):
        file.write_text(json.dumps({"context": {"form": form}, "figures": [figure]}), encoding="utf-8")
        done = _show(file, COLUMNS="100", BENCH_FORM=form)
        assert done.returncode == 0, done.stderr
        for word in ("collective_start_added_ns", "31.25", "ns", "50", "30 … 32.5"):
            assert word in done.stdout
        assert ("meaningless values" in done.stdout) == (form == "short")
        assert ("tools/figures.py store overhead MACHINE" in done.stdout) == (form == "usual")
        assert json.loads(file.read_text("utf-8"))["figures"] == [figure | {"unit": "ns", "target": 50}]


def test_the_short_form_of_every_bench_is_a_test() -> None:
    short = [test for test in listed_tests("openmpi") if "bench_short" in (property_of(test, "LABELS") or [])]

    assert {test["name"] for test in short} == {f"bench.{name}" for name in bench_files()}
    for test in short:
        assert "BENCH_FORM=short" in property_of(test, "ENVIRONMENT")
