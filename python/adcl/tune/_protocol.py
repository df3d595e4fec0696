"""Honest measurement: which run is made next, and what may be concluded. Pure: no clock, no processes, no files."""

from __future__ import annotations

import dataclasses
import math
import random
from typing import TYPE_CHECKING, Literal, TypeAlias

from adcl.errors import AdclError
from adcl.tune._arm import Arm, drift
from adcl.tune._compare import Comparison, Verdict, compare
from adcl.tune._plan import Order, Sample
from adcl.tune._simplify import Simplification, effects

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.tune._plan import Care, Kind
    from adcl.tune._space import Coordinates
    from adcl.tune.search import Search

__all__ = ["DefaultsFailedError", "Phase", "Protocol"]

Phase: TypeAlias = Literal["defaults", "search", "comparison", "simplification", "finished"]

_PATIENCE, _PATIENCE_EACH = 30, 6
_SEARCH_SHARE = 0.75
_PATIENT = 3.0
"""In the comparison a run is stopped that many times later: what has got there is no hopeless scenario."""


class DefaultsFailedError(AdclError):
    """The program does not even run with the MPI library's defaults, so there is nothing to compare with."""


class Protocol:
    """Decides what is run next; `next` and `record` alternate as the runs begin and end.

    The defaults come first and again between trials. A scenario that looks best is repeated before that is believed.
    In the end the best scenarios and the defaults are compared in rounds (see `adcl.tune._compare`), and settings of
    the winner that make no difference are taken out (see `adcl.tune._simplify`). What is returned and concluded depends
    on the arguments of `next`, `record` and `stop` alone.
    """

    def __init__(self, search: Search, care: Care, objectives: Sequence[str], seed: int = 0) -> None:
        self.search = search
        self.care = care
        self.objectives = tuple(objectives)
        self.phase: Phase = "defaults"
        self.defaults = Arm()
        self.arms: dict[Coordinates, Arm] = {}
        self.finalists: list[Coordinates] = []
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
        self._rounds: list[dict[Coordinates | None, float | None]] = []
        self._round_queue: list[Coordinates | None] = []
        self._settled: Verdict | None = None
        self.simplification: Simplification | None = None
        self._warm_ups = 0

    # -- what is run next ----------------------------------------------------------------------------------------------

    def next(self, elapsed_s: float = 0.0) -> Order | None:
        """Return the next run; None when that depends on runs that have not ended, or when `phase` is finished."""
        if self.phase == "defaults":
            order = self._next_default()
            if order is not None or self.phase == "defaults":
                return order
        if self.phase == "search":
            order = self._next_of_search(elapsed_s)
            if order is not None or self._running:
                return order
            self._begin_comparison()
        if self.phase == "comparison":
            if self.care.seconds is not None and elapsed_s > self.care.seconds and not self._running:
                self._settle(final=True)
            else:
                return self._next_of_comparison()
        if self.phase == "simplification":
            if self.care.seconds is not None and elapsed_s > self.care.seconds and not self._running:
                self._conclude_simplification()
                return None
            return self._next_of_simplification()
        return None

    def _order(self, kind: Kind, scenario: Coordinates | None, round_: int | None = None) -> Order:
        limit = self.care.longest_s
        if scenario is not None and math.isfinite(self._fastest_s):
            factor = self.care.stop_factor * (_PATIENT if kind in ("comparison", "simplification") else 1.0)
            limit = min(factor * self._fastest_s, math.inf if limit is None else limit)
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
        return (
            self.interrupted
            or (self.care.trials is not None and self.trials >= self.care.trials)
            or (self.care.seconds is not None and elapsed_s >= _SEARCH_SHARE * self.care.seconds)
            or self._since_improvement >= patience
        )

    def _wants_repetition(self, scenario: Coordinates) -> bool:
        arm = self.arms[scenario]
        return len(arm.samples) < self.care.repetitions and self.search.best() == scenario

    # -- what came of it -----------------------------------------------------------------------------------------------

    def record(self, order: Order, sample: Sample) -> None:
        """Take what came of a run that `next` returned. Raises `DefaultsFailedError`."""
        self._running.pop(order.number)
        values = tuple(sample.objectives[name] for name in self.objectives) if sample.status == "ok" else None
        if values is not None and sample.seconds is not None:
            self._fastest_s = min(self._fastest_s, sample.seconds)
        match order.kind:
            case "warm-up" | "default":
                self._record_default(order, sample, values)
            case "trial" | "repetition":
                self._record_trial(order.scenario or (), values, sample.status)
            case "comparison":
                self._rounds[order.round or 0][order.scenario] = None if values is None else values[0]
                self._look()
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
            self._since_improvement = 0
        elif len(arm.samples) == 1:
            self._since_improvement += 1
        if self._wants_repetition(scenario):
            self._repeat.append(scenario)

    # -- the comparison ------------------------------------------------------------------------------------------------

    def _begin_comparison(self) -> None:
        reference = self.defaults.mean()[0]
        values = {one: arm.mean()[0] for one, arm in self.arms.items() if arm.samples and not arm.failures}
        level = max(drift(self.defaults, self.care), 1e-9)
        promising = [one for one in values if values[one] < reference / level * (1.0 - self.care.least_gain)]
        self.finalists = sorted(promising, key=lambda one: (values[one], one))[: self.care.finalists]
        self.phase = "comparison"
        if not self.finalists:
            self._finish(Verdict(None, None, confirmed=True, reason="no scenario was measured to be faster"))
        elif self.interrupted:
            self._settle(final=True)

    def _next_of_comparison(self) -> Order | None:
        if not self._round_queue:
            if self._running:
                return None
            self._rounds.append({})
            self._round_queue = [None, *self.finalists]
            self._generator.shuffle(self._round_queue)
        return self._order("comparison", self._round_queue.pop(0), len(self._rounds) - 1)

    def pairs(self, scenario: Coordinates) -> tuple[list[float], list[float]]:
        """Return what the defaults and a finalist took, in the rounds in which both succeeded."""
        found = [
            (a, b) for one in self._rounds if (a := one.get(None)) is not None and (b := one.get(scenario)) is not None
        ]
        return [a for a, _ in found], [b for _, b in found]

    def comparisons(self) -> Mapping[Coordinates, Comparison]:
        """Return how each finalist compares with the defaults so far."""
        return {
            one: compare(
                *self.pairs(one),
                error=1.0 - self.care.confidence,
                finalists=self.care.finalists,
                looks=len(self.care.rounds),
            )
            for one in self._ever
        }

    @property
    def _ever(self) -> list[Coordinates]:
        """Everyone who took part in a round, those who were dropped included."""
        return list(dict.fromkeys(one for round_ in self._rounds for one in round_ if one is not None)) or list(
            self.finalists
        )

    def _look(self) -> None:
        complete = not self._round_queue and not self._running
        if not complete:
            return
        failed = [one for one in self.finalists if self._rounds[-1].get(one, 0.0) is None]
        self.finalists = [one for one in self.finalists if one not in failed]
        if len(self._rounds) in self.care.rounds or not self.finalists:
            self._settle(final=len(self._rounds) >= self.care.rounds[-1] or not self.finalists)

    def _settle(self, *, final: bool) -> None:
        """Look at the comparison: end it, or drop those who cannot win any more."""
        found = {one: result for one, result in self.comparisons().items() if one in self.finalists}
        better = {one: result for one, result in found.items() if result.better}
        if not final:
            leader = max(found, key=lambda one: found[one].ratio)
            if found[leader].better and found[leader].ratio >= 1.0 + self.care.least_gain:
                final = True
            self.finalists = [one for one in self.finalists if not found[one].worse]
            final = final or not self.finalists
        if not final:
            return
        complete = len(self._rounds) in self.care.rounds
        worth = [one for one, result in better.items() if result.ratio >= 1.0 + self.care.least_gain]
        if worth:
            winner = max(worth, key=lambda one: better[one].ratio)
            reason = "it was faster than the defaults in the paired comparison"
            self._finish(Verdict(winner, better[winner], confirmed=complete, reason=reason))
            self._begin_simplification()
            return
        best = max(found, key=lambda one: found[one].ratio, default=None)
        self._finish(
            Verdict(
                None,
                found[best] if best is not None else None,
                confirmed=complete or not found,
                reason="no finalist was faster than the defaults beyond doubt",
            )
        )

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
        result = compare(
            [a for a, _ in pairs],
            [b for _, b in pairs],
            error=1.0 - self.care.confidence,
            finalists=max(self.care.simplifications, 1),
        )
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
        elif self.phase == "comparison":
            self._settle(final=True)
        elif self.phase == "simplification":
            self._conclude_simplification()

    def verdict(self) -> Verdict:
        """Return the advice; before the end, and when stopped, what is known so far."""
        if self._settled is not None:
            return self._settled
        return Verdict(None, None, confirmed=False, reason="the study has not come to its end")
