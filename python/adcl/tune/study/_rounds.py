"""The phases of a study that go in rounds, in each of which everything is run once: comparison and simplification."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from adcl.tune.study._compare import PairedComparison, StudyVerdict, compare
from adcl.tune.study._finals import Finals
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
    """Runs what belongs to a round in random order, and then looks at the numbers."""

    name: ClassVar[RoundsName]

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queue: list[Coordinates | None] = []
        self.over = False

    def next(self) -> PlannedRun | None:
        """Return the next run; None when that depends on runs that have not ended, or when the phase is over."""
        if self._ledger.out_of_time:
            self.end_early()
            return None
        if not self._queue:
            if self._ledger.running:
                return None
            if not self._ledger.has_room_for(self._round_size()):
                self.end_early()
                return None
            self._queue = self._begin_round()
            self._ledger.generator.shuffle(self._queue)
        return self._ledger.issue(self.name, self._queue.pop(0), len(self._rounds()) - 1)

    def record(self, order: PlannedRun, value: float | None) -> None:
        """Take what a run took; None where it failed."""
        self._rounds()[order.round or 0][order.scenario] = value
        if not self._queue and not self._ledger.running:
            self._end_round()

    @abstractmethod
    def _rounds(self) -> list[dict[Coordinates | None, float | None]]:
        """What was run in each round, and what it took."""

    @abstractmethod
    def _round_size(self) -> int:
        """How many runs the next round has."""

    @abstractmethod
    def _begin_round(self) -> list[Coordinates | None]: ...

    @abstractmethod
    def _end_round(self) -> None: ...

    @abstractmethod
    def end_early(self) -> None:
        """End with what is known."""


class Comparing(Rounds):
    """The third phase: the best scenarios and the defaults."""

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
        """End with what is known."""
        self._settle(self.finals.settle(final=True, confirmed=False))

    def _settle(self, verdict: StudyVerdict | None) -> None:
        self.verdict = verdict
        self.over = verdict is not None


def _unsimplified(untried: int, *, cut: bool) -> str:
    settings = "1 setting was" if untried == 1 else f"{untried} settings were"
    why = "the budget was used up" if cut else "so many attempts are not made"
    return f"{settings} not tried without, since {why}"


class Simplifying(Rounds):
    """The fourth phase: settings of the winner that make no difference are taken out.

    What is left is advised when it is better than the defaults itself, beyond doubt; where the rounds so far do not
    show that, it is run beside the defaults until the last look that the comparison would have had. A winner from which
    nothing is taken must stay better than the defaults in the rounds of both phases together, as many as the shortest
    comparison has more: who was chosen among many was perhaps lucky.
    """

    name: ClassVar[RoundsName] = "simplification"

    def __init__(
        self,
        ledger: Ledger,
        searched: Searching,
        winner: Coordinates,
        verdict: StudyVerdict,
        compared: tuple[Sequence[float], Sequence[float]],
    ) -> None:
        """`compared` is what the defaults and the winner took in the comparison."""
        super().__init__(ledger)
        self._compared_before = compared
        space, policy = searched.search.space, ledger.policy
        self.verdict = verdict
        """That of the comparison until the phase is over."""

        self._simplification = Simplification(
            space,
            winner,
            effects(searched.means(), winner, space.home()),
            gain=1.0 if verdict.comparison is None else verdict.comparison.ratio,
            least_gain=policy.least_gain,
            rounds=policy.simplifications * policy.rounds[0] if verdict.confirmed else 0,
        )
        self.over = self._simplification.candidate is None and not (verdict.confirmed and policy.simplifications)
        if self.over and self._simplification.untried:
            unsimplified = _unsimplified(len(self._simplification.untried), cut=not verdict.confirmed)
            self.verdict = dataclasses.replace(verdict, unsimplified=unsimplified)

    def _rounds(self) -> list[dict[Coordinates | None, float | None]]:
        return self._simplification.rounds

    def _round_size(self) -> int:
        return 2 if self._simplification.candidate is None else 3

    def _begin_round(self) -> list[Coordinates | None]:
        return self._simplification.begin_round()

    def _end_round(self) -> None:
        looks = self._ledger.policy.rounds
        if self._simplification.candidate is not None:
            self._simplification.end_round(looks[0])
        if self._simplification.candidate is not None:
            return
        kept = self._simplification.kept
        done = len(self._simplification.pairs(None, kept))
        failed = self._simplification.rounds[-1].get(kept, 0.0) is None
        last = max(done, self._simplification.confirmations) >= looks[-1]
        if (
            (kept == self._simplification.winner and done >= looks[0])
            or failed
            or last
            or (done in looks and self._is_shown(self._compared()))
        ):
            self._finish()

    def _compared(self) -> PairedComparison:
        pairs = self._simplification.pairs(None, self._simplification.kept)
        return compare([a for a, _ in pairs], [b for _, b in pairs], outside=self._ledger.outside)

    def _is_shown(self, result: PairedComparison) -> bool:
        return result.better and result.ratio >= 1.0 + self._ledger.policy.least_gain

    def end_early(self) -> None:
        """End with what is known."""
        self._finish(cut=True)

    def _finish(self, *, cut: bool = False) -> None:
        """Advise the simpler scenario where it is better than the defaults itself, beyond doubt."""
        self.over = True
        kept, winner = self._simplification.kept, self._simplification.winner
        needed = frozenset(self._simplification.needed)
        untried = self._simplification.untried
        unsimplified = _unsimplified(len(untried), cut=cut) if untried else ""
        self.verdict = dataclasses.replace(self.verdict, needed=needed, unsimplified=unsimplified)
        if kept == winner:
            self._look_again()
            return
        result = self._compared()
        if self._is_shown(result):
            reason = f"{self.verdict.reason}; settings of the best scenario that made no difference were taken out"
            self.verdict = dataclasses.replace(self.verdict, scenario=kept, comparison=result, reason=reason)
            return
        fewer = sum(a != b for a, b in zip(kept, winner, strict=True))
        reason = (
            f"{self.verdict.reason}; {fewer} of its settings made no difference, but {result.pairs} paired runs do not "
            "show the rest to be faster than the defaults beyond doubt"
        )
        self.verdict = dataclasses.replace(self.verdict, reason=reason)
        self._look_again()

    def _look_again(self) -> None:
        """Keep the winner only where the rounds of this phase, if they are enough, have not made it doubtful."""
        fresh = self._simplification.pairs(None, self._simplification.winner)
        if len(fresh) < self._ledger.policy.rounds[0]:
            return
        before, theirs = self._compared_before
        result = compare(
            [*before, *(a for a, _ in fresh)], [*theirs, *(b for _, b in fresh)], outside=self._ledger.outside
        )
        if self._is_shown(result):
            self.verdict = dataclasses.replace(self.verdict, comparison=result)
            return
        reason = f"what was faster in the comparison was not any more in {len(fresh)} further paired runs"
        self.verdict = StudyVerdict(None, result, confirmed=True, reason=reason)
