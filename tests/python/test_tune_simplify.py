"""Settings that make no difference are taken out of the advice."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

from tune_spaces import PLAIN, drive, ok, protocol_of

from adcl.tune.space._space import Parameter, Space, Steps
from adcl.tune.study._simplify import Simplification, effects

if TYPE_CHECKING:
    from adcl.tune.study._plan import PlannedRun, Sample


def _advised(gain: float, studies: int) -> tuple[int, int]:
    """Of studies in noise: how many advise the one setting that matters and no other, and how many lack it."""
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


def test_settings_that_do_nothing_are_taken_out_of_the_advice() -> None:
    clean, lost = _advised(1.5, studies=40)

    assert lost == 0
    assert clean >= 36


def test_a_small_gain_in_noise_is_advised_by_one_setting_too() -> None:
    """What is left is run until it is better than the defaults beyond doubt, so that the long advice need not stay."""
    assert _advised(1.05, studies=40)[0] >= 28


def test_what_cannot_be_shown_is_said() -> None:
    """A simpler scenario that is as good as the winner, but not better than the defaults beyond doubt."""
    compared, late = [0], [0.0]

    def run(order: PlannedRun) -> Sample:
        fast = order.scenario is not None and order.scenario[0] >= 4
        if order.kind != "simplification":
            # What changes one setting alone does not come into the comparison.
            alone = order.scenario is not None and len(PLAIN.changed(order.scenario)) == 1
            return ok((1.2 if alone else 1.0) if fast else 1.3)
        # The defaults jump up and down once the comparison is over.
        compared[0] += 1
        late[0] = 1.0 - late[0] if order.scenario is None else late[0]
        return ok(1.0 if order.scenario is not None else 0.95 + 0.5 * late[0])

    for seed in range(5):
        protocol = protocol_of(seed=seed, searched=40)
        drive(protocol, run)
        verdict, home = protocol.verdict(), protocol.search.space.home()
        assert verdict.scenario is not None
        if sum(a != b for a, b in zip(verdict.scenario, home, strict=True)) > 1:
            assert "made no difference, but" in verdict.reason
            assert "beyond doubt" in verdict.reason
            break
    else:
        raise AssertionError("no study had several settings")
    assert compared[0] > 0


def test_the_setting_that_matters_is_seen_beside_others_like_it() -> None:
    """Values beside the winner's are as fast as it is; only the default's is slow."""
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
    simplification = Simplification(PLAIN, winner, [1.0, 0.0, 0.0], gain=2.0, least_gain=0.01, rounds=18)
    assert simplification.candidate == (home[0] + 2, home[1], home[2])

    simplification.tried([(1.0, 1.0)] * 5 + [(1.0, 2.3)])

    assert simplification.kept == (home[0] + 2, home[1], home[2])
    assert simplification.candidate is None


def test_the_one_that_matters_is_found_even_when_the_search_misjudged_it() -> None:
    """Of eight settings, the one that makes all the difference is believed to be the least important."""
    space = Space(tuple(Parameter(f"p{i}", Steps(0, 3, add=1), 0) for i in range(8)))
    importance = [0.0, *(0.1 * i for i in range(1, 8))]
    simplification = Simplification(space, (2,) * 8, importance, gain=2.5, least_gain=0.01, rounds=36)
    rounds = 0
    while (candidate := simplification.candidate) is not None:
        pairs = [(1.0, 1.0 if candidate[0] == 2 else 2.5)]
        while len(pairs) < 6 and not simplification.hopeless(pairs):
            pairs.append(pairs[0])
        rounds += len(pairs)
        simplification.tried(pairs)

    assert simplification.kept == (2, 0, 0, 0, 0, 0, 0, 0)
    assert rounds <= 36


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


def test_without_attempts_the_winner_is_advised_as_it_is() -> None:
    orders = drive(
        protocol := protocol_of(searched=30, simplifications=0),
        lambda order: ok(1.0 if order.scenario is not None and order.scenario[0] >= 4 else 1.5),
    )
    assert protocol.verdict().scenario is not None
    assert not any(order.kind == "simplification" for order in orders)


def test_a_study_stopped_while_it_simplifies_keeps_its_winner() -> None:
    protocol = protocol_of(searched=30)
    elapsed = 0.0
    while (order := protocol.next(elapsed)) is not None and order.kind != "simplification":
        fast = order.scenario is not None and order.scenario[0] >= 4
        protocol.record(order, ok(1.0 if fast else 1.5))
    winner = protocol.verdict().scenario

    protocol.stop()

    assert winner is not None
    assert protocol.phase == "finished"
    assert protocol.verdict().scenario == winner
    assert protocol.verdict().confirmed


def test_settings_shown_to_matter_are_told_from_those_that_nothing_was_tried_with() -> None:
    space = Space(tuple(Parameter(f"p{i}", Steps(0, 3, add=1), 0) for i in range(4)))

    def needed_after(rounds: int) -> set[int]:
        simplification = Simplification(space, (2, 2, 2, 2), [0.0] * 4, gain=4.0, least_gain=0.01, rounds=rounds)
        while (candidate := simplification.candidate) is not None:
            slower = 2.0 ** ((candidate[0] != 2) + (candidate[3] != 2))
            simplification.tried([(1.0, slower)] * 6)
        return simplification.needed

    assert needed_after(0) == set()
    assert needed_after(6) == set(), "a group that matters says nothing about each of its settings"
    assert needed_after(60) == {0, 3}


def test_a_verdict_names_the_settings_that_were_shown_to_matter() -> None:
    def run(order: PlannedRun) -> Sample:
        scenario = order.scenario
        if scenario is None:
            return ok(4.0)
        return ok((1.0 if scenario[0] >= 4 else 2.0) * (1.0 if scenario[1] == 1 else 2.0))

    complete, cut = protocol_of(searched=60), protocol_of(searched=60, simplifications=0)
    drive(complete, run)
    drive(cut, run)

    assert complete.verdict().scenario is not None
    assert complete.verdict().needed == {0, 1}
    assert cut.verdict().scenario is not None
    assert cut.verdict().needed == set()


def test_a_winner_that_was_lucky_in_the_comparison_is_found_out() -> None:
    """One setting looks faster until the comparison has ended, and never again; nothing can be taken from it."""

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
            assert "was not any more in 6 further paired runs" in verdict.reason
