"""Two states of the machine during a study: detected in the runs of the defaults, and reported."""

from __future__ import annotations

import json
import math
import random
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest

from adcl.tune.result._states import lines_of_states, states_seen
from adcl.tune.space._space import Configuration, Parameter, Space, Steps
from adcl.tune.study import machine_states
from adcl.tune.study._plan import Sample, StudyPolicy
from adcl.tune.study._study import Study, StudyResult

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SEED = 20261127


def noisy(values: list[float], deviation: float, seed: int) -> list[float]:
    generator = random.Random(seed)
    return [value * math.exp(generator.gauss(0, deviation)) for value in values]


@pytest.mark.parametrize(
    "values",
    [
        [0.2] * 12 + [0.33] * 9,
        [0.33] * 4 + [0.2] * 10 + [0.33] * 5,
        [0.2] * 9 + [0.6] * 3,
    ],
)
def test_two_states_are_found(values: list[float]) -> None:
    for seed in range(100):
        found = machine_states(noisy(values, 0.05, SEED + seed))

        assert found is not None, f"seed {SEED + seed}"
        fast, slow = min(values), max(values)
        assert found.runs == (values.count(fast), values.count(slow)), f"seed {SEED + seed}"
        assert found.typical == pytest.approx((fast, slow), rel=0.15), f"seed {SEED + seed}"
        assert fast < found.boundary < slow, f"seed {SEED + seed}"


@pytest.mark.parametrize("runs", [8, 12, 20, 40])
@pytest.mark.parametrize("deviation", [0.02, 0.1, 0.3])
def test_noise_is_not_two_states(runs: int, deviation: float) -> None:
    found = sum(machine_states(noisy([0.2] * runs, deviation, SEED + seed)) is not None for seed in range(300))

    assert found <= 6, f"{found} of 300, seed {SEED}"


def test_gradual_slowdown_is_not_two_states() -> None:
    for seed in range(100):
        ramp = noisy([0.2 * 1.03**at for at in range(24)], 0.02, SEED + seed)

        assert machine_states(ramp) is None, f"seed {SEED + seed}"


def test_random_fast_and_slow_runs_are_not_states() -> None:
    """Fast and slow runs occur at random, so consecutive runs do not separate them."""
    generator = random.Random(SEED)
    found = sum(
        machine_states(noisy([generator.choice((0.2, 0.4)) for _ in range(20)], 0.03, SEED + seed)) is not None
        for seed in range(300)
    )

    assert found <= 15, f"{found} of 300, seed {SEED}"


def test_few_runs_do_not_show_states() -> None:
    assert machine_states([0.2, 0.2, 0.2, 0.4, 0.4, 0.4, 0.4]) is None
    assert machine_states([]) is None


def test_occasional_slow_runs_are_not_a_state() -> None:
    assert machine_states([0.2, 0.2, 0.5, 0.2, 0.2, 0.2, 0.2, 0.5, 0.2, 0.2, 0.2, 0.2, 0.5, 0.2]) is None


SPACE = Space((Parameter("eager", Steps(1024, 65536, multiply=2), 4096), Parameter("idle", Steps(1, 3, add=1), 1)))


def study(folder: Path, slow: Callable[[int], bool], gain: tuple[float, float]) -> StudyResult:
    """Run a study: a large limit gains `gain` in the fast and the slow state; `slow` selects the slow runs."""
    generator, count = random.Random(SEED), 0

    def run_trial(one: Configuration, timeout_s: float | None, worker: int) -> Sample:
        nonlocal count
        del timeout_s, worker
        count += 1
        large, state = int(one.get("eager", 4096)) >= 16384, slow(count)
        value = (2.0 if state else 1.0) / (gain[state] if large else 1.0)
        value *= math.exp(generator.gauss(0, 0.01))
        return Sample("ok", value, {"wall": value})

    made = Study(SPACE, run_trial, ("wall",), "random", policy=StudyPolicy(searched=20), seed=1)
    return made.run(folder / "journal")


def test_study_reports_the_gain_in_each_state(tmp_path: Path) -> None:
    result = study(tmp_path, lambda run: run % 60 > 45 or run < 6, (1.1, 3.0))

    faster, slower = states_seen(result)
    assert faster.typical == pytest.approx(1.0, rel=0.05)
    assert slower.typical == pytest.approx(2.0, rel=0.05)
    assert slower.pairs + faster.pairs > 0
    for state, gain in ((faster, 1.1), (slower, 3.0)):
        if state.pairs:
            assert state.ratio == pytest.approx(gain, rel=0.1)
    head, gained = lines_of_states((faster, slower))
    assert head.startswith("the machine was in two states, each for several successive runs: the defaults took ")
    assert f"in {faster.runs} runs" in head
    assert "times as fast as with the defaults in the " in gained
    json.dumps([asdict(faster), asdict(slower)])


def test_a_state_without_pairs_is_named(tmp_path: Path) -> None:
    result = study(tmp_path, lambda run: run < 20, (1.5, 3.0))

    faster, slower = states_seen(result)
    assert slower.pairs == 0
    assert slower.ratio is None
    assert faster.ratio == pytest.approx(1.5, rel=0.1)
    assert "there was no comparison in the slower state" in lines_of_states((faster, slower))[1]


def test_a_quiet_machine_is_in_one_state(tmp_path: Path) -> None:
    result = study(tmp_path, lambda _: False, (1.5, 1.5))

    assert states_seen(result) == ()
    assert lines_of_states(()) == []
