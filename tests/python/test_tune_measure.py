"""Reliable measurement: order of the runs, and noise that is not mistaken for a gain."""

from __future__ import annotations

import itertools
import math
import random
from typing import TYPE_CHECKING

import pytest
from tune_spaces import MANY, PLAIN, drive, ok, protocol_of, response

from adcl.errors import UsageError
from adcl.tune.search import make_search
from adcl.tune.study._compare import compare
from adcl.tune.study._defaults import DefaultsFailedError
from adcl.tune.study._plan import PlannedRun, Sample, StudyPolicy
from adcl.tune.study._protocol import StudyProtocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.tune.space._space import Coordinates

Truth = dict[str, object]


Noise = dict[str, "Callable[[random.Random, int], float]"]
NOISES: Noise = {
    "gauss": lambda generator, _: math.exp(generator.gauss(0, 0.02)),
    "drift": lambda generator, run: math.exp(generator.gauss(0, 0.01) + 0.004 * run),
    "waves": lambda generator, run: math.exp(generator.gauss(0, 0.01) + 0.1 * math.sin(run / 7)),
    "heavy tails": lambda generator, _: 1.0 + 0.01 * generator.paretovariate(1.2),
    "two levels": lambda generator, _: (1.0 if generator.random() < 0.7 else 1.3) * generator.uniform(1.0, 1.01),
    "jumps": lambda generator, run: (1.0 + 0.2 * (run // 25 % 2)) * math.exp(generator.gauss(0, 0.01)),
}


@pytest.mark.parametrize("noise", NOISES)
def test_without_a_gain_the_defaults_are_kept(noise: str) -> None:
    """At least 19 of 20 studies of identical programs keep the defaults."""
    studies, kept = 100, 0
    for seed in range(studies):
        generator = random.Random(f"{noise} {seed}")
        protocol = protocol_of(seed=seed, searched=30)
        drive(protocol, lambda order, g=generator: ok(NOISES[noise](g, order.number)))  # type: ignore[misc]
        kept += protocol.verdict().scenario is None

    assert kept >= 0.95 * studies, f"kept in {kept} of {studies}"


@pytest.mark.parametrize("noise", ["gauss", "drift", "waves", "jumps"])
def test_a_gain_is_found_in_noise(noise: str) -> None:
    studies, found = 20, 0
    for seed in range(studies):
        generator = random.Random(f"{noise} {seed}")

        def run(order: PlannedRun, g: random.Random = generator) -> Sample:
            fast = order.scenario is not None and order.scenario[0] >= 4
            return ok((1.0 if fast else 1.5) * NOISES[noise](g, order.number))

        protocol = protocol_of(seed=seed, searched=30)
        drive(protocol, run)
        verdict = protocol.verdict()
        if verdict.scenario is not None and verdict.comparison is not None:
            found += verdict.scenario[0] >= 4 and verdict.comparison.low < 1.5 < verdict.comparison.high * 1.02

    assert found >= 18, f"found in {found} of {studies}"


def test_the_defaults_come_first_and_between_trials() -> None:
    orders = drive(protocol_of(searched=20, defaults_every=5, warm_ups=2), lambda _: ok(1.0))

    kinds = [one.kind for one in orders]
    assert kinds[:5] == ["warm-up", "warm-up", "default", "default", "default"]
    assert kinds.count("trial") + kinds.count("repetition") == 20
    between = [place for place, kind in enumerate(kinds) if kind == "default"][3:]
    assert [b - a for a, b in itertools.pairwise(between)] == [6, 6]
    assert all(one.scenario is None for one in orders if one.kind in ("default", "warm-up"))


def test_warm_ups_do_not_count() -> None:
    protocol = protocol_of(searched=1)

    drive(protocol, lambda order: ok(50.0 if order.kind == "warm-up" else 1.0))

    assert protocol.defaults.mean() == (1.0,)


def test_trials_are_stopped_at_a_multiple_of_the_best_time() -> None:
    def run(order: PlannedRun) -> Sample:
        return ok(2.0 if order.scenario is None else 1.0)

    orders = drive(protocol_of(searched=5, stop_factor=2.5, longest_s=100.0), run)

    limits = [one.timeout_s for one in orders if one.kind == "trial"]
    assert limits[0] == 5.0
    assert set(limits[1:]) == {2.5}
    assert {one.timeout_s for one in orders if one.scenario is None} == {100.0}


def test_best_scenario_is_repeated_and_a_lucky_sample_is_detected() -> None:
    seen: dict[Coordinates, int] = {}

    def run(order: PlannedRun) -> Sample:
        if order.scenario is None:
            return ok(1.0)
        seen[order.scenario] = seen.get(order.scenario, 0) + 1
        lucky = len(seen) == 3 and seen[order.scenario] == 1
        return ok(0.5 if lucky else 1.0 + 0.01 * len(seen))

    protocol = protocol_of(searched=15)
    drive(protocol, run)

    assert protocol.verdict().scenario is None
    assert sum(count > 1 for count in seen.values()) <= 3


def test_failures_count_as_results_but_not_as_finalists() -> None:
    def run(order: PlannedRun) -> Sample:
        if order.scenario is None:
            return ok(1.0)
        return ok(0.9) if order.scenario[1] == 0 else Sample("crashed", 0.1, reason="signal 11")

    protocol = protocol_of(searched=40)
    drive(protocol, run)

    scenario = protocol.verdict().scenario
    assert scenario is not None
    assert scenario[1] == 0


@pytest.mark.parametrize(("stopped", "chosen"), [(1, True), (2, False)])
def test_one_late_repetition_is_tolerated(stopped: int, *, chosen: bool) -> None:
    late: list[PlannedRun] = []

    def run(order: PlannedRun) -> Sample:
        fast = order.scenario == (4, 1, 1)
        if fast and order.kind == "repetition" and len(late) < stopped:
            late.append(order)
            return Sample("timeout", 9.0, reason="was stopped after 9.0 s")
        return ok(0.5 if fast else 1.0)

    protocol = protocol_of("exhaustive", patience=1000, repetitions=5)
    orders = drive(protocol, run)

    assert len(late) == stopped
    assert (protocol.verdict().scenario == (4, 1, 1)) == chosen
    assert {one.timeout_s for one in orders if one.kind == "comparison" and one.scenario} <= {4.5}


def test_finalist_that_fails_in_the_comparison_is_dropped() -> None:
    def run(order: PlannedRun) -> Sample:
        if order.kind == "comparison" and order.scenario is not None and (order.round or 0) >= 1:
            return Sample("timeout", 9.0)
        return ok(1.0 if order.scenario is None else 0.5)

    protocol = protocol_of(searched=10)
    orders = drive(protocol, run)

    assert protocol.verdict().scenario is None
    assert sum(one.kind == "comparison" for one in orders) <= 8


def test_defaults_that_fail_end_the_study() -> None:
    protocol = protocol_of()
    order = protocol.next()
    assert order is not None

    with pytest.raises(DefaultsFailedError, match="no such file"):
        protocol.record(order, Sample("crashed", 0.1, reason="no such file"))


def test_time_budget_reserves_time_for_the_comparison() -> None:
    protocol = protocol_of(seconds=100.0)

    orders = drive(protocol, lambda order: ok(1.0 if order.scenario is None else 0.8))

    search = [one for one in orders if one.kind in ("trial", "repetition", "default")]
    assert 55 <= len(search) <= 70
    assert sum(one.kind == "comparison" for one in orders) >= 12
    assert protocol.verdict().scenario is not None


def test_search_ends_without_further_improvement() -> None:
    orders = drive(protocol_of(patience=12), lambda _: ok(1.0))

    assert sum(one.kind == "trial" for one in orders) <= 15


def test_stop_returns_the_unconfirmed_best() -> None:
    protocol = protocol_of(searched=10)
    for _ in range(9):
        order = protocol.next()
        assert order is not None
        protocol.record(order, ok(1.0 if order.scenario is None else 0.5))
    under_way = protocol.next()
    assert under_way is not None

    protocol.stop()

    assert protocol.next() is None
    verdict = protocol.verdict()
    assert not verdict.confirmed
    assert verdict.scenario is None, "nothing was compared"
    assert verdict.unconfirmed is not None
    assert verdict.unconfirmed.comparison.ratio == pytest.approx(2.0)
    assert verdict.unconfirmed.comparison.pairs == 0


@pytest.mark.parametrize("change", ["step", "slope"])
def test_slowdown_of_the_machine_does_not_hide_a_gain(change: str) -> None:
    """The machine becomes 1.3 times slower after 5 runs, or gradually: a gain of 10 % is usually found.

    Scenarios that run between a step and the third run of the defaults after it appear slow permanently.
    """
    found = 0
    for seed in range(20):
        generator = random.Random(f"{change} {seed}")

        def run(order: PlannedRun, g: random.Random = generator) -> Sample:
            slow = (1.3 if order.number > 5 else 1.0) if change == "step" else 1.0 + 0.01 * order.number
            fast = order.scenario is not None and order.scenario[1] == 0
            return ok((0.9 if fast else 1.0) * slow * math.exp(g.gauss(0, 0.01)))

        protocol = protocol_of(seed=seed, searched=30)
        drive(protocol, run)
        found += protocol.verdict().scenario is not None

    assert found >= 14


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.inf])
def test_a_number_that_cannot_be_a_cost_counts_as_a_failure(seconds: float) -> None:
    protocol = protocol_of(searched=6)
    drive(protocol, lambda order: ok(1.0 if order.scenario is None else seconds))

    assert protocol.verdict().scenario is None
    assert all(arm.failures and not arm.samples for arm in protocol.arms.values())


