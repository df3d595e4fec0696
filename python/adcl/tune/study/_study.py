"""Run a study: execute the protocol's runs, keep the journal, and end cleanly."""

from __future__ import annotations

import contextlib
import dataclasses
import queue
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adcl._version import __version__
from adcl.errors import AdclError
from adcl.tune.search import DEFAULT, SearchOptions, make_search
from adcl.tune.study._forecast import forecast
from adcl.tune.study._journal import (
    Journal,
    JournalError,
    JournalWriteError,
    RunAsked,
    RunDone,
    StudyResumed,
    StudyWaited,
)
from adcl.tune.study._plan import Outcome, PlannedRun, Sample, StudyPolicy
from adcl.tune.study._protocol import StudyProtocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from adcl.launch import Stop
    from adcl.tune.space import Configuration, Coordinates, Space
    from adcl.tune.study._compare import PairedComparison, StudyVerdict

    RunTrial = Callable[[Configuration, float | None, int], Outcome]

__all__ = ["Progress", "Run", "Study", "StudyResult"]


@dataclass(frozen=True)
class Run:
    """A run and its outcome."""

    order: PlannedRun
    sample: Sample
    begin_s: float
    end_s: float


@dataclass(frozen=True)
class Progress:
    """Progress of a study after a run."""

    phase: str
    run: Run
    trials: int
    value: float | None
    """First objective of this run; None if it failed."""

    default: float | None
    """First objective of the defaults so far, corrected for drift."""

    best: float | None
    """Mean of the best scenario so far, with the values that the search received."""

    compared: PairedComparison | None
    """Comparison of the leading finalist once paired runs exist; it is more reliable than the search."""

    elapsed_s: float
    left_s: float | None
    """Maximum remaining time in seconds, if a budget limits it."""


@dataclass(frozen=True)
class StudyResult:
    """Result of a study, and all its measurements."""

    space: Space
    objectives: tuple[str, ...]
    search: str
    policy: StudyPolicy
    seed: int
    runs: tuple[Run, ...]
    protocol: StudyProtocol
    verdict: StudyVerdict
    interrupted: bool
    """Whether the study ended prematurely."""

    elapsed_s: float
    about: Mapping[str, Any] = field(default_factory=dict)
    """Identity of the study: program, MPI library and so on."""

    failure: str = ""
    """Reason for the failure, such as a full disk; empty: no failure."""

    @property
    def configuration(self) -> dict[str, str | int]:
        """The advised values; empty: keep the defaults."""
        scenario = self.verdict.scenario
        return {} if scenario is None else self.space.configuration(scenario)


