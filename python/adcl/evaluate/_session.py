"""Execute the runs of an evaluation that its journal lacks."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adcl.evaluate._plan import chosen_besides, planned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adcl.evaluate._config import Evaluation, EvaluationSetting
    from adcl.evaluate._execute import Executor
    from adcl.evaluate._plan import EvaluationRun
    from adcl.evaluate._records import Done, EvaluationJournal, Scouted
    from adcl.launch import Stop

__all__ = ["EvaluationProgress", "EvaluationSession"]

_LAUNCHER_SLACK_S = 5.0
"""Allowance for starting the launcher, in seconds."""


@dataclass(frozen=True, slots=True)
class EvaluationProgress:
    """Progress after a run."""

    run: Done
    what: str
    count: int
    total: int
    elapsed_s: float
    left_s: float
    best: tuple[str, float] | None
    """Codelet with the shortest verification run of the setting so far, and its time."""


@dataclass
class EvaluationSession:
    """A running evaluation. It writes each result to the journal before it uses the result."""

    evaluation: Evaluation
    executor: Executor
    journal: EvaluationJournal
    seed: int
    stop: Stop
    scouted: dict[str, Scouted] = field(default_factory=dict)
    done: dict[str, Done] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the journal."""
        self.scouted = dict(self.journal.recorded.scouted)
        self.done = dict(self.journal.recorded.done)

    def scout(self, on_setting: Callable[[EvaluationSetting], None]) -> None:
        """Determine the codelets of the settings that the journal lacks. Raises `AdclError`."""
        for setting in self.evaluation.settings:
            if setting.name in self.scouted or self.stop.requested:
                continue
            on_setting(setting)
            found = self.executor.scout(setting)
            if not self.stop.requested:
                self.journal.scouted(found)
                self.scouted[setting.name] = found

    def pending(self) -> list[EvaluationRun]:
        """Return the remaining runs, including failed runs. Call `scout` first."""
        every = planned(self.evaluation, self.scouted, self.seed, self.evaluation.settings)
        every += chosen_besides(self.evaluation, self.scouted, self.seed, self.done.values())
        slow = {(one.setting, one.codelet) for one in self.done.values() if one.status == "slow"}
        finished = {key for key, one in self.done.items() if one.status != "failed"}
        return [one for one in every if one.key not in finished and (one.setting.name, one.codelet) not in slow]

    def run(self, on_progress: Callable[[EvaluationProgress], None]) -> bool:
        """Execute the remaining runs, and return whether a signal stopped them. Raises `AdclError`."""
        begun, tried = time.monotonic(), set[str]()
        while left := [one for one in self.pending() if one.key not in tried]:
            now, *rest = left
            tried.add(now.key)
            function_set = self.scouted[now.setting.name].function_set
            found = self.executor.run(now, function_set, self._limit(now))
            if self.stop.requested:
                self.journal.note("interrupted")
                return True
            self.journal.done(found)
            self.done[found.key] = found
            total = len({*self.done, *(one.key for one in rest)})
            elapsed, best = time.monotonic() - begun, self._best(found.setting)
            on_progress(
                EvaluationProgress(found, now.what, total - len(rest), total, elapsed, self._forecast(rest), best)
            )
        self.journal.note("finished")
        return False

    def _verified(self, setting: str) -> list[Done]:
        return [
            one
            for one in self.done.values()
            if one.setting == setting and one.kind == "verification" and one.status == "ok"
        ]

    def _best(self, setting: str) -> tuple[str, float] | None:
        times = [(one.seconds, one.codelet) for one in self._verified(setting) if one.seconds and one.codelet]
        return (min(times)[1], min(times)[0]) if times else None

    def _limit(self, now: EvaluationRun) -> float | None:
        """Return the time limit of a run."""
        limits = [] if self.evaluation.timeout_s is None else [self.evaluation.timeout_s]
        walls = [one.wall_s for one in self._verified(now.setting.name)]
        if now.codelet is not None and walls:
            limits.append(self.evaluation.give_up * min(walls) + _LAUNCHER_SLACK_S)
        return min(limits, default=None)

    def _forecast(self, left: Sequence[EvaluationRun]) -> float:
        """Return the expected time: the mean over the same setting and kind or, without such runs, over all."""
        walls: dict[tuple[str, str], list[float]] = defaultdict(list)
        for one in self.done.values():
            walls[one.setting, one.kind].append(one.wall_s)
        usual = statistics.fmean(one.wall_s for one in self.done.values())
        return sum(statistics.fmean(walls.get((one.setting.name, one.kind)) or [usual]) for one in left)
