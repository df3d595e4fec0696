"""The problems of the bench tune_search: recorded tables and synthetic spaces, with their good scenarios."""

from __future__ import annotations

import functools
import itertools
import json
import math
import random
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adcl.tune.space._space import Choices, Condition, Configuration, Coordinates, Parameter, Space, Steps, Value

__all__ = ["Problem", "made_up", "recorded"]

_TABLES = Path(__file__).resolve().parents[2] / "data" / "recorded" / "tune"
_WITHIN = 1.02
_SEEDS_OF_SPACES = "made up"


@dataclass(frozen=True)
class Problem:
    """A space, the results of its scenarios' runs, and the scenarios that are within 2 % of the optimum."""

    name: str
    space: Space
    scenarios: tuple[Coordinates, ...]
    draws: tuple[tuple[float | None, ...], ...]
    """For each scenario, the times from which a run draws one at random; None: the scenario fails."""

    noise: float
    """Standard deviation of the logarithm of additional noise."""

    good: frozenset[int]
    optimum: tuple[float, float]
    """Interval of the optimal time; both ends are equal if the optimum is known exactly."""

    default: float | None
    """Time with the defaults; None if the defaults are not a scenario of the space."""

    @functools.cached_property
    def home(self) -> int | None:
        """Index of the defaults, which are measured before a search begins."""
        return None if self.default is None else self.index[self.space.home()]

    @functools.cached_property
    def index(self) -> dict[Coordinates, int]:
        """Index of each scenario."""
        return {one: place for place, one in enumerate(self.scenarios)}

    def document(self, most: int) -> dict[str, Any]:
        """Return the problem as JSON, for the peers."""
        space = self.space
        places = {one.name: place for place, one in enumerate(space.parameters)}
        masters = [
            None
            if one.when is None
            else [
                places[one.when.parameter],
                [space.parameters[places[one.when.parameter]].positions[value] for value in one.when.values],
            ]
            for one in space.parameters
        ]
        return {
            "name": self.name,
            "shape": space.shape,
            "ordered": [one.ordered for one in space.parameters],
            "home": [one.home for one in space.parameters],
            "defaults_known": self.home is not None,
            "order": space.order,
            "masters": masters,
            "index": {",".join(map(str, one)): place for place, one in enumerate(self.scenarios)},
            "draws": self.draws,
            "noise": self.noise,
            "good": sorted(self.good),
            "most": most,
        }


def _parameter(document: dict[str, Any]) -> Parameter:
    when = document["when"]
    condition = None if when is None else Condition(when["parameter"], tuple(when["values"]))
    return Parameter(document["name"], Choices(tuple(document["values"])), document["default"], condition)


def _spread(rounds: list[list[float]]) -> float:
    """Return a robust standard deviation of the logarithm of one run, pooled over the scenarios."""
    apart = [abs(math.log(one / statistics.median(times))) for times in rounds for one in times if len(times) > 1]
    return 1.4826 * statistics.median(one for one in apart if one > 0)


