"""How many runs the phases of a study take at most. Pure."""

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
"""Runs in a round of the simplification: the defaults, the winner, and one with fewer settings."""

_IN_A_CONFIRMATION = 2
"""The defaults and what is left of the winner."""


@dataclass(frozen=True)
class PhaseForecast:
    """Runs of a phase. A budget of time may end it earlier."""

    name: str
    runs: int
    at_most: bool
    """Otherwise it may become more: a search without a budget goes on while it finds something better."""


def simplification_runs(policy: StudyPolicy, settings: int) -> int:
    """Return after how many runs no attempt begins any more to do without some of so many settings."""
    if not policy.simplifications:
        return 0
    return _IN_A_ROUND * policy.rounds[0] * max(policy.simplifications, settings + 2)


def forecast(policy: StudyPolicy, search: Search) -> tuple[PhaseForecast, ...]:
    """Say what is ahead of a study: defaults, screening, search, comparison and simplification.

    The counts of screening and search have the runs of the defaults between their trials. With a budget of trials, a
    phase has as many as that leaves it where nothing ends it earlier.
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
