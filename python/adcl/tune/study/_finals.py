"""Comparison of the best scenarios with the defaults, round by round. Pure."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from adcl.tune.study._compare import PairedComparison, StudyVerdict, compare
from adcl.tune.study._simplify import acceptable_loss

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from adcl.tune.space import Coordinates
    from adcl.tune.study._plan import StudyPolicy

__all__ = ["Finals"]


class Finals:
    """Selects the runs of each round, and decides after each round whether there is a verdict.

    `outside` is the error probability of a comparison's interval (see `adcl.tune.study._compare`). `settings` counts
    the changes of a scenario: among equally good finalists, the one with the fewest changes wins.
    """

    def __init__(
        self,
        finalists: Sequence[Coordinates],
        policy: StudyPolicy,
        outside: float,
        settings: Callable[[Coordinates], int] = len,
    ) -> None:
        self.finalists = list(finalists)
        """Finalists that can still win."""

        self.rounds: list[dict[Coordinates | None, float | None]] = []
        """Values of the defaults (None) and each finalist; None for a failed run."""

        self._policy = policy
        self._outside = outside
        self._settings = settings
        self._entered = tuple(finalists)

    def begin_round(self) -> list[Coordinates | None]:
        """Return the runs of the next round; the caller stores their results in `rounds`."""
        self.rounds.append({})
        return [None, *self.finalists]

    def end_round(self) -> StudyVerdict | None:
        """Evaluate the results if an evaluation is due; return the verdict if the comparison has ended."""
        self.finalists = [finalist for finalist in self.finalists if self.rounds[-1].get(finalist, 0.0) is not None]
        if len(self.rounds) in self._policy.rounds or not self.finalists:
            return self.settle(final=len(self.rounds) >= self._policy.rounds[-1] or not self.finalists, confirmed=True)
        return None

    def pairs(self, scenario: Coordinates) -> tuple[list[float], list[float]]:
        """Return the values of the defaults and a finalist in the rounds in which both succeeded."""
        found = [
            (a, b)
            for took in self.rounds
            if (a := took.get(None)) is not None and (b := took.get(scenario)) is not None
        ]
        return [a for a, _ in found], [b for _, b in found]

    def comparisons(self) -> Mapping[Coordinates, PairedComparison]:
        """Return the comparison of each finalist with the defaults so far, including dropped finalists."""
        return {scenario: compare(*self.pairs(scenario), outside=self._outside) for scenario in self._entered}

    def settle(self, *, final: bool, confirmed: bool) -> StudyVerdict | None:
        """Drop finalists that cannot win; return the verdict if the comparison has ended, or must end (`final`).

        `confirmed`: this is a planned evaluation and not a premature end.
        """
        found = {scenario: result for scenario, result in self.comparisons().items() if scenario in self.finalists}
        worthy = 1.0 + self._policy.least_gain
        worth = [scenario for scenario, result in found.items() if result.better and result.ratio >= worthy]
        if not final:
            leader = max(found, key=lambda scenario: found[scenario].ratio)
            self.finalists = [finalist for finalist in self.finalists if not found[finalist].worse]
            if leader not in worth and self.finalists:
                return None
        if worth:
            best = max(worth, key=lambda scenario: found[scenario].ratio)
            loss = acceptable_loss(found[best].ratio, self._policy.least_gain)
            equal = [scenario for scenario in worth if scenario == best or self._cost(scenario, best) <= loss]
            winner = min(equal, key=lambda scenario: (self._settings(scenario), -found[scenario].ratio))
            reason = "the settings were faster than the defaults in the paired comparison"
            return StudyVerdict(winner, found[winner], confirmed=confirmed, reason=reason)
        highest = max(found.values(), key=lambda result: result.ratio, default=None)
        reason = "no finalist was significantly faster than the defaults"
        return StudyVerdict(None, highest, confirmed=confirmed, reason=reason)

    def _cost(self, scenario: Coordinates, instead: Coordinates) -> float:
        """Return the median slowdown of a finalist relative to another in their common rounds, as a logarithm."""
        logs = [
            math.log(a / b)
            for took in self.rounds
            if (a := took.get(scenario)) is not None and (b := took.get(instead)) is not None
        ]
        return statistics.median(logs) if logs else math.inf
