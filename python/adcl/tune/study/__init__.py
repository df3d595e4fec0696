"""Studies: preparation of the request, all runs in order, and the verdict."""

from adcl.tune.study._arm import deviation
from adcl.tune.study._compare import PairedComparison, StudyVerdict, compare
from adcl.tune.study._forecast import PhaseForecast
from adcl.tune.study._request import REQUEST, KnownScenario, StudyRequest
from adcl.tune.study._run_session import (
    check_study,
    fewest_runs,
    forecast_study,
    replay_session,
    require_bounded_search,
    run_session,
    runs_for_several,
)
from adcl.tune.study._session import Session
from adcl.tune.study._states import machine_states
from adcl.tune.study._study import Progress, StudyResult
from adcl.tune.study._warm_start import known_scenarios, settings_of_studies
from adcl.tune.trial import of_case

__all__ = [
    "REQUEST",
    "KnownScenario",
    "PairedComparison",
    "PhaseForecast",
    "Progress",
    "Session",
    "StudyRequest",
    "StudyResult",
    "StudyVerdict",
    "check_study",
    "compare",
    "deviation",
    "fewest_runs",
    "forecast_study",
    "known_scenarios",
    "machine_states",
    "of_case",
    "replay_session",
    "require_bounded_search",
    "run_session",
    "runs_for_several",
    "settings_of_studies",
]
