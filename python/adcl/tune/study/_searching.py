"""The second phase of a study: a search says which scenarios are run; the defaults are run between them."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, ClassVar, Literal

from adcl.tune.study._arm import Arm

if TYPE_CHECKING:
    from adcl.tune.search import Search
    from adcl.tune.space import Coordinates
    from adcl.tune.study._ledger import Ledger
    from adcl.tune.study._plan import PlannedRun, RunKind, StudyPolicy

__all__ = ["Searching", "patience"]

_PATIENCE, _PATIENCE_EACH = 30, 6
_SHARE_OF_TIME = 0.6


def patience(policy: StudyPolicy, parameters: int) -> int:
    """Return after how many scenarios without an improvement a search ends."""
    return _PATIENCE + _PATIENCE_EACH * parameters if policy.patience is None else policy.patience


class Searching:
    """Asks the search and tells it; repeats a scenario that looks best before that is believed."""

    name: ClassVar[Literal["search"]] = "search"

    def __init__(self, ledger: Ledger, search: Search) -> None:
        self.search = search
        self.arms: dict[Coordinates, Arm] = {}
        self.trials = 0
        self.cut_short = False
        """Whether the search was ended by its budget or its patience, and not by itself."""

        self._ledger = ledger
        self._since_default = 0
        self._since_improvement = 0
        self._best_value = math.inf
        self._repeat: list[Coordinates] = []

    def next(self) -> PlannedRun | None:
        """Return the next run; None when that depends on runs that have not ended, or when the search is over."""
        if self.over:
            self.cut_short = self.cut_short or not self.search.converged
            self.search.converge()
            self._repeat.clear()
            return None
        if self._since_default >= self._ledger.policy.defaults_every:
            self._since_default = 0
            return self._ledger.issue("default", None)
        while self._repeat:
            again = self._repeat.pop(0)
            if self._wants_repetition(again):
                return self._issue("repetition", again)
        scenario = self.search.ask()
        return None if scenario is None else self._issue("trial", scenario)

    def _issue(self, kind: RunKind, scenario: Coordinates) -> PlannedRun:
        self.trials += 1
        self._since_default += 1
        return self._ledger.issue(kind, scenario)

    @property
    def over(self) -> bool:
        """Whether budget or patience are used up, or the user has interrupted."""
        policy = self._ledger.policy
        enough = patience(policy, len(self.search.space.parameters))
        impatient = self._since_improvement >= enough and not (policy.patience is None and self.search.runs_all)
        return (
            self._ledger.interrupted
            or (policy.trials is not None and self.trials >= policy.trials)
            or (policy.seconds is not None and self._ledger.elapsed_s >= _SHARE_OF_TIME * policy.seconds)
            or impatient
        )

    def reopen(self) -> None:
        """Go on after the search was cut short."""
        self.search.reopen()
        self.cut_short = False

    def _wants_repetition(self, scenario: Coordinates) -> bool:
        return len(self.arms[scenario].samples) < self._ledger.policy.repetitions and self.search.best() == scenario

    def record(self, scenario: Coordinates, values: tuple[float, ...] | None, status: str) -> None:
        """Take what a run of a scenario took; None where it failed."""
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
        level = self._ledger.level()
        arm.samples.append(tuple(value / level for value in values[:1]) + values[1:])
        told = arm.mean() if not arm.failures else None
        self.search.tell(scenario, told)
        improved = told is not None and told[0] < self._best_value * (1.0 - self._ledger.policy.least_gain)
        if improved and told is not None:
            self._best_value = told[0]
        if improved or (len(values) > 1 and self.search.on_front(scenario)):
            self._since_improvement = 0
        elif len(arm.samples) == 1:
            self._since_improvement += 1
        if self._wants_repetition(scenario):
            self._repeat.append(scenario)

    def means(self) -> dict[Coordinates, float]:
        """Return the first objective of every scenario that never failed, corrected for drift."""
        return {scenario: arm.mean()[0] for scenario, arm in self.arms.items() if arm.samples and not arm.failures}

    def finalists(self) -> list[tuple[Coordinates, float]]:
        """Return the scenarios that look better than the defaults, the best first, and how many times better."""
        policy, means = self._ledger.policy, self.means()
        reference = statistics.median(self._ledger.levelled)
        promising = [scenario for scenario in means if means[scenario] < reference * (1.0 - policy.least_gain)]
        best = sorted(promising, key=lambda scenario: (means[scenario], scenario))[: policy.finalists]
        return [(scenario, reference / means[scenario]) for scenario in best]
