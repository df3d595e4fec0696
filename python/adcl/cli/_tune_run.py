"""Run and show studies for ``adcl tune``."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from typing import TYPE_CHECKING

from adcl.cli._console import counted, output, print_json
from adcl.cli._load import warn_of_load
from adcl.cli._placement import placement_on_cluster, require_launcher_kind
from adcl.cli._runs import StatusLine, duration, set_aside
from adcl.cli._tune_hints import Hints
from adcl.errors import AdclError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from adcl.launch import Placement
    from adcl.tune.study import KnownScenario, PhaseForecast, Progress, Session, StudyRequest, StudyResult

__all__ = ["begin", "continue_", "show"]

_MEANING = "the settings that are fastest now may not be fastest when each rank has an idle core"
_ENOUGH_RUNS = 80
"""Number of runs that suffices for most studies of few settings."""


def begin(
    request: StudyRequest,
    folder: Path,
    *,
    sure: bool,
    earlier: tuple[Path, ...] = (),
    instead: bool = False,
    differences: Sequence[str] = (),
) -> bool:
    """Run a new study; return whether it was interrupted. Raises `UsageError` for an endless search unless `sure`.

    The search first tries the winners of the `earlier` studies. `instead`: rename the study in the folder; if
    `differences` lists how it differs from the request, it also counts as an earlier study.
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
            console.print(f"the earlier study in {folder} differs: {words}", markup=False, soft_wrap=True)
        console.print(f"the earlier study was moved to {aside}", markup=False, soft_wrap=True)
        session = Session.prepare(request, folder, placement=placement)
        if known:
            session = dataclasses.replace(session, request=dataclasses.replace(session.request, known=known))
            several = counted(len(known), "scenario")
            console.print(f"reused from the earlier study without new runs: {several}")
    own = session.own_configuration()
    suggested = (own,) if own else ()
    if own:
        console.print("tried first: your current values of the settings to tune")
    if earlier:
        good = settings_of_studies(earlier, session.checked.catalog.library)
        suggested = (*suggested, *good)
        several = counted(len(good), "winner")
        console.print(f"tried first: {several} of earlier studies")
    if suggested:
        session = dataclasses.replace(session, request=dataclasses.replace(session.request, suggested=suggested))
    session.request.save(folder)
    return _run(session)


@contextlib.contextmanager
def _placed(request: StudyRequest) -> Iterator[Placement | None]:
    """Yield the placement on the testbed cluster that the request names, or None."""
    if request.on is None:
        yield None
        return
    from adcl.tune.file import Source, parse

    if request.submit:
        raise UsageError("--on runs the trials on this machine, and --submit submits them to Slurm; give only one")
    cases = parse(Source(request.file_text, request.file_name)).cases
    ranks = max([case.ranks or request.ranks for case in cases], default=request.ranks)
    with placement_on_cluster(request.on, request.placement, ranks) as (placement, _):
        yield placement


def _prepared(request: StudyRequest, folder: Path, placement: Placement | None) -> Session:
    """Prepare a session and check that it can run."""
    from adcl.tune.study import Session, check_study

    session = Session.prepare(request, folder, placement=placement)
    if request.on is not None and placement is not None:
        require_launcher_kind(request.on, placement, session.launcher)
    check_study(session)
    if not request.submit:
        ranks = max(trials.ranks for trials in session.all_trials) * request.parallel
        warn_of_load(ranks, session.trials.placement, session.launcher, _MEANING)
    return session


