"""How many runs the phases of a study take at most. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.tune.study._searching import patience

if TYPE_CHECKING:
    from adcl.tune.space import Space
    from adcl.tune.study._plan import StudyPolicy

__all__ = ["PhaseForecast", "forecast"]

_IN_A_ROUND = 3
"""Runs in a round of the simplification: the defaults, the winner, and the winner with fewer settings."""
_IN_A_CONFIRMATION = 2
"""The defaults and what is left of the winner."""


@dataclass(frozen=True)
class PhaseForecast:
    """Runs of a phase. A budget of time may end it earlier."""

    name: str
    runs: int
    at_most: bool
    """Otherwise it may become more: a search without a budget goes on while it finds something better."""


def forecast(policy: StudyPolicy, space: Space, *, runs_all: bool) -> tuple[PhaseForecast, ...]:
    """Say what is ahead of a study: defaults, search, comparison and simplification.

    `runs_all`: the search is there to run every scenario. The search's count has the runs of the defaults between its
    trials, which a budget of trials does not.
    """
    if policy.trials is not None:
        trials, certain = policy.trials, True
    elif runs_all and policy.patience is None:
        trials, certain = space.size() * policy.repetitions, True
    else:
        trials = patience(policy, len(space.parameters))
        certain = False
    if trials > space.size() * policy.repetitions:
        trials, certain = space.size() * policy.repetitions, True
    phases = [
        PhaseForecast("defaults", policy.warm_ups + policy.defaults_first, at_most=True),
        PhaseForecast("search", trials + trials // policy.defaults_every, certain),
        PhaseForecast("comparison", policy.rounds[-1] * (policy.finalists + 1), at_most=True),
    ]
    if policy.simplifications and len(space.parameters) > 1:
        rounds = policy.simplifications * policy.rounds[0]
        runs = rounds * _IN_A_ROUND + policy.rounds[-1] * _IN_A_CONFIRMATION
        phases.append(PhaseForecast("simplification", runs, at_most=True))
    return tuple(phases)
