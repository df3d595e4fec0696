"""Create and run the study of a session."""

from __future__ import annotations

import dataclasses
import math
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from adcl._suggest import suggestion
from adcl.errors import UsageError
from adcl.launch import Stop
from adcl.tune.file import paper_options
from adcl.tune.search import DEFAULT, SEARCHES, SearchOptions, make_search
from adcl.tune.space import nearest_scenario
from adcl.tune.study._choice import fewest_for_several
from adcl.tune.study._defaults import DefaultsFailedError
from adcl.tune.study._forecast import forecast
from adcl.tune.study._journal import JournalError
from adcl.tune.study._plan import StudyPolicy
from adcl.tune.study._study import Study
from adcl.tune.trial import TrialInterruptedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.tune.file import TuningFile
    from adcl.tune.space import Configuration, Coordinates, Space
    from adcl.tune.study._forecast import PhaseForecast
    from adcl.tune.study._request import StudyRequest
    from adcl.tune.study._session import Session
    from adcl.tune.study._study import Progress, StudyResult
    from adcl.tune.trial import TrialOutcome

__all__ = [
    "check_study",
    "fewest_runs",
    "forecast_study",
    "replay_session",
    "require_bounded_search",
    "run_session",
    "runs_for_several",
    "scenario_with",
]

_LAUNCHER_SLACK_S = 2.0
_MANY = 1000
"""Number of scenarios above which an exhaustive search requires confirmation."""


def _options(file: TuningFile, request: StudyRequest | None) -> SearchOptions:
    """Return the file's options, which belong to the search that it names."""
    same = request is None or request.search in (None, file.search)
    given = dict(file.search_options) if same else {}
    if request is not None and request.method == "paper":
        given = {**paper_options(request.search or file.search or DEFAULT), **given}
    return SearchOptions(**given)


def _policy(request: StudyRequest, file: TuningFile) -> StudyPolicy:
    budget = file.budget
    return StudyPolicy(
        trials=budget.trials if request.trials is None else request.trials,
        seconds=budget.seconds if request.seconds is None else request.seconds,
        longest_s=request.longest_s,
    )


def _study(
    session: Session, run_trial: Callable[[Configuration, float | None, int], TrialOutcome], stop: Stop
) -> Study:
    file, request = session.checked.file, session.request
    return Study(
        space=session.checked.space,
        run_trial=run_trial,
        objectives=tuple(objective.name for objective in file.objectives),
        search=request.search or file.search or DEFAULT,
        options=_options(file, request),
        policy=_policy(request, file),
        seed=request.seed,
        suggested=_suggested(session),
        known=_known(session),
        workers=request.parallel,
        about=session.about(),
        stop=stop,
        keep_output=session.keep_output,
    )


def _suggested(session: Session) -> tuple[Coordinates, ...]:
    """Return the scenarios of this space nearest to the suggested configurations, without the defaults."""
    space = session.checked.space
    found = (nearest_scenario(space, configuration) for configuration in session.request.suggested)
    return tuple(dict.fromkeys(one for one in found if one is not None and one != space.home()))


def scenario_with(session: Session, settings: Configuration) -> Coordinates | None:
    """Return the scenario that passes exactly these settings; None if the study has none."""
    space = session.checked.space
    found = nearest_scenario(space, settings)
    return None if found is None or session.changed(space.configuration(found)) != dict(settings) else found


def _known(session: Session) -> dict[Coordinates, tuple[float, ...] | None]:
    """Return earlier results of this study's scenarios."""
    pairs = ((scenario_with(session, known.settings), known.ratios) for known in session.request.known)
    return {scenario: ratios for scenario, ratios in pairs if scenario is not None}


def _with_launch_time(timeout_s: float | None, longest_s: float | None, *, simulated: bool) -> float | None:
    """Return the time limit of a run; add the start time of the launcher, which does not depend on settings.

    A slow simulation is not stopped: its duration depends on this machine, its result does not.
    """
    limits = [] if timeout_s is None or simulated else [timeout_s + _LAUNCHER_SLACK_S]
    limits += [] if longest_s is None else [longest_s]
    return min(limits, default=None)


