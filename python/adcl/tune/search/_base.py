"""What every search is: asked for the scenario to run next, told what came of it."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adcl.tune.space import Coordinates, Space

__all__ = ["DISTRIBUTIONS", "Distribution", "Objectives", "Search", "SearchOptions", "dominates"]

Objectives: TypeAlias = tuple[float, ...]
"""What is to be small, positive numbers: seconds, or seconds and joules."""

Distribution: TypeAlias = Literal["uniform", "near_default", "ends"]

DISTRIBUTIONS: dict[Distribution, str] = {
    "uniform": "every value of a parameter is as likely",
    "near_default": "values are the likelier the nearer they are to the default",
    "ends": "the smallest and the largest values are likelier than those between",
}

_ATTEMPTS = 400
_WALKED = 1 << 17


@dataclass(frozen=True)
class SearchOptions:
    """What the user may choose about searches; each uses what it knows. Raises `UsageError`."""

    distribution: Distribution = "uniform"
    """Of `random`."""

    samples: int = 0
    """Of `random`: it ends after so many scenarios; 0: with the budget only."""

    spread: float = 0.25
    """Of `near_default`: the standard deviation, as a share of a parameter's values."""

    shape: float = 0.5
    """Of `ends`: both parameters of the beta distribution; below 1 the ends are likelier, above 1 the middle is."""

    population: int = 10
    """Of `gde3`, as in the paper (section 4.1)."""

    difference: float = 0.7
    """Of `gde3`: by what the difference of two scenarios is multiplied."""

    crossover: float = 0.6
    """Of `gde3`: how likely a parameter is taken from the new vector; with an elite, from the second parent."""

    elite: int = 0
    """Of `gde3`: so many of the best stay as they are, and the others are children of two of the population, as the
    paper describes its search (section 4.1: 5 of 10). 0: differential evolution."""

    mutation: float = 0.1
    """Of `gde3` with an elite: how likely a child's parameter gets a random value."""

    generations: int = 0
    """Of `gde3`: it ends after so many; 0: with the budget only."""

    tolerance: float = 0.002
    """Of `gp`: it has converged when it expects to gain less than this share from every further trial. 0: never."""

    screening: int = 6
    """Of `gp`: with more parameters than this each is changed alone first, and so many that matter most are searched.
    0: never."""

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        if self.distribution not in DISTRIBUTIONS:
            raise UsageError(f"there is no distribution {self.distribution}; there are {', '.join(DISTRIBUTIONS)}")
        if self.samples < 0 or self.spread <= 0 or self.shape <= 0:
            raise UsageError("random takes 0 samples or more, and a spread and a shape above 0")
        if self.population < 4:  # noqa: PLR2004
            raise UsageError(f"differential evolution needs a population of at least 4, not {self.population}")
        if not 0 <= self.elite < self.population:
            raise UsageError(f"an elite of {self.elite} must be smaller than the population of {self.population}")
        if not 0 <= self.mutation <= 1 or self.generations < 0:
            raise UsageError("the mutation probability lies between 0 and 1, and there are 0 generations or more")
        if not 0 < self.difference <= 2 or not 0 <= self.crossover <= 1:  # noqa: PLR2004
            raise UsageError("the difference factor lies between 0 and 2, the crossover probability between 0 and 1")
        if self.screening < 0:
            raise UsageError(
                f"the number of parameters that a screening leaves must be 0 or more, not {self.screening}"
            )
        if self.tolerance < 0:
            raise UsageError(f"the tolerance must be 0 or more, not {self.tolerance}")


def dominates(one: Objectives, other: Objectives) -> bool:
    """Whether `one` is nowhere worse and somewhere better."""
    return all(a <= b for a, b in zip(one, other, strict=True)) and one != other


