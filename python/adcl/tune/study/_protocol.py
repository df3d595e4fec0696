"""Protocol of a study: selects the next run and the conclusions. Pure: no clock, no processes, no files."""

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
"""Minimum number of paired runs to estimate their variation."""


class StudyProtocol:
    """Selects the runs; call `next` and `record` as runs begin and end.

    The four phases are objects: `Defaults`, `Searching`, `Comparing` and `Simplifying`. All results depend only on the
    arguments of `next`, `record`, `stop` and `extend`.
    """

    def __init__(
        self,
        search: Search,
        policy: StudyPolicy,
        objectives: Sequence[str],
        seed: int = 0,
        known: Mapping[Coordinates, tuple[float, ...] | None] | None = None,
    ) -> None:
        """`known` has results of an earlier study for some scenarios, relative to the defaults."""
        self.objectives = tuple(objectives)
        self._ledger = Ledger(policy, seed)
        self._defaults = Defaults(self._ledger)
        self._searching = Searching(self._ledger, search, known or {})
        self._comparing: Comparing | None = None
        self._simplifying: Simplifying | None = None
        self._current: Defaults | Searching | Rounds | None = self._defaults
        """Current phase; None: the study has finished."""

        self._settled: StudyVerdict | None = None
        self._left_out: Coordinates | None = None
        """Finalists that a larger budget would add."""

    # -- state ---------------------------------------------------------------------------------------------------------

    @property
    def phase(self) -> Phase:
        """Current phase."""
        if self._current is self._searching and self.search.screening:
            return "screening"
        return "finished" if self._current is None else self._current.name

    @property
    def search(self) -> Search:
        """The search that selects the scenarios."""
        return self._searching.search

    @property
    def policy(self) -> StudyPolicy:
        """Precision and limits, with the current budget."""
        return self._ledger.policy

    @property
    def defaults(self) -> Arm:
        """Runs of the defaults."""
        return self._ledger.defaults

    @property
    def reference(self) -> float:
        """First objective of the defaults, corrected for drift."""
        return self._searching.reference()

    @property
    def arms(self) -> Mapping[Coordinates, Arm]:
        """Runs of each scenario during the search."""
        return self._searching.arms

    @property
    def trials(self) -> int:
        """Number of runs of the search so far, including repetitions."""
        return self._searching.trials

    @property
    def cut_short(self) -> bool:
        """Whether the budget, or too many scenarios without improvement, ended the search."""
        return self._searching.cut_short

    @property
    def waits(self) -> bool:
        """Whether runs are under way."""
        return bool(self._ledger.running)

    def waits_for(self, order: PlannedRun) -> bool:
        """Return whether the run has begun, has not ended, and its result is still needed."""
        return order.number in self._ledger.running

    def pairs(self, scenario: Coordinates) -> tuple[list[float], list[float]]:
        """Return the values of the defaults and a finalist in the rounds in which both succeeded."""
        return ([], []) if self._comparing is None else self._comparing.finals.pairs(scenario)

    def comparisons(self) -> Mapping[Coordinates, PairedComparison]:
        """Return the comparison of each finalist with the defaults so far."""
        return {} if self._comparing is None else self._comparing.finals.comparisons()

    def verdict(self) -> StudyVerdict:
        """Return the advice: before the end and after `stop`, the advice from the runs so far."""
        if self._settled is not None:
            return self._settled
        return StudyVerdict(None, None, confirmed=False, reason="the study is incomplete")

    # -- next run ------------------------------------------------------------------------------------------------------

    def next(self, elapsed_s: float = 0.0) -> PlannedRun | None:
        """Return the next run; None if it depends on running trials, or if `phase` is finished."""
        self._ledger.elapsed_s = elapsed_s
        while self._current is not None:
            order = self._current.next()
            if order is not None or self._ledger.running:
                return order
            self._enter_next_phase()
        return None

    def _enter_next_phase(self) -> None:
        """Enter the next phase."""
        match self._current:
            case Defaults():
                self._current = self._searching
                self._defaults.tell(self.search)
            case Searching():
                self._begin_comparison()
            case Rounds() as rounds if rounds.over:
                self._finish_phase(rounds)

    def _begin_comparison(self) -> None:
        choice = self._searching.choice()
        interrupted = self._ledger.interrupted
        self._current, self._left_out = None, choice.left_out
        if not choice.finalists:
            if self._searching.arms:
                reason = "no scenario was faster than the defaults"
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
        """Return the verdict if `what` prevented the comparison: the defaults, and the best scenario of the search."""
        unconfirmed = self._search_result(best, "the gain was measured only in the search")
        reason = f"{what} before a comparison with the defaults in paired runs"
        return StudyVerdict(None, None, confirmed=False, reason=reason, unconfirmed=unconfirmed)

    def _search_result(self, scenario: Coordinates, reason: str) -> UnconfirmedGain:
        """Return the search's result for a scenario that was not compared."""
        gain = self._searching.gain(scenario)
        return UnconfirmedGain(scenario, PairedComparison(gain, 0.0, math.inf, 1.0 - self._ledger.outside, 0), reason)

    def _finish_phase(self, rounds: Rounds) -> None:
        """Adopt the verdict of a finished phase; after the comparison, continue with the winner's settings."""
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
        """Conclude with a verdict, and list the scenarios that only a larger budget would have compared."""
        known = 1.0 if verdict.scenario is None or verdict.comparison is None else verdict.comparison.ratio
        left_out = self._left_out
        if verdict.unconfirmed is None and left_out is not None and self._searching.gain(left_out) > known:
            reason = (
                "the gain was measured only in the search, and the budget is too small to find the settings that matter"
            )
            verdict = dataclasses.replace(verdict, unconfirmed=self._search_result(left_out, reason))
        self._settled = verdict

    def adopt(self, order: PlannedRun, wanted: PlannedRun) -> PlannedRun:
        """Replace a trial that `next` has just returned by the trial that an earlier process ran in its place.

        Different rounding of numbers may lead the search to another scenario; the earlier trials remain valid
        measurements. Returns `order` itself if more than the scenario differs.
        """
        same = dataclasses.replace(order, scenario=wanted.scenario, timeout_s=wanted.timeout_s) == wanted
        if not same or order.scenario is None or wanted.scenario is None or order.kind != "trial":
            return order
        if not self.search.replace_pending(order.scenario, wanted.scenario):
            return order
        self._ledger.running[wanted.number] = wanted
        return wanted

    # -- results -------------------------------------------------------------------------------------------------------

    def record(self, order: PlannedRun, sample: Sample) -> None:
        """Store the outcome of a run that `next` returned. Raises `DefaultsFailedError`."""
        values = self._ledger.end(order, sample, self.objectives)
        match order.kind:
            case "warm-up" | "default":
                if self._current is self._defaults:
                    self._defaults.raise_on_failure(sample, values)
                self._ledger.record_default(order, values)
                self._searching.correct_drift()
            case "trial" | "repetition":
                self._searching.record(order.scenario or (), values, sample.status)
            case "comparison" | "simplification":
                if isinstance(self._current, Rounds):
                    self._current.record(order, None if values is None else values[0])
                    if self._current.over:
                        self._finish_phase(self._current)

    def stop(self) -> None:
        """End early without further runs. The present verdict is not confirmed."""
        self._ledger.interrupted = True
        self.search.converge()
        self._ledger.running.clear()
        if isinstance(self._current, Rounds):
            self._current.end_early()
            self._finish_phase(self._current)
        elif self._current is not None and self.defaults.samples:
            self._begin_comparison()

    def extend(self, budget: Budget, elapsed_s: float) -> None:
        """Continue with another budget.

        If the budget ended the search, the search continues, even if the comparison has begun or ended; the rounds of
        the comparison are discarded, and another comparison follows. If the budget ended the comparison or the
        simplification, that phase continues.
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
        """Continue the rounds if the budget had ended them."""
        rounds = next((one for one in (self._comparing, self._simplifying) if one is not None and one.cut), None)
        if rounds is None:
            return
        rounds.reopen()
        self._current, self._settled = rounds, None
        if rounds is self._comparing:
            self._simplifying = None
