"""What a study does in which order, and how carefully it measures."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from adcl.errors import UsageError
from adcl.tune.file import Budget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.tune.space import Coordinates

__all__ = ["Outcome", "PlannedRun", "RunKind", "Sample", "StudyPolicy"]

_FEWEST_TRIALS = 4
_WITH_DEFAULTS = 2
"""Runs in a round: the defaults and one finalist."""

_PATIENT = 3.0
"""In the comparison a run is stopped that many times later: what has got there is no hopeless scenario."""

RunKind: TypeAlias = Literal["warm-up", "default", "trial", "repetition", "comparison", "simplification"]


@dataclass(frozen=True)
class StudyPolicy:
    """How carefully is measured, and when it ends. Raises `UsageError`."""

    trials: int | None = None
    """Runs at most, all phases together."""

    seconds: float | None = None
    """For everything at most."""

    searched: int | None = None
    """Runs of screening and search at most, repetitions included."""

    patience: int | None = None
    """The search ends after so many scenarios without an improvement; None: 30, and 6 more for each parameter, but
    never where the search is there to run every scenario."""

    warm_ups: int = 1
    defaults_first: int = 3
    """Runs of the defaults before the search: they tell how much runs differ."""

    defaults_every: int = 8
    """Trials between two runs of the defaults."""

    repetitions: int = 3
    """Runs of a scenario at most during the search; more than one only of those that look best."""

    stop_factor: float = 3.0
    """A trial is stopped when it has taken so many times as long as the fastest job so far."""

    longest_s: float | None = None
    """A run of the defaults that takes longer is stopped; None: never."""

    finalists: int = 3
    rounds: tuple[int, ...] = (6, 10, 16)
    """Numbers of rounds after which the comparison is looked at; the last one ends it."""

    simplifications: int = 6
    """After a gain, so many times `rounds[0]` rounds to find out which settings do not matter; 0: none."""

    confidence: float = 0.95
    least_gain: float = 0.01
    """Shares below it are not worth a change of settings."""

    def __post_init__(self) -> None:
        """Refuse invalid values."""
        if self.trials is not None and self.trials < 1:
            raise UsageError(f"a study needs at least 1 run, not {self.trials}")
        if self.seconds is not None and not self.seconds > 0:
            raise UsageError(f"a study needs more than {self.seconds:g} seconds")
        if self.stop_factor <= 1:
            raise UsageError(f"the stop factor must be above 1, not {self.stop_factor:g}")
        if not 0.5 < self.confidence < 1:  # noqa: PLR2004
            raise UsageError(f"the confidence must be between 0.5 and 1, not {self.confidence:g}")
        if min(self.rounds, default=0) < 3 or list(self.rounds) != sorted(set(self.rounds)):  # noqa: PLR2004
            raise UsageError("the numbers of rounds must increase, and the first must be at least 3")
        if (
            min(self.warm_ups, self.least_gain, self.simplifications) < 0
            or min(self.defaults_first, self.defaults_every) < 1
        ):
            raise UsageError(
                "warm-ups, simplifications and the least gain must not be negative, and the defaults must be run"
            )
        if self.repetitions < 1 or self.finalists < 1:
            raise UsageError("a scenario is run at least once, and there is at least one finalist")

    def limit_s(self, kind: RunKind, fastest_s: float, elapsed_s: float, *, default: bool) -> float | None:
        """After how long a run is stopped; None: never. `fastest_s` is what the fastest run so far has taken."""
        limits = [] if self.longest_s is None else [self.longest_s]
        factor = self.stop_factor * (_PATIENT if default or kind in ("comparison", "simplification") else 1.0)
        known = math.isfinite(fastest_s)
        if not default and known:
            limits.append(factor * fastest_s)
        elif default and self.seconds is not None:
            # What hangs must not outlast the budget; near its end a run is given the time that it needs all the same.
            limits.append(max(self.seconds - elapsed_s, factor * fastest_s if known else 1.0))
        return min(limits, default=None)

    @property
    def shortest_comparison(self) -> int:
        """Runs after which one finalist's comparison with the defaults may end."""
        return _WITH_DEFAULTS * self.rounds[0]

    @property
    def fewest_runs(self) -> int:
        """Runs without which nothing can be confirmed: the defaults, some trials, and the shortest comparison."""
        return self.warm_ups + self.defaults_first + _FEWEST_TRIALS + self.shortest_comparison

    @property
    def budget(self) -> Budget:
        """What may be changed when a study is continued."""
        return Budget(self.trials, self.seconds, self.patience)

    def with_budget(self, budget: Budget) -> StudyPolicy:
        """Return the same with another budget. Raises `UsageError`."""
        return dataclasses.replace(self, **dataclasses.asdict(budget))


@dataclass(frozen=True)
class PlannedRun:
    """A run that is to be made."""

    number: int
    kind: RunKind
    scenario: Coordinates | None
    """None: the defaults."""

    timeout_s: float | None = None
    round: int | None = None
    """Of the comparison or of the simplification, counted from 0."""


class Outcome(Protocol):
    """What came of a run; `adcl.tune.trial.TrialOutcome` is one."""

    @property
    def status(self) -> str:
        """`ok`, or why it does not count."""

    @property
    def seconds(self) -> float | None:
        """How long the job took."""

    @property
    def objectives(self) -> Mapping[str, float]:
        """By name; empty unless the status is `ok`."""

    @property
    def tail(self) -> str:
        """The last lines that were printed."""

    @property
    def reason(self) -> str:
        """One line about a status other than `ok`."""

    @property
    def output(self) -> str:
        """What was printed, of a bounded length."""


@dataclass(frozen=True)
class Sample:
    """An outcome as it is kept."""

    status: str
    seconds: float | None
    objectives: Mapping[str, float] = field(default_factory=dict)
    tail: str = ""
    reason: str = ""

    @property
    def output(self) -> str:
        """Nothing: what was printed is not kept with it."""
        return ""

    @staticmethod
    def of(outcome: Outcome) -> Sample:
        """Take what is kept of an outcome."""
        return Sample(outcome.status, outcome.seconds, dict(outcome.objectives), outcome.tail, outcome.reason)