class Search(ABC):
    """A search over the scenarios of a space. Pure: no clock, no input or output; the same seed gives the same search.

    `ask` may be called several times before `tell`, for trials that run at once. No scenario is returned twice. What
    is known from elsewhere (the defaults' time) may be told without having been asked for, and a scenario may be told
    again when repetitions have made its numbers better.
    """

    most_objectives = 1
    runs_all = False
    """Whether it is there to run every scenario, however long nothing has improved."""

    after_screening = False
    """Whether it is a search among the parameters that matter, where they are many."""

    def __init__(self, space: Space, seed: int = 0, objectives: int = 1, options: SearchOptions | None = None) -> None:
        if objectives > self.most_objectives:
            raise UsageError(f"this search is for {self.most_objectives} objective, not for {objectives}")
        self.space = space
        self.options = options or SearchOptions()
        self.objectives = objectives
        self.generator = random.Random(seed)  # noqa: S311
        self.told: dict[Coordinates, Objectives | None] = {}
        self.pending: set[Coordinates] = set()
        self.suggested: list[Coordinates] = []
        self._not_asked: list[Coordinates] = []
        self._remaining: list[Coordinates] | None = None
        self._finished = False

    @property
    def screening(self) -> bool:
        """Whether it is still finding out which parameters matter."""
        return False

    @property
    def dimensions(self) -> int:
        """How many parameters it varies."""
        return len(self.space.parameters)

    def narrow(self) -> None:  # noqa: B027
        """End the screening, if there is one, with what is known by now."""

    @property
    def finished(self) -> bool:
        """Whether nothing will be asked for any more: all is known, or further trials promise nothing."""
        return self.converged and not self.pending

    def ask(self) -> Coordinates | None:
        """Return what to run next; None when that depends on trials that are still running, or when finished."""
        if self._finished:
            return None
        if len(self.told) + len(self.pending) >= self.space.size() and self.space.size_is_exact():
            self._finished = True
            return None
        proposal = next((scenario for scenario in self._taken_suggestions() if self.fresh(scenario)), None)
        if proposal is None:
            proposal = self.propose()
        if proposal is not None:
            self.pending.add(proposal)
        elif not self.pending:
            self._finished = True
        return proposal

    def suggest(self, scenarios: Sequence[Coordinates]) -> None:
        """Ask for these scenarios, which were good elsewhere, before anything else."""
        self.suggested += scenarios
        self._not_asked += scenarios

    def _taken_suggestions(self) -> Iterator[Coordinates]:
        while self._not_asked:
            yield self._not_asked.pop(0)

    def tell(self, coordinates: Coordinates, objectives: Objectives | None) -> None:
        """Say what a scenario needs; None where it crashed, hung, or was stopped because it was too slow."""
        if objectives is not None and len(objectives) != self.objectives:
            raise ValueError(f"{len(objectives)} numbers were told, the search has {self.objectives} objectives")
        self.pending.discard(coordinates)
        self.told[coordinates] = objectives
        self.learn(coordinates, objectives)

    def correct(self, coordinates: Coordinates, objectives: Objectives) -> None:
        """Say that what was told of a scenario was something else: the machine had changed."""
        self.told[coordinates] = objectives

    def fresh(self, coordinates: Coordinates) -> bool:
        """Whether canonical coordinates are a scenario that nobody has asked for."""
        return (
            coordinates not in self.told
            and coordinates not in self.pending
            and (not self.space.constraints or self.space.allows(self.space.configuration(coordinates)))
        )

    def best(self) -> Coordinates | None:
        """Return the scenario with the smallest first objective; None when nothing has succeeded."""
        known = [(values[0], place) for place, values in self.told.items() if values is not None]
        return min(known)[1] if known else None

    @property
    def converged(self) -> bool:
        """Whether nothing will be asked for any more; trials may still be running."""
        return self._finished

    def on_front(self, coordinates: Coordinates) -> bool:
        """Whether a scenario has succeeded, and no other one is as good in every objective."""
        mine = self.told.get(coordinates)
        others = (values for place, values in self.told.items() if place != coordinates and values is not None)
        return mine is not None and not any(other == mine or dominates(other, mine) for other in others)

    def converge(self) -> None:
        """End the search: nothing more is asked for."""
        self._finished = True

    def reopen(self) -> None:
        """Go on with a search that `converge` has ended from outside."""
        self._finished = False

    def replace_pending(self, asked: Coordinates, instead: Coordinates) -> bool:
        """Take it that not `asked` but `instead` is being run; returns whether that is a scenario nobody has run."""
        self.pending.discard(asked)
        if not self.fresh(instead):
            return False
        self.pending.add(instead)
        return True

    def draw(self, distribution: Distribution = "uniform") -> Coordinates | None:
        """Return a random scenario that nobody has asked for; None when there is none left that can be found."""
        for _ in range(_ATTEMPTS):
            found = self.space.canonical(tuple(self._position(place, distribution) for place in self._places))
            if self.fresh(found):
                return found
        if self._remaining is None:
            if self.space.size() > _WALKED:
                return None
            self._remaining = list(self.space.scenarios())
            self.generator.shuffle(self._remaining)
        while self._remaining:
            found = self._remaining.pop()
            if self.fresh(found):
                return found
        return None

    @property
    def _places(self) -> range:
        return range(len(self.space.parameters))

    def _position(self, place: int, distribution: Distribution) -> int:
        count = self.space.shape[place]
        parameter = self.space.parameters[place]
        if distribution == "uniform" or not parameter.ordered:
            return self.generator.randrange(count)
        if distribution == "ends":
            shape = self.options.shape
            return min(count - 1, int(self.generator.betavariate(shape, shape) * count))
        spread = max(1.0, count * self.options.spread)
        return min(count - 1, max(0, round(self.generator.gauss(parameter.home, spread))))

    @abstractmethod
    def propose(self) -> Coordinates | None:
        """Return canonical coordinates that are `fresh`, or None."""

    def learn(self, coordinates: Coordinates, objectives: Objectives | None) -> None:  # noqa: B027
        """Take notice of what was told."""
