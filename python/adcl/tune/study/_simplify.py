"""Determine which settings of the best scenario are needed. Pure.

A search also changes settings without an effect, and users rightly distrust advice that contains such settings.
Therefore groups of the winner's settings are reset to the library's defaults, the least important in the search first,
and the result is compared with the winner and with the defaults in paired rounds. A group whose removal costs too much
is halved (delta debugging: Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, IEEE TSE 28(2),
2002), and the settings of a small group are reset one by one, all in the same rounds. A setting stays only if the
rounds show that its removal is a slowdown; undecided settings are removed.
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from adcl.tune.study._compare import compare

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from adcl.tune.space import Coordinates, Space

__all__ = ["Simplification", "acceptable_loss", "early_look", "effects"]

_HALF = 0.5
_EARLY = 2
_SHARE = 0.05
"""Share of the gain that the removal of a setting must lose for the setting to be needed."""

_CHANCE = 0.05
"""Probability of showing that a setting without an effect matters; the early evaluation uses half of it."""

_FEWEST = 3
_AT_ONCE = 8
"""Groups up to this size are reset one setting at a time, in the same rounds."""


def effects(values: Mapping[Coordinates, float], winner: Coordinates, home: Coordinates) -> list[float]:
    """Return, for each parameter, the slowdown of scenarios with the default's value, as a logarithm.

    The reference is the average over the measured scenarios with the winner's value. If the
    default's value was not measured, any other value is used; 0 if nothing is known.
    """
    found = []
    for place, position in enumerate(winner):
        same = [math.log(value) for scenario, value in values.items() if scenario[place] == position]
        other = [math.log(value) for scenario, value in values.items() if scenario[place] == home[place] != position]
        other = other or [math.log(value) for scenario, value in values.items() if scenario[place] != position]
        found.append(statistics.median(other) - statistics.median(same) if same and other else 0.0)
    return found


def acceptable_loss(gain: float, least_gain: float) -> float:
    """Return the acceptable slowdown of simpler settings, as a logarithm.

    `gain` is the speedup of all settings together.
    """
    return max(math.log1p(least_gain), _SHARE * math.log(max(gain, 1.0)))


def early_look(looks: Sequence[int]) -> int:
    """Return the number of rounds for an early decision on a clear loss; `looks` are the regular numbers of rounds."""
    return max(_FEWEST, (looks[0] + 1) // 2)


class Simplification:
    """Selects the candidates to compare with the winner; `end_round` evaluates them until none is left."""

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
        """`gain` is the winner's speedup over the defaults; no attempt begins after this number of `runs`."""
        self._space = space
        self.winner = winner
        self.kept = winner
        """Simplest scenario so far that is as good as the winner."""

        self.reference = winner
        """Reference of the candidates: the winner, or the remaining settings after the removal of a setting that may
        have mattered, so that its loss is not attributed to another setting.
        """

        self.needed: dict[int, float] = {}
        """Slowdown, by place, of settings whose removal was shown to be a loss."""

        self._loss = acceptable_loss(gain, least_gain)
        self._hopeless = max(self._loss, _HALF * math.log(max(gain, 1.0)))
        self._runs_left = runs
        home, changed = space.home(), list(space.changed(winner))
        changed.sort(key=lambda place: (importance[place], place))
        self._home = home
        several = len(changed) > 1
        self._groups: list[list[int]] = [changed[:-1]] if len(changed) > 2 else []  # noqa: PLR2004
        """Groups to reset, one after the other. Settings of a small group whose reset is a loss move to `_singles`."""

        self._singles: list[int] = changed[-1:] if self._groups else changed if several else []
        """Settings to reset one by one when no groups are left."""

        self._free: list[int] = []
        """Settings of `_singles` that appear to have no effect."""

        self._checked: list[list[int]] = []
        """Groups of settings in `_free`, which are removed if a second attempt confirms that they have no effect."""

        self._bound: list[int] = [] if several else changed
        """Settings that cannot be reset alone, because no setting would remain or a constraint requires them."""

        self._together: list[int] | None = None
        """Settings in `_bound` during an attempt to reset all of them at once."""

        self._group: list[int] | None = None
        """Group being reset."""

        self._once_more: list[int] | None = None
        """Group being reset whose settings, each reset alone, appeared to have no effect."""

        self._trying: dict[Coordinates, list[int]] = {}
        """Candidates of the current rounds, and the settings that each resets."""

        self.rounds: list[dict[Coordinates | None, float | None]] = []
        """Values of the defaults (None), the reference and the candidates, for all attempts in order."""

        self._first = 0
        self._propose()

    @property
    def candidates(self) -> tuple[Coordinates, ...]:
        """Scenarios to try; empty: the simplification is over."""
        return tuple(self._trying)

    def members(self) -> list[Coordinates | None]:
        """Return the members of the next round.

        If no candidate is left, the members are the simplest scenario and the defaults.
        """
        return [None, self.reference, *self._trying] if self._trying else [None, self.kept]

    def begin_round(self) -> list[Coordinates | None]:
        """Return the members of the next round; store their results in `rounds`."""
        self.rounds.append({})
        return self.members()

    @property
    def untried(self) -> frozenset[int]:
        """Places of the settings that are not decided yet."""
        blocks = [*self._groups, self._singles, self._free, *self._checked, *self._trying.values()]
        return frozenset(place for block in blocks for place in block)

    @property
    def complete(self) -> bool:
        """Whether each remaining setting is needed, or cannot be reset alone."""
        return not self.untried and {*self.needed, *self._bound} >= {*self._space.changed(self.kept)}

    @property
    def confirmations(self) -> int:
        """Number of rounds since the last attempt."""
        return len(self.rounds) - self._first

    def end_round(self, looks: Sequence[int]) -> None:
        """Decide on candidates, then select the next candidates.

        Failed or hopeless candidates are decided at once, all others when an evaluation is due. Regular decisions
        follow after `looks[0]` rounds. After half of these rounds, a clear loss is decided. A single setting that
        appears to have no effect is then also decided, and re-checked later. A setting that appears to matter, but not
        significantly, is decided after `looks[1]` rounds.
        """
        done, early = len(self.rounds) - self._first, len(self.rounds) - self._first == early_look(looks)
        for candidate in self.candidates:
            found = self.pairs(self.reference, candidate, self._first)
            failed = self.rounds[-1].get(candidate, 0.0) is None
            slower = self._cost(found) > self._loss
            clear = early and (self._is_slower(found, _CHANCE / 2.0) if slower else not self._is_group(candidate))
            decided = done >= looks[0] and not (self._is_indivisible(candidate) and self._is_undecided(found))
            if clear or decided or done >= looks[:2][-1] or failed or self.hopeless(found):
                self.tried(candidate, found, failed=failed)

    def pairs(self, one: Coordinates | None, other: Coordinates | None, first: int = 0) -> list[tuple[float, float]]:
        """Return the values of two scenarios in the rounds, from `first` on, in which both succeeded."""
        return [
            (a, b)
            for took in self.rounds[first:]
            if (a := took.get(one)) is not None and (b := took.get(other)) is not None
        ]

    def scenarios(self) -> Iterable[Coordinates]:
        """Return all scenarios that were run with the defaults, without duplicates."""
        return dict.fromkeys(one for took in self.rounds for one in took if one is not None)

    def _without(self, block: Sequence[int]) -> Coordinates | None:
        """Return the scenario without these settings; None if nothing remains or changes, or if it is not allowed."""
        without = tuple(self._home[place] if place in block else position for place, position in enumerate(self.kept))
        found = self._space.canonical(without)
        nothing = found == self.kept or self._space.changes_only_switches(found)
        if nothing or not self._space.allows(self._space.configuration(found)):
            return None
        return found

    # -- next candidates -----------------------------------------------------------------------------------------------

    def _propose(self) -> None:
        """Begin to try the next group or, if there is none, all singles at once."""
        self._first = len(self.rounds)
        while not self._trying and self._runs_left > 0:
            if self._groups:
                self._try_group(self._groups.pop(0))
            elif self._singles:
                self._try_singles()
            elif self._free or self._checked:
                self._try_ineffective()
            elif not self._retry_bound():
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
        """Try to reset each single alone; skip duplicates of the same scenario."""
        singles, self._singles = self._singles[:_AT_ONCE], self._singles[_AT_ONCE:]
        for place in singles:
            candidate = self._without([place])
            if candidate is None:
                self._bound.append(place)
            elif candidate in self._trying:
                self._singles.append(place)
            else:
                self._trying[candidate] = [place]

    def _try_ineffective(self) -> None:
        """Try to reset all settings that appeared to have no effect; if that is a loss, try half of them."""
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

    def _retry_bound(self) -> bool:
        """Find settings that can be reset after others were removed, and try to reset all of them at once."""
        self._bound = [place for place in self._bound if place in self._space.changed(self.kept)]
        self._singles = [place for place in self._bound if self._without([place]) is not None]
        self._bound = [place for place in self._bound if place not in self._singles]
        if not self._singles and self._bound != self._together and self._without(self._bound) is not None:
            self._together = list(self._bound)
            self._groups = [self._together]
        return bool(self._singles or self._groups)

    # -- results -------------------------------------------------------------------------------------------------------

    def hopeless(self, pairs: Sequence[tuple[float, float]]) -> bool:
        """Return whether every round so far, of two or more, shows a loss of half the gain."""
        return len(pairs) >= _EARLY and all(
            math.log(candidate / reference) > self._hopeless for reference, candidate in pairs
        )

    def _cost(self, pairs: Sequence[tuple[float, float]]) -> float:
        """Return the median slowdown of the candidate, as a logarithm; infinite if it fails.

        The median keeps a single disturbed run from saving a setting.
        """
        return statistics.median(math.log(candidate / one) for one, candidate in pairs) if pairs else math.inf

    def _is_slower(self, pairs: Sequence[tuple[float, float]], chance: float = _CHANCE) -> bool:
        """Return whether the candidate is significantly slower; `chance` is the probability of a false positive."""
        slower = compare([candidate for _, candidate in pairs], [one for one, _ in pairs], outside=2.0 * chance)
        return slower.better or self.hopeless(pairs)

    def _is_group(self, candidate: Coordinates) -> bool:
        """Return whether a candidate that is as good is accepted as a whole."""
        return self._trying[candidate] is self._group

    def _is_indivisible(self, candidate: Coordinates) -> bool:
        """Return whether the settings that a candidate resets are not divided further."""
        block = self._trying[candidate]
        return len(block) == 1 or block is self._together

    def _is_undecided(self, pairs: Sequence[tuple[float, float]]) -> bool:
        return self._cost(pairs) > self._loss and not self._is_slower(pairs)

    def tried(self, candidate: Coordinates, pairs: Sequence[tuple[float, float]], *, failed: bool = False) -> None:
        """Return the values of reference and candidate in each round; `failed`: the candidate does not run."""
        alone, cost, failed = self._is_indivisible(candidate), self._cost(pairs), failed or not pairs
        group, block = self._is_group(candidate), self._trying.pop(candidate)
        if not failed and (cost <= self._loss or (alone and self._is_undecided(pairs))):
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
            # Count the runs of the defaults and the reference, too.
            self._runs_left -= 2 * max(len(self.rounds) - self._first, len(pairs), 1)
            self._propose()
