"""One parameter after the other, with the best values of the earlier parameters (section 4.1 of A. Sikora et al.)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.tune.search._base import Search

if TYPE_CHECKING:
    from adcl.tune.space import Coordinates

__all__ = ["Individual"]


class Individual(Search):
    """Optimizes one parameter after the other, beginning with the defaults.

    The search tries all values of a parameter, keeps the best value, and continues with the next parameter. An inactive
    parameter is skipped; if a later choice activates it, it is tried then. Each parameter is tried once, so there are
    at most as many trials as values.
    """

    _started = False
    _queue: tuple[Coordinates, ...] = ()
    _explored: frozenset[int] = frozenset()

    def propose(self) -> Coordinates | None:
        """Return the next value of the current parameter, or the first value of the next parameter."""
        if not self._started:
            self._started = True
            self._queue = (self.space.home(),)
        while True:
            while self._queue:
                proposal, *rest = self._queue
                self._queue = tuple(rest)
                if self.fresh(proposal):
                    return proposal
            if self.pending or not self._next_parameter():
                return None

    def _next_parameter(self) -> bool:
        center = self.best() or self._first_active()
        if center is None:
            return False
        mask = self.space.active_mask(center)
        place = next((place for place in self._places if mask[place] and place not in self._explored), None)
        if place is None:
            return False
        self._explored |= {place}
        moves = ((*center[:place], value, *center[place + 1 :]) for value in range(self.space.shape[place]))
        self._queue = tuple(self.space.canonical(move) for move in moves)
        return True

    def _first_active(self) -> Coordinates | None:
        """Return a random start if the defaults violate a constraint or have failed."""
        home = self.space.home()
        if self.fresh(home) or home in self.told:
            return home
        return self.draw()
