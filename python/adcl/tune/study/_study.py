"""Runs a study: asks its protocol what is next, starts it, keeps the journal, and ends cleanly."""

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
    """A run that was made, and what came of it."""

    order: PlannedRun
    sample: Sample
    begin_s: float
    end_s: float


@dataclass(frozen=True)
class Progress:
    """Where a study is; made after every run."""

    phase: str
    run: Run
    trials: int
    value: float | None
    """Of the first objective, in this run; None where it failed."""

    default: float | None
    """Of the defaults so far, as if the machine had stayed as it was."""

    best: float | None
    """Of the best scenario so far, in the mean, as the search sees it."""

    compared: PairedComparison | None
    """The finalist that leads, as soon as there are paired runs: these say more than what the search has seen."""

    elapsed_s: float
    left_s: float | None
    """Until the end at the latest, as far as a budget says so."""


@dataclass(frozen=True)
class StudyResult:
    """What a study has found, and everything it has measured."""

    space: Space
    objectives: tuple[str, ...]
    search: str
    policy: StudyPolicy
    seed: int
    runs: tuple[Run, ...]
    protocol: StudyProtocol
    verdict: StudyVerdict
    interrupted: bool
    """Whether it was ended before it came to its end."""

    elapsed_s: float
    about: Mapping[str, Any] = field(default_factory=dict)
    """What was tuned: program, MPI library and so on."""

    failure: str = ""
    """Why it could not go on, as on a full disk; empty: nothing failed."""

    @property
    def configuration(self) -> dict[str, str | int]:
        """The advised values; empty: keep the defaults."""
        scenario = self.verdict.scenario
        return {} if scenario is None else self.space.configuration(scenario)


@dataclass(frozen=True)
class Study:
    """A study: what is searched, how, and how carefully.

    `run_trial` runs the program with a configuration, at most so many seconds, as the worker of that number; the
    empty configuration is the MPI library's defaults. With several workers it is called from as many threads.
    `about` says what is tuned: a journal with another `about` is not resumed.
    """

    space: Space
    run_trial: RunTrial
    objectives: tuple[str, ...]
    search: str = DEFAULT
    options: SearchOptions = field(default_factory=SearchOptions)
    policy: StudyPolicy = field(default_factory=StudyPolicy)
    seed: int = 0
    suggested: tuple[Coordinates, ...] = ()
    """Scenarios that were good in earlier studies; they are tried first."""

    known: Mapping[Coordinates, tuple[float, ...] | None] = field(default_factory=dict)
    """What an earlier study has measured, each objective in parts of that with the defaults; None: it failed."""

    workers: int = 1
    about: Mapping[str, Any] = field(default_factory=dict)
    stop: Stop | None = None
    """Where the user asks for the end; `run_trial` looks there too, and then raises `KeyboardInterrupt`."""

    clock: Callable[[], float] = time.monotonic
    keep_output: Callable[[int, str], None] = lambda _, __: None
    """Takes the number of each run and what it printed."""

    def identity(self) -> dict[str, Any]:
        """What must be the same for a journal to be resumed. Budgets may change."""
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
        """Run the study to its end, or until `stop` is requested, which ends it cleanly with what is known by then.

        Every run is in the journal before the next one depends on it. With `resume` the study of the journal goes on,
        with this one's budget, or if not `extend` with its own. Raises `UsageError`, `JournalError`, and `AdclError`
        where the program cannot be run at all or fails with the defaults.
        """
        identity, budget = self.identity(), self.policy.budget
        with Journal(journal, identity, __version__, budget, resume=resume, extend=extend) as opened:
            return _StudyRun(self, opened, on_progress).run()


