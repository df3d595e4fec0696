"""Continued studies: with another budget, after concurrent runs, and after failed defaults."""

from __future__ import annotations

import collections
import contextlib
import itertools
import math
import random
from typing import TYPE_CHECKING

import pytest
from tune_spaces import CONDITIONAL, MANY, PLAIN, BrokenMachineError, Machine, drive, ok, study

from adcl.tune.file import Budget
from adcl.tune.search import SEARCHES, make_search
from adcl.tune.study._defaults import DefaultsFailedError
from adcl.tune.study._journal import RunAsked, read_journal
from adcl.tune.study._plan import PlannedRun, Sample, StudyPolicy
from adcl.tune.study._protocol import StudyProtocol

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.tune.space._space import Configuration
    from adcl.tune.study._study import StudyResult


def trials(result: StudyResult) -> int:
    return sum(run.order.kind in ("trial", "repetition") for run in result.runs)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("workers", [1, 3])
def test_a_finished_study_is_continued_with_a_larger_budget(search: str, workers: int, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    small = study(Machine(CONDITIONAL), CONDITIONAL, search=search, workers=workers, policy=StudyPolicy(trials=28)).run(
        journal
    )

    large = study(Machine(CONDITIONAL), CONDITIONAL, search=search, workers=workers, policy=StudyPolicy(trials=60)).run(
        journal, resume=True
    )

    assert trials(small) <= 14
    assert len(small.runs) <= 28
    assert trials(small) < trials(large)
    assert len(large.runs) <= 60
    assert [run.order for run in large.runs][: len(small.runs)] == [run.order for run in small.runs]
    assert large.protocol.phase == "finished"
    shown = study(Machine(at=1), CONDITIONAL, search=search, policy=StudyPolicy(trials=99)).run(
        journal, resume=True, extend=False
    )
    assert shown.verdict == large.verdict
    assert shown.policy.trials == 60


def test_killed_study_continues_after_its_budget_was_enlarged(tmp_path: Path) -> None:
    for number in range(1, 90, 6):
        journal = tmp_path / f"journal{number}"
        study(Machine(), policy=StudyPolicy(trials=28)).run(journal)
        larger = StudyPolicy(trials=90)
        with contextlib.suppress(BrokenMachineError):
            study(Machine(at=number), policy=larger).run(journal, resume=True)
        result = study(Machine(), policy=larger).run(journal, resume=True)
        assert result.protocol.phase == "finished"
        assert trials(result) > 20


def test_a_comparison_under_way_gives_way_to_the_search_when_the_budget_grows(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with pytest.raises(BrokenMachineError):
        study(Machine(at=20), policy=StudyPolicy(trials=28)).run(journal)
    last = read_journal(journal)[1][-1]
    assert isinstance(last, RunAsked)
    assert last.order.kind == "comparison"

    result = study(Machine(), policy=StudyPolicy(trials=60)).run(journal, resume=True)

    assert 20 < trials(result) < 36
    kinds = [run.order.kind for run in result.runs]
    assert kinds[-1] in ("comparison", "simplification")
    assert result.protocol.phase == "finished"


def test_converged_search_is_not_restarted(tmp_path: Path) -> None:
    journal, nothing = tmp_path / "journal", Machine()
    first = study(Machine(), search="exhaustive", policy=StudyPolicy()).run(journal)

    again = study(nothing, search="exhaustive", policy=StudyPolicy(trials=10_000)).run(journal, resume=True)

    assert nothing.ran == []
    assert again.verdict == first.verdict


def test_a_smaller_budget_ends_the_search(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with pytest.raises(BrokenMachineError):
        study(Machine(at=14), policy=StudyPolicy(trials=80)).run(journal)

    result = study(Machine(), policy=StudyPolicy(trials=20)).run(journal, resume=True)

    assert trials(result) < 12
    assert result.protocol.phase == "finished"


def test_exhaustive_search_runs_every_scenario_without_improvement(tmp_path: Path) -> None:
    machine = Machine()

    result = study(machine, search="exhaustive", policy=StudyPolicy(repetitions=1)).run(tmp_path / "journal")

    assert PLAIN.size() > 60
    assert len({run.order.scenario for run in result.runs if run.order.kind == "trial"}) == PLAIN.size()


@pytest.mark.parametrize("search", ["gp", "random", "gde3", "individual"])
def test_study_of_concurrent_runs_is_replayed(search: str, tmp_path: Path) -> None:
    for seed in range(6):
        journal = tmp_path / f"journal{seed}"
        policy = StudyPolicy(patience=6, rounds=(3,), simplifications=1)
        first = study(Machine(), search=search, workers=3, seed=seed, policy=policy).run(journal)

        again = study(Machine(at=1), search=search, seed=seed, policy=policy).run(journal, resume=True)

        assert again.verdict == first.verdict
        assert [run.order for run in again.runs] == [run.order for run in first.runs]


def test_defaults_that_failed_are_run_again_when_the_study_is_continued(tmp_path: Path) -> None:
    journal = tmp_path / "journal"

    def broken(configuration: Configuration, timeout_s: float | None, worker: int) -> Sample:
        del configuration, timeout_s, worker
        return Sample("crashed", 0.1, reason="there is no input file")

    for _ in range(2):
        with pytest.raises(DefaultsFailedError, match="there is no input file"):
            study(broken, policy=StudyPolicy(trials=28)).run(journal, resume=journal.exists())

    mended = study(Machine(), policy=StudyPolicy(trials=28)).run(journal, resume=True)

    assert 0 < trials(mended) <= 14
    assert study(Machine(at=1), policy=StudyPolicy(trials=28)).run(journal, resume=True).verdict == mended.verdict


@pytest.mark.parametrize("workers", [1, 3])
def test_failure_of_the_defaults_after_a_success_is_retried(workers: int, tmp_path: Path) -> None:
    """One run of the defaults fails, as if a launcher had failed once."""
    machine, policy, journal = Machine(), StudyPolicy(trials=28), tmp_path / "journal"
    calls = itertools.count()

    def fails_once(configuration: Configuration, timeout_s: float | None, worker: int) -> Sample:
        if next(calls) == 2:
            return Sample("crashed", 0.1, reason="the launcher failed to start")
        return machine(configuration, timeout_s, worker)

    found = study(fails_once, workers=workers, policy=policy).run(journal)

    failed = [run for run in found.runs if run.sample.status != "ok"]
    assert [run.sample.reason for run in failed] == ["the launcher failed to start"]
    assert sum(run.order == failed[0].order for run in found.runs) == 2
    again = study(Machine(at=1), policy=policy).run(journal, resume=True)
    assert again.verdict == found.verdict
    assert [run.sample for run in again.runs] == [run.sample for run in found.runs]


@pytest.mark.parametrize("fail", [{2, 3}, {1, 3}, {0}])
def test_defaults_that_fail_twice_or_have_never_run_end_the_study(fail: set[int], tmp_path: Path) -> None:
    calls, machine = itertools.count(), Machine()

    def fails(configuration: Configuration, timeout_s: float | None, worker: int) -> Sample:
        if next(calls) in fail:
            return Sample("crashed", 0.1, reason="there is no input file")
        return machine(configuration, timeout_s, worker)

    with pytest.raises(DefaultsFailedError, match="there is no input file"):
        study(fails, policy=StudyPolicy(trials=28)).run(tmp_path / "journal")
    assert next(calls) == max(fail) + 1


def test_hanging_run_does_not_exceed_the_time_budget() -> None:
    policy = StudyPolicy(seconds=100.0)

    assert policy.limit_s("default", math.inf, 0.0, default=True) == 100.0
    assert policy.limit_s("default", 2.0, 70.0, default=True) == 30.0
    assert policy.limit_s("default", 2.0, 99.0, default=True) == 18.0
    assert policy.limit_s("trial", 2.0, 99.0, default=False) == 6.0
    assert policy.limit_s("comparison", 2.0, 99.0, default=False) == 18.0
    assert StudyPolicy().limit_s("default", 2.0, 99.0, default=True) is None
    assert StudyPolicy(longest_s=5.0).limit_s("comparison", 2.0, 99.0, default=False) == 5.0


@pytest.mark.parametrize("space", ["plain", "many"])
@pytest.mark.parametrize("least", [20, 33, 60, 150])
def test_a_budget_of_trials_covers_every_phase(space: str, least: int) -> None:
    for seed in range(8):
        generator = random.Random(f"budget {seed}")
        protocol = StudyProtocol(
            make_search("gp" if space == "many" else "random", MANY if space == "many" else PLAIN, seed=seed),
            StudyPolicy(trials=least),
            ("wall",),
            seed,
        )

        def run(order: PlannedRun, g: random.Random = generator) -> Sample:
            fast = order.scenario is not None and order.scenario[0] >= 4
            return ok((1.0 if fast else 2.0) * math.exp(g.gauss(0, 0.01)))

        orders = drive(protocol, run)

        kinds = collections.Counter(order.kind for order in orders)
        assert len(orders) <= least, kinds
        assert kinds["trial"] + kinds["repetition"] <= 0.6 * least
        found = protocol.verdict().scenario
        if found is not None:
            assert kinds["comparison"] >= 12, kinds
        if least >= 60:
            assert found is not None
            assert found[0] >= 4
            left = [
                place for place, (a, b) in enumerate(zip(found, protocol.search.space.home(), strict=True)) if a != b
            ]
            assert left == [0], kinds


def test_budget_used_up_by_a_hanging_trial_is_reported() -> None:
    """The last trial lasts until the end of the budget: nothing was compared, which differs from "no gain"."""
    protocol = StudyProtocol(make_search("random", PLAIN), StudyPolicy(seconds=100.0), ("wall",), 0)
    trials = []

    def run(order: PlannedRun) -> Sample:
        trials.append(order.kind)
        if trials.count("trial") == 12 and order.kind == "trial":
            return ok(90.0)
        return ok(1.0 if order.scenario is None else 0.5)

    orders = drive(protocol, run)

    assert not [order for order in orders if order.kind == "comparison" and order.round not in (None, 1)]
    verdict = protocol.verdict()
    assert (verdict.scenario, verdict.confirmed) == (None, False)
    assert verdict.reason == "the budget was used up before a comparison with the defaults in paired runs"
    assert verdict.unconfirmed is not None
    assert verdict.unconfirmed.comparison.ratio == pytest.approx(2.0, rel=0.1)


def test_budget_used_up_by_the_defaults_is_reported() -> None:
    protocol = StudyProtocol(make_search("random", PLAIN), StudyPolicy(seconds=3.0), ("wall",), 0)

    orders = drive(protocol, lambda _: ok(1.0))

    assert not [order for order in orders if order.scenario is not None]
    verdict = protocol.verdict()
    assert (verdict.scenario, verdict.confirmed) == (None, False)
    assert verdict.reason == "the study ended before other settings were run"


def _four(order: PlannedRun) -> Sample:
    """Return a program with four settings that matter slightly."""
    scenario = order.scenario or MANY.home()
    return ok(math.prod(0.8 if scenario[place] >= 4 else 1.0 for place in range(4)))


def test_a_budget_too_short_for_several_settings_advises_one_that_was_compared() -> None:
    protocol = StudyProtocol(make_search("gp", MANY), StudyPolicy(trials=60), ("wall",), 0)

    orders = drive(protocol, _four)

    verdict = protocol.verdict()
    assert verdict.scenario is not None
    assert len(MANY.changed(verdict.scenario)) == 1
    assert MANY.changed(verdict.scenario)[0] < 4
    assert verdict.comparison is not None
    assert verdict.comparison.better
    assert {len(MANY.changed(one.scenario)) for one in orders if one.kind == "comparison" and one.scenario} == {1}


@pytest.mark.parametrize("least", [20, 30, 45, 60, 90, 130, 200])
def test_unconfirmed_settings_are_never_advised(least: int) -> None:
    """Four settings matter among ten without an effect, with noise."""
    advised, several = 0, 0
    for seed in range(10):
        generator = random.Random(f"shown {seed}")

        def run(order: PlannedRun, g: random.Random = generator) -> Sample:
            return ok(math.exp(g.gauss(0, 0.02)) * (_four(order).seconds or 0.0))

        protocol = StudyProtocol(make_search("gp", MANY, seed=seed), StudyPolicy(trials=least), ("wall",), seed)
        drive(protocol, run)
        verdict = protocol.verdict()
        if verdict.scenario is None:
            continue
        settings = {*MANY.changed(verdict.scenario)}
        assert settings <= {0, 1, 2, 3}
        assert len(settings) == 1 or settings == {*verdict.needed}
        assert verdict.confirmed
        assert verdict.comparison is not None
        assert verdict.comparison.better
        advised += 1
        several += len(settings) > 1
    assert advised >= (0 if least < 30 else 9)
    assert several >= (5 if least >= 200 else 0)


@pytest.mark.parametrize("cut", ["comparison", "simplification"])
def test_rounds_cut_by_the_budget_continue_with_a_larger_one(cut: str) -> None:
    """All scenarios were run, so the search is complete."""

    def run(order: PlannedRun) -> Sample:
        scenario = order.scenario or PLAIN.home()
        return ok((1.0 if scenario[0] >= 4 else 2.0) * (1.0 if scenario[1] == 1 else 1.5))

    policy, cut_in = StudyPolicy(trials=1000, repetitions=1), 2 if cut == "comparison" else 0
    protocol = StudyProtocol(make_search("exhaustive", PLAIN), policy, ("wall",), 0)
    while (order := protocol.next()) is not None and not (order.kind == cut and order.round == cut_in):
        protocol.record(order, run(order))
    assert order is not None
    protocol.extend(Budget(trials=order.number + 1), 0.0)
    protocol.record(order, run(order))
    while (order := protocol.next()) is not None:
        protocol.record(order, run(order))
    early = protocol.verdict()
    assert protocol.phase == "finished"
    assert early.unconfirmed is not None
    assert early.unconfirmed.comparison.ratio == pytest.approx(3.0)
    assert len(PLAIN.changed(early.unconfirmed.scenario)) > 1

    protocol.extend(Budget(trials=1000), 0.0)
    orders = drive(protocol, run)

    assert orders[0].kind == cut
    verdict = protocol.verdict()
    assert verdict.scenario is not None
    assert PLAIN.changed(verdict.scenario) == (0, 1)
    assert verdict.needed == {0: pytest.approx(2.0), 1: pytest.approx(1.5)}
    assert verdict.confirmed
