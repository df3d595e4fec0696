"""Which of the best scenario's settings are needed: pure, no clock.

A search changes settings that do nothing as readily as those that matter, and advice with settings that do nothing is
advice that nobody dares to follow. So groups of the winner's settings are put back to the library's defaults, those
first that mattered least in the search, and the result is compared with the winner and with the defaults in paired
rounds. A group whose loss costs too much is halved (delta debugging: Zeller and Hildebrandt, *Simplifying and Isolating
Failure-Inducing Input*, IEEE TSE 28(2), 2002), and the settings of a small one are put back one by one, all of them in
the same rounds. A setting stays only where the rounds show that it is slower without it: one that may matter, or may
not, is taken out.
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from adcl.tune.study._compare import compare

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from adcl.tune.space import Coordinates, Space

__all__ = ["Simplification", "bearable_loss", "early_look", "effects"]

_HALF = 0.5
_EARLY = 2
_SHARE = 0.05
"""A setting is needed when without it more than this share of the gain is lost."""

_CHANCE = 0.05
"""Probability with which a setting that does nothing is shown to matter; half of it at the early look."""

_FEWEST = 3
_AT_ONCE = 8
"""The settings of groups that are not larger are put back one by one, in the same rounds."""


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


def early_look(looks: Sequence[int]) -> int:
    """Return after how many rounds a loss may be clear already, where `looks` are those that decide."""
    return max(_FEWEST, (looks[0] + 1) // 2)


class Simplification:
    """Says which scenario is tried instead of the winner's; `end_round` takes what came of it, until there is none."""

    def __init__(
        self,
        space: Space,
        winner: Coordinates,
        importance: Sequence[float],
        *,
        gain: float,
        least_gain: float,
        runs: int,
    ) -> None:
        """`gain` is how many times faster than the defaults the winner is; no attempt begins after so many `runs`."""
        self._space = space
        self.winner = winner
        self.kept = winner
        """The simplest scenario that is as good as the winner, so far."""

        self.reference = winner
        """What candidates are compared with: the winner, or what is left of it since a setting was taken out that may
        have mattered: that loss must not be put down to another setting."""

        self.needed: dict[int, float] = {}
        """For places of settings that were put back at a loss beyond doubt: how many times slower that was."""

        self._loss = bearable_loss(gain, least_gain)
        self._hopeless = max(self._loss, _HALF * math.log(max(gain, 1.0)))
        self._runs_left = runs
        home, changed = space.home(), list(space.changed(winner))
        changed.sort(key=lambda place: (importance[place], place))
        self._home = home
        several = len(changed) > 1
        self._groups: list[list[int]] = [changed[:-1]] if len(changed) > 2 else []  # noqa: PLR2004
        """What is put back as one, one after the other; each goes to the singles where that is a loss."""

        self._singles: list[int] = changed[-1:] if self._groups else changed if several else []
        """What is put back one by one when there are no groups left."""

        self._free: list[int] = []
        """Which of the singles seem to make no difference."""

        self._checked: list[list[int]] = []
        """Groups of those, which are taken out where that is seen once more."""

        self._bound: list[int] = [] if several else changed
        """Settings that cannot be put back alone: nothing would be left, or a constraint needs them."""

        self._together: list[int] | None = None
        """Those that cannot be put back alone, when they are put back all at once."""

        self._group: list[int] | None = None
        """What is put back as one now."""

        self._once_more: list[int] | None = None
        """That, where its settings seemed to make no difference alone."""

        self._trying: dict[Coordinates, list[int]] = {}
        """What is tried in the rounds of now, and what is put back in it."""

        self.rounds: list[dict[Coordinates | None, float | None]] = []
        """What the defaults (None), the reference and the candidates took, all attempts one after the other."""

        self._first = 0
        self._propose()

    @property
    def candidates(self) -> tuple[Coordinates, ...]:
        """What is to be tried; none: it is over."""
        return tuple(self._trying)

    def members(self) -> list[Coordinates | None]:
        """Return what is run once in the next round.

        When nothing is tried any more, it is the simplest scenario beside the defaults.
        """
        return [None, self.reference, *self._trying] if self._trying else [None, self.kept]

    def begin_round(self) -> list[Coordinates | None]:
        """Return the members of the next round; `rounds` takes what came of it."""
        self.rounds.append({})
        return self.members()

    @property
    def untried(self) -> frozenset[int]:
        """Places of the settings of which it is not known yet whether they are put back."""
        blocks = [*self._groups, self._singles, self._free, *self._checked, *self._trying.values()]
        return frozenset(place for block in blocks for place in block)

    @property
    def complete(self) -> bool:
        """Whether each setting that is left is needed, or cannot be put back alone beside those that are."""
        return not self.untried and {*self.needed, *self._bound} >= {*self._space.changed(self.kept)}

    @property
    def confirmations(self) -> int:
        """Rounds since the last attempt."""
        return len(self.rounds) - self._first

    def end_round(self, looks: Sequence[int]) -> None:
        """Decide on candidates that have failed or are hopeless, and on all when it is time; go on to the next ones.

        After as many rounds as the first of the `looks` says, they decide; after half of them where it is clear that a
        candidate is slower, and where a single setting seems to make no difference, which is looked at again; and where
        one seems to matter, and that is not beyond doubt, only after as many as the second one says.
        """
        done, early = len(self.rounds) - self._first, len(self.rounds) - self._first == early_look(looks)
        for candidate in self.candidates:
            found = self.pairs(self.reference, candidate, self._first)
            failed = self.rounds[-1].get(candidate, 0.0) is None
            slower = self._cost(found) > self._loss
            clear = early and (self._shown(found, _CHANCE / 2.0) if slower else not self._is_group(candidate))
            decided = done >= looks[0] and not (self._alone(candidate) and self._doubtful(found))
            if clear or decided or done >= looks[:2][-1] or failed or self.hopeless(found):
                self.tried(candidate, found, failed=failed)

    def pairs(self, one: Coordinates | None, other: Coordinates | None, first: int = 0) -> list[tuple[float, float]]:
        """Return what both took in the rounds from `first` on in which both succeeded."""
        return [
            (a, b)
            for took in self.rounds[first:]
            if (a := took.get(one)) is not None and (b := took.get(other)) is not None
        ]

    def scenarios(self) -> Iterable[Coordinates]:
        """Return everything that was run beside the defaults, each once."""
        return dict.fromkeys(one for took in self.rounds for one in took if one is not None)

    def _without(self, block: Sequence[int]) -> Coordinates | None:
        """Return what is left without these settings; None where that is nothing, or nothing else, or not allowed."""
        without = tuple(self._home[place] if place in block else position for place, position in enumerate(self.kept))
        found = self._space.canonical(without)
        nothing = found == self.kept or self._space.idle(found)
        if nothing or not self._space.allows(self._space.configuration(found)):
            return None
        return found

    # -- what is tried next --------------------------------------------------------------------------------------------

    def _propose(self) -> None:
        """Begin to try the next group, or else all singles at once."""
        self._first = len(self.rounds)
        while not self._trying and self._runs_left > 0:
            if self._groups:
                self._try_group(self._groups.pop(0))
            elif self._singles:
                self._try_singles()
            elif self._free or self._checked:
                self._try_free()
            elif not self._reconsider_bound():
                return

    def _try_group(self, group: list[int]) -> None:
        candidate = self._without(group)
        if candidate is None:
            self._divide(group)
        else:
            self._trying[candidate] = self._group = group

    def _divide(self, group: list[int]) -> None:
        if len(group) <= _AT_ONCE:
            self._singles = [*group, *self._singles]
        else:
            middle = (len(group) + 1) // 2
            self._groups[:0] = [group[:middle], group[middle:]]

    def _try_singles(self) -> None:
        """Try to put back each of the singles alone; two of which the same is left are one."""
        singles, self._singles = self._singles[:_AT_ONCE], self._singles[_AT_ONCE:]
        for place in singles:
            candidate = self._without([place])
            if candidate is None:
                self._bound.append(place)
            elif candidate in self._trying:
                self._singles.append(place)
            else:
                self._trying[candidate] = [place]

    def _try_free(self) -> None:
        """Try to put back at once what seems to make no difference alone; where that is a loss, half of it."""
        if self._free:
            self._checked.append(self._free)
            self._free = []
        group = [place for place in self._checked.pop(0) if place in self._space.changed(self.kept)]
        candidate = self._without(group)
        if candidate is not None:
            self._trying[candidate] = self._group = self._once_more = group
        elif len(group) > 1:
            self._halve(group)
        else:
            self._bound += group

    def _halve(self, group: list[int]) -> None:
        middle = (len(group) + 1) // 2
        self._checked[:0] = [group[:middle], group[middle:]]

    def _reconsider_bound(self) -> bool:
        """Look for settings that can be put back now that others are gone, and try those that cannot all at once."""
        self._bound = [place for place in self._bound if place in self._space.changed(self.kept)]
        self._singles = [place for place in self._bound if self._without([place]) is not None]
        self._bound = [place for place in self._bound if place not in self._singles]
        if not self._singles and self._bound != self._together and self._without(self._bound) is not None:
            self._together = list(self._bound)
            self._groups = [self._together]
        return bool(self._singles or self._groups)

    # -- what came of it -----------------------------------------------------------------------------------------------

    def hopeless(self, pairs: Sequence[tuple[float, float]]) -> bool:
        """Whether every round so far, of two at least, says that half of the gain is lost."""
        return len(pairs) >= _EARLY and all(
            math.log(candidate / reference) > self._hopeless for reference, candidate in pairs
        )

    def _cost(self, pairs: Sequence[tuple[float, float]]) -> float:
        """How much slower the candidate is, as a logarithm; infinite where it does not run.

        The median: one run in which the machine was busy with something else must not save a setting.
        """
        return statistics.median(math.log(candidate / one) for one, candidate in pairs) if pairs else math.inf

    def _shown(self, pairs: Sequence[tuple[float, float]], chance: float = _CHANCE) -> bool:
        """Whether the candidate is slower beyond doubt; `chance`: with which probability one that is not would be."""
        slower = compare([candidate for _, candidate in pairs], [one for one, _ in pairs], outside=2.0 * chance)
        return slower.better or self.hopeless(pairs)

    def _is_group(self, candidate: Coordinates) -> bool:
        """Whether what is left is kept at once where it is as good."""
        return self._trying[candidate] is self._group

    def _alone(self, candidate: Coordinates) -> bool:
        """Whether what is put back in it is not divided any further."""
        block = self._trying[candidate]
        return len(block) == 1 or block is self._together

    def _doubtful(self, pairs: Sequence[tuple[float, float]]) -> bool:
        return self._cost(pairs) > self._loss and not self._shown(pairs)

    def tried(self, candidate: Coordinates, pairs: Sequence[tuple[float, float]], *, failed: bool = False) -> None:
        """Take what reference and candidate took in each round; `failed`: the candidate did not even run."""
        alone, cost, failed = self._alone(candidate), self._cost(pairs), failed or not pairs
        group, block = self._is_group(candidate), self._trying.pop(candidate)
        if not failed and (cost <= self._loss or (alone and self._doubtful(pairs))):
            if group:
                self.kept = candidate
                self.reference = candidate if cost > self._loss else self.reference
            else:
                self._free += block
        elif alone:
            self.needed.update(dict.fromkeys(block, math.inf if failed else math.exp(cost)))
        elif block is self._once_more:
            self._halve(block)
        else:
            self._divide(block)
        self._runs_left -= max(len(pairs), 1)
        if not self._trying:
            # Besides candidates, the defaults and the reference were run.
            self._runs_left -= 2 * max(len(self.rounds) - self._first, len(pairs), 1)
            self._propose()
