"""Which of the best scenario's settings are needed: pure, no clock.

A search changes settings that do nothing as readily as those that matter, and advice with settings that do nothing is
advice that nobody dares to follow. So groups of the winner's settings are put back to the library's defaults, those
first that mattered least in the search, and the result is compared with the winner and with the defaults in paired
rounds. A group whose loss costs too much is halved (delta debugging: Zeller and Hildebrandt, *Simplifying and Isolating
Failure-Inducing Input*, IEEE TSE 28(2), 2002).
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.tune.space import Coordinates, Space

__all__ = ["Simplification", "bearable_loss", "effects"]

_HALF = 0.5
_EARLY = 2
_SHARE = 0.05
"""A setting is needed when without it more than this share of the gain is lost."""


def effects(values: Mapping[Coordinates, float], winner: Coordinates, home: Coordinates) -> list[float]:
    """Return for each parameter how many times slower scenarios with the default's value were, as a logarithm.

    Slower than those with the winner's value, among what the search happened to measure, other parameters averaged
    out; where it has not measured the default's value, any other one stands for it; 0 where nothing is known.
    """
    found = []
    for place, position in enumerate(winner):
        same = [math.log(value) for scenario, value in values.items() if scenario[place] == position]
        other = [math.log(value) for scenario, value in values.items() if scenario[place] == home[place] != position]
        other = other or [math.log(value) for scenario, value in values.items() if scenario[place] != position]
        found.append(statistics.median(other) - statistics.median(same) if same and other else 0.0)
    return found


def bearable_loss(gain: float, least_gain: float) -> float:
    """Return what simpler settings may cost, as a logarithm, where all of them make a program `gain` times faster."""
    return max(math.log1p(least_gain), _SHARE * math.log(max(gain, 1.0)))


class Simplification:
    """Says which scenario is tried instead of the winner's; `tried` takes what came of it, until there is none."""

    def __init__(
        self,
        space: Space,
        winner: Coordinates,
        importance: Sequence[float],
        *,
        gain: float,
        least_gain: float,
        rounds: int,
    ) -> None:
        """`gain` is how many times faster than the defaults the winner is; no attempt begins after so many `rounds`."""
        self._space = space
        self.winner = winner
        self.kept = winner
        """The simplest scenario that is as good as the winner, so far."""

        self.needed: set[int] = set()
        """Places of the settings that were put back alone, at a loss."""

        self._loss = bearable_loss(gain, least_gain)
        self._hopeless = max(self._loss, _HALF * math.log(max(gain, 1.0)))
        self._rounds_left = rounds
        home, changed = space.home(), list(space.changed(winner))
        changed.sort(key=lambda place: (importance[place], place))
        self._home = home
        self._blocks: list[list[int]] = [changed[:-1], changed[-1:]] if len(changed) > 1 else []
        self.candidate: Coordinates | None = None
        """What is to be tried; None: it is over."""

        self.rounds: list[dict[Coordinates | None, float | None]] = []
        """What the defaults (None), the winner and the candidate took, all attempts one after the other."""

        self._first = 0
        self._propose()

    def begin_round(self) -> list[Coordinates | None]:
        """Return what is run once in the next round; `rounds` takes what came of it.

        When nothing is tried any more, it is the simplest scenario beside the defaults.
        """
        self.rounds.append({})
        return [None, self.kept] if self.candidate is None else [None, self.winner, self.candidate]

    @property
    def untried(self) -> frozenset[int]:
        """Places of the settings that may still be put back, one by one or in groups."""
        return frozenset(place for block in self._blocks for place in block)

    @property
    def confirmations(self) -> int:
        """Rounds since the last attempt."""
        return len(self.rounds) - self._first

    def end_round(self, enough: int) -> None:
        """Go on to the next candidate after `enough` rounds, or when this one has failed or is hopeless."""
        found = self.pairs(self.winner, self.candidate, self._first)
        failed = self.rounds[-1].get(self.candidate, 0.0) is None
        if len(self.rounds) - self._first >= enough or failed or self.hopeless(found):
            self._first = len(self.rounds)
            self.tried(found, failed=failed)

    def pairs(self, one: Coordinates | None, other: Coordinates | None, first: int = 0) -> list[tuple[float, float]]:
        """Return what both took in the rounds from `first` on in which both succeeded."""
        return [
            (a, b)
            for took in self.rounds[first:]
            if (a := took.get(one)) is not None and (b := took.get(other)) is not None
        ]

    def _propose(self) -> None:
        self.candidate = None
        while self._blocks and self._rounds_left > 0:
            block = self._blocks[0]
            without = tuple(
                self._home[place] if place in block else position for place, position in enumerate(self.kept)
            )
            candidate = self._space.canonical(without)
            # Without any setting there is nothing left to advise.
            if candidate not in (self.kept, self._home) and self._space.allows(self._space.configuration(candidate)):
                self.candidate = candidate
                return
            self._halve()

    def _halve(self) -> None:
        block = self._blocks.pop(0)
        middle = (len(block) + 1) // 2
        if len(block) > 1:
            self._blocks[:0] = [block[:middle], block[middle:]]

    def hopeless(self, pairs: Sequence[tuple[float, float]]) -> bool:
        """Whether every round so far, of two at least, says that half of the gain is lost."""
        return len(pairs) >= _EARLY and all(
            math.log(candidate / winner) > self._hopeless for winner, candidate in pairs
        )

    def tried(self, pairs: Sequence[tuple[float, float]], *, failed: bool = False) -> None:
        """Take what the winner and the candidate took in each round; `failed`: the candidate did not even run."""
        if self.candidate is None:
            return
        # The median: one run in which the machine was busy with something else must not save a setting.
        cost = statistics.median(math.log(candidate / winner) for winner, candidate in pairs) if pairs else math.inf
        self._rounds_left -= max(len(pairs), 1)
        if failed or cost > self._loss:
            if len(self._blocks[0]) == 1:
                self.needed.update(self._blocks[0])
            self._halve()
        else:
            self.kept = self.candidate
            self._blocks.pop(0)
        self._propose()
