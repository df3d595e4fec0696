"""The bench of seeded bugs, and its quotes in docs/scale.md."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from support import PROJECT, bench_module

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

RECORD = PROJECT / "docs" / "figures" / "E" / "scale_bugs.json"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    """Import bench/scale/scale_bugs.py."""
    return bench_module("scale.scale_bugs")


def _values(figures: list[dict[str, Any]]) -> dict[str, float]:
    return {one["name"]: one["value"] for one in figures}


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    """Return the record of the bench that the documentation quotes."""
    found: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def test_the_shortest_run_of_the_bench(bench: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out" / "scale_bugs.json"
    monkeypatch.setattr(sys, "argv", ["scale_bugs.py", "--output", str(target), "--series", "2"])
    assert bench.main() == 0
    figures = json.loads(target.read_text(encoding="utf-8"))["figures"]
    assert {one["name"] for one in figures} == {one["name"] for one in json.loads(RECORD.read_text())["figures"]}
    found = _values(figures)
    assert found["synthetic_found_percent_coefficient_25"] > 70
    assert found["slower_40_found_percent"] == 100


def test_recorded_measurements_yield_the_recorded_verdicts(bench: ModuleType, kept: dict[str, Any]) -> None:
    """The stored measurements yield the same verdicts as when the record was made."""
    assert bench.recorded(bench.read_study(bench.RECORDED)) == kept["details"]["recorded"]


def test_figures_are_within_their_limits(kept: dict[str, Any]) -> None:
    beyond = [one["name"] for one in kept["figures"] if one["target"] is not None and one["value"] > one["target"]]
    assert beyond == []


def test_the_documentation_quotes_the_record(kept: dict[str, Any]) -> None:
    text = (PROJECT / "docs" / "scale.md").read_text(encoding="utf-8")
    quoted = re.findall(r"\| `([a-z0-9_.]+)` \|[^|]*\| ([0-9.]+)", text)
    assert len(quoted) >= 10
    found = Counter(row["function"] for row in kept["details"]["recorded"]["verdicts"] if row["verdict"] == "found")
    told = re.findall(r"instead\s+of\s+O\((1|log p|p)\)[a-z ]*in\s+(\d) of 9", text)
    assert [(growth, int(count)) for growth, count in told] == [
        (growth, found[function]) for growth, function in (("1", "Setup"), ("log p", "Agree"), ("p", "Row"))
    ]
    values = _values(kept["figures"])
    assert {name: float(value) for name, value in quoted} == {name: pytest.approx(values[name]) for name, _ in quoted}
