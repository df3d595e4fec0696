"""State shared by all phases of a study: running trials, results of the defaults, and the budget used."""

from __future__ import annotations

import math
import random
import statistics
from typing import TYPE_CHECKING

from adcl.tune.study._arm import Arm, levels
from adcl.tune.study._plan import PlannedRun

if TYPE_CHECKING:
    from adcl.tune.space import Coordinates
    from adcl.tune.study._plan import RunKind, Sample, StudyPolicy

__all__ = ["Ledger"]

_SURPRISE = 1.25
_MOST_AGAIN = 2
"""Ratio to the last runs above which a run of the defaults is repeated, and maximum number of repetitions."""


class Ledger:
    """Numbers the runs and tracks unfinished runs."""

    def __init__(self, policy: StudyPolicy, seed: int) -> None:
        self.policy = policy
        self.generator = random.Random(seed)  # noqa: S311 - not used for cryptography
        self.defaults = Arm()
        self.levels = [1.0]
        """Slowdown of the machine relative to the beginning, before each run of the defaults and now."""

        self.default_is_due = False
        """Whether the last run of the defaults differed so much that another run must follow at once."""

        self._again = 0
        self.running: dict[int, PlannedRun] = {}
        self.elapsed_s = 0.0
        self.interrupted = False
        self.extensions = 0
        """Number of times that the study was continued after its search had been cut short."""

        self._issued = 0
        self._extended_at = (0, 0.0)
        """Runs and seconds used when the budget was last enlarged."""

        self._fastest_s = math.inf

    def issue(self, kind: RunKind, scenario: Coordinates | None, round_: int | None = None) -> PlannedRun:
        """Return the next run, and count it as running."""
        limit = self.policy.limit_s(kind, self._fastest_s, self.elapsed_s, default=scenario is None)
        order = PlannedRun(self._issued, kind, scenario, limit, round_)
        self._issued += 1
        self.running[order.number] = order
        return order

    def end(self, order: PlannedRun, sample: Sample, objectives: tuple[str, ...]) -> tuple[float, ...] | None:
        """Mark a run as ended; return its values, or None if it does not count."""
        self.running.pop(order.number)
        if sample.status != "ok":
            return None
        values = tuple(sample.objectives[name] for name in objectives)
        if not all(0.0 < value < math.inf for value in values):
            return None
        if sample.seconds is not None:
            self._fastest_s = min(self._fastest_s, sample.seconds)
        return values

    def record_default(self, order: PlannedRun, values: tuple[float, ...] | None) -> None:
        """Store the result of a run of the defaults; ignore warm-up runs."""
        if values is None:
            self.defaults.failures += 1
        elif order.kind == "default":
            known = self.defaults.samples[: self.policy.defaults_first]
            expected = self.levels[-1] * statistics.median(sample[0] for sample in known) if known else values[0]
            different = max(values[0] / expected, expected / values[0]) > _SURPRISE
            self.defaults.samples.append(values)
            self.levels = levels(self.defaults, self.policy, self._again + 1)
            self._again = self._again + 1 if different and self._again < _MOST_AGAIN else 0
            self.default_is_due = self._again > 0

    @property
    def issued(self) -> int:
        """Number of runs that have begun."""
        return self._issued

    @property
    def drift_corrected(self) -> list[float]:
        """Values of the defaults, corrected for drift."""
        return [sample[0] / level for sample, level in zip(self.defaults.samples, self.levels, strict=False)]

    def spent(self) -> float:
        """Return the used share of the budget, by started runs or by time; 0 without a budget.

        If the budget was enlarged after the search had been cut short, the share refers to the added part.
        """
        runs, seconds = self._extended_at

        def part(limit: float | None, used: float, before: float) -> float:
            if limit is None:
                return 0.0
            return (used - before) / (limit - before) if limit > before else 1.0

        return max(part(self.policy.trials, self._issued, runs), part(self.policy.seconds, self.elapsed_s, seconds))

    def begin_extension(self) -> None:
        """Compute the used share of the budget from this point on."""
        self._extended_at = (self._issued, self.elapsed_s)

    @property
    def must_compare(self) -> bool:
        """Whether the remaining runs suffice only for the shortest comparison."""
        trials = self.policy.trials
        return trials is not None and trials - self._issued <= self.policy.shortest_comparison

    def runs_left(self) -> float:
        """Return the number of runs that the budget allows, at the present pace; infinite without a budget."""
        by_runs = math.inf if self.policy.trials is None else self.policy.trials - self._issued
        if self.policy.seconds is None or not self._issued or not self.elapsed_s:
            return by_runs
        left = (self.policy.seconds - self.elapsed_s) * self._issued / self.elapsed_s
        return max(min(by_runs, left), 0.0)

    def has_room_for(self, runs: int) -> bool:
        """Return whether the budget allows this many more runs."""
        return self.runs_left() >= runs

    @property
    def out_of_time(self) -> bool:
        """Whether the time budget is used up and no run is under way."""
        return self.policy.seconds is not None and self.elapsed_s > self.policy.seconds and not self.running

    @property
    def outside(self) -> float:
        """Error probability of each interval, so that all verdicts together have the study's error probability."""
        verdicts = max(self.policy.finalists * len(self.policy.rounds), self.policy.simplifications)
        return (1.0 - self.policy.confidence) / verdicts / 2.0**self.extensions
