"""The runs of an evaluation, and the source of a run's time."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from adcl.evaluate import (
    Evaluation,
    EvaluationRun,
    NoTimeError,
    Scouted,
    TimeSource,
    codelets_of,
    planned,
    read_evaluation,
)
from adcl.launch import Result

if TYPE_CHECKING:
    from pathlib import Path

_FILE = """
[run]
program = "solver"
arguments = ["{size}"]
ranks = [2, 3]
parameters = { size = ["a", "b"], depth = [1] }
[tuned]
searches = ["model", "brute_force"]
outliers = ["none", "iqr"]
measurements = [10, 20]
[[timing]]
name = "timer"
arguments = ["--timer"]
[original]
arguments = []
"""


@pytest.fixture
def evaluation(tmp_path: Path) -> Evaluation:
    (tmp_path / "e.toml").write_text(_FILE, encoding="utf-8")
    return read_evaluation(tmp_path / "e.toml")


def _scouted(setting: str) -> Scouted:
    seconds = {"n": 9.0, "x": 3.0, "y": 1.0, "z": 2.0}
    return Scouted(setting, "halo", ("n", "x", "y", "z"), seconds, 2, {}, "n")


def _plan(evaluation: Evaluation, runs: int, seed: int) -> list[EvaluationRun]:
    scouted = {one.name: _scouted(one.name) for one in evaluation.settings}
    return planned(dataclasses.replace(evaluation, runs=runs), scouted, seed, evaluation.settings)


def test_each_set_has_everything_once_in_an_order_of_its_own(evaluation: Evaluation, seed: int) -> None:
    plan = _plan(evaluation, 3, seed)

    size = 4 * (4 + 8 + 1)
    sets = [plan[begin : begin + size] for begin in range(0, 3 * size, size)]
    assert len(plan) == 3 * size
    assert len({one.key for one in plan}) == len(plan)
    kinds = [Counter((one.setting.name, one.what) for one in of_one) for of_one in sets]
    assert kinds[0] == kinds[1] == kinds[2]
    orders = [[(one.setting.name, one.what) for one in of_one] for of_one in sets]
    assert orders[0] != orders[1] != orders[2] != sorted(orders[2])
    assert [one.key for one in _plan(evaluation, 3, seed)] == [one.key for one in plan]
    assert [one.key for one in _plan(evaluation, 2, seed)] == [one.key for one in plan[: 2 * size]]
    assert [one.key for one in _plan(evaluation, 3, seed + 1)] != [one.key for one in plan]


def test_the_fastest_and_the_native_codelet_are_verified_or_those_named_or_all(evaluation: Evaluation) -> None:
    scouted = _scouted("s")

    assert codelets_of(evaluation, scouted) == ("n", "x", "y", "z")
    assert codelets_of(dataclasses.replace(evaluation, fastest=2), scouted) == ("n", "y", "z")
    assert codelets_of(dataclasses.replace(evaluation, fastest=1, native="x"), scouted) == ("x", "y")
    assert codelets_of(dataclasses.replace(evaluation, codelets=("z", "x")), scouted) == ("x", "z")


def test_what_is_evaluated_has_a_digest_that_more_runs_do_not_change(evaluation: Evaluation) -> None:
    assert dataclasses.replace(evaluation, runs=9).digest == evaluation.digest
    for change in (
        {"arguments": ("c",)},
        {"on": "flat"},
        {"give_up": 9.0},
        {"combinations": evaluation.combinations[1:]},
    ):
        assert dataclasses.replace(evaluation, **change).digest != evaluation.digest
    assert [one.name for one in evaluation.timings] == ["timer"]


def test_a_time_is_the_last_match_a_member_or_that_of_the_run(tmp_path: Path) -> None:
    def result(output: str) -> Result:
        return Result(("x",), 0, 7.0, output, "")

    file = tmp_path / "time.json"
    assert TimeSource().seconds(result(""), file) == 7.0
    assert TimeSource(pattern=r"t=(\S+)", factor=1e-3).seconds(result("t=1 t=2\nt=3"), file) == pytest.approx(0.003)
    member = TimeSource(json="a.b")
    assert member.seconds(result('{"a": {"b": 1}}\n{"a": {"b": 2}}\n{no\n'), file) == 2.0
    for output, message in (("", "no JSON"), ('{"a": 1}', "no member a.b"), ('{"a": {"b": -1}}', "is '-1', not")):
        with pytest.raises(NoTimeError, match=message):
            member.seconds(result(output), file)
    with pytest.raises(NoTimeError, match="the time is 'soon', not"):
        TimeSource(pattern=r"t=(\S+)").seconds(result("t=soon"), file)
    file.write_text(json.dumps({"a": {"b": 5}}), encoding="utf-8")
    assert member.seconds(result('{"a": {"b": 1}}'), file) == 5.0
