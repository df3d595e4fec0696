"""Interface of searches: `ask` returns the next scenario, `tell` accepts its result."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from adcl.errors import UsageError
from adcl.tune.search._options import NoOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from adcl.tune.space import Coordinates, Space

__all__ = ["Objectives", "Search", "dominates"]

Objectives: TypeAlias = tuple[float, ...]
"""Positive values to minimize: seconds, or seconds and joules."""

_ATTEMPTS = 400
_WALKED = 1 << 17


def dominates(one: Objectives, other: Objectives) -> bool:
    """Return whether `one` Pareto-dominates `other`: it is nowhere worse and somewhere better."""
    return all(a <= b for a, b in zip(one, other, strict=True)) and one != other


class Search(ABC):
    """A search over the scenarios of a space. Pure: no clock, no input or output; deterministic for a given seed.

    `ask` may be called several times before `tell`, for concurrent trials. No scenario is returned twice. `tell` also
    accepts results for scenarios that were not asked for, such as the defaults, and updated results after repetitions.
    """

    most_objectives = 1
    runs_all = False
    """Whether the search runs every scenario, even without improvement."""

    options_kind: ClassVar[type[Any]] = NoOptions
    """Class of the search's options."""

    of_the_paper: ClassVar[Mapping[str, int]] = {}
    """Options that configure the search as in section 4.1 of A. Sikora et al."""

    @classmethod
    def most_parameters(cls, options: Any) -> int | None:  # noqa: ARG003, ANN401 - of its `options_kind`
        """Return the number of important parameters to search first; None: search all parameters."""
        return None

    def __init__(self, space: Space, seed: int = 0, objectives: int = 1, options: object = None) -> None:
        """`options`: an instance of `options_kind`; None selects the defaults."""
        if objectives > self.most_objectives:
            raise UsageError(f"this search supports {self.most_objectives} objective, not {objectives}")
        self.space = space
        self.options: Any = options or self.options_kind()
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
        """Whether the search is still determining which parameters matter."""
        return False

    @property
    def dimensions(self) -> int:
        """Number of parameters that the search varies."""
        return len(self.space.parameters)

    def narrow(self) -> None:  # noqa: B027
        """End the screening, if any, with the present results."""

    @property
    def finished(self) -> bool:
        """Whether `ask` will return nothing more: all scenarios are known, or further trials are not promising."""
        return self.converged and not self.pending

    def ask(self) -> Coordinates | None:
        """Return the next scenario; None if it depends on running trials, or if the search is finished."""
        if self._finished:
            return None
        if len(self.told) + len(self.pending) >= self.space.size() and self.space.size_is_exact():
            self._finished = True
            return None
        proposal = next((scenario for scenario in self._next_suggestion() if self.fresh(scenario)), None)
        if proposal is None:
            proposal = self.propose()
        if proposal is not None:
            self.pending.add(proposal)
        elif not self.pending:
            self._finished = True
        return proposal

    def suggest(self, scenarios: Sequence[Coordinates]) -> None:
        """Try these scenarios first, because they were fast in other studies."""
        self.suggested += scenarios
        self._not_asked += scenarios

    def _next_suggestion(self) -> Iterator[Coordinates]:
        while self._not_asked:
            yield self._not_asked.pop(0)

    def tell(self, coordinates: Coordinates, objectives: Objectives | None) -> None:
        """Store the objectives of a scenario; None if it crashed, hung, or was stopped as too slow."""
        if objectives is not None and len(objectives) != self.objectives:
            raise ValueError(f"expected {self.objectives} objectives, found {len(objectives)}")
        self.pending.discard(coordinates)
        self.told[coordinates] = objectives
        self.learn(coordinates, objectives)

    def correct(self, coordinates: Coordinates, objectives: Objectives) -> None:
        """Replace the objectives of a scenario after a correction for the machine's drift."""
        self.told[coordinates] = objectives

    def fresh(self, coordinates: Coordinates) -> bool:
        """Return whether the scenario at these canonical coordinates was never asked for."""
        return (
            coordinates not in self.told
            and coordinates not in self.pending
            and (not self.space.constraints or self.space.allows(self.space.configuration(coordinates)))
        )

    def best(self) -> Coordinates | None:
        """Return the scenario with the smallest first objective; None if none has succeeded."""
        known = [(values[0], place) for place, values in self.told.items() if values is not None]
        return min(known)[1] if known else None

    @property
    def converged(self) -> bool:
        """Whether `ask` will return nothing more; trials may still be running."""
        return self._finished

    def on_front(self, coordinates: Coordinates) -> bool:
        """Return whether a scenario has succeeded and no other scenario dominates it."""
        mine = self.told.get(coordinates)
        others = (values for place, values in self.told.items() if place != coordinates and values is not None)
        return mine is not None and not any(other == mine or dominates(other, mine) for other in others)

    def converge(self) -> None:
        """End the search: `ask` returns nothing more."""
        self._finished = True

    def reopen(self) -> None:
        """Continue a search that `converge` has ended."""
        self._finished = False

    def replace_pending(self, asked: Coordinates, instead: Coordinates) -> bool:
        """Note that `instead` runs instead of `asked`; return whether `instead` is a new scenario."""
        self.pending.discard(asked)
        if not self.fresh(instead):
            return False
        self.pending.add(instead)
        return True

    def draw(self) -> Coordinates | None:
        """Return a random scenario that was not asked for; None if none is found."""
        for _ in range(_ATTEMPTS):
            found = self.space.canonical(tuple(self._position(place) for place in self._places))
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

    def _position(self, place: int) -> int:
        return self.generator.randrange(self.space.shape[place])

    @abstractmethod
    def propose(self) -> Coordinates | None:
        """Return canonical coordinates that are `fresh`, or None."""

    def learn(self, coordinates: Coordinates, objectives: Objectives | None) -> None:  # noqa: B027
        """Process the result of a scenario."""
