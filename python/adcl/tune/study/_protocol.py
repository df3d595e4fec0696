"""Honest measurement: which run is made next, and what may be concluded. Pure: no clock, no processes, no files."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Literal, TypeAlias

from adcl.tune.study._compare import PairedComparison, StudyVerdict, UnconfirmedGain
from adcl.tune.study._defaults import Defaults
from adcl.tune.study._ledger import Ledger
from adcl.tune.study._rounds import Comparing, Rounds, Simplifying
from adcl.tune.study._searching import Searching

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.tune.file import Budget
    from adcl.tune.search import Search
    from adcl.tune.space import Coordinates
    from adcl.tune.study._arm import Arm
    from adcl.tune.study._plan import PlannedRun, Sample, StudyPolicy

__all__ = ["Phase", "StudyProtocol"]

Phase: TypeAlias = Literal["defaults", "screening", "search", "comparison", "simplification", "finished"]


_FEWEST_PAIRS = 2
"""Fewer paired runs say nothing of how much one differs from the next."""


class StudyProtocol:
    """Decides what is run next; `next` and `record` alternate as the runs begin and end.

    It leads through four phases, an object each: `Defaults`, `Searching`, `Comparing` and `Simplifying`. What is
    returned and concluded depends on the arguments of `next`, `record`, `stop` and `extend` alone.
    """

    def __init__(
        self,
        search: Search,
        policy: StudyPolicy,
        objectives: Sequence[str],
        seed: int = 0,
        known: Mapping[Coordinates, tuple[float, ...] | None] | None = None,
    ) -> None:
        """`known` is what an earlier study has measured of some scenarios, in parts of the defaults."""
        self.objectives = tuple(objectives)
        self._ledger = Ledger(policy, seed)
        self._defaults = Defaults(self._ledger)
        self._searching = Searching(self._ledger, search, known or {})
        self._comparing: Comparing | None = None
        self._simplifying: Simplifying | None = None
        self._current: Defaults | Searching | Rounds | None = self._defaults
        """None: the study has finished."""

        self._settled: StudyVerdict | None = None
        self._left_out: Coordinates | None = None
        """What would have been compared with a larger budget."""

    # -- what is known -------------------------------------------------------------------------------------------------

    @property
    def phase(self) -> Phase:
        """Where the study is."""
        if self._current is self._searching and self.search.screening:
            return "screening"
        return "finished" if self._current is None else self._current.name

    @property
    def search(self) -> Search:
        """The search that says which scenarios are tried."""
        return self._searching.search

    @property
    def policy(self) -> StudyPolicy:
        """How carefully is measured, with the budget that holds now."""
        return self._ledger.policy

    @property
    def defaults(self) -> Arm:
        """The runs of the defaults."""
        return self._ledger.defaults

    @property
    def reference(self) -> float:
        """What the defaults take, in the first objective, as if the machine had stayed as it was."""
        return self._searching.reference()

    @property
    def arms(self) -> Mapping[Coordinates, Arm]:
        """The runs of each scenario during the search."""
        return self._searching.arms

    @property
    def trials(self) -> int:
        """Runs of the search so far, repetitions included."""
        return self._searching.trials

    @property
    def cut_short(self) -> bool:
        """Whether the search was ended by its budget or its patience, and not by itself."""
        return self._searching.cut_short

    @property
    def waits(self) -> bool:
        """Whether runs are under way."""
        return bool(self._ledger.running)

    def waits_for(self, order: PlannedRun) -> bool:
        """Whether the run has begun, has not ended, and still matters."""
        return order.number in self._ledger.running

    def pairs(self, scenario: Coordinates) -> tuple[list[float], list[float]]:
        """Return what the defaults and a finalist took, in the rounds in which both succeeded."""
        return ([], []) if self._comparing is None else self._comparing.finals.pairs(scenario)

    def comparisons(self) -> Mapping[Coordinates, PairedComparison]:
        """Return how each finalist compares with the defaults so far."""
        return {} if self._comparing is None else self._comparing.finals.comparisons()

    def verdict(self) -> StudyVerdict:
        """Return the advice; before the end, and when stopped, what is known so far."""
        if self._settled is not None:
            return self._settled
        return StudyVerdict(None, None, confirmed=False, reason="the study has not come to its end")

    # -- what is run next ----------------------------------------------------------------------------------------------

    def next(self, elapsed_s: float = 0.0) -> PlannedRun | None:
        """Return the next run; None when that depends on runs that have not ended, or when `phase` is finished."""
        self._ledger.elapsed_s = elapsed_s
        while self._current is not None:
            order = self._current.next()
            if order is not None or self._ledger.running:
                return order
            self._go_on()
        return None

    def _go_on(self) -> None:
        """Enter the next phase, since the current one has nothing left to run."""
        match self._current:
            case Defaults():
                self._current = self._searching
                self._defaults.tell(self.search)
            case Searching():
                self._begin_comparison()
            case Rounds() as rounds if rounds.over:
                self._leave(rounds)

    def _begin_comparison(self) -> None:
        choice = self._searching.choice()
        interrupted = self._ledger.interrupted
        self._current, self._left_out = None, choice.left_out
        if not choice.finalists:
            if self._searching.arms:
                reason = "no scenario was measured to be faster"
            else:
                reason = "the study ended before other settings were run"
            confirmed = bool(self._searching.arms) and not interrupted
            self._settled = StudyVerdict(None, None, confirmed=confirmed, reason=reason)
            return
        self._comparing = Comparing(self._ledger, choice.finalists, self.search.space)
        if not interrupted:
            self._current = self._comparing
            return
        self._settled = self._not_compared(choice.finalists[0], "the study ended")

    def _not_compared(self, best: Coordinates, what: str) -> StudyVerdict:
        """The verdict where `what` happened before the comparison: the defaults, and what looked best."""
        unconfirmed = self._seen(best, "that was in the search alone")
        reason = f"{what} before anything was compared with them in paired runs"
        return StudyVerdict(None, None, confirmed=False, reason=reason, unconfirmed=unconfirmed)

    def _seen(self, scenario: Coordinates, reason: str) -> UnconfirmedGain:
        """What the search has seen of a scenario that was not compared."""
        gain = self._searching.gain(scenario)
        return UnconfirmedGain(scenario, PairedComparison(gain, 0.0, math.inf, 1.0 - self._ledger.outside, 0), reason)

    def _leave(self, rounds: Rounds) -> None:
        """Take the verdict of a phase that is over; after the comparison, go on with the winner's settings."""
        self._current = None
        if isinstance(rounds, Simplifying):
            self._settle(rounds.verdict)
        elif isinstance(rounds, Comparing) and rounds.verdict is not None:
            verdict = rounds.verdict
            if verdict.scenario is None:
                nothing_seen = verdict.comparison is None or verdict.comparison.pairs < _FEWEST_PAIRS
                if rounds.cut and nothing_seen and rounds.finals.finalists:
                    verdict = self._not_compared(rounds.finals.finalists[0], "the budget was used up")
                self._settle(verdict)
                return
            self._simplifying = Simplifying(self._ledger, self._searching, verdict.scenario, verdict, rounds.finals)
            if self._ledger.interrupted and not self._simplifying.over:
                self._simplifying.end_early()
            if self._simplifying.over:
                self._settle(self._simplifying.verdict)
            else:
                self._current = self._simplifying

    def _settle(self, verdict: StudyVerdict) -> None:
        """End with a verdict; tell what looked better and was not compared, for want of a larger budget."""
        known = 1.0 if verdict.scenario is None or verdict.comparison is None else verdict.comparison.ratio
        left_out = self._left_out
        if verdict.unconfirmed is None and left_out is not None and self._searching.gain(left_out) > known:
            reason = "that was in the search alone, and the budget is too short to find out which of them matter"
            verdict = dataclasses.replace(verdict, unconfirmed=self._seen(left_out, reason))
        self._settled = verdict

    def adopt(self, order: PlannedRun, wanted: PlannedRun) -> PlannedRun:
        """Replace a trial that `next` has just returned by another one, which an earlier process made instead.

        Numbers that the machine rounds differently may lead a search to another scenario than before; its trials are
        measurements all the same. Returns `order` itself where it is not only the scenario that differs.
        """
        same = dataclasses.replace(order, scenario=wanted.scenario, timeout_s=wanted.timeout_s) == wanted
        if not same or order.scenario is None or wanted.scenario is None or order.kind != "trial":
            return order
        if not self.search.replace_pending(order.scenario, wanted.scenario):
            return order
        self._ledger.running[wanted.number] = wanted
        return wanted

    # -- what came of it -----------------------------------------------------------------------------------------------

    def record(self, order: PlannedRun, sample: Sample) -> None:
        """Take what came of a run that `next` returned. Raises `DefaultsFailedError`."""
        values = self._ledger.end(order, sample, self.objectives)
        match order.kind:
            case "warm-up" | "default":
                if self._current is self._defaults:
                    self._defaults.refuse_failure(sample, values)
                self._ledger.record_default(order, values)
                self._searching.relevel()
            case "trial" | "repetition":
                self._searching.record(order.scenario or (), values, sample.status)
            case "comparison" | "simplification":
                if isinstance(self._current, Rounds):
                    self._current.record(order, None if values is None else values[0])
                    if self._current.over:
                        self._leave(self._current)

    def stop(self) -> None:
        """End early: no further runs. What is known then is the verdict, not confirmed."""
        self._ledger.interrupted = True
        self.search.converge()
        self._ledger.running.clear()
        if isinstance(self._current, Rounds):
            self._current.end_early()
            self._leave(self._current)
        elif self._current is not None and self.defaults.samples:
            self._begin_comparison()

    def extend(self, budget: Budget, elapsed_s: float) -> None:
        """Go on with another budget.

        A search that was ended by its budget, and not by itself, goes on where the new one allows it, also when the
        comparison has begun or ended; its rounds are forgotten then, and there is another comparison afterward. Where
        it was the comparison or the simplification that was ended by its budget, that goes on.
        """
        if budget == self.policy.budget:
            return
        self._ledger.policy = self.policy.with_budget(budget)
        self._ledger.elapsed_s = elapsed_s
        if self.cut_short and self._current is not self._searching:
            self._ledger.begin_extension()
        if self.cut_short and not self._searching.over:
            self._reopen_search()
        elif self._current is None:
            self._reopen_rounds()

    def _reopen_search(self) -> None:
        self._searching.reopen()
        if self._current is self._searching:
            return
        self._current = self._searching
        self._ledger.extensions += 1
        running = self._ledger.running
        self._ledger.running = {number: order for number, order in running.items() if order.round is None}
        self._comparing = self._simplifying = self._settled = self._left_out = None

    def _reopen_rounds(self) -> None:
        """Go on with the rounds that the budget had ended, if that was it."""
        rounds = next((one for one in (self._comparing, self._simplifying) if one is not None and one.cut), None)
        if rounds is None:
            return
        rounds.reopen()
        self._current, self._settled = rounds, None
        if rounds is self._comparing:
            self._simplifying = None
