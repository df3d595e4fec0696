"""Phases in rounds, each of which runs every member once: comparison and simplification."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from adcl.tune.study._choice import independent
from adcl.tune.study._compare import PairedComparison, StudyVerdict, UnconfirmedGain, compare
from adcl.tune.study._finals import Finals
from adcl.tune.study._forecast import simplification_runs
from adcl.tune.study._simplify import Simplification, effects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.tune.space import Coordinates, Space
    from adcl.tune.study._ledger import Ledger
    from adcl.tune.study._plan import PlannedRun
    from adcl.tune.study._searching import Searching

__all__ = ["Comparing", "Rounds", "Simplifying"]

RoundsName: TypeAlias = Literal["comparison", "simplification"]


class Rounds(ABC):
    """Runs the members of a round in random order, then evaluates the results."""

    name: ClassVar[RoundsName]

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queue: list[Coordinates | None] = []
        self.over = False
        self.cut = False
        """Whether the phase ended because the budget was used up."""

    def next(self) -> PlannedRun | None:
        """Return the next run; None if it depends on running trials, or if the phase is over."""
        if self._ledger.out_of_time:
            self._cut()
            return None
        if not self._queue:
            if self._ledger.running:
                return None
            if not self._ledger.has_room_for(self._round_size()):
                self._cut()
                return None
            self._queue = self._begin_round()
            self._ledger.generator.shuffle(self._queue)
        return self._ledger.issue(self.name, self._queue.pop(0), len(self._rounds()) - 1)

    def _cut(self) -> None:
        self.cut = True
        self.end_early()

    def reopen(self) -> None:
        """Continue with a larger budget."""
        if self._queue:
            # The last round is incomplete.
            self._rounds().pop()
            self._queue.clear()
        self.over = self.cut = False

    def record(self, order: PlannedRun, value: float | None) -> None:
        """Store the values of a run; None if it failed."""
        self._rounds()[order.round or 0][order.scenario] = value
        if not self._queue and not self._ledger.running:
            self._end_round()

    @abstractmethod
    def _rounds(self) -> list[dict[Coordinates | None, float | None]]:
        """Members and values of each round."""

    @abstractmethod
    def _round_size(self) -> int:
        """Number of runs in the next round."""

    @abstractmethod
    def _begin_round(self) -> list[Coordinates | None]: ...

    @abstractmethod
    def _end_round(self) -> None: ...

    @abstractmethod
    def end_early(self) -> None:
        """End with the present results."""


class Comparing(Rounds):
    """Third phase: the best scenarios and the defaults."""

    name: ClassVar[RoundsName] = "comparison"

    def __init__(self, ledger: Ledger, finalists: Sequence[Coordinates], space: Space) -> None:
        super().__init__(ledger)
        self.finals = Finals(finalists, ledger.policy, ledger.outside, lambda scenario: len(space.changed(scenario)))
        self.verdict: StudyVerdict | None = None

    def _rounds(self) -> list[dict[Coordinates | None, float | None]]:
        return self.finals.rounds

    def _round_size(self) -> int:
        return 1 + len(self.finals.finalists)

    def _begin_round(self) -> list[Coordinates | None]:
        return self.finals.begin_round()

    def _end_round(self) -> None:
        self._settle(self.finals.end_round())

    def end_early(self) -> None:
        """End with the present results; after enough rounds, this is a verdict if the budget ended the phase.

        If a user ends it, the decision may depend on the results, so it is not a confirmed verdict.
        """
        whole = len(self.finals.rounds) - bool(self._queue)
        confirmed = self.cut and whole >= self._ledger.policy.rounds[0]
        self._settle(self.finals.settle(final=True, confirmed=confirmed))

    def reopen(self) -> None:
        """Continue with a larger budget."""
        super().reopen()
        self.verdict = None

    def _settle(self, verdict: StudyVerdict | None) -> None:
        self.verdict = verdict
        self.over = verdict is not None


class Simplifying(Rounds):
    """Fourth phase: remove settings of the winner that have no effect.

    The remaining settings are advised if they are significantly better than the defaults and each of them was shown to
    matter. If the rounds so far do not show a significant gain, the remaining settings are compared with the defaults
    until the last evaluation of the comparison. A winner from which nothing is removed must remain better than the
    defaults in the rounds of both phases together, with as many additional rounds as the shortest comparison, because
    the best of many scenarios may be better by chance. If the phase is not completed, the advice is the best single
    setting that was shown to be better than the defaults; if there is none, the advice is to keep the defaults.
    """

    name: ClassVar[RoundsName] = "simplification"

    def __init__(
        self, ledger: Ledger, searched: Searching, winner: Coordinates, verdict: StudyVerdict, finals: Finals
    ) -> None:
        """`finals`: the comparison; `verdict`: its result."""
        super().__init__(ledger)
        self._finals = finals
        self._space = searched.search.space
        self._before = verdict
        self.verdict = verdict
        """Verdict of the comparison until the phase is over."""

        policy = ledger.policy
        self._simplification = Simplification(
            self._space,
            winner,
            effects(searched.means(), winner, self._space.home()),
            gain=1.0 if verdict.comparison is None else verdict.comparison.ratio,
            least_gain=policy.least_gain,
            runs=simplification_runs(policy, len(self._space.changed(winner))) if verdict.confirmed else 0,
        )
        if not (verdict.confirmed and policy.simplifications):
            self._finish()

    def _rounds(self) -> list[dict[Coordinates | None, float | None]]:
        return self._simplification.rounds

    def _round_size(self) -> int:
        return len(self._simplification.members())

    def _begin_round(self) -> list[Coordinates | None]:
        return self._simplification.begin_round()

    def _end_round(self) -> None:
        looks = self._ledger.policy.rounds
        self._simplification.end_round(looks)
        if self._simplification.candidates:
            return
        kept = self._simplification.kept
        done = len(self._simplification.pairs(None, kept))
        failed = self._simplification.rounds[-1].get(kept, 0.0) is None
        last = max(done, self._simplification.confirmations) >= looks[-1]
        if (
            (kept == self._simplification.winner and done >= looks[0])
            or failed
            or last
            or (done in looks and self._is_significant(self._compared(kept)))
        ):
            self._finish()

    def _compared(self, scenario: Coordinates) -> PairedComparison:
        """Return the comparison of a scenario with the defaults in the rounds of this phase."""
        pairs = self._simplification.pairs(None, scenario)
        return compare([a for a, _ in pairs], [b for _, b in pairs], outside=self._ledger.outside)

    def _is_significant(self, result: PairedComparison) -> bool:
        return result.better and result.ratio >= 1.0 + self._ledger.policy.least_gain

    def end_early(self) -> None:
        """End with the present results."""
        self._finish()

    def reopen(self) -> None:
        """Continue with a larger budget."""
        super().reopen()
        self.verdict = self._before

    def _finish(self) -> None:
        """Advise the remaining settings if they are significantly better than the defaults and each is needed."""
        self.over = True
        kept, winner = self._simplification.kept, self._simplification.winner
        if kept == winner:
            result, lost = self._gain_is_refuted()
            if lost:
                self.verdict = StudyVerdict(None, result, confirmed=True, reason=lost)
                return
            found, reason = (result if self._before.confirmed else None), self._before.reason
        else:
            result = self._compared(kept)
            found = result if self._is_significant(result) else None
            reason = f"{self._before.reason}; settings without an effect were removed from the best scenario"
        if found is not None and self._simplification.complete:
            left = self._space.changed(kept)
            needed = {place: cost for place, cost in self._simplification.needed.items() if place in left}
            self.verdict = StudyVerdict(kept, found, confirmed=True, reason=reason, needed=needed)
            return
        self.verdict = self._best_single_setting()

    def _gain_is_refuted(self) -> tuple[PairedComparison | None, str]:
        """Compare the winner in the rounds of both phases, if there are enough; return whether it lost its lead."""
        winner = self._simplification.winner
        fresh = self._simplification.pairs(None, winner)
        if len(fresh) < self._ledger.policy.rounds[0]:
            return self._before.comparison, ""
        before, theirs = self._finals.pairs(winner)
        result = compare(
            [*before, *(a for a, _ in fresh)], [*theirs, *(b for _, b in fresh)], outside=self._ledger.outside
        )
        if self._is_significant(result):
            return result, ""
        return result, f"the gain in the comparison was not confirmed in {len(fresh)} further paired runs"

    def _best_single_setting(self) -> StudyVerdict:
        """Advise the best single setting that was shown to be better than the defaults, or the defaults."""
        known = dict(self._finals.comparisons()) if self._before.confirmed else {}
        known.update((one, self._compared(one)) for one in self._simplification.scenarios() if one not in known)
        shown = [one for one in known if len(independent(self._space, one)) == 1 and self._is_significant(known[one])]
        best = max(shown, key=lambda one: known[one].ratio, default=None)
        unconfirmed = self._unconfirmed()
        if best is not None:
            better = unconfirmed.comparison.ratio >= known[best].ratio * (1.0 + self._ledger.policy.least_gain)
            reason = "the setting is the best single setting that was faster than the defaults in paired runs"
            reported = unconfirmed if better and unconfirmed.scenario != best else None
            return StudyVerdict(best, known[best], confirmed=True, reason=reason, unconfirmed=reported)
        reason = "no setting was shown to be faster in paired runs"
        confirmed = self._before.confirmed and not self.cut and not self._ledger.interrupted
        return StudyVerdict(None, None, confirmed=confirmed, reason=reason, unconfirmed=unconfirmed)

    def _unconfirmed(self) -> UnconfirmedGain:
        """Return the best scenario that is not advised, and the reason."""
        simplification = self._simplification
        whole, known = simplification.winner, self._before.comparison
        fewer = len(simplification.pairs(None, simplification.kept)) >= self._ledger.policy.rounds[0]
        if simplification.kept != whole and fewer:
            whole, known = simplification.kept, self._compared(simplification.kept)
        if known is None:
            known = self._compared(whole)
        if not self._before.confirmed:
            reason = "the comparison is incomplete"
        elif simplification.complete:
            left = "the settings that remain after removing those without an effect were not significantly faster"
            reason = left if whole == simplification.winner else "the gain is not significant"
        else:
            why = "the study was ended" if self._ledger.interrupted else "the budget was used up"
            reason = f"{why} before the study found the settings that matter"
            if not self._ledger.policy.simplifications:
                reason = "the settings that matter are unknown"
        return UnconfirmedGain(whole, known, reason)
