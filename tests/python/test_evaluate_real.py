"""``adcl evaluate`` with a real program: percentages have an interval, a number of runs, and one sign convention."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from support import PROJECT

from adcl.evaluate import SIGN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

_SOLVER = PROJECT / "build" / "openmpi" / "bin" / "solver3d"
_WORDS = '"--size", "8x8x8", "--iterations", "50", "--quiet", "--json", "{json}"'
_FILE = f"""
runs = 1
[run]
program = "{_SOLVER}"
arguments = ["--exchange", "adcl", {_WORDS}]
ranks = [2]
[time]
json = "seconds.total"
[verification]
codelets = ["IsIr_aao", "Ordered_pack"]
[original]
arguments = ["--exchange", "fcfs", {_WORDS}]
"""


@pytest.mark.mpi
@pytest.mark.skipif(not _SOLVER.exists(), reason="the applications are not built")
def test_percentages_have_intervals_and_runs_or_are_not_shown(adcl: Callable[..., Ended], tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(_FILE, encoding="utf-8")

    once = adcl("evaluate", "run", "e.toml", timeout_s=120.0)

    assert once.code == 0, once.err
    assert not re.search(r"[+-]\d[\d.]* %", once.out), "what ran once is not compared"
    setting = json.loads((tmp_path / "e.evaluation" / "results.json").read_text())["machines"][0]["settings"][0]
    assert setting["over_original"] is None
    assert setting["spread"] is None

    several = adcl("evaluate", "run", "e.toml", "--runs", "3", timeout_s=120.0)

    assert several.code == 0, several.err
    words = " ".join(several.out.split())
    assert SIGN in words
    assert words.index(SIGN) < words.index("best codelets"), "the sign is said before the first table"
    assert re.search(r"over original.* (?:[+-][\d.]+ % \([+-][\d.]+ to [+-][\d.]+\)|undetermined) 3 and 3", words), (
        words
    )
    assert " in 3 runs" in words
    setting = json.loads((tmp_path / "e.evaluation" / "results.json").read_text())["machines"][0]["settings"][0]
    found = setting["over_original"]
    assert found["low"] <= found["percent"] <= found["high"]
    assert (found["runs"], found["reference_runs"]) == (3, 3)
    page = (tmp_path / "e.evaluation" / "report.html").read_text(encoding="utf-8")
    assert "negative is faster, positive is slower" in page
