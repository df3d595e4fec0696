"""Regressions in cost between runs."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scale_support import POWERS

from adcl.errors import UsageError
from adcl.scale import Measurement, Store, compare, entries_of, percent, read_study, slowdown

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.scale import Slowdown


def _study(tmp_path: Path, factors: dict[str, float], *, jobs: int, noise: float, seed: int) -> Path:
    path = tmp_path / "s.toml"
    path.write_text('[[expect]]\nfunction = "f"\ngrowth = "p"\n', encoding="utf-8")
    rng = np.random.default_rng(seed)
    store = Store(tmp_path / "s.jsonl")
    for at, (run, factor) in enumerate(factors.items()):
        rows = [
            Measurement("f", "time_s", {"p": p}, (factor * (20 + 3 * p) * (1 + noise * rng.standard_normal()),))
            for p in POWERS
            for _ in range(jobs)
        ]
        store.append(run, "job", float(at), rows)
    return path


def _slowdown(path: Path, allowed: float, target: dict[str, float] | None = None) -> Slowdown:
    study = read_study(path)
    (change,) = compare(study, entries_of(study), ["a", "b"]).changes
    return slowdown(change, allowed, study.confidence, target)


@pytest.mark.parametrize("jobs", [1, 10])
def test_a_quarter_more_is_slower_by_ten_percent(tmp_path: Path, jobs: int) -> None:
    path = _study(tmp_path, {"a": 1.0, "b": 1.25}, jobs=jobs, noise=0.03, seed=jobs)
    found = _slowdown(path, 0.1, {"p": 4096.0})
    assert found.mean is not None
    assert found.mean.ratio == pytest.approx(1.25, rel=0.05)
    assert 1.1 < found.mean.least < found.mean.ratio
    assert found.slower
    assert found.predicted is not None
    assert found.predicted[0] == pytest.approx(1.25, rel=0.1)
    assert not found.change.worse, "the growth is the same"
    assert not _slowdown(path, 0.3).slower


def test_noise_is_not_slower(tmp_path: Path, seed: int) -> None:
    """3 of 100 are expected to be slower: the confidence is 0.97."""
    alarms = 0
    for at in range(40):
        folder = tmp_path / str(at)
        folder.mkdir()
        path = _study(folder, {"a": 1.0, "b": 1.0}, jobs=3, noise=0.05, seed=seed + at)
        alarms += _slowdown(path, 0.0).slower
    assert alarms <= 6


@pytest.mark.parametrize(("text", "value"), [("10%", 0.1), ("0.25", 0.25), (" 5 % ", 0.05)])
def test_shares(text: str, value: float) -> None:
    assert percent(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["much", "-5%", "inf", ""])
def test_invalid_shares(text: str) -> None:
    with pytest.raises(UsageError, match="is not a fraction or percentage"):
        percent(text)


@pytest.mark.parametrize(("factor", "code"), [(1.25, 1), (1.02, 0)])
def test_the_command(tmp_path: Path, factor: float, code: int) -> None:
    path = _study(tmp_path, {"a": 1.0, "b": factor}, jobs=5, noise=0.02, seed=1)
    command = [sys.executable, "-m", "adcl", "scale", "compare", str(path), "--slower", "10%", "--at", "p=4096"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended.stderr
    assert ("f (time_s) is slower in b than in a" in ended.stderr) == bool(code)
    assert subprocess.run(command[:-4], capture_output=True, check=False).returncode == 0
