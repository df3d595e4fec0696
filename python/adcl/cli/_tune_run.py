"""Runs and shows studies for ``adcl tune``."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from typing import TYPE_CHECKING

from adcl.cli._console import output, print_json
from adcl.cli._load import warn_of_load
from adcl.cli._placement import placed_on, refuse_other_launcher
from adcl.cli._runs import StatusLine, duration, set_aside
from adcl.cli._tune_hints import Hints
from adcl.errors import AdclError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from adcl.launch import Placement
    from adcl.tune.study import KnownScenario, PhaseForecast, Progress, Session, StudyRequest, StudyResult

__all__ = ["begin", "continue_", "show"]

_MEANING = "the settings that are fastest now need not be the fastest when each rank has an idle core"
_ENOUGH_RUNS = 80
"""In which most studies of few settings come to their end."""


def begin(
    request: StudyRequest,
    folder: Path,
    *,
    sure: bool,
    earlier: tuple[Path, ...] = (),
    instead: bool = False,
    differences: Sequence[str] = (),
) -> bool:
    """Run a new study; return whether it was interrupted. A search without an end is refused unless `sure`.

    What was good in the `earlier` ones is tried first. `instead`: of one that is in the folder, which is kept beside
    it, and is an earlier one too where there are `differences` to it.
    """
    with _placed(request) as placement:
        return _begin(request, folder, placement, sure=sure, earlier=earlier, instead=instead, differences=differences)


def _begin(
    request: StudyRequest,
    folder: Path,
    placement: Placement | None,
    *,
    sure: bool,
    earlier: tuple[Path, ...],
    instead: bool,
    differences: Sequence[str],
) -> bool:
    from adcl.tune.study import Session, known_scenarios, settings_of_studies

    session = _checked(request, folder, placement, sure=sure)
    console = output()
    known: tuple[KnownScenario, ...] = ()
    if instead:
        aside = set_aside(folder)
        if differences:
            known = known_scenarios(aside, session)
            earlier = earlier if known else (*earlier, aside)
            words = "; ".join(differences)
            console.print(f"the study in {folder} was of something else: {words}", markup=False, soft_wrap=True)
        console.print(f"the study that was there is in {aside}", markup=False, soft_wrap=True)
        session = Session.prepare(request, folder, placement=placement)
        if known:
            session = dataclasses.replace(session, request=dataclasses.replace(session.request, known=known))
            several = "1 scenario" if len(known) == 1 else f"{len(known)} scenarios"
            console.print(f"known from it, and not run again: {several}")
    own = session.own_configuration()
    suggested = (own,) if own else ()
    if own:
        console.print("tried first: what is set here, as far as it is to be tuned")
    if earlier:
        good = settings_of_studies(earlier, session.checked.catalogue.library)
        suggested = (*suggested, *good)
        several = "1 scenario that was" if len(good) == 1 else f"{len(good)} scenarios that were"
        console.print(f"tried first: {several} good before")
    if suggested:
        session = dataclasses.replace(session, request=dataclasses.replace(session.request, suggested=suggested))
    session.request.save(folder)
    return _run(session)


@contextlib.contextmanager
def _placed(request: StudyRequest) -> Iterator[Placement | None]:
    """Make the cluster of the testbed that the request names; None without one."""
    if request.on is None:
        yield None
        return
    from adcl.tune.file import Source, parse

    if request.submit:
        raise UsageError("--on runs the trials here, and --submit hands them to Slurm; give one of them")
    cases = parse(Source(request.file_text, request.file_name)).cases
    ranks = max([case.ranks or request.ranks for case in cases], default=request.ranks)
    with placed_on(request.on, request.placement, ranks) as (placement, _):
        yield placement


def _prepared(request: StudyRequest, folder: Path, placement: Placement | None) -> Session:
    """Prepare a session and see to it that it can be run."""
    from adcl.tune.study import Session, check_study

    session = Session.prepare(request, folder, placement=placement)
    if request.on is not None and placement is not None:
        refuse_other_launcher(request.on, placement, session.launcher)
    check_study(session)
    if not request.submit:
        ranks = max(trials.ranks for trials in session.all_trials) * request.parallel
        warn_of_load(ranks, session.trials.placement, session.launcher, _MEANING)
    return session


def _checked(request: StudyRequest, folder: Path, placement: Placement | None, *, sure: bool) -> Session:
    """Refuse what cannot be run before anything is changed."""
    from adcl.tune.study import refuse_endless

    session = _prepared(request, folder, placement)
    if not sure:
        refuse_endless(session)
    return session


def continue_(folder: Path, *, trials: int | None, seconds: float | None) -> bool:
    """Continue a study; return whether it was interrupted."""
    from adcl.tune.study import StudyRequest

    before = StudyRequest.read(folder)
    request = dataclasses.replace(
        before,
        trials=before.trials if trials is None else trials,
        seconds=before.seconds if seconds is None else seconds,
    )
    with _placed(request) as placement:
        session = _prepared(request, folder, placement)
        if session.request != before:
            session.request.save(folder)
        return _run(session)


def _run(session: Session) -> bool:
    from adcl.cli._tune_check import runs_text
    from adcl.tune.study import forecast_study, run_session

    console = output()
    if session.wants_profile:
        session = session.take_profile()
    checked = session.checked
    ranks = f"{len(session.cases)} cases" if session.cases else f"{session.request.ranks} ranks"
    console.print(f"{checked.catalogue.library}, {ranks}, {checked.space.size()} scenarios")
    for notice in checked.notices:
        console.print(notice, markup=False, soft_wrap=True)
    if not checked.space.parameters:
        console.print("keep the defaults: by its profile, nothing in the file could make this program faster")
        return False
    if session.request.space is None:
        session = session.begun()
        session.request.save(session.folder)
    phases = forecast_study(checked.file, checked.space, session.request)
    console.print(f"runs: {runs_text(phases)}", markup=False, soft_wrap=True)
    resumed = session.journal.exists()
    progress = _Printer(session, phases, None if resumed else Hints.before(session))
    result = run_session(session, resume=resumed, on_progress=progress)
    progress.end()
    if resumed and not progress.runs and not result.interrupted:
        more = "a larger budget continues it" if result.protocol.cut_short else "no budget would change that"
        console.print(f"nothing was left to run: the search has ended; {more}")
    try:
        _conclude(session, result)
    except AdclError as error:
        if not result.failure:
            raise
        raise AdclError(f"{result.failure}. Also: {error}") from error
    if result.failure:
        raise AdclError(result.failure)
    return result.interrupted


class _Printer(StatusLine):
    """Shows each run, and keeps the line of a run that failed."""

    def __init__(self, session: Session, phases: Sequence[PhaseForecast], hints: Hints | None) -> None:
        super().__init__()
        self._session = session
        self._hints = hints
        self._phases = phases
        self._told_times = False
        self._last = time.monotonic()
        self.runs = 0

    def __call__(self, progress: Progress) -> None:
        self.runs += 1
        sample, order = progress.run.sample, progress.run.order
        self.show(self._line(progress))
        if sample.status != "ok":
            kept = self._session.output_of(order.number)
            again = "; it is run once more" if progress.phase == "defaults" else ""
            self.keep(f"  {sample.reason} ({kept}){again}")
        elif order.kind == "default" and sample.seconds is not None and not self._told_times:
            self._told_times = True
            lines = self._ahead(sample.seconds, progress.left_s)
            lines += [] if self._hints is None else self._hints.lines(sample.seconds)
            self.keep(*lines)

    def _ahead(self, run_s: float, left_s: float | None) -> list[str]:
        """What is ahead if all runs take as long as this one, and whether the time is enough for it."""
        from adcl.cli._tune_check import runs_text
        from adcl.tune.study import fewest_runs, runs_for_several

        lines = [f"if all runs take as long: {runs_text(self._phases, run_s)}"]
        needed = fewest_runs(self._session) - self.runs
        if left_s is not None and left_s < needed * run_s:
            enough = math.ceil(_ENOUGH_RUNS * run_s / 60.0)
            lines.append(
                f"there is time for some {int(left_s / run_s)} of them, and fewer than {needed} cannot confirm a gain: "
                f"give it more time (--time {enough}m, say) or shorter runs"
            )
            return lines
        request, several = self._session.request, runs_for_several(self._session)
        budget = self._session.checked.file.budget
        trials = budget.trials if request.trials is None else request.trials
        timed = left_s is not None and (request.seconds is not None or budget.seconds is not None)
        affordable = [self.runs + int(left_s / run_s)] if timed and left_s is not None else []
        runs = min([*affordable, *([] if trials is None else [trials])], default=several)
        if runs < several:
            more = f"--trials {several}" if not affordable else f"--time {math.ceil(several * run_s / 60.0)}m"
            lines.append(
                f"that is some {runs} runs, which are too few to find out which of several settings matter: single "
                f"settings are compared; {more}, say, is enough for two"
            )
        return lines

    def _line(self, progress: Progress) -> str:
        """Time, run, value, best and defaults so far, time left, and the settings, which may be cut off."""
        sample, order = progress.run.sample, progress.run.order
        number = f"{order.kind} {progress.trials}" if order.kind in ("trial", "repetition") else order.kind
        if progress.phase == "screening" and order.kind == "trial":
            number = f"screening {progress.trials}"
        took = "" if progress.value is None else f" {self._value(progress.value)}"
        so_far = ""
        if progress.compared is not None:
            ratio, pairs = progress.compared.ratio, progress.compared.pairs
            better = f"the best is {ratio:.2f} times better" if ratio > 1.0 else "none is better"
            so_far = f", {better} than the defaults in {pairs} paired run{'s' if pairs > 1 else ''} so far"
        elif progress.default is not None and progress.best is not None:
            ratio = progress.default / progress.best
            times = f"{ratio:.2f} times better than the defaults'"
            so_far = f", best {self._value(progress.best)} looks {times} {self._value(progress.default)}"
        left = "" if progress.left_s is None else f", at most {duration(progress.left_s)} left"
        text = f"{duration(progress.elapsed_s)} {number}: {sample.status}{took}{so_far}{left}"
        if order.scenario is None:
            return text
        space = self._session.checked.space
        changed = self._session.changed(space.configuration(order.scenario))
        return f"{text}; {', '.join(f'{name}={value}' for name, value in changed.items()) or 'as the defaults'}"

    def _value(self, value: float) -> str:
        from adcl.report import seconds

        timed = self._session.checked.file.objectives[0].measure in ("wall", "mpi")
        return seconds(value) if timed else f"{value:.4g}"


def _conclude(session: Session, result: StudyResult) -> None:
    from adcl.tune.result import MODULE, MODULES, TUNE_FILE, conclude, write_advice

    conclusion = conclude(session, result)
    console = output()
    for line in conclusion.lines():
        console.print(line, markup=False, soft_wrap=True)
    # After the advice, which a full disk must not keep from the user.
    page = write_advice(session, result, conclusion)
    if conclusion.settings:
        where = session.folder.absolute() / MODULES
        console.print(f"as a module: module use {where} && module load {MODULE}", markup=False, soft_wrap=True)
        if conclusion.advice is not None and conclusion.advice.tune_file:
            options = f"--tune {session.folder.absolute() / TUNE_FILE} {conclusion.advice.launcher_options}".rstrip()
            call = session.checked.library.call(session.launcher.path.name, options)
            console.print(f"as a file for the launcher: {call}", markup=False, soft_wrap=True)
    console.print(f"all runs: {page}", markup=False, soft_wrap=True)


def show(folder: Path, *, json: bool) -> None:
    """Print what a study has found so far."""
    from adcl.tune.result import document
    from adcl.tune.study import Session, StudyRequest, replay_session

    session = Session.prepare(StudyRequest.read(folder), folder, reading=True)
    if not session.journal.exists():
        raise UsageError(f"nothing was run yet in {folder}; begin with 'adcl tune resume {folder}'")
    result = replay_session(session)
    if json:
        print_json(document(session, result))
        return
    _conclude(session, result)
