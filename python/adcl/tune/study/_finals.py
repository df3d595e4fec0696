"""The comparison of the best scenarios with the defaults, round by round: pure, no clock."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from adcl.tune.study._compare import PairedComparison, StudyVerdict, compare
from adcl.tune.study._simplify import bearable_loss

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from adcl.tune.space import Coordinates
    from adcl.tune.study._plan import StudyPolicy

__all__ = ["Finals"]


class Finals:
    """Says what is run in the next round, and after each round whether there is a verdict.

    `outside` is the share that the interval of a comparison leaves outside (see `adcl.tune.study._compare`). `settings`
    counts what a scenario changes: of finalists as good as each other, the one that changes least wins.
    """

    def __init__(
        self,
        finalists: Sequence[Coordinates],
        policy: StudyPolicy,
        outside: float,
        settings: Callable[[Coordinates], int] = len,
    ) -> None:
        self.finalists = list(finalists)
        """Those who can still win."""

        self.rounds: list[dict[Coordinates | None, float | None]] = []
        """What the defaults (None) and each finalist took; None where a run failed."""

        self._policy = policy
        self._outside = outside
        self._settings = settings
        self._entered = tuple(finalists)

    def begin_round(self) -> list[Coordinates | None]:
        """Return what is run once in the next round; `rounds` takes what came of it."""
        self.rounds.append({})
        return [None, *self.finalists]

    def end_round(self) -> StudyVerdict | None:
        """Look at the numbers where it is time for that; return the verdict when the comparison has ended."""
        self.finalists = [finalist for finalist in self.finalists if self.rounds[-1].get(finalist, 0.0) is not None]
        if len(self.rounds) in self._policy.rounds or not self.finalists:
            return self.settle(final=len(self.rounds) >= self._policy.rounds[-1] or not self.finalists, confirmed=True)
        return None

    def pairs(self, scenario: Coordinates) -> tuple[list[float], list[float]]:
        """Return what the defaults and a finalist took, in the rounds in which both succeeded."""
        found = [
            (a, b)
            for took in self.rounds
            if (a := took.get(None)) is not None and (b := took.get(scenario)) is not None
        ]
        return [a for a, _ in found], [b for _, b in found]

    def comparisons(self) -> Mapping[Coordinates, PairedComparison]:
        """Return how each finalist compares with the defaults so far, those who were dropped included."""
        return {scenario: compare(*self.pairs(scenario), outside=self._outside) for scenario in self._entered}

    def settle(self, *, final: bool, confirmed: bool) -> StudyVerdict | None:
        """Drop those who cannot win any more; return the verdict if this is the end, or must be (`final`).

        `confirmed`: it is one of the looks that were planned, and no end before the time.
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
            loss = bearable_loss(found[best].ratio, self._policy.least_gain)
            equal = [scenario for scenario in worth if scenario == best or self._cost(scenario, best) <= loss]
            winner = min(equal, key=lambda scenario: (self._settings(scenario), -found[scenario].ratio))
            reason = "it was faster than the defaults in the paired comparison"
            return StudyVerdict(winner, found[winner], confirmed=confirmed, reason=reason)
        highest = max(found.values(), key=lambda result: result.ratio, default=None)
        reason = "no finalist was faster than the defaults beyond doubt"
        return StudyVerdict(None, highest, confirmed=confirmed, reason=reason)

    def _cost(self, scenario: Coordinates, instead: Coordinates) -> float:
        """How much slower a finalist is than another one in the rounds of both, as a logarithm: the median."""
        logs = [
            math.log(a / b)
            for took in self.rounds
            if (a := took.get(scenario)) is not None and (b := took.get(instead)) is not None
        ]
        return statistics.median(logs) if logs else math.inf
