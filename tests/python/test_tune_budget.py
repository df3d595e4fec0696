"""Studies that are continued: with another budget, after runs at once, and after defaults that failed."""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING

import pytest
from tune_spaces import CONDITIONAL, PLAIN, BrokenMachineError, Machine, study

from adcl.tune.search import SEARCHES
from adcl.tune.study._defaults import DefaultsFailedError
from adcl.tune.study._journal import RunAsked, read_journal
from adcl.tune.study._plan import Sample, StudyPolicy

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
    small = study(Machine(CONDITIONAL), CONDITIONAL, search=search, workers=workers, policy=StudyPolicy(trials=6)).run(
        journal
    )

    large = study(Machine(CONDITIONAL), CONDITIONAL, search=search, workers=workers, policy=StudyPolicy(trials=14)).run(
        journal, resume=True
    )

    assert trials(small) == 6
    assert 6 < trials(large) <= 14
    assert [run.order for run in large.runs][: len(small.runs)] == [run.order for run in small.runs]
    assert large.protocol.phase == "finished"
    shown = study(Machine(at=1), CONDITIONAL, search=search, policy=StudyPolicy(trials=99)).run(
        journal, resume=True, extend=False
    )
    assert shown.verdict == large.verdict
    assert shown.policy.trials == 14


def test_a_study_that_is_killed_anywhere_after_its_budget_grew_goes_on(tmp_path: Path) -> None:
    for number in range(1, 60, 4):
        journal = tmp_path / f"journal{number}"
        study(Machine(), policy=StudyPolicy(trials=6)).run(journal)
        larger = StudyPolicy(trials=20)
        with contextlib.suppress(BrokenMachineError):
            study(Machine(at=number), policy=larger).run(journal, resume=True)
        result = study(Machine(), policy=larger).run(journal, resume=True)
        assert result.protocol.phase == "finished"
        assert trials(result) == 20


def test_a_comparison_under_way_gives_way_to_the_search_when_the_budget_grows(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    machine = Machine(at=14)
    with pytest.raises(BrokenMachineError):
        study(machine, policy=StudyPolicy(trials=6)).run(journal)
    last = read_journal(journal)[1][-1]
    assert isinstance(last, RunAsked)
    assert last.order.kind == "comparison"

    result = study(Machine(), policy=StudyPolicy(trials=12)).run(journal, resume=True)

    assert trials(result) == 12
    kinds = [run.order.kind for run in result.runs]
    assert kinds[-1] in ("comparison", "simplification")
    assert result.protocol.phase == "finished"


def test_a_search_that_ended_by_itself_is_not_begun_again(tmp_path: Path) -> None:
    journal, nothing = tmp_path / "journal", Machine()
    first = study(Machine(), search="exhaustive", policy=StudyPolicy()).run(journal)

    again = study(nothing, search="exhaustive", policy=StudyPolicy(trials=10_000)).run(journal, resume=True)

    assert nothing.ran == []
    assert again.verdict == first.verdict


def test_a_smaller_budget_ends_the_search(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with pytest.raises(BrokenMachineError):
        study(Machine(at=14), policy=StudyPolicy(trials=30)).run(journal)

    result = study(Machine(), policy=StudyPolicy(trials=5)).run(journal, resume=True)

    assert trials(result) < 12
    assert result.protocol.phase == "finished"


def test_exhaustive_runs_every_scenario_however_long_nothing_improves(tmp_path: Path) -> None:
    machine = Machine()

    result = study(machine, search="exhaustive", policy=StudyPolicy(repetitions=1)).run(tmp_path / "journal")

    assert PLAIN.size() > 60
    assert len({run.order.scenario for run in result.runs if run.order.kind == "trial"}) == PLAIN.size()


@pytest.mark.parametrize("search", ["gp", "random", "gde3", "individual"])
def test_a_study_of_runs_at_once_is_read_as_it_was(search: str, tmp_path: Path) -> None:
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
            study(broken).run(journal, resume=journal.exists())

    mended = study(Machine(), policy=StudyPolicy(trials=6)).run(journal, resume=True)

    assert trials(mended) == 6
    assert study(Machine(at=1), policy=StudyPolicy(trials=6)).run(journal, resume=True).verdict == mended.verdict


def test_a_run_that_hangs_cannot_outlast_the_budget_of_time() -> None:
    policy = StudyPolicy(seconds=100.0)

    assert policy.limit_s("default", math.inf, 0.0, default=True) == 100.0
    assert policy.limit_s("default", 2.0, 70.0, default=True) == 30.0
    assert policy.limit_s("default", 2.0, 99.0, default=True) == 18.0
    assert policy.limit_s("trial", 2.0, 99.0, default=False) == 6.0
    assert policy.limit_s("comparison", 2.0, 99.0, default=False) == 18.0
    assert StudyPolicy().limit_s("default", 2.0, 99.0, default=True) is None
    assert StudyPolicy(longest_s=5.0).limit_s("comparison", 2.0, 99.0, default=False) == 5.0