def _checked(request: StudyRequest, folder: Path, placement: Placement | None, *, sure: bool) -> Session:
    """Prepare a session; raise `UsageError` before anything is changed if it cannot run."""
    from adcl.tune.study import require_bounded_search

    session = _prepared(request, folder, placement)
    if not sure:
        require_bounded_search(session)
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
    if session.needs_profile:
        session = session.run_profiled()
    checked = session.checked
    ranks = counted(len(session.cases), "case") if session.cases else counted(session.request.ranks, "rank")
    console.print(f"{checked.catalog.library}, {ranks}, {counted(checked.space.size(), 'scenario')}")
    for notice in checked.notices:
        console.print(notice, markup=False, soft_wrap=True)
    if not checked.space.parameters:
        console.print(
            "keep the defaults: according to the profile, no setting in the file can make this program faster"
        )
        return False
    if session.request.space is None:
        session = session.with_stored_space()
        session.request.save(session.folder)
    phases = forecast_study(checked.file, checked.space, session.request)
    console.print(f"runs: {runs_text(phases)}", markup=False, soft_wrap=True)
    resumed = session.journal.exists()
    progress = _Printer(session, phases, None if resumed else Hints.before(session))
    result = run_session(session, resume=resumed, on_progress=progress)
    progress.end()
    if resumed and not progress.runs and not result.interrupted:
        more = (
            "the budget is used up; continue the study with a larger budget"
            if result.protocol.cut_short
            else "the search has ended, and a larger budget would not change the result"
        )
        console.print(f"no runs were left: {more}")
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
    """Status line: shows the current run, and keeps the lines of failed runs."""

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
            again = "; running it once more" if progress.phase == "defaults" else ""
            self.keep(f"  {sample.reason} ({kept}){again}")
        elif order.kind == "default" and sample.seconds is not None and not self._told_times:
            self._told_times = True
            lines = self._ahead(sample.seconds, progress.left_s)
            lines += [] if self._hints is None else self._hints.lines(sample.seconds)
            self.keep(*lines)

    def _ahead(self, run_s: float, left_s: float | None) -> list[str]:
        """Return the forecast if all runs take `run_s` seconds, and a hint if the budget is too small."""
        from adcl.cli._tune_check import runs_text
        from adcl.tune.study import fewest_runs, runs_for_several

        lines = [f"if all runs take as long as this run: {runs_text(self._phases, run_s)}"]
        needed = fewest_runs(self._session) - self.runs
        if left_s is not None and left_s < needed * run_s:
            enough = math.ceil(_ENOUGH_RUNS * run_s / 60.0)
            lines.append(
                f"the remaining time suffices for {counted(int(left_s / run_s), 'run')}, but at least {needed} are "
                f"needed to confirm a gain: allow more time (for example --time {enough}m) or shorten the runs"
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
                f"{runs} runs are too few to compare combinations of settings: only single settings are compared; use "
                f"{more} to compare combinations of two"
            )
        return lines

    def _line(self, progress: Progress) -> str:
        """Format time, run, value, best and default value so far, time left, and the settings, which may be cut off."""
        sample, order = progress.run.sample, progress.run.order
        number = f"{order.kind} {progress.trials}" if order.kind in ("trial", "repetition") else order.kind
        if progress.phase == "screening" and order.kind == "trial":
            number = f"screening {progress.trials}"
        took = "" if progress.value is None else f" {self._value(progress.value)}"
        so_far = ""
        if progress.compared is not None:
            ratio, pairs = progress.compared.ratio, progress.compared.pairs
            better = f"the best is {ratio:.2f} times better" if ratio > 1.0 else "none is better"
            so_far = f", {better} than the defaults in {counted(pairs, 'paired run')} so far"
        elif progress.default is not None and progress.best is not None:
            ratio = progress.default / progress.best
            times = f"{ratio:.2f} times better than the defaults'"
            so_far = f", best so far {self._value(progress.best)}: {times} {self._value(progress.default)}"
        left = "" if progress.left_s is None else f", at most {duration(progress.left_s)} left"
        text = f"{duration(progress.elapsed_s)} {number}: {sample.status}{took}{so_far}{left}"
        if order.scenario is None:
            return text
        space = self._session.checked.space
        changed = self._session.changed(space.configuration(order.scenario))
        return f"{text}; {', '.join(f'{name}={value}' for name, value in changed.items()) or 'defaults'}"

    def _value(self, value: float) -> str:
        from adcl.pages import seconds

        timed = self._session.checked.file.objectives[0].measure in ("wall", "mpi")
        return seconds(value) if timed else f"{value:.4g}"


def _conclude(session: Session, result: StudyResult) -> None:
    from adcl.tune.result import MODULE, MODULES, conclude, write_advice

    conclusion = conclude(session, result)
    console = output()
    for line in conclusion.lines():
        console.print(line, markup=False, soft_wrap=True)
    # Write the page after printing the advice, so that a full disk does not suppress the advice.
    page = write_advice(session, result, conclusion)
    if conclusion.settings:
        where = session.folder.absolute() / MODULES
        console.print(f"as a module: module use {where} && module load {MODULE}", markup=False, soft_wrap=True)
        library, advice = session.checked.library, conclusion.advice
        file = library.launcher_file
        if file is not None and advice is not None and advice.launcher_file:
            options = f"{file.option} {session.folder.absolute() / file.name} {advice.launcher_options}".rstrip()
            call = library.call(session.launcher.path.name, options)
            console.print(f"as a file for the launcher: {call}", markup=False, soft_wrap=True)
    console.print(f"report of all runs: {page}", markup=False, soft_wrap=True)


def show(folder: Path, *, json: bool) -> None:
    """Print the current result of a study."""
    from adcl.tune.result import document
    from adcl.tune.study import Session, StudyRequest, replay_session

    session = Session.prepare(StudyRequest.read(folder), folder, reading=True)
    if not session.journal.exists():
        raise UsageError(f"{folder} contains no runs yet; begin with 'adcl tune resume {folder}'")
    result = replay_session(session)
    if json:
        print_json(document(session, result))
        return
    _conclude(session, result)