class _StudyRun:
    """A study that is being run."""

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

    # -- what happened before ------------------------------------------------------------------------------------------

    def _replay(self) -> list[PlannedRun]:
        """Lead the protocol to where the journal ends; return the runs that were under way then."""
        open_orders: dict[int, PlannedRun] = {}
        for event in self._journal.past:
            match event:
                case RunAsked():
                    order = self._ask_again(event)
                    open_orders[order.number] = order
                    self._begun[order.number] = event.elapsed_s
                case RunDone():
                    self._done_again(event, open_orders)
                case StudyWaited():
                    self._protocol.next(event.elapsed_s)
                case StudyResumed():
                    self._protocol.extend(event.budget, event.elapsed_s)
                    matter = [order for order in open_orders.values() if self._protocol.waits_for(order)]
                    open_orders = {order.number: order for order in matter}
        return list(open_orders.values())

    def _ask_again(self, event: RunAsked) -> PlannedRun:
        order = self._protocol.next(event.elapsed_s)
        if order is not None and order != event.order:
            order = self._protocol.adopt(order, event.order)
        if order is None or order != event.order:
            raise JournalError(
                f"{self._journal.path}: run {event.order.number} is not what this version would have run; finish the "
                "study with the version that began it, or begin a new one with 'adcl tune run … --fresh'; what it has "
                "found so far is in its result.json and report.html"
            )
        return order

    def _done_again(self, event: RunDone, open_orders: dict[int, PlannedRun]) -> None:
        order = open_orders.get(event.number)
        if order is None:
            raise JournalError(f"{self._journal.path}: run {event.number} has ended without having begun")
        if self._protocol.phase == "defaults" and event.sample.status != "ok":
            # It was made again at once, or it ended the study: then the user has seen why, and goes on.
            self._runs.append(Run(order, event.sample, self._begun[order.number], event.elapsed_s))
            return
        del open_orders[event.number]
        self._keep(order, event.sample, event.elapsed_s)

    # -- what happens now ----------------------------------------------------------------------------------------------

    def run(self) -> StudyResult:
        """Run until the protocol has finished or the user interrupts."""
        interrupted, failure = False, ""
        try:
            if self._study.workers > 1:
                self._run_at_once()
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
        if self._is_forgiven(sample):
            self._runs.append(Run(order, sample, self._begun[order.number], elapsed))
            self._unfinished.append(order)
        else:
            self._keep(order, sample, elapsed)
        if self._on_progress is not None:
            self._on_progress(self._progress())

    def _is_forgiven(self, sample: Sample) -> bool:
        """Whether it is the first failure of the defaults, which have run before: the launcher's perhaps. Once more."""
        statuses = [run.sample.status for run in self._runs]
        return self._protocol.phase == "defaults" and sample.status != "ok" and {*statuses} == {"ok"}

    def _keep(self, order: PlannedRun, sample: Sample, end_s: float) -> None:
        self._runs.append(Run(order, sample, self._begun[order.number], end_s))
        self._in_phase[self._protocol.phase] += 1
        self._protocol.record(order, sample)

    def _run_at_once(self) -> None:
        """Hand runs to workers; this thread alone knows protocol and journal."""
        ended: queue.SimpleQueue[tuple[int, PlannedRun, Outcome | BaseException]] = queue.SimpleQueue()
        free, running = list(range(self._study.workers)), 0

        def work(worker: int, order: PlannedRun) -> None:
            try:
                ended.put((worker, order, self._study.run_trial(self._configuration(order), order.timeout_s, worker)))
            except BaseException as error:  # noqa: BLE001 - it is raised again by the thread that waits
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
                    raise outcome  # noqa: TRY301 - what the worker could not raise here itself
                self._done(ran, outcome)
        except BaseException:
            if self._study.stop is not None:
                self._study.stop.request()
            for _ in range(running):
                ended.get()
            raise

    # -- what is told --------------------------------------------------------------------------------------------------

    def _progress(self) -> Progress:
        protocol, elapsed = self._protocol, self._elapsed()
        scenario = protocol.search.best()
        told = protocol.search.told[scenario] if scenario is not None and scenario in protocol.arms else None
        default = protocol.reference if protocol.defaults.samples else None
        sample = self._runs[-1].sample
        value = sample.objectives.get(self._study.objectives[0]) if sample.status == "ok" else None
        budget = protocol.policy.seconds
        left = None if budget is None else max(0.0, budget - elapsed)
        runs_left = self._runs_left()
        if runs_left is not None:
            by_runs = elapsed / len(self._runs) * runs_left
            left = by_runs if left is None else min(left, by_runs)
        best = told[0] if told else None
        paired = [comparison for comparison in protocol.comparisons().values() if comparison.pairs]
        leader = max(paired, key=lambda comparison: comparison.ratio, default=None)
        return Progress(protocol.phase, self._runs[-1], protocol.trials, value, default, best, leader, elapsed, left)

    def _runs_left(self) -> int | None:
        """Count the runs of all phases that are ahead at most; None where the search may go on for ever."""
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
            raise AdclError("the study ended before the defaults were measured; nothing is known yet")
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
