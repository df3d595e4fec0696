"""Screening: determine which parameters matter before searching among them.

Few settings of an MPI library matter for a program, and the advice to change one sufficient setting is better than the
advice to change ten. Therefore each parameter is first changed alone, starting from the defaults. If there are many
parameters, groups of them are changed at once, and a group with an effect is halved, as in sequential bifurcation (B.
Bettonvil and J. P. C. Kleijnen, *Searching for important factors in simulation models with many factors: sequential
bifurcation*, European Journal of Operational Research 96, 1997). Unlike in that paper, the sign of an effect is
unknown: a group is halved whether it makes the program faster, slower or fail. In a group without an effect, two
changes may cancel each other; therefore the changes of these groups are tried again in other groups, none of which has
two changes of the same former group.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from adcl.tune.search._base import Objectives, Search
from adcl.tune.space import SpacePart

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Mapping

    from adcl.tune.space import Coordinates, Space

__all__ = ["Screened", "Screening", "screening_runs"]

_ALONE = 24
"""Number of groups. With at most as many parameters, the screening changes one parameter at a time."""

_FEWEST_CHOICES = 3
_PART_OF_CHOICES = 3
"""Share of the values to try for unordered values, such as algorithms, with a minimum of three: if a few of twenty are
better than the default, trying three would often miss them.
"""

_DEVIATIONS = 3.0
_MAD_TO_DEVIATION = 1.4826
_LEAST_DIFFERENCE = 0.02
_PATIENCE = 15
_WIDER = 2
"""After this number of scenarios without an improvement, this number of further parameters is added."""

_UNTRIED = 0.01
"""Gain assumed for a change that was not tried."""

_HARM = 0.5
"""Share of a slowdown that counts as interest: a parameter that slows a program down may have another value that speeds
it up.
"""

_Change: TypeAlias = tuple[int, int]
"""Place and position of a changed parameter."""


def _choices(others: int) -> int:
    """Return how many of the other values of an unordered parameter to try."""
    return min(others, max(_FEWEST_CHOICES, math.ceil(others / _PART_OF_CHOICES)))


def _variants(space: Space, generator: random.Random) -> list[list[_Change]]:
    """Return all changes of single parameters: the first change of each parameter, then the second, and so on."""
    rows: list[list[_Change]] = []
    for place, parameter in enumerate(space.parameters):
        others = [position for position in range(space.shape[place]) if position != parameter.home]
        if parameter.ordered:
            others = list(dict.fromkeys([*others[-1:], *others[:1]]))
        else:
            generator.shuffle(others)
            others = others[: _choices(len(others))]
        for number, position in enumerate(others):
            while len(rows) <= number:
                rows.append([])
            rows[number].append((place, position))
    return rows


def _group_size(parameters: int) -> int:
    return math.ceil(parameters / _ALONE)


def screening_runs(space: Space) -> int:
    """Return the number of runs of a screening; halving groups adds runs.

    Each group adds two halves, or its changes form the same number of other groups.
    """
    counts: dict[int, int] = {}
    for parameter in space.parameters:
        others = len(parameter.values) - 1
        for number in range(min(others, 2) if parameter.ordered else _choices(others)):
            counts[number] = counts.get(number, 0) + 1
    size = _group_size(len(space.parameters))
    return sum(math.ceil(count / size) for count in counts.values()) * (1 if size == 1 else 2)


@dataclass
class _Effect:
    """Effect of changing one parameter alone, as logarithms of ratios to the defaults: above 0 is faster."""

    gain: float = -math.inf
    harm: float = 0.0

    @property
    def interest(self) -> float:
        return max(self.gain, _HARM * self.harm)


@dataclass
class Screening:
    """Selects the changes to run; `learn` accepts the results. Pure."""

    space: Space
    generator: random.Random
    _queue: list[list[_Change]] = field(default_factory=list, init=False)
    _asked: dict[Coordinates, list[_Change]] = field(default_factory=dict, init=False)
    _found: dict[Coordinates, tuple[list[_Change], float | None]] = field(default_factory=dict, init=False)
    _halved: int = field(default=0, init=False)
    _idle: list[list[_Change]] | None = field(default_factory=list, init=False)
    """Groups without an effect; None after their changes were regrouped."""

    def __post_init__(self) -> None:
        """Form the first groups."""
        for row in _variants(self.space, self.generator):
            self.generator.shuffle(row)
            self._queue += self._grouped(row)

    def _grouped(self, changes: list[_Change], before: Mapping[_Change, int] | None = None) -> list[list[_Change]]:
        """Divide changes into groups without conflicting conditions.

        `before` gives the previous group of each change; the new groups do not repeat a pair.
        """
        size = _group_size(len(self.space.parameters))
        met = before or {change: number for number, change in enumerate(changes)}
        groups: list[list[_Change]] = []
        for change in changes:
            for group in groups:
                strangers = all(met[change] != met[other] for other in group)
                if len(group) < size and strangers and self._coordinates([*group, change]) is not None:
                    group.append(change)
                    break
            else:
                groups.append([change])
        return groups

    def _coordinates(self, changes: list[_Change]) -> Coordinates | None:
        """Return the scenario with these changes and their prerequisites; None if they conflict."""
        names = [parameter.name for parameter in self.space.parameters]
        wanted: dict[int, int] = {}
        for place, position in changes:
            if wanted.setdefault(place, position) != position:
                return None
        for place, _ in changes:
            condition = self.space.parameters[place].when
            while condition is not None:
                governor = names.index(condition.parameter)
                parameter = self.space.parameters[governor]
                fitting = [parameter.positions[value] for value in condition.values if value in parameter.positions]
                if not fitting:
                    return None
                here = wanted.get(governor, parameter.home)
                wanted.setdefault(governor, here if here in fitting else fitting[0])
                if wanted[governor] not in fitting:
                    return None
                condition = parameter.when
        found = list(self.space.home())
        for place, position in wanted.items():
            found[place] = position
        return self.space.canonical(tuple(found))

    def next(self, fresh: Callable[[Coordinates], bool]) -> Coordinates | None:
        """Return the next scenario; None if it depends on running trials, or if the screening is over."""
        while True:
            while self._queue:
                group = self._queue.pop(0)
                scenario = self._coordinates(group)
                if scenario is not None and fresh(scenario):
                    self._asked[scenario] = group
                    return scenario
                if len(group) > 1:
                    self._queue += self._halves(group)
            if self._asked or not (self._halve_effective_groups() or self._regroup()):
                return None

    def learn(self, scenario: Coordinates, slower: float | None) -> None:
        """Store the slowdown of a scenario relative to the defaults, as a logarithm; None if it failed."""
        group = self._asked.pop(scenario, None)
        if group is not None:
            self._found[scenario] = (group, slower)

    def correct(self, scenario: Coordinates, slower: float) -> None:
        """Replace the result of a scenario."""
        if scenario in self._found:
            self._found[scenario] = (self._found[scenario][0], slower)

    @staticmethod
    def _halves(group: list[_Change]) -> list[list[_Change]]:
        middle = (len(group) + 1) // 2
        return [group[:middle], group[middle:]]

    def _halve_effective_groups(self) -> bool:
        values = [value for _, value in self._found.values() if value is not None]
        center = statistics.median(values) if values else 0.0
        scatter = _MAD_TO_DEVIATION * statistics.median(abs(value - center) for value in values) if values else 0.0
        limit = max(_DEVIATIONS * scatter, _LEAST_DIFFERENCE)
        for group, value in list(self._found.values())[self._halved :]:
            if len(group) > 1 and (value is None or abs(value - center) > limit):
                self._queue += self._halves(group)
            elif len(group) > 1 and self._idle is not None:
                self._idle.append(group)
        self._halved = len(self._found)
        return bool(self._queue)

    def _regroup(self) -> bool:
        """Divide the changes of groups without an effect into other groups; done once."""
        if self._idle is None:
            return False
        before = {change: number for number, group in enumerate(self._idle) for change in group}
        changes = [*before]
        self.generator.shuffle(changes)
        self._queue = self._grouped(changes, before)
        self._idle = None
        return bool(self._queue)

    def most_interesting(self, most: int, *, relative: bool) -> list[int]:
        """Return the places of the parameters that matter most.

        `relative`: results are relative to the defaults; otherwise the median serves as reference.
        """
        values = [value for _, value in self._found.values() if value is not None]
        reference = statistics.median(values) if values and not relative else 0.0
        effects: dict[int, _Effect] = {}
        for group, value in self._found.values():
            if value is None:
                continue
            for place, _ in group:
                effect = effects.setdefault(place, _Effect())
                if len(group) == 1:
                    effect.gain = max(effect.gain, reference - value)
                    effect.harm = max(effect.harm, value - reference)

        def interest(place: int) -> float:
            return effects[place].interest if place in effects else _UNTRIED

        return sorted(range(len(self.space.parameters)), key=lambda place: (-interest(place), place))[:most]


class Screened(Search):
    """Another search, restricted to the parameters that matter most according to a screening.

    If that search finds no improvement for long, the next parameters are added.
    """

    def __init__(self, space: Space, make: Callable[[Space], Search], *, most: int, seed: int, objectives: int) -> None:
        """`make` creates the search of a subspace; `most` is the maximum number of varied parameters."""
        self.most_objectives = objectives
        super().__init__(space, seed, objectives)
        self._make = make
        self._most = most
        self._screening: Screening | None = Screening(space, self.generator)
        self._part = SpacePart.of(space, range(len(space.parameters)))
        self._inner: Search | None = None
        self._ranked: list[int] = []
        self._leader: Coordinates | None = None
        self._in_vain = 0

    @property
    def screening(self) -> bool:
        """Whether the screening has not yet selected the parameters."""
        return self._screening is not None

    @property
    def dimensions(self) -> int:
        """Maximum number of varied parameters. Parameters that only enable other parameters do not count."""
        return self._most if self._screening is not None else len(self._part.places)

    def propose(self) -> Coordinates | None:
        """Return the next change of the screening, or the inner search's proposal."""
        home = self.space.home()
        if not self.told and not self.pending and self.fresh(home):
            return home
        if self._screening is not None:
            scenario = self._screening.next(self.fresh)
            if scenario is not None or self.pending:
                return scenario
            self.narrow()
        if self._inner is None:
            return None
        if self._in_vain >= _PATIENCE and not self._inner.converged:
            self._widen()
        while (found := self._inner.ask()) is not None:
            scenario = self._part.lift(found)
            if self.fresh(scenario):
                return scenario
            if scenario in self.told:
                self._inner.tell(found, self.told[scenario])
        if not self.pending and len(self._inner.told) >= self._part.space.size() and self._widen():
            return self.propose()
        return None

    def narrow(self) -> None:
        """End the screening with the present results."""
        if self._screening is None:
            return
        relative = self.told.get(self.space.home()) is not None
        self._ranked = self._screening.most_interesting(len(self.space.parameters), relative=relative)
        chosen = self._ranked[: self._most]
        best = self.best()
        if best in self.suggested:
            # A suggested scenario may be better because of several settings together.
            chosen += self.space.changed(best)
        self._screening = None
        self._search_among(chosen)

    def _search_among(self, places: Iterable[int]) -> None:
        self._part = SpacePart.of(self.space, places)
        self._inner = self._make(self._part.space)
        for scenario, values in self.told.items():
            self._pass_on(scenario, values)

    def _widen(self) -> bool:
        """Add the most important of the remaining parameters, if any, according to the screening."""
        self._in_vain = 0
        rest = [place for place in self._ranked if place not in self._part.places]
        if rest:
            self._search_among([*self._part.places, *rest[:_WIDER]])
        return bool(rest)

    def learn(self, coordinates: Coordinates, objectives: Objectives | None) -> None:
        """Pass the result to the screening and the inner search."""
        if self._screening is not None:
            self._screening.learn(coordinates, None if objectives is None else self._slower(objectives))
        else:
            self._pass_on(coordinates, objectives)
            best = self.best()
            self._in_vain = self._in_vain + 1 if best == self._leader else 0
            self._leader = best

    def correct(self, coordinates: Coordinates, objectives: Objectives) -> None:
        """Pass a corrected result to the screening and the inner search."""
        super().correct(coordinates, objectives)
        if self._screening is not None:
            self._screening.correct(coordinates, self._slower(objectives))
        elif self._inner is not None:
            found = self._part.project(coordinates)
            if found is not None:
                self._inner.correct(found, objectives)

    def _slower(self, objectives: Objectives) -> float:
        """Return the slowdown relative to the defaults, as a logarithm, in the objective that differs most."""
        home = self.told.get(self.space.home()) or tuple(1.0 for _ in objectives)
        logs = [math.log(value / default) for value, default in zip(objectives, home, strict=True)]
        return max(logs, key=abs)

    def _pass_on(self, scenario: Coordinates, objectives: Objectives | None) -> None:
        found = self._part.project(scenario)
        if found is not None and self._inner is not None:
            self._inner.tell(found, objectives)

    def converge(self) -> None:
        """End the search: `ask` returns nothing more."""
        super().converge()
        if self._inner is not None:
            self._inner.converge()

    def reopen(self) -> None:
        """Continue a search that `converge` has ended."""
        super().reopen()
        if self._inner is not None:
            self._inner.reopen()

    def replace_pending(self, asked: Coordinates, instead: Coordinates) -> bool:
        """Note that `instead` runs instead of `asked`; return whether `instead` is a new scenario."""
        if self._inner is not None:
            known, other = self._part.project(asked), self._part.project(instead)
            if known is not None and other is not None:
                self._inner.replace_pending(known, other)
        return super().replace_pending(asked, instead)
