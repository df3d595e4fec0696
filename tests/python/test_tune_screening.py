"""Screening: determining the parameters that matter before the search."""

from __future__ import annotations

import math
import random

import pytest
from tune_spaces import CONSTRAINED, MANY, Rule

from adcl.errors import UsageError
from adcl.tune.search import SearchOptions, make_search, screening_runs
from adcl.tune.search._screening import Screening
from adcl.tune.space import Choices, Condition, Coordinates, Parameter, Space, SpacePart, Steps


def _wide(count: int) -> Space:
    return Space(tuple(Parameter(f"p{place}", Steps(0, 6, add=1), 3) for place in range(count)))


_AFTERWARDS = 10
"""Scenarios of the search with all its parameters varying: the first scenarios are far apart."""


def _drive(space: Space, seconds: dict[tuple[int, int], float], seed: int) -> tuple[int, set[int]]:
    """Run a search; return the number of screening runs, and the places that it varied afterwards."""
    generator = random.Random(f"screening {seed}")
    search = make_search("gp", space, seed=seed)
    home = space.home()
    search.tell(home, (1.0,))
    screened, afterwards, varied = 0, 0, set()
    while afterwards < _AFTERWARDS:
        screening = search.screening
        scenario = search.ask()
        if scenario is None:
            break
        afterwards += not search.screening
        if not search.screening:
            varied |= {place for place, position in enumerate(scenario) if position != home[place]}
        screened += screening and search.screening
        value = math.prod(seconds.get(change, 1.0) for change in enumerate(scenario))
        search.tell(scenario, None if value > 100 else (value * math.exp(generator.gauss(0, 0.01)),))
    return screened, varied


@pytest.mark.parametrize("count", [8, 24, 60, 300])
def test_only_parameters_that_matter_are_searched(count: int) -> None:
    """One parameter gains at its largest value, one at its smallest, one only loses, one crashes."""
    for seed in range(5):
        space = _wide(count)
        generator = random.Random(f"places {seed}")
        high, low, bad, fatal = generator.sample(range(count), 4)
        effects = {(high, 6): 0.5, (high, 5): 0.6, (low, 0): 0.7, (bad, 6): 3.0, (bad, 0): 2.0, (fatal, 6): 1e9}

        screened, varied = _drive(space, effects, seed)

        assert {high, low, bad} <= varied, f"seed {seed}"
        assert len(varied) <= 6
        assert screened <= screening_runs(space) + (0 if count <= 24 else 8 * math.ceil(math.log2(count)))
        assert screened <= max(120, count / 2)


@pytest.mark.parametrize("count", [40, 120])
def test_canceling_effects_are_found(count: int) -> None:
    """Both parameters start in one group, in which their effects cancel."""
    space = _wide(count)
    for seed in range(10):
        screening = Screening(space, random.Random(seed))
        good, bad = next(group for group in screening._queue if len(group) > 1)[:2]
        seconds = {good: 0.8, bad: 1.25}
        asked: list[Coordinates] = []

        while (scenario := screening.next(lambda one: one not in asked)) is not None:  # noqa: B023
            asked.append(scenario)
            screening.learn(scenario, math.log(math.prod(seconds.get(change, 1.0) for change in enumerate(scenario))))

        assert {good[0], bad[0]} <= set(screening.most_interesting(6, relative=True)), f"seed {seed}"
        assert len(asked) <= screening_runs(space) + 4 * math.ceil(math.log2(count)), f"seed {seed}"


def test_a_third_of_many_algorithms_is_tried() -> None:
    """Five of 18 are good, as for Intel MPI's all-to-all between two ranks; three trials would miss them."""
    algorithms = Parameter("algorithm", Choices(("unset", *range(1, 19))), "unset")
    others = [Parameter(f"p{place}", Choices(("no", "yes")), "no") for place in range(9)]
    space = Space((algorithms, *others))
    good, found = {3, 15, 16, 17, 18}, 0

    for seed in range(40):
        screening = Screening(space, random.Random(seed))
        tried = []
        while (scenario := screening.next(lambda _: True)) is not None:
            tried.append(scenario)
            screening.learn(scenario, 0.0)
        values = {scenario[0] for scenario in tried} - {space.home()[0]}
        assert len(values) == 6
        assert len(tried) == screening_runs(space)
        found += bool(good & {algorithms.values[position] for position in values})

    assert found >= 34, "85 %: three of 18 would find one of them in 65 %"


def test_few_parameters_are_not_screened() -> None:
    assert not make_search("gp", _wide(6)).screening
    assert make_search("gp", _wide(7)).screening
    assert not make_search("gp", _wide(7), options=SearchOptions(screening=0)).screening
    assert not make_search("random", _wide(40)).screening
    with pytest.raises(UsageError, match="must be 0 or more"):
        SearchOptions(screening=-1)


def test_inactive_parameter_is_changed_with_its_governor() -> None:
    """The gain requires a switch, which has no effect alone and is searched together with its dependents."""
    others = tuple(Parameter(f"p{place}", Steps(0, 3, add=1), 0) for place in range(8))
    space = Space(
        (
            Parameter("algorithm", Choices(("unset", "ring", "tree")), "unset", Condition("rules", ("true",))),
            *others,
            Parameter("rules", Choices(("false", "true")), "false"),
        )
    )
    search = make_search("gp", space)
    search.tell(space.home(), (1.0,))
    best: tuple[float, Coordinates] = (1.0, space.home())
    for _ in range(60):
        scenario = search.ask()
        if scenario is None:
            break
        value = 0.5 if space.configuration(scenario).get("algorithm") == "tree" else 1.0
        best = min(best, (value, scenario))
        search.tell(scenario, (value,))

    assert space.configuration(best[1])["algorithm"] == "tree"


