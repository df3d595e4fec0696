"""Machines whose speed changes during a study: earlier measurements are corrected."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import pytest
from tune_spaces import MANY, PLAIN, drive, ok, protocol_of

from adcl.tune.search import make_search
from adcl.tune.search._exhaustive import Exhaustive
from adcl.tune.search._screening import Screened
from adcl.tune.study._arm import Arm, levels
from adcl.tune.study._plan import PlannedRun, Sample, StudyPolicy
from adcl.tune.study._protocol import StudyProtocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.tune.search import Search
    from adcl.tune.space import Space


def _levels(samples: Sequence[float]) -> list[float]:
    return levels(Arm([(one,) for one in samples]), StudyPolicy())


def test_levels_follow_steps_but_not_single_runs() -> None:
    steady = [1.0, 1.01, 0.99]
    assert _levels([*steady, 1.0, 1.01, 3.0, 1.0]) == [1.0] * 8, "one slow run"
    found = _levels([*steady, 1.0, 2.0, 2.02, 1.98])
    assert found[:5] == [1.0] * 5, "between a fast and a slow run nothing looks faster than it is"
    assert found[5:] == pytest.approx([2.0, 2.0, 2.0], rel=0.02)
    assert _levels([*steady, 0.5, 0.51])[3:] == pytest.approx([0.5, 0.5, 0.5], rel=0.03), "what was before is corrected"


def test_short_disturbance_makes_no_trial_look_faster() -> None:
    """Three consecutive runs of the defaults are disturbed: later trials may be as fast as before."""
    disturbed = Arm([(one,) for one in (1.0, 1.01, 0.99, 1.0, 3.6, 3.8, 3.7)])

    assert levels(disturbed, StudyPolicy(), 3)[-1] == 1.0
    again = Arm([*disturbed.samples, (3.7,)])
    assert levels(again, StudyPolicy(), 1)[-1] == pytest.approx(3.7, rel=0.02), "after trials they still are"


def test_disturbed_repetitions_of_the_defaults_do_not_affect_later_trials() -> None:
    """The study repeats surprising defaults up to three times at once: all may fall into the same disturbance."""

    def run(order: PlannedRun) -> Sample:
        surprised = order.kind == "default" and 4 < order.number < 20
        return ok(3.6 if surprised else 1.0)

    protocol = StudyProtocol(make_search("exhaustive", PLAIN, seed=0), StudyPolicy(searched=16), ("wall",))
    orders = drive(protocol, run)

    kinds = [order.kind for order in orders[:20]]
    assert "default default default" in " ".join(kinds[5:]), "they were run at once"
    told = [values[0] for values in protocol.search.told.values() if values is not None]
    assert told == pytest.approx([1.0] * len(told)), "what followed was as fast as before"
    assert protocol.verdict().scenario is None


def test_defaults_are_repeated_at_the_end_of_the_search() -> None:
    """The last trials require runs of the defaults before and after them."""
    protocol = StudyProtocol(make_search("random", PLAIN, seed=1), StudyPolicy(trials=80), ("wall",), 1)
    orders = drive(protocol, lambda order: ok(1.0 if order.scenario is None else 1.0 + order.number / 1000.0))

    search = [order.kind for order in orders if order.kind in ("default", "trial", "repetition")]
    last = len(search) - 1 - search[::-1].index("trial")
    assert search[last + 1] == "default"


def test_a_drift_is_noticed_within_three_runs_of_the_defaults() -> None:
    generator = random.Random(3)
    samples = [(1.0 if place < 3 else 1.3) * math.exp(generator.gauss(0, 0.01)) for place in range(6)]

    assert _levels(samples)[-1] == pytest.approx(1.3, rel=0.05)
    assert _levels(samples[:4])[-1] == 1.0


@pytest.mark.parametrize("name", ["random", "gp"])
def test_a_slow_beginning_does_not_choose_the_finalists(name: str) -> None:
    """The defaults and some trials run in another state of the machine than the remaining trials."""
    studies, found = 10, 0
    for seed in range(studies):
        generator = random.Random(f"{name} {seed}")

        def run(order: PlannedRun, g: random.Random = generator) -> Sample:
            slow = 3.5 if order.number < 6 else 1.0
            gain = 1.3 if order.scenario is not None and order.scenario[0] >= 4 else 1.0
            return ok(slow / gain * math.exp(g.gauss(0.0, 0.02)))

        space = MANY if name == "gp" else PLAIN
        protocol = StudyProtocol(make_search(name, space, seed=seed), StudyPolicy(trials=130), ("wall",), seed)
        drive(protocol, run)
        scenario = protocol.verdict().scenario
        found += scenario is not None and scenario[0] >= 4

    assert found >= 0.9 * studies


def test_surprising_defaults_are_repeated_at_once() -> None:
    def run(order: PlannedRun) -> Sample:
        return ok(3.0 if order.number < 6 else 1.0)

    orders = drive(protocol_of(searched=20), run)

    kinds = [order.kind for order in orders]
    assert kinds[:15].count("default") == 6, "after eight trials one, and two more to be sure"
    assert kinds[12:15] == ["default"] * 3
    after = [kind for kind in kinds[15:] if kind in ("default", "trial", "repetition")]
    assert "default default" not in " ".join(after)


def test_trials_before_the_change_was_known_are_corrected() -> None:
    """The first three trials are as slow as the defaults were, the later trials are faster."""
    late = set()

    def run(order: PlannedRun) -> Sample:
        if order.kind == "trial" and order.number >= 7:
            late.add(order.scenario)
        return ok(3.0 if order.number < 7 else 1.0)

    protocol = StudyProtocol(make_search("exhaustive", PLAIN, seed=0), StudyPolicy(searched=40), ("wall",))
    drive(protocol, run)

    assert protocol.reference == pytest.approx(3.0)
    told = {scenario: values[0] for scenario, values in protocol.search.told.items() if values is not None}
    assert len(told) > len(late) > 10
    assert [told[scenario] for scenario in late if scenario is not None] == pytest.approx([3.0] * len(late))
    assert min(told.values()) == pytest.approx(3.0), "nothing looks faster than it is"
    assert protocol.verdict().scenario is None


def test_corrections_apply_during_and_after_the_screening() -> None:
    made: list[Search] = []

    def make(space: Space) -> Search:
        made.append(Exhaustive(space, 0))
        return made[-1]

    search, home, last = Screened(MANY, make, most=1, seed=0, objectives=1), MANY.home(), len(MANY.parameters) - 1
    changed = []
    while search.screening and (scenario := search.ask()) is not None:
        if search.screening:
            search.tell(scenario, (0.5 if scenario[0] != home[0] else 1.0,))
            changed.append(scenario)
    search.narrow()
    assert [parameter.name for parameter in made[-1].space.parameters] == ["p0"]

    made.clear()
    search = Screened(MANY, make, most=1, seed=0, objectives=1)
    for scenario in changed:
        assert search.ask() == scenario
        search.tell(scenario, (0.5 if scenario[0] != home[0] else 1.0,))
    for scenario in changed:
        search.correct(scenario, (0.5 if scenario[last] != home[last] else 1.0,))
    search.narrow()
    assert [parameter.name for parameter in made[-1].space.parameters] == [f"p{last}"]

    best = search.best()
    assert best is not None
    search.correct(best, (2.0,))
    assert made[-1].told[best[last:]] == (2.0,)
    assert search.best() != best