def check_study(session: Session) -> None:
    """Reject an invalid search, options or budgets before anything runs. Raises `UsageError`."""
    file, request = session.checked.file, session.request
    name = request.search or file.search or DEFAULT
    if name not in SEARCHES:
        raise UsageError(f"unknown search {name}; {suggestion(name, SEARCHES)}")
    SearchOptions(**file.search_options)
    policy = _policy(request, file)
    if policy.trials is not None and policy.trials < policy.fewest_runs:
        raise UsageError(
            f"{policy.trials} runs are too few to confirm a gain: a study requires at least {policy.fewest_runs}, for "
            "the defaults, some trials and a comparison"
        )
    if session.checked.space.parameters:
        make_search(name, session.checked.space, objectives=len(file.objectives))


def fewest_runs(session: Session) -> int:
    """Return the minimum number of runs to confirm a gain."""
    return _policy(session.request, session.checked.file).fewest_runs


def runs_for_several(session: Session) -> int:
    """Return the number of runs below which only single settings are compared; 0 for a single parameter."""
    if len(session.checked.space.parameters) < 2:  # noqa: PLR2004
        return 0
    return math.ceil(fewest_for_several(_policy(session.request, session.checked.file)))


def forecast_study(file: TuningFile, space: Space, request: StudyRequest | None = None) -> tuple[PhaseForecast, ...]:
    """Return the maximum number of runs of each phase; without a request, use the file's values."""
    name = (request.search if request is not None else None) or file.search or DEFAULT
    policy = StudyPolicy(file.budget.trials, file.budget.seconds) if request is None else _policy(request, file)
    search = make_search(name, space, objectives=len(file.objectives), options=_options(file, request))
    return forecast(policy, search)


def require_bounded_search(session: Session) -> None:
    """Reject an exhaustive search of many scenarios without a budget. Raises `UsageError`."""
    file, request, space = session.checked.file, session.request, session.checked.space
    name = request.search or file.search or DEFAULT
    policy = _policy(request, file)
    if not SEARCHES[name].runs_all or policy.trials is not None or policy.seconds is not None:
        return
    if space.size() > _MANY:
        raise UsageError(
            f"the search {name} would run all {space.size()} scenarios; limit it with --trials or --time, choose "
            "another one with --search, or add --yes to run all"
        )


def run_session(
    session: Session, *, resume: bool = False, on_progress: Callable[[Progress], None] | None = None
) -> StudyResult:
    """Run the study to its end, or until Ctrl-C. Raises `AdclError`."""
    stop = Stop()

    def run_trial(configuration: Configuration, timeout_s: float | None, worker: int) -> TrialOutcome:
        slot = session.slots[worker]
        simulated = session.launcher.kind.simulates
        limit = _with_launch_time(timeout_s, session.request.longest_s, simulated=simulated)
        try:
            return session.run(configuration, timeout_s=limit, slot=slot, stop=stop)
        except TrialInterruptedError:
            raise KeyboardInterrupt from None

    try:
        with stop.on_signals():
            return _study(session, run_trial, stop).run(session.journal, resume=resume, on_progress=on_progress)
    except DefaultsFailedError as error:
        left = session.checked.left_out
        if not left:
            raise
        ignored = ", ".join(map(str, left))
        raise DefaultsFailedError(
            f"{error}; these settings were ignored: {ignored}; --defaults mine keeps them"
        ) from error
    finally:
        stop.close()


def replay_session(session: Session) -> StudyResult:
    """Return the result of the study's journal, without running anything or changing the journal."""

    def nothing(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    stop = Stop()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / session.journal.name
            shutil.copy(session.journal, copy)
            study = dataclasses.replace(_study(session, nothing, stop), workers=1)
            try:
                return study.run(copy, resume=True, extend=False)
            except JournalError as error:
                raise JournalError(str(error).replace(str(copy), str(session.journal))) from error
    finally:
        stop.close()
