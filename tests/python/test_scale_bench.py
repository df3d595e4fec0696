"""Statistics of the bench that compares model generators."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from support import bench_module

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def models() -> ModuleType:
    """Import bench/scale/models.py."""
    return bench_module("scale.models")


def test_paired_test(models: ModuleType) -> None:
    ours = np.array([True] * 10 + [False] * 5)
    theirs = np.array([True] * 10 + [True] * 5)
    # All five differing pairs are against us: a half to the power of five.
    assert models.mcnemar(ours, theirs) == pytest.approx(1 / 32)
    assert models.mcnemar(theirs, ours) == 1.0
    assert models.mcnemar(ours, ours) == 1.0


def test_correction_for_many_cells(models: ModuleType) -> None:
    assert models.holm([0.04, 0.5, 0.9]) == 0
    assert models.holm([0.001, 0.5, 0.9]) == 1
    assert models.holm([0.001, 0.02, 0.9]) == 2


def test_exact_series_are_all_found(models: ModuleType) -> None:
    for index, text in enumerate(models.CLASSES):
        for points in models.POINTS:
            cell = models.make_cell(index, points, 0.0, 5, 1)
            for expectation in (text, models.WRONG[index], None):
                found, _ = models.found_exactly(cell, models.candidates_for(expectation))
                assert found.all(), (text, points, expectation)


def test_answers_of_extra_p_are_compared_with_the_term(models: ModuleType) -> None:
    answers = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 0.0]]
    assert models.extrap_exact("p", answers).tolist() == [True, False, False, False]
    assert models.extrap_exact("p log p", answers).tolist() == [False, False, True, False]
    assert models.extrap_exact("1", answers, falls=True).tolist() == [False, False, False, True]
    # Extra-P supports no exponentials, so its results contain none.
    assert models.extrap_exact("p 2^p", answers).tolist() == [False] * 4


_FAKE = """
import json, pathlib, sys
for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
    question = json.loads(line)
    if question["falls"]:
        sys.exit("broken")
    answer = {"default": {"seconds": 1.0, "leading": question["points"]}}
    pathlib.Path(question["answer"]).write_text(json.dumps(answer))
    with open(FOLDER + "/asked", "a") as log:
        log.write("x")
"""


def test_answers_of_extra_p_are_requested_once(
    models: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, state = tmp_path / "fake.py", tmp_path / "state"
    program.write_text(_FAKE.replace("FOLDER", repr(str(tmp_path))), encoding="utf-8")
    monkeypatch.setattr(sys.modules[models.Peer.__module__], "_PROGRAM", program)
    peer = models.Peer(Path(sys.executable), 2, state)
    first = [{"points": [at, at], "values": [[1]], "falls": False} for at in range(3)]
    more = [{"points": [7, 7], "values": [[1]], "falls": False}, first[1]]
    broken = {"points": [0], "values": [], "falls": True}

    assert [one["default"]["leading"] for one in peer.answers_of(first)] == [[0, 0], [1, 1], [2, 2]]
    assert [one["default"]["leading"] for one in peer.answers_of(more)] == [[7, 7], [1, 1]]
    assert len((tmp_path / "asked").read_text(encoding="utf-8")) == 4
    with pytest.raises(SystemExit, match="Extra-P ended with an error"):
        peer.answers_of([{**first[0], "points": [9, 9]}, broken])
    assert peer.answers_of([{**first[0], "points": [9, 9]}])
    assert len((tmp_path / "asked").read_text(encoding="utf-8")) == 5
