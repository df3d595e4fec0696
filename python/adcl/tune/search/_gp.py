"""Model-based search: run the scenario with the greatest expected improvement of a Gaussian process."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from adcl.errors import UsageError
from adcl.tune.search._base import Objectives, Search
from adcl.tune.search._options import option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adcl.tune.space import Coordinates

__all__ = ["Gp", "GpOptions"]

_DESIGN = 6
_DESIGN_DRAWS = 30
_WALKED = 4096
_DRAWN = 300
_CENTERS = 4
_QUIET = 3
_FAILED_FACTOR = 2.0
_MOST_KNOWN = 400


@dataclass(frozen=True)
class GpOptions:
    """Options of `gp`. Raises `UsageError`."""

    tolerance: float = option(
        0.002,
        "minimum expected improvement of a scenario, as a share; the search ends below this value; 0: no limit",
    )
    screening: int = option(
        6,
        "maximum number of parameters to search at first: the most important ones; 0: always search all",
    )

    def __post_init__(self) -> None:
        """Reject values out of range."""
        if self.screening < 0:
            raise UsageError(f"the number of parameters that a screening keeps must be 0 or more, not {self.screening}")
        if self.tolerance < 0:
            raise UsageError(f"the tolerance must be 0 or more, not {self.tolerance}")


class Gp(Search):
    """Starts with the defaults and a few distant scenarios; then a model selects the scenarios.

    The model uses logarithms, so that noise and effects are relative. In spaces of up to 4096 scenarios it evaluates
    all; in larger spaces, it evaluates random scenarios and the neighborhoods of the best ones. With two objectives
    each trial uses different weights (J. Knowles, ParEGO, IEEE Trans. Evol. Comput. 10(1), 2006).
    """

    most_objectives = 2
    options_kind: ClassVar[type[GpOptions]] = GpOptions
    options: GpOptions

    @classmethod
    def most_parameters(cls, options: GpOptions) -> int | None:
        """Return how many parameters a screening keeps."""
        return options.screening or None

    def __init__(self, *arguments: object, **settings: object) -> None:
        super().__init__(*arguments, **settings)  # type: ignore[arg-type]
        from adcl.tune.search._gp_model import GaussianProcess

        self._model = GaussianProcess(self.space)
        self._everything: list[Coordinates] | None = None
        self._quiet = 0
        self._fitted = 0

    def propose(self) -> Coordinates | None:
        """Return the scenario with the greatest expected improvement."""
        home = self.space.home()
        if not self.told and not self.pending and self.fresh(home):
            return home
        succeeded = sum(values is not None for values in self.told.values())
        if succeeded < 2 or len(self.told) + len(self.pending) < _DESIGN:  # noqa: PLR2004
            return self._farthest()
        candidates = self._candidates()
        if not candidates:
            return self.draw()
        improvement = self._improvement(candidates)
        best = int(improvement.argmax())
        self._quiet = self._quiet + 1 if improvement[best] < self.options.tolerance else 0
        if self._quiet >= _QUIET and self.options.tolerance > 0:
            return self._untested_neighbor()
        return candidates[best]

    def _untested_neighbor(self) -> Coordinates | None:
        """Before the end, return an untried neighbor of the best scenario for each parameter without an effect."""
        center = self.best()
        if center is None:
            return None
        mask = self.space.active_mask(center)
        known = {*self.told, *self.pending}
        for place in self._places:
            moves = {
                self.space.canonical((*center[:place], value, *center[place + 1 :]))
                for value in range(self.space.shape[place])
                if mask[place] and value != center[place]
            }
            if moves and not moves & known:
                meant = sorted(move for move in moves if self.fresh(move))
                if meant:
                    return self.generator.choice(meant)
        self.converge()
        return None

    def _farthest(self) -> Coordinates | None:
        """Draw random scenarios; return the scenario that differs most from all scenarios returned so far."""
        taken = [*self.told, *self.pending]
        drawn = [scenario for scenario in (self.draw() for _ in range(_DESIGN_DRAWS)) if scenario is not None]

        def apart(one: Coordinates) -> float:
            return min((self._distance(one, other) for other in taken), default=0.0)

        return max(drawn, key=apart, default=None)

    def _distance(self, one: Coordinates, other: Coordinates) -> float:
        total = 0.0
        for place, parameter in enumerate(self.space.parameters):
            if one[place] != other[place]:
                steps = abs(one[place] - other[place]) / max(self.space.shape[place] - 1, 1)
                total += steps if parameter.ordered else 1.0
        return total

    def _candidates(self) -> list[Coordinates]:
        if self.space.size() <= _WALKED and self.space.size_is_exact():
            if self._everything is None:
                self._everything = list(self.space.scenarios())
            self._everything = [scenario for scenario in self._everything if scenario not in self.told]
            return [scenario for scenario in self._everything if scenario not in self.pending]
        found = {scenario for scenario in (self.draw() for _ in range(_DRAWN)) if scenario is not None}
        known = [(values[0], place) for place, values in self.told.items() if values is not None]
        for _, center in sorted(known)[:_CENTERS]:
            found.update(self._neighbors(center))
        return sorted(found)

    def _neighbors(self, center: Coordinates) -> set[Coordinates]:
        """Return all scenarios that differ from `center` in one active parameter, and some that differ in two."""
        mask = self.space.active_mask(center)
        moves = [(place, value) for place in self._places if mask[place] for value in range(self.space.shape[place])]
        pairs = [tuple(self.generator.choices(moves, k=2)) for _ in range(len(moves))]
        found = set()
        for changes in [*((move,) for move in moves), *pairs]:
            moved = list(center)
            for place, value in changes:
                moved[place] = value
            found.add(self.space.canonical(tuple(moved)))
        return {scenario for scenario in found if self.fresh(scenario)}

    def _improvement(self, candidates: list[Coordinates]) -> NDArray[np.float64]:
        import numpy as np

        from adcl.tune.search._gp_model import expected_improvement

        known, values = self._measurements()
        positions = self._model.encode(known)
        self._model.fit(positions, np.array(values), learn=len(known) != self._fitted)
        self._fitted = len(known)
        if self.pending:
            running = self._model.encode(sorted(self.pending))
            believed, _ = self._model.predict(running)
            positions, values = np.vstack([positions, running]), [*values, *believed]
            self._model.fit(positions, np.array(values), learn=False)
        best = float(self._model.predict(positions)[0].min())
        mean, deviation = self._model.predict(self._model.encode(candidates))
        return expected_improvement(mean, deviation, best)

    def _measurements(self) -> tuple[list[Coordinates], list[float]]:
        """Return the results as one logarithm each; failures count as twice the worst success."""
        succeeded = [values for values in self.told.values() if values is not None]
        share = self._weights()
        lowest = [min(values[axis] for values in succeeded) for axis in range(self.objectives)]

        def scalar(values: Objectives) -> float:
            parts = [weight * math.log(value / low) for weight, value, low in zip(share, values, lowest, strict=True)]
            return sum(parts) if len(parts) == 1 else max(parts) + 0.05 * sum(parts)

        worst = max(scalar(values) for values in succeeded) + math.log(_FAILED_FACTOR)
        pairs = [(place, worst if values is None else scalar(values)) for place, values in self.told.items()]
        if len(pairs) > _MOST_KNOWN:
            pairs = sorted(pairs, key=lambda pair: pair[1])[:_MOST_KNOWN]
        return [place for place, _ in pairs], [value for _, value in pairs]

    def _weights(self) -> tuple[float, ...]:
        if self.objectives == 1:
            return (1.0,)
        share = self.generator.random()
        return (share, 1.0 - share)
