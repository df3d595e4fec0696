"""Maximum number of runs of the phases of a study. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.tune.search import screening_runs
from adcl.tune.study._searching import SCREENED, SEARCHED, patience

if TYPE_CHECKING:
    from adcl.tune.search import Search
    from adcl.tune.study._plan import StudyPolicy

__all__ = ["PhaseForecast", "forecast", "simplification_runs"]

_IN_A_ROUND = 3
"""Runs per round of the simplification: the defaults, the winner, and one with fewer settings."""

_IN_A_CONFIRMATION = 2
"""Runs per round of a confirmation: the defaults and the simplified winner."""


@dataclass(frozen=True)
class PhaseForecast:
    """Number of runs of a phase. A time budget may end it earlier."""

    name: str
    runs: int
    at_most: bool
    """Whether the number is a limit: a search without a budget continues while it finds improvements."""


def simplification_runs(policy: StudyPolicy, settings: int) -> int:
    """Return the number of runs after which no further simplification of these settings begins."""
    if not policy.simplifications:
        return 0
    return _IN_A_ROUND * policy.rounds[0] * max(policy.simplifications, settings + 2)


def forecast(policy: StudyPolicy, search: Search) -> tuple[PhaseForecast, ...]:
    """Return the phases of a study: defaults, screening, search, comparison and simplification.

    The counts of screening and search include runs of the defaults between trials. With a budget of trials, a phase has
    the runs that the budget leaves, if the phase does not end earlier.
    """
    space, every = search.space, policy.defaults_every
    most = space.size() * policy.repetitions
    if policy.searched is not None:
        trials, certain = policy.searched, True
    elif search.runs_all and policy.patience is None:
        trials, certain = most, True
    else:
        trials, certain = patience(policy, search.dimensions), False
    if trials > most:
        trials, certain = most, True
    defaults = policy.warm_ups + policy.defaults_first
    screening = screening_runs(space) if search.screening else 0
    compared = policy.rounds[-1] * (policy.finalists + 1)
    if policy.trials is not None:
        defaults = min(defaults, policy.trials)
        screening = min(screening, max(int(SCREENED * policy.trials) - defaults, 0))
        trials = min(trials, max(int(SEARCHED * policy.trials) - defaults - screening, 0))
        compared, certain = min(compared, int(SEARCHED * policy.trials)), True
    phases = [PhaseForecast("defaults", defaults, at_most=True)]
    if screening:
        phases.append(PhaseForecast("screening", screening + screening // every, certain))
    phases.append(PhaseForecast("search", trials + trials // every, certain))
    phases.append(PhaseForecast("comparison", compared, at_most=True))
    if policy.simplifications and len(space.parameters) > 1:
        runs = simplification_runs(policy, search.dimensions) + policy.rounds[-1] * _IN_A_CONFIRMATION
        if policy.trials is not None:
            runs = min(runs, int(SEARCHED * policy.trials))
        phases.append(PhaseForecast("simplification", runs, at_most=True))
    return tuple(phases)
