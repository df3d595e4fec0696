"""Requirements on every search, and on particular searches."""

from __future__ import annotations

import itertools
import statistics
from typing import TYPE_CHECKING

import pytest
from tune_spaces import CONDITIONAL, CONSTRAINED, LARGE, PLAIN, SPACES, TINY, Rule, response

from adcl.errors import UsageError
from adcl.tune.search import DEFAULT, DISTRIBUTIONS, SEARCHES, Objectives, Search, SearchOptions, dominates, make_search
from adcl.tune.search._gde3 import crowding_distances, fronts
from adcl.tune.space._space import Choices, Condition, Coordinates, Parameter, Space, Steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NEVER = SearchOptions(tolerance=0.0)
EVERY = pytest.mark.parametrize("name", SEARCHES)
COMPLETE = [name for name in SEARCHES if name != "individual"]


def drive(search: Search, seconds: Callable[[Coordinates], float | None], most: int = 10_000) -> list[Coordinates]:
    """Run trials one after the other until the search has finished or `most` is reached."""
    asked: list[Coordinates] = []
    for _ in range(most):
        proposal = search.ask()
        if proposal is None:
            assert search.finished
            return asked
        asked.append(proposal)
        value = seconds(proposal)
        search.tell(proposal, None if value is None else (value,) * search.objectives)
    return asked


def assert_scenarios(space: Space, asked: Iterable[Coordinates]) -> None:
    asked = list(asked)
    assert len(asked) == len(set(asked)), "a scenario was asked for twice"
    for one in asked:
        assert space.canonical(one) == one
        assert space.contains(space.configuration(one))


@EVERY
@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("seed", [0, 1])
def test_ask_returns_distinct_scenarios(name: str, space: Space, seed: int) -> None:
    asked = drive(make_search(name, space, seed=seed, options=NEVER), response(space, seed))

    assert_scenarios(space, asked)
    if name in COMPLETE:
        assert len(asked) == space.size()


@EVERY
def test_the_same_seed_is_the_same_search(name: str) -> None:
    first, again, other = (drive(make_search(name, PLAIN, seed=seed), response(PLAIN, 3), 25) for seed in (5, 5, 6))

    assert first == again
    if name != "individual":
        assert first != other


@EVERY
@pytest.mark.parametrize("workers", [2, 5])
def test_several_trials_at_once(name: str, workers: int) -> None:
    search, seconds = make_search(name, CONDITIONAL, seed=1, options=NEVER), response(CONDITIONAL, 1)
    asked: list[Coordinates] = []
    running: list[Coordinates] = []

    while not search.finished:
        while len(running) < workers and (proposal := search.ask()) is not None:
            assert proposal not in asked
            asked.append(proposal)
            running.append(proposal)
        if running:
            done = running.pop()
            search.tell(done, (seconds(done),))

    assert_scenarios(CONDITIONAL, asked)
    if name in COMPLETE:
        assert len(asked) == CONDITIONAL.size()


@EVERY
def test_failures_are_results(name: str) -> None:
    search = make_search(name, PLAIN, seed=2, options=NEVER)

    asked = drive(search, lambda one: None if one[0] > 3 else response(PLAIN, 2)(one), 40)

    assert_scenarios(PLAIN, asked)
    best = search.best()
    assert best is not None
    assert best[0] <= 3


@EVERY
def test_when_everything_fails_it_ends(name: str) -> None:
    search = make_search(name, PLAIN, seed=2)

    asked = drive(search, lambda _: None)

    assert_scenarios(PLAIN, asked)
    assert search.finished
    assert search.best() is None


@EVERY
def test_known_scenarios_are_not_requested(name: str) -> None:
    search, seconds = make_search(name, PLAIN, seed=4, options=NEVER), response(PLAIN, 4)
    known = [PLAIN.home(), (6, 2, 3), (0, 1, 1)]
    for one in known:
        search.tell(one, (seconds(one),))

    asked = drive(search, seconds)

    assert_scenarios(PLAIN, asked)
    assert not set(asked) & set(known)


@EVERY
def test_repetitions_may_correct_results(name: str) -> None:
    search, seconds = make_search(name, PLAIN, seed=4), response(PLAIN, 4)
    first = search.ask()
    assert first is not None
    search.tell(first, (0.001,))
    search.tell(first, (100.0,))

    drive(search, seconds, 12)

    assert search.told[first] == (100.0,)
    assert search.best() != first


@EVERY
def test_large_spaces_are_not_enumerated(name: str) -> None:
    asked = drive(make_search(name, LARGE, seed=1), response(LARGE, 1), 25)

    assert_scenarios(LARGE, asked)
    assert len(asked) == 25


@EVERY
def test_it_can_be_ended(name: str) -> None:
    search = make_search(name, PLAIN)
    running = search.ask()
    assert running is not None

    search.converge()

    assert search.ask() is None
    assert not search.finished
    search.tell(running, None)
    assert search.finished


