"""Order of a study's runs, and the precision of its measurements."""

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
"""Runs per round: the defaults and one finalist."""

_PATIENT = 3.0
"""Factor for the stop time in the comparison, because finalists are promising."""

RunKind: TypeAlias = Literal["warm-up", "default", "trial", "repetition", "comparison", "simplification"]


@dataclass(frozen=True)
class StudyPolicy:
    """Precision and limits of a study. Raises `UsageError`."""

    trials: int | None = None
    """Maximum number of runs, all phases together."""

    seconds: float | None = None
    """Maximum total time in seconds."""

    searched: int | None = None
    """Maximum number of runs of screening and search, including repetitions."""

    patience: int | None = None
    """Number of scenarios without an improvement after which the search ends; None: 30 plus 6 for each parameter, or
    unlimited if the search runs every scenario.
    """

    warm_ups: int = 1
    defaults_first: int = 3
    """Runs of the defaults before the search, which show the variation between runs."""

    defaults_every: int = 8
    """Number of trials between two runs of the defaults."""

    repetitions: int = 3
    """Maximum number of runs of a scenario during the search; only the best scenarios are repeated."""

    stop_factor: float = 3.0
    """Multiple of the fastest job's time so far at which a trial is stopped."""

    longest_s: float | None = None
    """Time limit of a run of the defaults, in seconds; None: no limit."""

    finalists: int = 3
    rounds: tuple[int, ...] = (6, 10, 16)
    """Numbers of rounds after which the comparison is evaluated; the last evaluation ends it."""

    simplifications: int = 6
    """After a gain, up to this multiple of `rounds[0]` rounds determine which settings do not matter; 0: none."""

    confidence: float = 0.95
    least_gain: float = 0.01
    """Minimum relative gain for advising a change of settings."""

    def __post_init__(self) -> None:
        """Reject invalid values."""
        if self.trials is not None and self.trials < 1:
            raise UsageError(f"a study needs at least 1 run, not {self.trials}")
        if self.seconds is not None and not self.seconds > 0:
            raise UsageError(f"a study requires a positive time budget, not {self.seconds:g} seconds")
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
                "warm-ups, simplifications and the minimum gain must be at least 0, and the number of runs of the "
                "defaults at least 1"
            )
        if self.repetitions < 1 or self.finalists < 1:
            raise UsageError("the number of repetitions and of finalists must be at least 1")

    def limit_s(self, kind: RunKind, fastest_s: float, elapsed_s: float, *, default: bool) -> float | None:
        """Return the time limit of a run in seconds; None: no limit.

        `fastest_s` is the time of the fastest run so far.
        """
        limits = [] if self.longest_s is None else [self.longest_s]
        factor = self.stop_factor * (_PATIENT if default or kind in ("comparison", "simplification") else 1.0)
        known = math.isfinite(fastest_s)
        if not default and known:
            limits.append(factor * fastest_s)
        elif default and self.seconds is not None:
            # A hanging run must not exceed the budget; but near the end of the budget a run still gets the time it
            # needs.
            limits.append(max(self.seconds - elapsed_s, factor * fastest_s if known else 1.0))
        return min(limits, default=None)

    @property
    def shortest_comparison(self) -> int:
        """Number of runs after which the comparison of one finalist may end."""
        return _WITH_DEFAULTS * self.rounds[0]

    @property
    def fewest_runs(self) -> int:
        """Minimum number of runs to confirm a gain: the defaults, some trials, and the shortest comparison."""
        return self.warm_ups + self.defaults_first + _FEWEST_TRIALS + self.shortest_comparison

    @property
    def budget(self) -> Budget:
        """The members that may change when a study is continued."""
        return Budget(self.trials, self.seconds, self.patience)

    def with_budget(self, budget: Budget) -> StudyPolicy:
        """Return a copy with another budget. Raises `UsageError`."""
        return dataclasses.replace(self, **dataclasses.asdict(budget))


@dataclass(frozen=True)
class PlannedRun:
    """A planned run."""

    number: int
    kind: RunKind
    scenario: Coordinates | None
    """Scenario to run; None: the defaults."""

    timeout_s: float | None = None
    round: int | None = None
    """Round of the comparison or of the simplification, counted from 0."""


class Outcome(Protocol):
    """Result of a run; `adcl.tune.trial.TrialOutcome` is an implementation."""

    @property
    def status(self) -> str:
        """`ok`, or the reason why the run does not count."""

    @property
    def seconds(self) -> float | None:
        """Duration of the job."""

    @property
    def objectives(self) -> Mapping[str, float]:
        """Objectives by name; empty unless the status is `ok`."""

    @property
    def tail(self) -> str:
        """The last lines of the output."""

    @property
    def reason(self) -> str:
        """One line about a status other than `ok`."""

    @property
    def output(self) -> str:
        """Output, limited in length."""


@dataclass(frozen=True)
class Sample:
    """A stored outcome."""

    status: str
    seconds: float | None
    objectives: Mapping[str, float] = field(default_factory=dict)
    tail: str = ""
    reason: str = ""

    @property
    def output(self) -> str:
        """Empty: the output is stored elsewhere."""
        return ""

    @staticmethod
    def of(outcome: Outcome) -> Sample:
        """Return the stored part of an outcome."""
        return Sample(outcome.status, outcome.seconds, dict(outcome.objectives), outcome.tail, outcome.reason)