def recorded() -> list[Problem]:
    """Read the tables that `_record.py` has made.

    A scenario's time is the median over the rounds. The optimum's interval is the 95 % interval of the smallest median.
    A scenario is good if its time is within 2 % of the interval's upper end, because too few runs may not distinguish
    it from the optimum.
    """
    problems = []
    for path in sorted(_TABLES.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        complete = [
            times for times, taken in zip(document["seconds"], document["taken"], strict=True) if taken == len(times)
        ]
        space = Space(tuple(_parameter(one) for one in document["parameters"]))
        draws = tuple(zip(*complete, strict=True))
        succeeded = [[one for one in times if one is not None] for times in draws]
        medians = [statistics.median(times) if len(times) == len(complete) else math.inf for times in succeeded]
        lowest = min(medians)
        error = (
            _spread([times for times in succeeded if times]) / math.sqrt(len(complete)) if len(complete) > 1 else 0.0
        )
        high = lowest * math.exp(1.96 * error)
        good = frozenset(place for place, median in enumerate(medians) if median <= _WITHIN * high)
        scenarios = tuple(space.scenarios())
        home = medians[scenarios.index(space.home())]
        interval = (lowest * math.exp(-1.96 * error), high)
        problems.append(Problem(document["pair"], space, scenarios, draws, 0.0, good, interval, home))
    return problems


@dataclass(frozen=True)
class _AtLeast:
    """A constraint: one parameter is at least a factor times another parameter."""

    larger: str
    smaller: str
    factor: int

    @property
    def text(self) -> str:
        return f"{self.larger} >= {self.factor} * {self.smaller}"

    def holds(self, configuration: Configuration) -> bool:
        large, small = configuration.get(self.larger), configuration.get(self.smaller)
        return large is None or small is None or int(large) >= self.factor * int(small)


def _ten_parameters() -> Space:
    yes_no: tuple[Value, ...] = ("no", "yes")
    return Space(
        (
            Parameter("eager_limit", Steps(1024, 65536, multiply=2), 4096),
            Parameter("buffer", Steps(65536, 1048576, multiply=2), 1048576),
            Parameter("bulk", Choices(yes_no), "no"),
            Parameter("bulk_size", Steps(4096, 65536, multiply=4), 65536, Condition("bulk", ("yes",))),
            Parameter("affinity", Choices(("core", "socket", "none")), "none"),
            Parameter("scratch", Choices(yes_no), "yes"),
            Parameter("wait", Choices(("poll", "nopoll")), "poll"),
            Parameter("interval", Steps(1, 64, multiply=8), 1, Condition("wait", ("nopoll",))),
        ),
        (_AtLeast("buffer", "eager_limit", 8),),
    )


def _algorithms() -> Space:
    return Space(
        (
            Parameter("rules", Choices(("fixed", "dynamic")), "fixed"),
            Parameter("algorithm", Steps(0, 6, add=1), 0, Condition("rules", ("dynamic",))),
            Parameter("segment", Steps(1024, 65536, multiply=2), 1024, Condition("algorithm", (2, 3, 4))),
            Parameter("radix", Steps(2, 16, multiply=2), 2, Condition("algorithm", (5, 6))),
            Parameter("eager_limit", Steps(1024, 131072, multiply=2), 4096),
            Parameter("boxes", Steps(4, 64, multiply=2), 32),
        )
    )


def _smooth() -> Space:
    return Space(tuple(Parameter(f"size{place}", Steps(256, 65536, multiply=2), 4096) for place in range(4)))


def _effects(space: Space, generator: random.Random) -> Any:
    """Return relative times: few parameters matter, by thresholds or valleys; some pairs interact."""
    weights = sorted((generator.uniform(0.0, 1.0) ** 3 for _ in space.parameters), reverse=True)
    generator.shuffle(weights)
    best = [generator.randrange(count) for count in space.shape]
    threshold = [generator.random() < 0.5 for _ in space.shape]
    category = [[generator.random() for _ in range(count)] for count in space.shape]
    pairs = {
        pair: generator.uniform(0.1, 0.6)
        for pair in itertools.combinations(range(len(best)), 2)
        if generator.random() < 0.25
    }

    def off(place: int, position: int) -> float:
        if not space.parameters[place].ordered:
            return category[place][position] - min(category[place])
        apart = (position - best[place]) / max(space.shape[place] - 1, 1)
        return (1.0 if apart < 0 else 0.15 * apart) if threshold[place] else abs(apart)

    def logarithm(scenario: Coordinates) -> float:
        mask = space.active_mask(scenario)
        parts = [
            off(place, one) if active else 0.4 for place, (one, active) in enumerate(zip(scenario, mask, strict=True))
        ]
        total = sum(weight * part for weight, part in zip(weights, parts, strict=True))
        return total + sum(share * parts[a] * parts[b] for (a, b), share in pairs.items())

    return logarithm


def made_up() -> list[Problem]:
    """Make spaces with conditions and constraints whose optimum is known; 3 % noise."""
    problems = []
    for name, space in (
        ("made_up_ten", _ten_parameters()),
        ("made_up_rules", _algorithms()),
        ("made_up_smooth", _smooth()),
    ):
        logarithm = _effects(space, random.Random(f"{_SEEDS_OF_SPACES} {name}"))  # noqa: S311
        scenarios = tuple(space.scenarios())
        times = [math.exp(logarithm(one)) for one in scenarios]
        best = min(times)
        good = frozenset(place for place, one in enumerate(times) if one <= _WITHIN * best)
        home = space.home()
        default = times[scenarios.index(home)] if home in scenarios else None
        draws = tuple((one,) for one in times)
        problems.append(Problem(name, space, scenarios, draws, 0.03, good, (best, best), default))
    return problems
