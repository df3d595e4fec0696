"""Every scenario, in random order, so that drift of the machine is not mistaken for an effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.tune.search._base import Search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adcl.tune.space import Coordinates

__all__ = ["Exhaustive"]

_SHUFFLED = 1 << 20


class Exhaustive(Search):
    """Runs every scenario once, in random order; in spaces of more than 2^20 scenarios, in the order of the space."""

    most_objectives = 2
    runs_all = True
    _left: Iterator[Coordinates] | None = None

    def propose(self) -> Coordinates | None:
        """Return the next scenario."""
        if self._left is None:
            self._left = self._order()
        return next((scenario for scenario in self._left if self.fresh(scenario)), None)

    def _order(self) -> Iterator[Coordinates]:
        if self.space.size() > _SHUFFLED:
            return self.space.scenarios()
        scenarios = list(self.space.scenarios())
        self.generator.shuffle(scenarios)
        return iter(scenarios)
