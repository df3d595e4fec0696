"""Generalized differential evolution for integers.

S. Kukkonen and J. Lampinen, GDE3: The third Evolution Step of Generalized Differential Evolution, CEC 2005: DE/rand/1/
bin; a trial vector replaces its parent if it weakly constraint-dominates it, both stay if neither dominates, and the
population is truncated by non-dominated sorting and crowding distance.

With an elite it is the GDE3 of A. Sikora et al., Autotuning of MPI Applications Using PTF, SEM4HPC 2016, section 4.1:
the best scenarios stay, and children of two members replace the others; some of their parameters mutate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from adcl.errors import UsageError
from adcl.tune.search._base import Objectives, Search, dominates
from adcl.tune.search._options import option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.tune.space import Coordinates

__all__ = ["Gde3", "Gde3Options", "crowding_distances", "fronts"]

_IDLE_GENERATIONS = 10


@dataclass(frozen=True)
class Gde3Options:
    """Options of `gde3`. Raises `UsageError`."""

    # A. Sikora et al., section 4.1, have ten scenarios in a generation, too.
    population: int = option(10, "number of scenarios in a generation, at least 4")
    difference: float = option(0.7, "*F* of differential evolution: factor for the difference of two scenarios")
    crossover: float = option(
        0.6,
        "*CR* of differential evolution: probability that a parameter comes from the new vector; with an elite, from "
        "the second parent",
    )
    elite: int = option(
        0,
        "number of best scenarios that survive a generation, while children of two survivors replace the others; 0: "
        "differential evolution",
    )
    mutation: float = option(0.1, "with an elite: probability that a child's parameter gets a random value")
    generations: int = option(0, "maximum number of generations; 0: until the budget ends")

    def __post_init__(self) -> None:
        """Reject values out of range."""
        if self.population < 4:  # noqa: PLR2004
            raise UsageError(f"differential evolution requires a population of at least 4, not {self.population}")
        if not 0 <= self.elite < self.population:
            raise UsageError(f"an elite of {self.elite} must be smaller than the population of {self.population}")
        if not 0 <= self.mutation <= 1:
            raise UsageError(f"the mutation probability must be between 0 and 1, not {self.mutation}")
        if self.generations < 0:
            raise UsageError(f"the number of generations must be at least 0, not {self.generations}")
        if not 0 < self.difference <= 2:  # noqa: PLR2004
            raise UsageError(f"the difference factor must be above 0 and at most 2, not {self.difference}")
        if not 0 <= self.crossover <= 1:
            raise UsageError(f"the crossover probability must be between 0 and 1, not {self.crossover}")


@dataclass(frozen=True)
class _Member:
    """A vector of the population. A vector that failed or violates constraints has a violation and no objectives."""

    coordinates: Coordinates
    objectives: Objectives | None
    violation: int = 0


def fronts(points: list[Objectives]) -> list[list[int]]:
    """Return indices by non-dominated sorting, the best front first."""
    left, found = list(range(len(points))), []
    while left:
        front = [point for point in left if not any(dominates(points[other], points[point]) for other in left)]
        found.append(front)
        left = [point for point in left if point not in front]
    return found


def crowding_distances(points: list[Objectives]) -> list[float]:
    """Return the distances between the neighbors of each point, summed over objectives; infinite at the ends."""
    distances = [0.0] * len(points)
    for axis in range(len(points[0]) if points else 0):
        order = sorted(range(len(points)), key=lambda point: points[point][axis])
        extent = points[order[-1]][axis] - points[order[0]][axis]
        distances[order[0]] = distances[order[-1]] = float("inf")
        for before, point, after in zip(order, order[1:], order[2:], strict=False):
            if extent > 0:
                distances[point] += (points[after][axis] - points[before][axis]) / extent
    return distances


def _weakly_better(one: _Member, other: _Member) -> bool:
    """Return whether one vector weakly constraint-dominates: smaller violation, or none and no worse objective."""
    if one.objectives is None or other.objectives is None:
        if one.objectives is None and other.objectives is None:
            return one.violation <= other.violation
        return one.objectives is not None
    return one.objectives == other.objectives or dominates(one.objectives, other.objectives)


class Gde3(Search):
    """Integer GDE3 for one or two objectives.

    A vector with a known result participates without a trial. If a generation contains no new vector, the next
    generation begins; after many generations without a new vector a random scenario is added.
    """

    most_objectives = 2
    options_kind: ClassVar[type[Gde3Options]] = Gde3Options
    options: Gde3Options
    of_the_paper: ClassVar[Mapping[str, int]] = {"population": 10, "elite": 5}
    """The first generation has ten random scenarios, of which the best five stay.

    A. Sikora et al. do not state the probabilities of crossover and mutation; the defaults are used. Their searches end
    after 14 and 41 generations without improvement (section 6.2).
    """

    def __init__(self, *arguments: object, **settings: object) -> None:
        super().__init__(*arguments, **settings)  # type: ignore[arg-type]
        self._population: list[_Member] = []
        self._targets: list[tuple[_Member | None, Coordinates]] = []
        self._queue: list[Coordinates] = []
        self._generation = 0

    def propose(self) -> Coordinates | None:
        """Return the next untried vector of this generation; close the generation if all are known."""
        for _ in range(_IDLE_GENERATIONS):
            while self._queue:
                proposal = self._queue.pop(0)
                if self.fresh(proposal):
                    return proposal
            if self.pending:
                return None
            self._close_generation()
            if self.options.generations and self._generation >= self.options.generations:
                self.converge()
                return None
            self._open_generation()
        immigrant = self.draw()
        if immigrant is not None:
            self._targets.append((None, immigrant))
        return immigrant

    def _open_generation(self) -> None:
        if not self._population:
            self._targets = [] if self.options.elite else [(None, self.space.home())]
            while len(self._targets) < self.options.population:
                vector = self.space.canonical(tuple(self._position(place) for place in self._places))
                self._targets.append((None, vector))
        elif self.options.elite:
            children = self.options.population - self.options.elite
            self._targets = [(None, self._child()) for _ in range(children)]
        else:
            self._targets = [(member, self._trial_vector(place)) for place, member in enumerate(self._population)]
        self._generation += 1
        self._queue = [vector for _, vector in self._targets]

    def _trial_vector(self, target: int) -> Coordinates:
        """Return a DE/rand/1/bin vector, rounded; values out of range become a position between base and bound."""
        others = [member.coordinates for place, member in enumerate(self._population) if place != target]
        base, plus, minus = self.generator.sample(others, 3)
        parent = self._population[target].coordinates
        kept = self.generator.randrange(len(parent))
        vector = []
        for place, (old, count) in enumerate(zip(parent, self.space.shape, strict=True)):
            if place != kept and self.generator.random() >= self.options.crossover:
                vector.append(old)
                continue
            moved = round(base[place] + self.options.difference * (plus[place] - minus[place]))
            if moved < 0:
                moved = self.generator.randint(0, base[place])
            elif moved >= count:
                moved = self.generator.randint(base[place], count - 1)
            vector.append(moved)
        return self.space.canonical(tuple(vector))

    def _child(self) -> Coordinates:
        """Take each parameter from one of two parents, or a random value."""
        one, other = (member.coordinates for member in self.generator.choices(self._population, k=2))
        vector = []
        for place, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            value = theirs if self.generator.random() < self.options.crossover else mine
            mutates = self.generator.random() < self.options.mutation
            vector.append(self._position(place) if mutates else value)
        return self.space.canonical(tuple(vector))

    def _member(self, coordinates: Coordinates) -> _Member:
        if coordinates in self.told:
            objectives = self.told[coordinates]
            return _Member(coordinates, objectives, 0 if objectives is not None else 1)
        configuration = self.space.configuration(coordinates)
        violated = sum(not constraint.holds(configuration) for constraint in self.space.constraints)
        return _Member(coordinates, None, 1 + violated)

    def _close_generation(self) -> None:
        population: list[_Member] = self._population[: self.options.elite] if self.options.elite else []
        for parent, vector in self._targets:
            trial = self._member(vector)
            old = None if parent is None else self._member(parent.coordinates)
            if old is None or _weakly_better(trial, old):
                population.append(trial)
            elif _weakly_better(old, trial):
                population.append(old)
            else:
                population += [old, trial]
        self._population = self._cut_back(population)
        self._targets = []

    def _cut_back(self, members: list[_Member]) -> list[_Member]:
        if self.options.elite:
            members = list({member.coordinates: member for member in members}.values())
        elif len(members) <= self.options.population:
            return members
        kept: list[_Member] = []
        feasible = [member for member in members if member.objectives is not None]
        points = [member.objectives for member in feasible if member.objectives is not None]
        for front in fronts(points):
            distances = crowding_distances([points[position] for position in front])
            order = sorted(range(len(front)), key=lambda position: -distances[position])
            kept += [feasible[front[position]] for position in order]
        kept += sorted((member for member in members if member.objectives is None), key=lambda member: member.violation)
        return kept[: self.options.population]