def test_with_two_objectives_a_new_point_of_the_front_is_an_improvement() -> None:
    search = make_search("random", PLAIN, seed=1, objectives=2)
    protocol = StudyProtocol(search, StudyPolicy(patience=5), ("seconds", "joules"))
    number = 0
    while protocol.phase in ("defaults", "search") and number < 60 and (order := protocol.next()) is not None:
        number += 1
        values = {"seconds": 1.0 + number, "joules": 100.0 - number}
        protocol.record(order, Sample("ok", 1.0, values))

    assert number == 60


def test_runs_at_once_in_the_comparison_stay_within_a_round() -> None:
    protocol = protocol_of(searched=8)
    running: list[PlannedRun] = []
    for _ in range(400):
        order = protocol.next()
        if order is not None and len(running) < 3:
            running.append(order)
        rounds = {one.round for one in running if one.kind == "comparison"}
        assert len(rounds) <= 1
        if running and (order is None or len(running) == 3):
            done = running.pop(0)
            protocol.record(done, ok(1.0 if done.scenario is None else 0.5))
    assert protocol.phase == "finished"
    assert protocol.verdict().scenario is not None


def test_intervals_cover_the_truth() -> None:
    generator, covered = random.Random(7), 0
    for _ in range(400):
        pairs = [(1.2 * math.exp(generator.gauss(0, 0.05)), math.exp(generator.gauss(0, 0.05))) for _ in range(8)]
        found = compare([a for a, _ in pairs], [b for _, b in pairs], outside=0.05)
        covered += found.low <= 1.2 <= found.high

    assert 0.92 * 400 <= covered <= 0.98 * 400


