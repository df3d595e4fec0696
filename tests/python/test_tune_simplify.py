"""Settings without an effect are removed from the advice."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import pytest
from tune_spaces import PLAIN, Rule, drive, ok, protocol_of

from adcl.tune.space._space import Parameter, Space, Steps
from adcl.tune.study._simplify import Simplification, effects

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.tune.study._plan import PlannedRun, Sample


def _advised(gain: float, studies: int) -> tuple[int, int]:
    """Return how many studies with noise advise only the setting that matters, and how many do not advise it."""
    clean, lost = 0, 0
    for seed in range(studies):
        generator = random.Random(f"simple {seed}")

        def run(order: PlannedRun, g: random.Random = generator) -> Sample:
            fast = order.scenario is not None and order.scenario[0] >= 4
            return ok((1.0 if fast else gain) * math.exp(g.gauss(0, 0.02)))

        protocol = protocol_of(seed=seed, searched=40)
        drive(protocol, run)
        scenario, home = protocol.verdict().scenario, protocol.search.space.home()
        lost += scenario is None or scenario[0] < 4
        clean += scenario is not None and sum(a != b for a, b in zip(scenario, home, strict=True)) == 1
    return clean, lost


def test_settings_without_an_effect_are_removed_from_the_advice() -> None:
    clean, lost = _advised(1.5, studies=40)

    assert lost == 0
    assert clean >= 36


def test_small_gain_in_noise_is_advised_with_one_setting() -> None:
    """The rest is compared until it is significantly better than the defaults, so that the long advice is not kept."""
    assert _advised(1.05, studies=40)[0] >= 28


def test_unconfirmed_gain_is_reported() -> None:
    """A simpler scenario is as good as the winner, but not significantly better than the defaults."""
    compared, late, home = [0], [0.0], PLAIN.home()

    def run(order: PlannedRun) -> Sample:
        fast = order.scenario is not None and order.scenario[0] >= 4
        if order.kind != "simplification":
            # Scenarios that change a single setting are excluded from the comparison.
            alone = order.scenario is not None and len(PLAIN.changed(order.scenario)) == 1
            return ok((1.2 if alone else 1.0) if fast else 1.3)
        # The defaults fluctuate after the comparison.
        compared[0] += 1
        late[0] = 1.0 - late[0] if order.scenario is None else late[0]
        return ok(1.0 if order.scenario is not None else 0.95 + 0.5 * late[0])

    for seed in range(5):
        protocol = protocol_of(seed=seed, searched=40)
        drive(protocol, run)
        verdict = protocol.verdict()
        if verdict.unconfirmed is not None:
            assert len(PLAIN.changed(verdict.scenario or home)) <= 1
            assert verdict.unconfirmed.comparison.low < 1.0
            assert verdict.unconfirmed.reason == "the gain is not significant"
            break
    else:
        raise AssertionError("no study had several settings")
    assert compared[0] > 0


def test_relevant_setting_is_found_among_equivalent_values() -> None:
    """Values near the winner's are equally fast; only the default's is slow."""
    home = (2, 0, 0)
    values: dict[tuple[int, ...], float] = {
        (2, 0, 0): 1.0,
        (3, 1, 0): 0.5,
        (4, 1, 2): 0.5,
        (5, 0, 1): 0.52,
        (4, 0, 1): 0.5,
        (2, 1, 1): 1.1,
    }

    eager, pinning, buffers = effects(values, (4, 1, 2), home)

    assert eager > max(pinning, buffers)


def test_one_disturbed_run_does_not_save_a_setting() -> None:
    home = PLAIN.home()
    winner = (home[0] + 2, home[1], home[2] + 1)
    simplification = Simplification(PLAIN, winner, [1.0, 0.0, 0.0], gain=2.0, least_gain=0.01, runs=54)
    simple, other = simplification.candidates
    assert simple == (home[0] + 2, home[1], home[2])

    simplification.tried(simple, [(1.0, 1.0)] * 5 + [(1.0, 2.3)])
    simplification.tried(other, [(1.0, 2.0)] * 2)
    assert simplification.kept == winner, "it is seen once more"
    simplification.tried(simplification.candidates[0], [(1.0, 1.0)] * 5 + [(1.0, 2.3)])

    assert simplification.kept == simple
    assert len(simplification.candidates) == 0
    assert simplification.complete


def test_relevant_setting_is_found_despite_a_wrong_ranking() -> None:
    """The only one of eight settings with an effect appears to be the least important."""
    space = Space(tuple(Parameter(f"p{i}", Steps(0, 3, add=1), 0) for i in range(8)))
    importance = [0.0, *(0.1 * i for i in range(1, 8))]
    simplification = Simplification(space, (2,) * 8, importance, gain=2.5, least_gain=0.01, runs=108)
    runs = 0
    while simplification.candidates:
        for scenario in simplification.begin_round():
            runs += 1
            simplification.rounds[-1][scenario] = 1.0 if scenario is not None and scenario[0] == 2 else 2.5
        simplification.end_round((6, 10, 16))

    assert simplification.kept == (2, 0, 0, 0, 0, 0, 0, 0)
    assert simplification.complete
    assert runs <= 90


def test_settings_that_matter_together_stay() -> None:
    def run(order: PlannedRun) -> Sample:
        scenario = order.scenario
        return ok(1.0 if scenario is not None and scenario[0] >= 4 and scenario[1] == 1 else 1.5)

    for seed in range(10):
        protocol = protocol_of(seed=seed, searched=60)
        drive(protocol, run)
        scenario = protocol.verdict().scenario
        if scenario is not None:
            assert scenario[0] >= 4
            assert scenario[1] == 1


def test_without_simplification_several_settings_are_not_advised() -> None:
    """An independent search result is a single setting, which the comparison shows to matter."""
    found = set()
    for seed in range(6):
        orders = drive(
            protocol := protocol_of(seed=seed, searched=30, simplifications=0),
            lambda order: ok(1.0 if order.scenario is not None and order.scenario[0] >= 4 else 1.5),
        )
        verdict = protocol.verdict()
        assert not any(order.kind == "simplification" for order in orders)
        found.add(verdict.scenario is not None)
        if verdict.scenario is not None:
            assert len(PLAIN.changed(verdict.scenario)) == 1
        else:
            assert verdict.unconfirmed is not None
            assert len(PLAIN.changed(verdict.unconfirmed.scenario)) > 1
            assert verdict.unconfirmed.comparison.ratio == pytest.approx(1.5)
            assert "the settings that matter are unknown" in verdict.unconfirmed.reason
    assert False in found


def test_stop_during_simplification_advises_confirmed_settings() -> None:
    """Both settings are needed for the full gain; one of them alone was shown to be better than the defaults."""

    def run(order: PlannedRun) -> Sample:
        scenario = order.scenario or PLAIN.home()
        return ok((1.0 if scenario[0] >= 4 else 2.0) * (1.0 if scenario[1] == 1 else 1.2))

    protocol = protocol_of("exhaustive", repetitions=1)
    while (order := protocol.next()) is not None:
        if order.kind == "simplification" and order.round == 1:
            protocol.stop()
            break
        protocol.record(order, run(order))

    verdict = protocol.verdict()
    assert protocol.phase == "finished"
    assert verdict.unconfirmed is not None
    assert "the study was ended before the study found the settings that matter" in verdict.unconfirmed.reason
    assert verdict.unconfirmed.comparison.ratio == pytest.approx(2.4)
    assert verdict.scenario is not None
    assert PLAIN.changed(verdict.scenario) == (0,)
    assert verdict.comparison is not None
    assert verdict.comparison.ratio == pytest.approx(2.0)


def test_undecided_setting_is_removed() -> None:
    """Removing the setting costs more than the acceptable loss, but no more than the variation between runs."""
    home = PLAIN.home()
    winner = (home[0] + 2, home[1] - 1, home[2])

    def needed(costs: list[float]) -> tuple[set[int], int, tuple[int, ...]]:
        simplification = Simplification(PLAIN, winner, [1.0, 0.0, 0.0], gain=2.0, least_gain=0.01, runs=108)
        rounds = 0
        while simplification.candidates:
            for scenario in simplification.begin_round():
                cost = costs[rounds % len(costs)] if scenario != simplification.reference else 0.0
                main = scenario is not None and scenario[0] == winner[0]
                simplification.rounds[-1][scenario] = math.exp(cost) * (1.0 if main else 2.0)
            simplification.end_round((6, 10, 16))
            rounds += 1
        return {*simplification.needed}, rounds, simplification.kept

    simple = (home[0] + 2, home[1], home[2])
    assert needed([0.05, 0.06, 0.055]) == ({0, 1}, 3, winner), "it is clear early"
    assert needed([0.01, 0.02]) == ({0}, 3 + 6, simple)
    assert needed([0.3, -0.2]) == ({0}, 10 + 10, simple), "a second look, and no more"


def test_loss_of_a_removed_setting_is_not_attributed_to_another() -> None:
    """`first` was removed although it may have mattered; `second` has no effect."""
    space = Space(tuple(Parameter(name, Steps(0, 3, add=1), 0) for name in ("main", "first", "second")))
    simplification = Simplification(space, (2, 2, 2), [9.0, 1.0, 0.0], gain=4.0, least_gain=0.01, runs=297)
    generator = random.Random("costs")
    while simplification.candidates:
        for one in (scenario for scenario in simplification.begin_round() if scenario is not None):
            noise = 0.3 * generator.choice((-1.0, 1.0)) if one != simplification.reference and one[1] == 0 else 0.0
            lost = {0: 0.1, 2: 0.0}
            simplification.rounds[-1][one] = math.exp(lost[one[1]] + noise + (1.5 if one[0] == 0 else 0.0))
        simplification.rounds[-1][None] = 9.0
        simplification.end_round((6, 10, 16))
    assert simplification.kept == (2, 0, 0)
    assert set(simplification.needed) <= {0}
    assert simplification.complete


def test_settings_linked_by_a_constraint_are_reset_together() -> None:
    """`a` and `b` can only be reset together; `c` alone."""
    tie = Rule("a == b", lambda one: one["a"] == one["b"])
    space = Space(tuple(Parameter(name, Steps(0, 3, add=1), 0) for name in "abc"), (tie,))

    def left(seconds: Callable[[tuple[int, ...]], float]) -> Simplification:
        simplification = Simplification(space, (2, 2, 2), [0.0, 0.0, 9.0], gain=4.0, least_gain=0.01, runs=297)
        while simplification.candidates:
            for candidate in simplification.candidates:
                assert candidate[0] == candidate[1]
                simplification.tried(candidate, [(seconds(simplification.reference), seconds(candidate))] * 6)
        assert simplification.complete
        return simplification

    only_c = left(lambda one: 1.0 if one[2] else 4.0)
    assert only_c.kept == (0, 0, 2)
    both = left(lambda one: (1.0 if one[0] else 2.0) * (1.0 if one[2] else 2.0))
    assert both.kept == (2, 2, 2)
    assert both.needed == {0: pytest.approx(2.0), 1: pytest.approx(2.0), 2: pytest.approx(2.0)}
    pair = left(lambda one: 1.0 if one[0] else 4.0)
    assert pair.kept == (2, 2, 0)
    assert pair.needed == {}


def test_confirmed_settings_are_separated_from_untested_ones() -> None:
    space = Space(tuple(Parameter(f"p{i}", Steps(0, 3, add=1), 0) for i in range(4)))

    def needed_after(runs: int) -> set[int]:
        simplification = Simplification(space, (2, 2, 2, 2), [0.0] * 4, gain=4.0, least_gain=0.01, runs=runs)
        while simplification.candidates:
            for candidate in simplification.candidates:
                slower = 2.0 ** ((candidate[0] != 2) + (candidate[3] != 2))
                simplification.tried(candidate, [(1.0, slower)] * 6)
        assert simplification.complete == (runs > 18)
        return {*simplification.needed}

    assert needed_after(0) == set()
    assert needed_after(18) == set(), "a group that matters says nothing about each of its settings"
    assert needed_after(180) == {0, 3}


def test_verdict_lists_confirmed_settings() -> None:
    def run(order: PlannedRun) -> Sample:
        scenario = order.scenario
        if scenario is None:
            return ok(4.0)
        return ok((1.0 if scenario[0] >= 4 else 2.0) * (1.0 if scenario[1] == 1 else 2.0))

    complete, cut = protocol_of(searched=60), protocol_of(searched=60, simplifications=0)
    drive(complete, run)
    drive(cut, run)

    assert complete.verdict().scenario is not None
    assert complete.verdict().needed == {0: pytest.approx(2.0), 1: pytest.approx(2.0)}
    assert complete.verdict().unconfirmed is None
    assert cut.verdict().scenario is not None
    assert len(PLAIN.changed(cut.verdict().scenario or ())) == 1, "one that the comparison has shown to matter"
    assert cut.verdict().unconfirmed is not None


def test_lucky_winner_is_detected() -> None:
    """One setting appears faster until the comparison ends, but not later; it is the only setting."""

    def run(order: PlannedRun, *, lasting: bool) -> Sample:
        fast = order.scenario is not None and order.scenario[0] == 6
        alone = order.scenario is not None and len(PLAIN.changed(order.scenario)) == 1
        lucky = fast and alone and (lasting or order.kind != "simplification")
        return ok(0.9 + 0.001 * (order.number % 3) if lucky else 1.0 + 0.001 * (order.number % 5))

    for lasting in (True, False):
        protocol = protocol_of("exhaustive", seed=1)
        orders = drive(protocol, lambda order, lasting=lasting: run(order, lasting=lasting))  # type: ignore[misc]
        verdict = protocol.verdict()
        assert verdict.confirmed
        assert sum(order.kind == "simplification" for order in orders) == 12
        assert verdict.comparison is not None
        assert verdict.comparison.pairs == 12
        if lasting:
            assert verdict.scenario is not None
        else:
            assert verdict.scenario is None
            assert "was not confirmed in 6 further paired runs" in verdict.reason
