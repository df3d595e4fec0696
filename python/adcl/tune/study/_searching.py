"""Second phase of a study: a search selects scenarios, interleaved with runs of the defaults."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, ClassVar, Literal

from adcl.tune.study._arm import Arm, deviation
from adcl.tune.study._choice import Finalists, choose, fewest_for_several

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.tune.search import Search
    from adcl.tune.space import Coordinates
    from adcl.tune.study._ledger import Ledger
    from adcl.tune.study._plan import PlannedRun, RunKind, StudyPolicy

__all__ = ["SCREENED", "SEARCHED", "Searching", "patience"]

_PATIENCE, _PATIENCE_EACH = 30, 6
SCREENED, SEARCHED = 0.35, 0.55
"""Shares of the budget after which the screening and the search end. Comparison and simplification get the rest."""

_REPEATED = 0.62
"""Share of the budget after which finalists are no longer repeated."""

_DISTURBED = 1.25
"""Slowdown above which a change's run is repeated at another time before the search uses it."""


def patience(policy: StudyPolicy, parameters: int) -> int:
    """Return the number of scenarios without an improvement after which a search ends."""
    return _PATIENCE + _PATIENCE_EACH * parameters if policy.patience is None else policy.patience


class Searching:
    """Connects the search with runs; repeats a scenario that looks best before the search relies on it."""

    name: ClassVar[Literal["search"]] = "search"

    def __init__(
        self, ledger: Ledger, search: Search, known: Mapping[Coordinates, tuple[float, ...] | None] | None = None
    ) -> None:
        """`known`: results of an earlier study, relative to the defaults; None: the scenario failed."""
        self.search = search
        self.arms: dict[Coordinates, Arm] = {}
        self.trials = 0
        self.cut_short = False
        """Whether the budget, or too many scenarios without improvement, ended the search."""

        self._ledger = ledger
        self._since_default = 0
        self._since_improvement = 0
        self._best_value = math.inf
        self._repeat: list[Coordinates] = []
        self._doubted: list[Coordinates] = []
        """Changes of the screening whose first run was slow; the search waits for their re-check."""

        self._after_default = False
        self._at_the_end = False
        """Whether the defaults were run once more for the repetitions after the search."""

        self._known = dict(known or {})

    def next(self) -> PlannedRun | None:
        """Return the next run; None if it depends on running trials, or if the search is over."""
        if self.search.screening and self._ends(SEARCHED if self._affords_only_single_settings else SCREENED):
            self._accept_slow_runs()
            self.search.narrow()
            self._end_screening()
        if self.over:
            self._accept_slow_runs()
            self.cut_short = self.cut_short or not self.search.converged
            self.search.converge()
            self._repeat.clear()
            return self._repeated_candidate()
        return self._between_trials() or self._trial()

    @property
    def _affords_only_single_settings(self) -> bool:
        """Whether the budget suffices only to compare single settings, which are then tried first."""
        ledger = self._ledger
        return ledger.runs_left() + ledger.issued < fewest_for_several(ledger.policy)

    def _between_trials(self) -> PlannedRun | None:
        """Return a run of the defaults or a repetition; None: the next trial."""
        if self._ledger.default_is_due:
            self._ledger.default_is_due = False
            return self._ledger.issue("default", None)
        if self._since_default >= self._ledger.policy.defaults_every:
            self._since_default = 0
            self._after_default = bool(self._doubted)
            return self._ledger.issue("default", None)
        if self._after_default and self._doubted:
            self._after_default = False
            return self._issue("repetition", self._doubted.pop(0))
        while self._repeat:
            again = self._repeat.pop(0)
            if self._needs_repetition(again):
                return self._issue("repetition", again)
        return None

    def _trial(self) -> PlannedRun | None:
        """Return the search's next scenario, or a pending repetition if the search has no next scenario."""
        screening = self.search.screening
        scenario = self.search.ask()
        while scenario in self._known:
            self._use_known_result(scenario)
            scenario = self.search.ask()
        if screening and not self.search.screening:
            self._end_screening()
        if scenario is not None:
            return self._issue("trial", scenario)
        if self._doubted:
            return self._issue("repetition", self._doubted.pop(0))
        return self._repeated_candidate() if self.search.converged else None

    def _use_known_result(self, scenario: Coordinates) -> None:
        """Use an earlier study's result instead of a run; it counts as one run."""
        ratios, arm = self._known.pop(scenario), self.arms.setdefault(scenario, Arm())
        if ratios is None:
            arm.failures += 1
            self.search.tell(scenario, None)
            return
        defaults = (self.reference(), *self._ledger.defaults.mean()[1:])
        arm.samples.append(tuple(ratio * default for ratio, default in zip(ratios, defaults, strict=True)))
        self.search.tell(scenario, arm.mean())
        if arm.mean()[0] < self._best_value * (1.0 - self._ledger.policy.least_gain):
            self._best_value = arm.mean()[0]
        if self._needs_repetition(scenario):
            self._repeat.append(scenario)

    def _accept_slow_runs(self) -> None:
        """Give the search the results of slow runs for whose repetition no time is left."""
        for scenario in self._doubted:
            arm = self.arms[scenario]
            self.search.tell(scenario, arm.mean() if arm.samples else None)
        self._doubted.clear()

    def _repeated_candidate(self) -> PlannedRun | None:
        """After the search, return a finalist that was repeated too rarely.

        Some scenarios were fast by chance in their only run and would displace faster scenarios.
        """
        policy, ledger = self._ledger.policy, self._ledger
        by_trials = policy.searched is not None and self.trials >= policy.searched
        if by_trials or ledger.interrupted or ledger.must_compare or ledger.spent() >= _REPEATED:
            return None
        if not self._at_the_end and self._since_default:
            self._at_the_end, self._since_default = True, 0
            return ledger.issue("default", None)
        under_way = [order.scenario for order in ledger.running.values()]
        for scenario in self.choice().finalists:
            if len(self.arms[scenario].samples) + under_way.count(scenario) < policy.repetitions:
                return self._issue("repetition", scenario)
        return None

    def _end_screening(self) -> None:
        """Begin to repeat the best scenario; not during the screening, where it is probably fast only by chance."""
        self._since_improvement = 0
        best = self.search.best()
        if best in self.arms and self._needs_repetition(best):
            self._repeat.append(best)

    def _issue(self, kind: RunKind, scenario: Coordinates) -> PlannedRun:
        self.trials += 1
        self._since_default += 1
        return self._ledger.issue(kind, scenario)

    def _ends(self, share: float) -> bool:
        """Return whether this share of the budget is used up; a limit on trials counts fully for the search."""
        searched = self._ledger.policy.searched
        by_trials = searched is not None and self.trials >= share / SEARCHED * searched
        return by_trials or self._ledger.spent() >= share

    @property
    def over(self) -> bool:
        """Whether the budget is used up, too many scenarios brought no improvement, or the user has interrupted."""
        policy = self._ledger.policy
        enough = patience(policy, self.search.dimensions)
        endless = self.search.screening or (policy.patience is None and self.search.runs_all)
        impatient = self._since_improvement >= enough and not endless
        return self._ledger.interrupted or self._ends(SEARCHED) or self._ledger.must_compare or impatient

    def reopen(self) -> None:
        """Continue after the search was cut short."""
        self.search.reopen()
        self.cut_short = self._at_the_end = False

    def _needs_repetition(self, scenario: Coordinates) -> bool:
        enough = len(self.arms[scenario].samples) >= self._ledger.policy.repetitions
        return not enough and not self.search.screening and self.search.best() == scenario

    def record(self, scenario: Coordinates, values: tuple[float, ...] | None, status: str) -> None:
        """Store the values of a run of a scenario; None if it failed."""
        arm = self.arms.setdefault(scenario, Arm())
        if status == "timeout" and arm.samples and not arm.late:
            # The scenario was fast before, so the machine may have been slow this time; this is assumed only once.
            arm.late = True
            self.search.tell(scenario, arm.mean())
            self._repeat.append(scenario)
            return
        if status == "timeout" and self._needs_recheck(arm):
            self._schedule_recheck(scenario)
            return
        if values is None:
            arm.failures += 1
            self.search.tell(scenario, None)
            self._since_improvement += 1
            return
        levels = self._ledger.levels
        sample = (values[0] / levels[-1], *values[1:])
        if arm.rechecked and [sample[0] * _DISTURBED < first[0] for first in arm.samples] == [True]:
            # The first run was disturbed.
            arm.forget()
        suspicious = sample[0] > _DISTURBED * self.reference() and self._needs_recheck(arm)
        arm.samples.append(sample)
        arm.taken.append((len(levels) - 1, values))
        if suspicious:
            self._schedule_recheck(scenario)
            return
        value = arm.mean() if not arm.failures else None
        self.search.tell(scenario, value)
        improved = value is not None and value[0] < self._best_value * (1.0 - self._ledger.policy.least_gain)
        if improved and value is not None:
            self._best_value = value[0]
        if improved or (len(values) > 1 and self.search.on_front(scenario)):
            self._since_improvement = 0
        elif len(arm.samples) == 1:
            self._since_improvement += 1
        if self._needs_repetition(scenario):
            self._repeat.append(scenario)

    def correct_drift(self) -> None:
        """Correct earlier samples after a run of the defaults has shown a drift of the machine."""
        changed = [scenario for scenario, arm in self.arms.items() if arm.correct_drift(self._ledger.levels)]
        for scenario in changed:
            if self.search.told.get(scenario) is not None:
                self.search.correct(scenario, self.arms[scenario].mean())
        best = self.search.best()
        if changed and best in self.arms:
            self._best_value = self.arms[best].mean()[0]
            if self._needs_repetition(best) and best not in self._repeat:
                self._repeat.append(best)

    def _needs_recheck(self, arm: Arm) -> bool:
        """Return whether a slow run is the first run of a screened change, so that a disturbance may be the cause."""
        return self.search.screening and not arm.samples and not arm.rechecked

    def _schedule_recheck(self, scenario: Coordinates) -> None:
        self.arms[scenario].rechecked = True
        self._doubted.append(scenario)

    def reference(self) -> float:
        """Return the value of the defaults, corrected for drift."""
        return statistics.median(self._ledger.drift_corrected)

    def means(self) -> dict[Coordinates, float]:
        """Return the first objective of every scenario that never failed, corrected for drift."""
        return {scenario: arm.mean()[0] for scenario, arm in self.arms.items() if arm.samples and not arm.failures}

    def choice(self) -> Finalists:
        """Return the finalists if the comparison began now."""
        ledger = self._ledger
        means = {scenario: arm.typical() for scenario, arm in self.arms.items() if arm.samples and not arm.failures}
        return choose(
            means,
            self.reference(),
            space=self.search.space,
            policy=ledger.policy,
            runs_left=ledger.runs_left(),
            deviation=deviation(ledger.defaults),
        )

    def gain(self, scenario: Coordinates) -> float:
        """Return the speedup of a scenario over the defaults."""
        return self.reference() / self.arms[scenario].typical()