def test_outliers_do_not_hide_a_gain() -> None:
    """Sixteen pairs; in two of them the machine was three times slower for one member."""
    defaults = [1.2 + 0.002 * number for number in range(16)]
    finalist = [1.0 + 0.003 * (number % 5) for number in range(16)]
    defaults[3], finalist[7] = 3.6, 3.0
    found = compare(defaults, finalist, outside=0.05 / 9)

    assert found.better
    assert 1.1 < found.ratio < 1.3


def test_intervals_by_signs_keep_the_error_probability() -> None:
    """Equal programs with one run in ten taking four times as long: at most 5 of 100 appear different."""
    generator, wrong = random.Random(11), 0

    def one() -> float:
        return (4.0 if generator.random() < 0.1 else 1.0) * math.exp(generator.gauss(0, 0.02))

    for _ in range(1000):
        found = compare([one() for _ in range(16)], [one() for _ in range(16)], outside=0.05)
        wrong += found.better or found.worse

    assert wrong <= 65


@pytest.mark.parametrize("begin", range(4, 34, 3))
def test_disturbance_does_not_hide_relevant_parameters(begin: int) -> None:
    """During the screening, the machine is four times slower for five runs."""
    space, matters = MANY, 3
    search = make_search("gp", space, seed=begin)
    protocol = StudyProtocol(search, StudyPolicy(trials=200), ("wall",), begin)
    generator = random.Random(begin)

    def run(order: PlannedRun) -> Sample:
        gained = order.scenario is not None and order.scenario[matters] >= 5
        disturbed = begin <= order.number < begin + 5
        return ok((1.0 if gained else 1.3) * (4.0 if disturbed else 1.0) * math.exp(generator.gauss(0, 0.01)))

    drive(protocol, run)
    scenario = protocol.verdict().scenario

    assert scenario is not None
    assert scenario[matters] >= 5


def test_candidates_for_the_comparison_were_run_more_than_once() -> None:
    """One run in eight takes two thirds of the time by chance."""
    generator = random.Random(5)
    protocol = StudyProtocol(make_search("random", MANY, seed=5), StudyPolicy(trials=150), ("wall",), 5)
    drive(protocol, lambda _: ok((0.67 if generator.random() < 0.125 else 1.0) * math.exp(generator.gauss(0, 0.01))))
    compared = [*protocol.comparisons()]

    assert compared
    assert all(len(protocol.arms[scenario].samples) >= 3 for scenario in compared)


def test_corrections_widen_the_interval() -> None:
    defaults, finalist = [1.0, 1.1, 1.05, 0.98], [0.8, 0.85, 0.9, 0.8]
    plain = compare(defaults, finalist, outside=0.05)
    corrected = compare(defaults, finalist, outside=0.05 / 9)

    assert corrected.low < plain.low < plain.ratio < plain.high < corrected.high
    assert plain.better
    assert compare(defaults[:1], finalist[:1], outside=0.05).low == 0.0


@pytest.mark.parametrize(
    "policy",
    [
        {"trials": 0},
        {"seconds": 0.0},
        {"stop_factor": 1.0},
        {"confidence": 1.0},
        {"rounds": (2,)},
        {"rounds": (6, 6)},
        {"finalists": 0},
        {"defaults_first": 0},
    ],
)
def test_policy_out_of_range_is_rejected(policy: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        StudyPolicy(**policy)  # type: ignore[arg-type]


def test_model_based_study_of_an_artificial_program() -> None:
    seconds, generator = response(PLAIN, 11), random.Random(3)
    best = min(map(seconds, PLAIN.scenarios()))

    def run(order: PlannedRun) -> Sample:
        truth = seconds(PLAIN.home() if order.scenario is None else order.scenario)
        return ok(truth * math.exp(generator.gauss(0, 0.01)))

    protocol = protocol_of("gp", searched=40)
    drive(protocol, run)

    scenario = protocol.verdict().scenario
    assert scenario is not None
    assert seconds(scenario) <= 1.05 * best