@dataclass(frozen=True)
class Study:
    """A study: the space, the search, and the precision.

    `run_trial` runs the program with a configuration, for at most the given number of seconds, as the worker with the
    given number; the empty configuration is the MPI library's defaults. Several workers call it from as many threads.
    `about` identifies the study: a journal with another `about` is not resumed.
    """

    space: Space
    run_trial: RunTrial
    objectives: tuple[str, ...]
    search: str = DEFAULT
    options: SearchOptions = field(default_factory=SearchOptions)
    policy: StudyPolicy = field(default_factory=StudyPolicy)
    seed: int = 0
    suggested: tuple[Coordinates, ...] = ()
    """Scenarios that performed well in earlier studies; they are tried first."""

    known: Mapping[Coordinates, tuple[float, ...] | None] = field(default_factory=dict)
    """Results of an earlier study, each objective relative to the defaults; None: the scenario failed."""

    workers: int = 1
    about: Mapping[str, Any] = field(default_factory=dict)
    stop: Stop | None = None
    """The user's request to end the study; `run_trial` also checks it and raises `KeyboardInterrupt`."""

    clock: Callable[[], float] = time.monotonic
    keep_output: Callable[[int, str], None] = lambda _, __: None
    """Receives the number and the output of each run."""

    def identity(self) -> dict[str, Any]:
        """Identity that a journal must match to be resumed. Budgets may change."""
        budget = dataclasses.asdict(self.policy.budget)
        policy = {name: value for name, value in dataclasses.asdict(self.policy).items() if name not in budget}
        suggested = {"suggested": [list(scenario) for scenario in self.suggested]} if self.suggested else {}
        known = {"known": [[list(scenario), ratios and list(ratios)] for scenario, ratios in self.known.items()]}
        return {
            **suggested,
            **(known if self.known else {}),
            "about": dict(self.about),
            "space": self.space.fingerprint(),
            "objectives": list(self.objectives),
            "search": self.search,
            "options": dict(self.options),
            "care": {**policy, "rounds": list(self.policy.rounds)},
            "seed": self.seed,
        }

    def run(
        self,
        journal: Path,
        *,
        resume: bool = False,
        extend: bool = True,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> StudyResult:
        """Run the study to its end, or until `stop` is requested, which ends it cleanly with the present result.

        The journal records every run before the next one depends on it. With `resume`, the journal's study continues:
        with this study's budget if `extend`, otherwise with the journal's. Raises `UsageError`, `JournalError`, and
        `AdclError` if the program cannot be run or fails with the defaults.
        """
        identity, budget = self.identity(), self.policy.budget
        with Journal(journal, identity, __version__, budget, resume=resume, extend=extend) as opened:
            return _StudyRun(self, opened, on_progress).run()


class _StudyRun:
    """A running study."""

    def __init__(self, study: Study, journal: Journal, on_progress: Callable[[Progress], None] | None) -> None:
        self._study = study
        self._journal = journal
        self._on_progress = on_progress
        search = make_search(
            study.search, study.space, seed=study.seed, objectives=len(study.objectives), options=study.options
        )
        search.suggest(study.suggested)
        policy = study.policy.with_budget(journal.budget)
        self._protocol = StudyProtocol(search, policy, study.objectives, study.seed, study.known)
        self._runs: list[Run] = []
        self._in_phase: Counter[str] = Counter()
        self._begun: dict[int, float] = {}
        self._unfinished: list[PlannedRun] = self._replay()
        self._offset = journal.elapsed_s
        self._start = study.clock()

    def _elapsed(self) -> float:
        return self._offset + self._study.clock() - self._start

    # -- replay --------------------------------------------------------------------------------------------------------

    def _replay(self) -> list[PlannedRun]:
        """Replay the journal in the protocol; return the runs that had not ended."""
        open_orders: dict[int, PlannedRun] = {}
        for event in self._journal.past:
            match event:
                case RunAsked():
                    order = self._replay_request(event)
                    open_orders[order.number] = order
                    self._begun[order.number] = event.elapsed_s
                case RunDone():
                    self._replay_result(event, open_orders)
                case StudyWaited():
                    self._protocol.next(event.elapsed_s)
                case StudyResumed():
                    self._protocol.extend(event.budget, event.elapsed_s)
                    matter = [order for order in open_orders.values() if self._protocol.waits_for(order)]
                    open_orders = {order.number: order for order in matter}
        return list(open_orders.values())

    def _replay_request(self, event: RunAsked) -> PlannedRun:
        order = self._protocol.next(event.elapsed_s)
        if order is not None and order != event.order:
            order = self._protocol.adopt(order, event.order)
        if order is None or order != event.order:
            raise JournalError(
                f"{self._journal.path}: this version of adcl would not plan run {event.order.number}; finish the study "
                "with the version that began it, or begin a new study with 'adcl tune run … --fresh'; the results so "
                "far are in its result.json and report.html"
            )
        return order

    def _replay_result(self, event: RunDone, open_orders: dict[int, PlannedRun]) -> None:
        order = open_orders.get(event.number)
        if order is None:
            raise JournalError(
                f"{self._journal.path}: the beginning of run {event.number} is missing; the file is damaged"
            )
        if self._protocol.phase == "defaults" and event.sample.status != "ok":
            # The run was repeated at once, or it ended the study and the user has resumed it.
            self._runs.append(Run(order, event.sample, self._begun[order.number], event.elapsed_s))
            return
        del open_orders[event.number]
        self._keep(order, event.sample, event.elapsed_s)

    # -- execution -----------------------------------------------------------------------------------------------------

    def run(self) -> StudyResult:
        """Run until the protocol has finished or the user interrupts."""
        interrupted, failure = False, ""
        try:
            if self._study.workers > 1:
                self._run_concurrently()
            else:
                self._run_one_by_one()
        except KeyboardInterrupt:
            interrupted = True
            with contextlib.suppress(JournalWriteError):
                self._journal.note("interrupted", self._elapsed())
            self._protocol.stop()
        except JournalWriteError as error:
            if not self._protocol.defaults.samples:
                raise
            interrupted, failure = True, str(error)
            self._protocol.stop()
        else:
            with contextlib.suppress(JournalWriteError):
                self._journal.note("finished", self._elapsed())
        return self._result(interrupted=interrupted, failure=failure)

    def _run_one_by_one(self) -> None:
        while True:
            order = self._next()
            if order is None:
                return
            self._done(order, self._study.run_trial(self._configuration(order), order.timeout_s, 0))

    def _next(self) -> PlannedRun | None:
        if self._study.stop is not None and self._study.stop.requested:
            raise KeyboardInterrupt
        if self._unfinished:
            again = self._unfinished.pop(0)
            self._begun[again.number] = self._elapsed()
            return again
        elapsed = self._elapsed()
        order = self._protocol.next(elapsed)
        if order is None and self._protocol.waits:
            self._journal.note("waited", elapsed)
        elif order is not None:
            self._journal.asked(order, elapsed)
            self._begun[order.number] = elapsed
        return order

    def _configuration(self, order: PlannedRun) -> dict[str, str | int]:
        return {} if order.scenario is None else self._study.space.configuration(order.scenario)

    def _done(self, order: PlannedRun, outcome: Outcome) -> None:
        self._study.keep_output(order.number, outcome.output)
        sample = Sample.of(outcome)
        elapsed = self._elapsed()
        self._journal.done(order.number, sample, elapsed)
        if self._is_retried(sample):
            self._runs.append(Run(order, sample, self._begun[order.number], elapsed))
            self._unfinished.append(order)
        else:
            self._keep(order, sample, elapsed)
        if self._on_progress is not None:
            self._on_progress(self._progress())

    def _is_retried(self, sample: Sample) -> bool:
        """Return whether to retry a first failure of the defaults after earlier successes.

        The launcher may have failed.
        """
        statuses = [run.sample.status for run in self._runs]
        return self._protocol.phase == "defaults" and sample.status != "ok" and {*statuses} == {"ok"}

    def _keep(self, order: PlannedRun, sample: Sample, end_s: float) -> None:
        self._runs.append(Run(order, sample, self._begun[order.number], end_s))
        self._in_phase[self._protocol.phase] += 1
        self._protocol.record(order, sample)

    def _run_concurrently(self) -> None:
        """Distribute runs to workers; only this thread uses the protocol and the journal."""
        ended: queue.SimpleQueue[tuple[int, PlannedRun, Outcome | BaseException]] = queue.SimpleQueue()
        free, running = list(range(self._study.workers)), 0

        def work(worker: int, order: PlannedRun) -> None:
            try:
                ended.put((worker, order, self._study.run_trial(self._configuration(order), order.timeout_s, worker)))
            except BaseException as error:  # noqa: BLE001 - the waiting thread raises it again
                ended.put((worker, order, error))

        try:
            while True:
                while free and (order := self._next()) is not None:
                    threading.Thread(target=work, args=(free.pop(0), order), daemon=True).start()
                    running += 1
                if not running:
                    return
                worker, ran, outcome = ended.get()
                running -= 1
                free.append(worker)
                if isinstance(outcome, BaseException):
                    raise outcome  # noqa: TRY301 - raised for the worker
                self._done(ran, outcome)
        except BaseException:
            if self._study.stop is not None:
                self._study.stop.request()
            for _ in range(running):
                ended.get()
            raise

    # -- reporting -----------------------------------------------------------------------------------------------------

    def _progress(self) -> Progress:
        protocol, elapsed = self._protocol, self._elapsed()
        scenario = protocol.search.best()
        objectives = protocol.search.told[scenario] if scenario is not None and scenario in protocol.arms else None
        default = protocol.reference if protocol.defaults.samples else None
        sample = self._runs[-1].sample
        value = sample.objectives.get(self._study.objectives[0]) if sample.status == "ok" else None
        budget = protocol.policy.seconds
        left = None if budget is None else max(0.0, budget - elapsed)
        runs_left = self._runs_left()
        if runs_left is not None:
            by_runs = elapsed / len(self._runs) * runs_left
            left = by_runs if left is None else min(left, by_runs)
        best = objectives[0] if objectives else None
        paired = [comparison for comparison in protocol.comparisons().values() if comparison.pairs]
        leader = max(paired, key=lambda comparison: comparison.ratio, default=None)
        return Progress(protocol.phase, self._runs[-1], protocol.trials, value, default, best, leader, elapsed, left)

    def _runs_left(self) -> int | None:
        """Return the maximum number of remaining runs in all phases; None if the search is unlimited."""
        protocol = self._protocol
        phases = forecast(protocol.policy, protocol.search)
        names = [phase.name for phase in phases]
        if protocol.phase not in names:
            return 0
        ahead = phases[names.index(protocol.phase) :]
        if not all(phase.at_most for phase in ahead):
            return None
        runs = sum(max(phase.runs - self._in_phase[phase.name], 0) for phase in ahead)
        trials = protocol.policy.trials
        return runs if trials is None else max(min(runs, trials - len(self._runs)), 0)

    def _result(self, *, interrupted: bool, failure: str) -> StudyResult:
        study = self._study
        if not self._protocol.defaults.samples:
            raise AdclError("the study ended before the defaults were measured; there is no result")
        return StudyResult(
            study.space,
            study.objectives,
            study.search,
            self._protocol.policy,
            study.seed,
            tuple(self._runs),
            self._protocol,
            self._protocol.verdict(),
            interrupted,
            self._elapsed(),
            study.about,
            failure,
        )
