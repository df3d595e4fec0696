"""Honest measurement: which run is made next, and what may be concluded. Pure: no clock, no processes, no files."""

from __future__ import annotations

import dataclasses
import math
import random
import statistics
from typing import TYPE_CHECKING, Literal, TypeAlias

from adcl.errors import AdclError
from adcl.tune.study._arm import Arm, drift
from adcl.tune.study._compare import Comparison, Verdict, compare
from adcl.tune.study._finals import Finals
from adcl.tune.study._plan import Order, Sample
from adcl.tune.study._simplify import Simplification, effects

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.tune.search import Search
    from adcl.tune.space import Coordinates
    from adcl.tune.study._plan import Budget, Care, Kind

__all__ = ["DefaultsFailedError", "Phase", "Protocol"]

Phase: TypeAlias = Literal["defaults", "search", "comparison", "simplification", "finished"]

_PATIENCE, _PATIENCE_EACH = 30, 6
_SEARCH_SHARE = 0.75


class DefaultsFailedError(AdclError):
    """The program does not even run with the MPI library's defaults, so there is nothing to compare with."""


class Protocol:
    """Decides what is run next; `next` and `record` alternate as the runs begin and end.

    The defaults come first and again between trials. A scenario that looks best is repeated before that is believed.
    In the end the best scenarios and the defaults are compared in rounds (`_compare.py`), and settings of the winner
    that make no difference are taken out (`_simplify.py`). What is returned and concluded depends on the arguments of
    `next`, `record` and `stop` alone.
    """

    def __init__(self, search: Search, care: Care, objectives: Sequence[str], seed: int = 0) -> None:
        self.search = search
        self.care = care
        self.objectives = tuple(objectives)
        self.phase: Phase = "defaults"
        self.defaults = Arm()
        self._levelled: list[float] = []
        self.arms: dict[Coordinates, Arm] = {}
        self.finals: Finals | None = None
        """The comparison, once it has begun with at least one finalist."""

        self.trials = 0
        self.interrupted = False
        self._generator = random.Random(seed)  # noqa: S311 - the order of runs, nothing secret
        self._issued = 0
        self._running: dict[int, Order] = {}
        self._fastest_s = math.inf
        self._since_default = 0
        self._since_improvement = 0
        self._best_value = math.inf
        self._repeat: list[Coordinates] = []
        self._round_queue: list[Coordinates | None] = []
        self._settled: Verdict | None = None
        self.simplification: Simplification | None = None
        self._warm_ups = 0
        self.cut_short = False
        """Whether the search was ended by its budget or its patience, and not by itself."""

        self._extensions = 0
        self._elapsed_s = 0.0

    # -- what is run next ----------------------------------------------------------------------------------------------

    def next(self, elapsed_s: float = 0.0) -> Order | None:
        """Return the next run; None when that depends on runs that have not ended, or when `phase` is finished."""
        self._elapsed_s = elapsed_s
        if self.phase == "defaults":
            order = self._next_default()
            if order is not None or self.phase == "defaults":
                return order
        if self.phase == "search":
            order = self._next_of_search(elapsed_s)
            if order is not None or self._running:
                return order
            self._begin_comparison()
        if self.phase == "comparison" and self.finals is not None:
            if self.care.seconds is not None and elapsed_s > self.care.seconds and not self._running:
                self._settle(self.finals.settle(final=True, confirmed=False))
            else:
                return self._next_of_comparison(self.finals)
        if self.phase == "simplification":
            if self.care.seconds is not None and elapsed_s > self.care.seconds and not self._running:
                self._conclude_simplification()
                return None
            return self._next_of_simplification()
        return None

    def _order(self, kind: Kind, scenario: Coordinates | None, round_: int | None = None) -> Order:
        limit = self.care.limit_s(kind, self._fastest_s, self._elapsed_s, default=scenario is None)
        order = Order(self._issued, kind, scenario, limit, round_)
        self._issued += 1
        self._running[order.number] = order
        return order

    def adopt(self, order: Order, wanted: Order) -> Order:
        """Replace a trial that `next` has just returned by another one, which an earlier process made instead.

        Numbers that the machine rounds differently may lead a search to another scenario than before; its trials are
        measurements all the same. Returns `order` itself where it is not only the scenario that differs.
        """
        same = dataclasses.replace(order, scenario=wanted.scenario, timeout_s=wanted.timeout_s) == wanted
        if not same or order.scenario is None or wanted.scenario is None or order.kind != "trial":
            return order
        if not self.search.replace_pending(order.scenario, wanted.scenario):
            return order
        self._running[wanted.number] = wanted
        return wanted

    def _next_default(self) -> Order | None:
        if self._warm_ups < self.care.warm_ups:
            self._warm_ups += 1
            return self._order("warm-up", None)
        waiting = sum(order.kind == "default" for order in self._running.values())
        if len(self.defaults.samples) + waiting < self.care.defaults_first:
            return self._order("default", None)
        if not self._running:
            self.phase = "search"
            self._tell_defaults()
        return None

    def _tell_defaults(self) -> None:
        """The defaults are a scenario as well where all of them are known and in the space."""
        space = self.search.space
        home = space.home()
        mask = space.active_mask(home)
        exact = all(
            one.default is not None and one.values[one.home] == one.default
            for one, active in zip(space.parameters, mask, strict=True)
            if active
        )
        if exact and self.search.fresh(home):
            self.search.tell(home, self.defaults.mean())

    def _next_of_search(self, elapsed_s: float) -> Order | None:
        if self._search_is_over(elapsed_s):
            self.cut_short = self.cut_short or not self.search.converged
            self.search.converge()
            self._repeat.clear()
            return None
        if self._since_default >= self.care.defaults_every:
            self._since_default = 0
            return self._order("default", None)
        while self._repeat:
            again = self._repeat.pop(0)
            if self._wants_repetition(again):
                return self._of_search("repetition", again)
        scenario = self.search.ask()
        return None if scenario is None else self._of_search("trial", scenario)

    def _of_search(self, kind: Kind, scenario: Coordinates) -> Order:
        self.trials += 1
        self._since_default += 1
        return self._order(kind, scenario)

    def _search_is_over(self, elapsed_s: float) -> bool:
        patience = self.care.patience
        if patience is None:
            patience = _PATIENCE + _PATIENCE_EACH * len(self.search.space.parameters)
        impatient = self._since_improvement >= patience and not (self.care.patience is None and self.search.runs_all)
        return (
            self.interrupted
            or (self.care.trials is not None and self.trials >= self.care.trials)
            or (self.care.seconds is not None and elapsed_s >= _SEARCH_SHARE * self.care.seconds)
            or impatient
        )

    def _wants_repetition(self, scenario: Coordinates) -> bool:
        arm = self.arms[scenario]
        return len(arm.samples) < self.care.repetitions and self.search.best() == scenario

    # -- what came of it -----------------------------------------------------------------------------------------------

    def record(self, order: Order, sample: Sample) -> None:
        """Take what came of a run that `next` returned. Raises `DefaultsFailedError`."""
        self._running.pop(order.number)
        values = tuple(sample.objectives[name] for name in self.objectives) if sample.status == "ok" else None
        if values is not None and not all(0.0 < one < math.inf for one in values):
            values = None
        if values is not None and sample.seconds is not None:
            self._fastest_s = min(self._fastest_s, sample.seconds)
        match order.kind:
            case "warm-up" | "default":
                self._record_default(order, sample, values)
            case "trial" | "repetition":
                self._record_trial(order.scenario or (), values, sample.status)
            case "comparison":
                self._record_comparison(order, None if values is None else values[0])
            case "simplification":
                self._record_simplification(order, None if values is None else values[0])

    def _record_default(self, order: Order, sample: Sample, values: tuple[float, ...] | None) -> None:
        if values is None:
            if self.phase == "defaults":
                raise DefaultsFailedError(
                    f"with the MPI library's defaults the program failed ({sample.status}: {sample.reason}); "
                    "nothing can be compared with that"
                )
            self.defaults.failures += 1
        elif order.kind == "default":
            self.defaults.samples.append(values)
            self._levelled.append(values[0] / drift(self.defaults, self.care))

    def _record_trial(self, scenario: Coordinates, values: tuple[float, ...] | None, status: str) -> None:
        arm = self.arms.setdefault(scenario, Arm())
        if status == "timeout" and arm.samples and not arm.late:
            # It was fast before, so it may be the machine that was late this time; but not twice.
            arm.late = True
            self.search.tell(scenario, arm.mean())
            self._repeat.append(scenario)
            return
        if values is None:
            arm.failures += 1
            self.search.tell(scenario, None)
            self._since_improvement += 1
            return
        level = drift(self.defaults, self.care)
        arm.samples.append(tuple(value / level for value in values[:1]) + values[1:])
        told = arm.mean() if not arm.failures else None
        self.search.tell(scenario, told)
        improved = told is not None and told[0] < self._best_value * (1.0 - self.care.least_gain)
        if improved and told is not None:
            self._best_value = told[0]
        if improved or (len(self.objectives) > 1 and self.search.on_front(scenario)):
            self._since_improvement = 0
        elif len(arm.samples) == 1:
            self._since_improvement += 1
        if self._wants_repetition(scenario):
            self._repeat.append(scenario)

    # -- the comparison ------------------------------------------------------------------------------------------------

    def _begin_comparison(self) -> None:
        # All of these are corrected for drift: as if the machine had stayed as it was in the beginning.
        reference = statistics.median(self._levelled)
        values = {one: arm.mean()[0] for one, arm in self.arms.items() if arm.samples and not arm.failures}
        promising = [one for one in values if values[one] < reference * (1.0 - self.care.least_gain)]
        finalists = sorted(promising, key=lambda one: (values[one], one))[: self.care.finalists]
        self.phase = "comparison"
        if not finalists:
            reason = "no scenario was measured to be faster"
            self._finish(Verdict(None, None, confirmed=not self.interrupted, reason=reason))
            return
        self.finals = Finals(finalists, self.care, self._outside)
        if self.interrupted:
            found = Comparison(reference / values[finalists[0]], 0.0, math.inf, 1.0 - self._outside, 0)
            reason = "it was the fastest in the search; there was no time to compare it with the defaults"
            self._finish(Verdict(finalists[0], found, confirmed=False, reason=reason))

    @property
    def _outside(self) -> float:
        """What each interval leaves outside, so that all verdicts together are wrong with the error probability."""
        verdicts = max(self.care.finalists * len(self.care.rounds), self.care.simplifications)
        return (1.0 - self.care.confidence) / verdicts / 2.0**self._extensions

    def _next_of_comparison(self, finals: Finals) -> Order | None:
        if not self._round_queue:
            if self._running:
                return None
            self._round_queue = finals.begin_round()
            self._generator.shuffle(self._round_queue)
        return self._order("comparison", self._round_queue.pop(0), len(finals.rounds) - 1)

    def pairs(self, scenario: Coordinates) -> tuple[list[float], list[float]]:
        """Return what the defaults and a finalist took, in the rounds in which both succeeded."""
        return ([], []) if self.finals is None else self.finals.pairs(scenario)

    def comparisons(self) -> Mapping[Coordinates, Comparison]:
        """Return how each finalist compares with the defaults so far."""
        return {} if self.finals is None else self.finals.comparisons()

    def _record_comparison(self, order: Order, value: float | None) -> None:
        if self.finals is None:
            return
        self.finals.rounds[order.round or 0][order.scenario] = value
        if not self._round_queue and not self._running:
            self._settle(self.finals.end_round())

    def _settle(self, verdict: Verdict | None) -> None:
        if verdict is not None:
            self._finish(verdict)
            self._begin_simplification()

    # -- the simplification --------------------------------------------------------------------------------------------

    def _begin_simplification(self) -> None:
        """Go on with the winner's settings, unless the user or the budget has ended the study."""
        verdict = self._settled
        if verdict is None or verdict.scenario is None or verdict.comparison is None or self.interrupted:
            return
        values = {one: arm.mean()[0] for one, arm in self.arms.items() if arm.samples and not arm.failures}
        self.simplification = Simplification(
            self.search.space,
            verdict.scenario,
            effects(values, verdict.scenario, self.search.space.home()),
            gain=verdict.comparison.ratio,
            least_gain=self.care.least_gain,
            rounds=self.care.simplifications * self.care.rounds[0] if verdict.confirmed else 0,
        )
        if self.simplification.candidate is not None:
            self._round_queue.clear()
            self.phase = "simplification"

    def _next_of_simplification(self) -> Order | None:
        simplification = self.simplification
        if simplification is None or (not self._round_queue and self._running):
            return None
        if not self._round_queue:
            self._round_queue = simplification.begin_round()
            self._generator.shuffle(self._round_queue)
        return self._order("simplification", self._round_queue.pop(0), len(simplification.rounds) - 1)

    def _record_simplification(self, order: Order, value: float | None) -> None:
        if self.simplification is None:
            return
        self.simplification.rounds[order.round or 0][order.scenario] = value
        if not self._round_queue and not self._running:
            self.simplification.end_round(self.care.rounds[0])
            if self.simplification.candidate is None:
                self._conclude_simplification()

    def _conclude_simplification(self) -> None:
        """Advise the simpler scenario where it is better than the defaults itself, beyond doubt."""
        self.phase = "finished"
        simplification, verdict = self.simplification, self._settled
        if simplification is None or verdict is None or simplification.kept == simplification.winner:
            return
        kept = simplification.kept
        pairs = simplification.pairs(None, kept)
        result = compare([a for a, _ in pairs], [b for _, b in pairs], outside=self._outside)
        if result.better and result.ratio >= 1.0 + self.care.least_gain:
            reason = f"{verdict.reason}; settings of the best scenario that made no difference were taken out"
            self._finish(Verdict(kept, result, confirmed=True, reason=reason))

    def _finish(self, verdict: Verdict) -> None:
        self._settled = verdict
        self.phase = "finished"

    def stop(self) -> None:
        """End early: no further runs. What is known then is the verdict, not confirmed."""
        self.interrupted = True
        self.search.converge()
        self._running.clear()
        if self.phase in ("search", "defaults") and self.defaults.samples:
            self._begin_comparison()
        elif self.phase == "comparison" and self.finals is not None:
            self._settle(self.finals.settle(final=True, confirmed=False))
        elif self.phase == "simplification":
            self._conclude_simplification()

    def extend(self, budget: Budget, elapsed_s: float) -> None:
        """Go on with another budget.

        A search that was ended by its budget, and not by itself, goes on where the new one allows it, also when the
        comparison has begun or ended; its rounds are forgotten then, and there is another comparison afterwards.
        """
        if budget == self.care.budget:
            return
        self.care = self.care.with_budget(budget)
        if not self.cut_short or self._search_is_over(elapsed_s):
            return
        self.search.reopen()
        self.cut_short = False
        if self.phase == "search":
            return
        self.phase = "search"
        self._extensions += 1
        self._running = {number: one for number, one in self._running.items() if one.round is None}
        self._round_queue.clear()
        self.finals = self.simplification = self._settled = None

    @property
    def waits(self) -> bool:
        """Whether runs are under way."""
        return bool(self._running)

    def waits_for(self, order: Order) -> bool:
        """Whether the run has begun, has not ended, and still matters."""
        return order.number in self._running

    def verdict(self) -> Verdict:
        """Return the advice; before the end, and when stopped, what is known so far."""
        if self._settled is not None:
            return self._settled
        return Verdict(None, None, confirmed=False, reason="the study has not come to its end")
