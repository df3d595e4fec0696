"""What all phases of a study share: the runs that are under way, those of the defaults, and how long it has taken."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

from adcl.tune.study._arm import Arm, drift
from adcl.tune.study._plan import PlannedRun

if TYPE_CHECKING:
    from adcl.tune.space import Coordinates
    from adcl.tune.study._plan import RunKind, Sample, StudyPolicy

__all__ = ["Ledger"]


class Ledger:
    """Numbers the runs and knows which have not ended."""

    def __init__(self, policy: StudyPolicy, seed: int) -> None:
        self.policy = policy
        self.generator = random.Random(seed)  # noqa: S311 - the order of runs, nothing secret
        self.defaults = Arm()
        self.levelled: list[float] = []
        """What the runs of the defaults took, corrected for drift: as if the machine had stayed as it was."""

        self.running: dict[int, PlannedRun] = {}
        self.elapsed_s = 0.0
        self.interrupted = False
        self.extensions = 0
        """How often the study was continued after its search had been cut short."""

        self._issued = 0
        self._fastest_s = math.inf

    def issue(self, kind: RunKind, scenario: Coordinates | None, round_: int | None = None) -> PlannedRun:
        """Return the next run, which is under way from now on."""
        limit = self.policy.limit_s(kind, self._fastest_s, self.elapsed_s, default=scenario is None)
        order = PlannedRun(self._issued, kind, scenario, limit, round_)
        self._issued += 1
        self.running[order.number] = order
        return order

    def end(self, order: PlannedRun, sample: Sample, objectives: tuple[str, ...]) -> tuple[float, ...] | None:
        """Take it that a run has ended; return its numbers, or None where it does not count."""
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
        """Take what a run of the defaults took; one to warm up does not count."""
        if values is None:
            self.defaults.failures += 1
        elif order.kind == "default":
            self.defaults.samples.append(values)
            self.levelled.append(values[0] / self.level())

    def level(self) -> float:
        """How many times slower the machine is than at the beginning."""
        return drift(self.defaults, self.policy)

    @property
    def out_of_time(self) -> bool:
        """Whether the budget of time is used up and nothing is under way any more."""
        return self.policy.seconds is not None and self.elapsed_s > self.policy.seconds and not self.running

    @property
    def outside(self) -> float:
        """What each interval leaves outside, so that all verdicts together are wrong with the error probability."""
        verdicts = max(self.policy.finalists * len(self.policy.rounds), self.policy.simplifications)
        return (1.0 - self.policy.confidence) / verdicts / 2.0**self.extensions
