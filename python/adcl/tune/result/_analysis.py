"""Effects of a study's parameters, as records; other modules draw them."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.mpi_libraries import UNSET

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from adcl.tune.space import Coordinates, Space, Value
    from adcl.tune.study import StudyResult

__all__ = ["LEAST_RUN", "Convergence", "Effect", "Interaction", "analyze_parameters", "convergence", "settings_text"]

_BACKGROUND = 150
LEAST_RUN = 3
"""Minimum number of scenarios with other values than a parameter's most frequent one for a ranking."""

_LEAST_SCENARIOS = 4
_MOST_VALUES = 24


@dataclass(frozen=True)
class Convergence:
    """First objective of every run of the search, in order; None for a failed run."""

    trials: tuple[int, ...]
    values: tuple[float | None, ...]
    best: tuple[float | None, ...]
    """Smallest mean of a scenario so far, with the values that the search received."""

    configurations: tuple[str, ...]
    statuses: tuple[str, ...]
    defaults: tuple[tuple[float, float], ...]
    """Runs of the defaults: number of trials before each, and its value."""


@dataclass(frozen=True)
class Effect:
    """Effect of a parameter according to the model, averaged over the other parameters."""

    parameter: str
    values: tuple[Value, ...]
    ratios: tuple[float, ...]
    """Time with each value divided by the time with the best value; 1 is the best."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    runs: tuple[int, ...]
    """Number of scenarios run with each value."""

    @property
    def span(self) -> float:
        """Slowdown of the worst value relative to the best."""
        return max(self.ratios)

    @property
    def known(self) -> bool:
        """Whether enough runs have other values than the most frequent one for a comparison."""
        return sum(self.runs) - max(self.runs) >= LEAST_RUN


@dataclass(frozen=True)
class Interaction:
    """Difference between the joint effect of two parameters and the product of their separate effects."""

    first: str
    second: str
    strength: float
    """Root mean square over the pairs of values, as a share of the time."""

    first_values: tuple[Value, ...]
    second_values: tuple[Value, ...]
    ratios: tuple[tuple[float, ...], ...]
    """Time divided by the time of the best pair of values; a row for each value of `second`."""


def convergence(result: StudyResult) -> Convergence:
    """Return the progress of the search, run by run."""
    name = result.objectives[0]
    trials: list[int] = []
    values: list[float | None] = []
    best: list[float | None] = []
    configurations: list[str] = []
    statuses: list[str] = []
    defaults: list[tuple[float, float]] = []
    samples: dict[Coordinates, list[float]] = {}
    lowest: float | None = None
    for run in result.runs:
        value = run.sample.objectives.get(name) if run.sample.status == "ok" else None
        if run.order.kind == "default" and value is not None:
            defaults.append((float(len(trials)), value))
        if run.order.kind not in ("trial", "repetition") or run.order.scenario is None:
            continue
        if value is not None:
            samples.setdefault(run.order.scenario, []).append(value)
            lowest = min(math.exp(math.fsum(map(math.log, sample)) / len(sample)) for sample in samples.values())
        trials.append(len(trials) + 1)
        values.append(value)
        best.append(lowest)
        statuses.append(run.sample.status)
        configurations.append(settings_text(result.space, run.order.scenario))
    return Convergence(
        tuple(trials), tuple(values), tuple(best), tuple(configurations), tuple(statuses), tuple(defaults)
    )


def settings_text(space: Space, scenario: Coordinates) -> str:
    """Format the settings of a scenario that differ from the known defaults."""
    configuration = space.configuration(scenario)
    changed = {
        name: value for name, value in configuration.items() if value not in (space.parameter(name).default, UNSET)
    }
    return ", ".join(f"{name}={value}" for name, value in changed.items()) or "defaults"


class _Model:
    """A Gaussian process fitted to the scenarios that were run; averages over the other parameters."""

    def __init__(self, space: Space, known: Sequence[Coordinates], logs: Sequence[float]) -> None:
        import numpy as np

        from adcl.tune.search import GaussianProcess

        self._space = space
        self._process = GaussianProcess(space)
        self._process.fit(self._process.encode(known), np.array(logs))
        generator = random.Random(0)  # noqa: S311 - not used for cryptography
        self._background = list(known) if len(known) <= _BACKGROUND else generator.sample(list(known), _BACKGROUND)

    def average(self, changes: dict[int, int]) -> tuple[float, float] | None:
        """Return the mean logarithm with these positions fixed, and its deviation; None if they are never active."""
        moved = []
        for scenario in self._background:
            changed = list(scenario)
            for place, position in changes.items():
                changed[place] = position
            canonical = self._space.canonical(tuple(changed))
            mask = self._space.active_mask(canonical)
            if all(mask[place] for place in changes):
                moved.append(canonical)
        if not moved:
            return None
        mean, deviation = self._process.predict(self._process.encode(moved))
        return float(mean.mean()), float(deviation.mean())


def _values_of(space: Space, place: int) -> list[int]:
    count = space.shape[place]
    if count <= _MOST_VALUES:
        return list(range(count))
    return sorted({round(step * (count - 1) / (_MOST_VALUES - 1)) for step in range(_MOST_VALUES)})


def _effect(space: Space, place: int, model: _Model, known: Sequence[Coordinates]) -> Effect | None:
    positions = _values_of(space, place)
    found = [(position, average) for position in positions if (average := model.average({place: position}))]
    if len(found) < 2:  # noqa: PLR2004
        return None
    lowest = min(mean for _, (mean, _) in found)
    parameter = space.parameters[place]
    return Effect(
        parameter.name,
        tuple(parameter.values[position] for position, _ in found),
        tuple(math.exp(mean - lowest) for _, (mean, _) in found),
        tuple(math.exp(mean - lowest - deviation) for _, (mean, deviation) in found),
        tuple(math.exp(mean - lowest + deviation) for _, (mean, deviation) in found),
        tuple(
            sum(scenario[place] == position and space.active_mask(scenario)[place] for scenario in known)
            for position, _ in found
        ),
    )


def _interaction(space: Space, first: int, second: int, model: _Model) -> Interaction | None:
    import numpy as np

    columns, rows = _values_of(space, first), _values_of(space, second)
    table: NDArray[np.float64] = np.full((len(rows), len(columns)), np.nan)
    for (y, row), (x, column) in itertools.product(enumerate(rows), enumerate(columns)):
        average = model.average({first: column, second: row})
        if average is not None:
            table[y, x] = average[0]
    down = np.flatnonzero(~np.isnan(table).all(axis=1))
    across = np.flatnonzero(~np.isnan(table).all(axis=0))
    rows, columns = [rows[place] for place in down], [columns[place] for place in across]
    table = table[np.ix_(down, across)]
    if np.isnan(table).any() or min(table.shape) < 2:  # noqa: PLR2004
        return None
    apart = table - table.mean(axis=0, keepdims=True) - table.mean(axis=1, keepdims=True) + table.mean()
    parameters = space.parameters
    return Interaction(
        parameters[first].name,
        parameters[second].name,
        float(np.sqrt(np.mean(apart**2))),
        tuple(parameters[first].values[column] for column in columns),
        tuple(parameters[second].values[row] for row in rows),
        tuple(tuple(float(value) for value in row) for row in np.exp(table - table.min())),
    )


def analyze_parameters(result: StudyResult) -> tuple[list[Effect], list[Interaction]]:
    """Return effects and interactions, each in descending order; empty if there are too few scenarios."""
    space = result.space
    means = {
        scenario: arm.mean()[0] for scenario, arm in result.protocol.arms.items() if arm.samples and not arm.failures
    }
    if len(means) < _LEAST_SCENARIOS:
        return [], []
    known = list(means)
    model = _Model(space, known, [math.log(means[scenario]) for scenario in known])
    effects = [effect for place in range(len(space.parameters)) if (effect := _effect(space, place, model, known))]
    effects.sort(key=lambda effect: -effect.span)
    places = {parameter.name: place for place, parameter in enumerate(space.parameters)}
    strongest = [places[effect.parameter] for effect in effects if effect.known][:5]
    pairs = itertools.combinations(strongest, 2)
    interactions = [found for a, b in pairs if (found := _interaction(space, a, b, model))]
    return effects, sorted(interactions, key=lambda interaction: -interaction.strength)
