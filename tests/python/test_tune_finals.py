"""Comparison of the best scenarios with the defaults: winners, dropped finalists, and order of the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tune_spaces import drive, ok, protocol_of

from adcl.mpi_libraries import LIBRARIES
from adcl.tune.file import Source, parse
from adcl.tune.file._check import with_switches
from adcl.tune.space import Choices, Condition, Parameter, Space
from adcl.tune.study._choice import choose
from adcl.tune.study._finals import Finals
from adcl.tune.study._plan import StudyPolicy
from adcl.tune.study._simplify import Simplification

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.tune.space._space import Coordinates
    from adcl.tune.study._compare import StudyVerdict

FAST, FASTER, SLOW = (1, 0, 0), (2, 0, 0), (3, 0, 0)


def _rounds(finals: Finals, count: int, took: Callable[[Coordinates | None, int], float]) -> StudyVerdict | None:
    """Run rounds of a comparison until there is a verdict."""
    verdict = None
    for _ in range(count):
        members = finals.begin_round()
        for one in members:
            finals.rounds[-1][one] = took(one, len(finals.rounds))
        verdict = finals.end_round()
        if verdict is not None:
            break
    return verdict


def test_the_fastest_of_the_finalists_is_advised() -> None:
    """Each finalist's number is its speedup over the defaults: 2 means twice as fast."""
    seconds: dict[Coordinates | None, float] = {None: 1.0, FAST: 0.8, FASTER: 0.5, SLOW: 1.25}
    finals = Finals([FAST, SLOW, FASTER], StudyPolicy(), 0.005)

    verdict = _rounds(finals, 16, lambda one, number: seconds[one] * (1.0 + 0.002 * (number % 3)))

    assert verdict is not None
    assert (verdict.scenario, len(finals.rounds), verdict.confirmed) == (FASTER, 6, True)
    found = finals.comparisons()
    assert [round(found[one].ratio, 3) for one in (FAST, FASTER, SLOW)] == [1.25, 2.0, 0.8]
    assert (found[FASTER].better, found[FASTER].worse) == (True, False)
    assert (found[SLOW].better, found[SLOW].worse) == (False, True)


def test_significantly_slower_finalist_is_dropped() -> None:
    """FASTER has the lower times, but its noise prevents a verdict at the first evaluation."""
    calm: dict[Coordinates | None, float] = {None: 1.0, FAST: 1.02, SLOW: 1.5}

    def took(one: Coordinates | None, number: int) -> float:
        if one == FASTER:
            return 0.7 if number > 6 or number % 2 else 1.3
        return calm[one] * (1.0 + 0.03 * (number % 2 if one == FAST else 0))

    finals = Finals([SLOW, FAST, FASTER], StudyPolicy(least_gain=0.05), 0.005)

    assert _rounds(finals, 6, took) is None
    assert SLOW not in finals.finalists
    assert FASTER in finals.finalists
    verdict = _rounds(finals, 10, took)
    assert verdict is not None
    assert all(SLOW not in one for one in finals.rounds[6:])
    assert all(FASTER in one for one in finals.rounds)


def test_gain_below_the_minimum_changes_nothing() -> None:
    """The gain is significant, but too small."""
    finals = Finals([FAST], StudyPolicy(least_gain=0.05), 0.005)

    verdict = _rounds(finals, 16, lambda one, number: (1.0 if one is None else 0.97) * (1.0 + 0.001 * (number % 2)))

    assert verdict is not None
    assert verdict.scenario is None
    assert verdict.comparison is not None
    assert verdict.comparison.better


@pytest.mark.parametrize("kind", ["comparison", "simplification"])
def test_order_of_runs_differs_between_rounds(kind: str) -> None:
    """A periodic disturbance must not always affect the same member."""
    places: dict[Coordinates | None, set[int]] = {}
    orders = []
    for seed in range(4):
        protocol = protocol_of(seed=seed, searched=20)
        made = drive(protocol, lambda order: ok(1.0 if order.scenario is None else 0.5 + 0.01 * order.scenario[0]))
        rounds: dict[int, list[Coordinates | None]] = {}
        for one in made:
            if one.kind == kind:
                rounds.setdefault(one.round or 0, []).append(one.scenario)
        orders.append(list(rounds.values()))
        for members in orders[-1]:
            assert len(set(members)) == len(members)
            for place, member in enumerate(members):
                places.setdefault(member, set()).add(place)

    assert places[None] >= {0, 1, 2}
    assert len({tuple(one.index(None) for one in rounds) for rounds in orders}) > 1, "seeds differ"


def test_scenario_with_only_a_switch_is_not_a_finalist() -> None:
    """Without an algorithm, coll_tuned_use_dynamic_rules has no effect, however fast its run was."""
    space = Space(
        (
            Parameter("rules", Choices(("false", "true")), "false", switch=True),
            Parameter("bcast", Choices(("ignore", "chain")), "ignore", Condition("rules", ("true",))),
        )
    )
    alone, chain = (1, 0), (1, 1)
    assert space.changes_only_switches(alone)
    assert not space.changes_only_switches(chain)

    def chosen(means: dict[Coordinates, float]) -> tuple[Coordinates, ...]:
        found = choose(means, 1.0, space=space, policy=StudyPolicy(), runs_left=200.0, deviation=0.01)
        return found.finalists

    assert chosen({alone: 0.5, chain: 0.8}) == (chain,)
    assert chosen({alone: 0.5}) == ()
    # If the winner's algorithm has no effect, its switch is not advised alone, either.
    simpler = Simplification(space, chain, [0.0, 0.0], gain=1.25, least_gain=0.005, runs=100)
    assert alone not in simpler.candidates


@pytest.mark.parametrize("key", ["openmpi4", "openmpi5"])
def test_the_switch_of_open_mpi_is_known(key: str) -> None:
    mpi = LIBRARIES[key]
    text = f'mpi = "{key}"\n[parameters]\ncoll_tuned_use_dynamic_rules = ["true", "false"]\n'
    text += 'coll_tuned_bcast_algorithm = ["chain", "pipeline"]\nbtl_tcp_eager_limit = [1024, 4096]\n'
    space = parse(Source(text, "t.toml")).space
    marked = with_switches(space, mpi, {one.name: one.name for one in space.parameters})
    assert [one.name for one in marked.parameters if one.switch] == ["coll_tuned_use_dynamic_rules"]