def test_interrupted_screening_keeps_gains_and_untried_parameters() -> None:
    space = _wide(20)
    search = make_search("gp", space)
    search.tell(space.home(), (1.0,))
    tried: dict[int, float] = {}
    for number in range(5):
        scenario = search.ask()
        assert scenario is not None
        (place,) = (place for place, position in enumerate(scenario) if position != 3)
        tried[place] = 0.5 if number == 2 else 1.01
        search.tell(scenario, (tried[place],))
    under_way = search.ask()
    assert under_way is not None

    search.narrow()
    search.tell(under_way, (2.0,))

    varied: set[int] = set()
    while len(search.told) < 60 and (scenario := search.ask()) is not None:
        varied |= {place for place, position in enumerate(scenario) if position != 3}
        search.tell(scenario, (1.0,))
    assert min(tried, key=tried.__getitem__) in varied
    lost = {place for place, value in tried.items() if value > 1.0}
    assert len(varied & lost) <= 1, "what nobody tried may still gain"


@pytest.mark.parametrize("values", [2, 4])
def test_interacting_parameter_is_found_eventually(values: int) -> None:
    """The last parameter has no effect alone, so the screening drops it; the rest has two values and is exhausted."""
    space = Space(tuple(Parameter(f"p{place}", Steps(0, values - 1, add=1), 0) for place in range(8)))

    def seconds(scenario: Coordinates) -> float:
        alone = sum(0.02 for position in scenario[:7] if position > 0)
        return 1.0 - alone - (0.5 if scenario[0] > 0 and scenario[7] > 0 else 0.0)

    search = make_search("gp", space, seed=4, options=SearchOptions(tolerance=0.0))
    search.tell(space.home(), (1.0,))
    fastest = 1.0
    while len(search.told) < 150 and fastest > 0.5 and (scenario := search.ask()) is not None:
        fastest = min(fastest, seconds(scenario))
        search.tell(scenario, (seconds(scenario),))

    assert fastest < 0.5


def test_concurrent_trials_repeat_no_scenario() -> None:
    space = _wide(40)
    search = make_search("gp", space)
    asked: list[Coordinates] = []
    running: list[Coordinates] = []
    generator = random.Random(3)
    while len(asked) < 120:
        scenario = search.ask() if len(running) < 5 else None
        if scenario is not None:
            asked.append(scenario)
            running.append(scenario)
            continue
        if not running:
            break
        done = running.pop(generator.randrange(len(running)))
        search.tell(done, (1.0 + 0.1 * done[0],))
    assert len(set(asked)) == len(asked)
    assert not search.screening


def test_a_part_of_a_space() -> None:
    part = SpacePart.of(MANY, (3, 11))

    assert part.space.size() == 49
    assert part.lift((0, 6)) == tuple({3: 0, 11: 6}.get(place, 2) for place in range(14))
    for coordinates in part.space.scenarios():
        assert part.project(part.lift(coordinates)) == coordinates
    assert part.project(tuple(0 for _ in range(14))) is None


def test_part_applies_the_constraints_of_the_whole_space() -> None:
    part = SpacePart.of(CONSTRAINED, (0,))
    assert {part.lift(scenario) for scenario in part.space.scenarios()} == {
        scenario for scenario in CONSTRAINED.scenarios() if scenario[1:] == CONSTRAINED.home()[1:]
    }
    together = Space(MANY.parameters, (Rule("p0 == p1", lambda one: one["p0"] == one["p1"]),))
    assert [part.lift(one)[:2] for part in (SpacePart.of(together, (0,)),) for one in part.space.scenarios()] == [
        (2, 2)
    ]


def test_part_includes_governors() -> None:
    space = Space(
        (
            Parameter("depth", Steps(1, 4, add=1), when=Condition("size", (2, 3))),
            Parameter("other", Steps(1, 4, add=1)),
            Parameter("size", Steps(1, 4, add=1), when=Condition("bulk", ("yes",))),
            Parameter("bulk", Choices(("no", "yes"))),
        )
    )
    part = SpacePart.of(space, (0,))

    assert [parameter.name for parameter in part.space.parameters] == ["depth", "size", "bulk"]
    for coordinates in part.space.scenarios():
        assert part.project(part.lift(coordinates)) == coordinates


def test_parameters_that_matter_for_one_objective_are_searched() -> None:
    space = _wide(12)
    search = make_search("gp", space, objectives=2)
    search.tell(space.home(), (5.0, 80.0))
    varied: set[int] = set()
    for _ in range(60):
        scenario = search.ask()
        if scenario is None:
            break
        if not search.screening:
            varied |= {place for place, position in enumerate(scenario) if position != 3}
        search.tell(scenario, (5.0 * (0.5 if scenario[2] == 6 else 1.0), 80.0 * (0.6 if scenario[9] == 0 else 1.0)))

    assert {2, 9} <= varied