@pytest.mark.parametrize("name", [name for name, row in SEARCHES.items() if row.most_objectives == 2])
def test_two_objectives(name: str) -> None:
    search = make_search(name, PLAIN, seed=3, objectives=2, options=NEVER)
    seconds, joules = response(PLAIN, 1), response(PLAIN, 9)
    asked = []
    for _ in range(40):
        proposal = search.ask()
        assert proposal is not None
        asked.append(proposal)
        search.tell(proposal, (seconds(proposal), joules(proposal)))

    assert_scenarios(PLAIN, asked)
    with pytest.raises(ValueError, match=r"expected \d objectives"):
        search.tell(asked[0], (1.0,))


def test_single_objective_search_names_alternatives() -> None:
    with pytest.raises(UsageError, match="gde3"):
        make_search("individual", PLAIN, objectives=2)
    with pytest.raises(UsageError, match="exhaustive"):
        make_search("annealing", PLAIN)


@pytest.mark.parametrize(
    "settings", [{"distribution": "normal"}, {"population": 3}, {"difference": 0}, {"crossover": 2}, {"tolerance": -1}]
)
def test_options_out_of_range_are_rejected(settings: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        SearchOptions(**settings)


def test_individual_makes_as_many_trials_as_there_are_values() -> None:
    sizes = (15, 80, 2, 2, 100)
    paper = Space(tuple(Parameter(f"p{place}", Steps(1, size, add=1)) for place, size in enumerate(sizes)))

    asked = drive(make_search("individual", paper), response(paper, 2))

    # the paper's 199, minus the scenario known from the previous step
    assert len(asked) == sum(sizes) - (len(sizes) - 1)


def test_individual_tries_a_newly_activated_parameter() -> None:
    def seconds(one: Coordinates) -> float:
        found = CONDITIONAL.configuration(one)
        return (
            (2.0 if found["bulk"] == "no" else 1.0)
            + 0.1 * (found.get("size") != 8192)
            + 0.01 * (found.get("depth") != 3)
        )

    search = make_search("individual", CONDITIONAL)
    drive(search, seconds)

    best = search.best()
    assert best is not None
    assert CONDITIONAL.configuration(best) == {"size": 8192, "bulk": "yes", "depth": 3, "wait": "poll"}


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_distributions_of_random(distribution: str) -> None:
    space = Space((Parameter("a", Steps(0, 999, add=1), 500),))
    search = make_search("random", space, options=SearchOptions(distribution=distribution))

    values = [abs(one[0] - 499.5) for one in drive(search, lambda _: 1.0, 150)]

    mean = statistics.fmean(values)  # 250 for a uniform distribution
    assert {"uniform": 220 < mean < 280, "near_default": mean < 215, "ends": mean > 280}[distribution]


@pytest.mark.parametrize("samples", [1, 7])
def test_random_ends_after_its_samples(samples: int) -> None:
    space = Space((Parameter("a", Steps(0, 999, add=1), 500),))
    search = make_search("random", space, options=SearchOptions(samples=samples))
    search.tell(space.home(), (1.0,))

    assert len(drive(search, lambda _: 1.0, 150)) == samples
    assert search.finished


def test_distributions_of_random_have_parameters() -> None:
    space = Space((Parameter("a", Steps(0, 999, add=1), 500),))

    def distance(options: SearchOptions) -> float:
        search = make_search("random", space, options=options)
        return statistics.fmean(abs(one[0] - 499.5) for one in drive(search, lambda _: 1.0, 150))

    assert (
        distance(SearchOptions(distribution="near_default", spread=0.05))
        < 60
        < distance(SearchOptions(distribution="near_default"))
    )
    assert distance(SearchOptions(distribution="ends", shape=5.0)) < 200 < distance(SearchOptions(distribution="ends"))
    for wrong in ({"samples": -1}, {"spread": 0.0}, {"shape": -0.5}):
        with pytest.raises(UsageError, match="must be"):
            SearchOptions(**wrong)


def test_non_dominated_sorting_and_crowding() -> None:
    points: list[Objectives] = [(1.0, 5.0), (2.0, 2.0), (5.0, 1.0), (3.0, 3.0), (6.0, 6.0), (1.9, 2.2)]

    assert [sorted(one) for one in fronts(points)] == [[0, 1, 2, 5], [3], [4]]
    distances = crowding_distances([(0.0, 4.0), (1.0, 1.0), (4.0, 0.0)])
    assert distances == [float("inf"), 2.0, float("inf")]
    assert dominates((1.0, 2.0), (1.0, 3.0))
    assert not dominates((1.0, 2.0), (1.0, 2.0))


def test_gde3_finds_most_of_a_front_of_two_objectives() -> None:
    space = Space((Parameter("a", Steps(0, 31, add=1)), Parameter("b", Steps(0, 31, add=1))))

    def both(one: Coordinates) -> tuple[float, float]:
        return 1 + one[0] + one[1], 1 + (31 - one[0]) + one[1]

    search = make_search("gde3", space, seed=1, objectives=2, options=SearchOptions(population=20))
    for _ in range(300):
        proposal = search.ask()
        assert proposal is not None
        search.tell(proposal, both(proposal))

    front = {
        one
        for one, value in search.told.items()
        if value and not any(v and dominates(v, value) for v in search.told.values())
    }
    assert sum(one[1] == 0 for one in front) >= 12


def test_gde3_minimizes_the_objectives() -> None:
    rules = (Rule("a < 8", lambda one: int(one["a"]) < 8), Rule("b < 8", lambda one: int(one["b"]) < 8))
    space = Space((Parameter("a", Steps(0, 63, add=1)), Parameter("b", Steps(0, 63, add=1))), rules)
    search = make_search("gde3", space, seed=1)

    asked = drive(search, lambda one: 100.0 - one[0] - one[1], 60)

    assert_scenarios(space, asked)
    assert max(one[0] + one[1] for one in asked) >= 13


def test_gde3_of_the_paper_keeps_an_elite_and_ends_after_its_generations() -> None:
    """Five of ten stay, so each generation except the first requests at most five new scenarios."""
    space = Space(tuple(Parameter(f"p{place}", Steps(0, 15, add=1), 8) for place in range(3)))

    def seconds(one: Coordinates) -> float:
        return 100.0 + sum((position - 12) ** 2 for position in one)

    for generations in (1, 4, 30):
        options = SearchOptions(elite=5, generations=generations)
        search = make_search("gde3", space, seed=generations, options=options)
        asked = drive(search, seconds, 1000)
        assert len(asked) <= 10 + 5 * (generations - 1)
        assert search.finished
        if generations == 30:
            assert min(map(seconds, asked)) <= 106, "of 100 to 532"
            assert len(asked) > 60
    begun = [drive(make_search("gde3", space, seed=s, options=SearchOptions(elite=5)), seconds, 10) for s in range(5)]
    assert not all(space.home() in one for one in begun), "all ten are random"
    for wrong in ({"elite": 10}, {"elite": -1}, {"mutation": 1.5}, {"generations": -1}):
        with pytest.raises(UsageError):
            SearchOptions(**wrong)


@pytest.mark.parametrize(("name", "trials"), [("gp", 20), ("tpe", 40), ("gde3", 120)])
def test_searches_are_better_than_random(name: str, trials: int) -> None:
    """Return the sum over seeds of the best values after some trials."""
    space = Space(tuple(Parameter(f"p{place}", Steps(1, 16, add=1)) for place in range(4)))
    regret = dict.fromkeys((name, "random"), 0.0)
    for seed, which in itertools.product(range(6), regret):
        seconds = response(space, seed)
        asked = drive(make_search(which, space, seed=seed, options=NEVER), seconds, trials)
        regret[which] += min(map(seconds, asked))

    assert regret[name] < regret["random"]


def test_gp_finds_the_optimum_and_stops_by_itself() -> None:
    sharp = Space(
        (
            *(Parameter(f"idle{place}", Choices(("a", "b", "c"))) for place in range(6)),
            Parameter("eager", Steps(1024, 65536, multiply=2), 4096),
            Parameter("mode", Choices(("x", "y"))),
        )
    )

    def seconds(one: Coordinates) -> float:
        return (5.3 if one[6] < 4 else 0.9 + 0.01 * one[6]) * (1.2 if one[7] else 1.0)

    counts = []
    for seed in range(3):
        search = make_search("gp", sharp, seed=seed)
        counts.append(len(drive(search, seconds, 200)))
        best = search.best()
        assert best is not None
        assert seconds(best) <= 1.02 * 0.94
    assert max(counts) < 80, counts


def test_the_default_search_is_a_row() -> None:
    assert DEFAULT in SEARCHES
    assert all(row.about for row in SEARCHES.values())
    assert not set(itertools.chain.from_iterable(drive(make_search("exhaustive", TINY), lambda _: 1.0))) - {0, 1}
    assert CONSTRAINED.size() < 5 * 7 * 3


def test_many_parameters_are_changed_one_by_one_first() -> None:
    """Changes: both ends of numeric parameters, two values of others, dependent parameters with their conditions."""
    governed = tuple(
        Parameter(f"algorithm{at}", Choices(("a", "b", "c", "d")), "a", when=Condition("rules", ("yes",)))
        for at in range(4)
    )
    numbers = tuple(Parameter(f"number{at}", Steps(1, 64, multiply=2), 8) for at in range(5))
    space = Space((*governed, Parameter("rules", Choices(("no", "yes")), "no"), *numbers))
    search = make_search("gp", space, seed=3)
    home = space.home()
    assert search.ask() == home
    search.tell(home, (1.0,))
    changes = []
    for _ in range(2 * 4 + 1 + 2 * 5):
        scenario = search.ask()
        assert scenario is not None
        search.tell(scenario, (1.0,))
        changes.append({at for at, value in enumerate(scenario) if value != home[at]})

    assert all(len(change - {4}) <= 1 for change in changes)
    assert all(4 in change for change in changes if change & {0, 1, 2, 3})
    assert sorted(at for change in changes for at in change - {4}) == [*(at for at in range(4) for _ in "ab")] + [
        at for at in range(5, 10) for _ in "ab"
    ]
