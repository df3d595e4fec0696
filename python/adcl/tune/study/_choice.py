"""Which scenarios of the search are compared with the defaults: pure, no clock.

The comparison is not all: of several settings it has to be found out which of them matter, in paired runs too. So as
much of the budget is kept for that as it takes at least. Where the budget is too short for it, those are compared that
change one setting, which the comparison itself shows to matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.tune.study._simplify import early_look

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.tune.space import Coordinates, Space
    from adcl.tune.study._plan import StudyPolicy

__all__ = ["Finalists", "choose", "fewest_for_several", "independent"]

_CLOSE = 0.02
_COMPARED = 0.6
"""Part of what is left then that the comparison may take."""

_LEFT = 0.38
"""Part of a budget that is left for comparison and simplification."""

_WORTH = 1.05
_DEVIATIONS = 3.0


def independent(space: Space, scenario: Coordinates) -> tuple[int, ...]:
    """Return the places of the settings that are changed, but for those that only give another one a meaning."""
    changed = space.changed(scenario)
    governors: set[str] = set()
    for place in changed:
        condition = space.parameters[place].when
        while condition is not None:
            governors.add(condition.parameter)
            condition = space.parameter(condition.parameter).when
    return tuple(place for place in changed if space.parameters[place].name not in governors)


def _simplification(policy: StudyPolicy, settings: int) -> float:
    """How many runs it takes to find out which of so many settings matter; where that is not tried, none are enough.

    One attempt to take all out but one, which is clear early; the same rounds for each of them alone beside the
    defaults and all of them; and an attempt to take out what makes no difference.
    """
    if settings < 2:  # noqa: PLR2004
        return 0.0
    early = early_look(policy.rounds)
    runs = early * (settings + 2) + 3 * policy.rounds[0] + (3 * early if settings > 2 else 0)  # noqa: PLR2004
    return runs if policy.simplifications else math.inf


def fewest_for_several(policy: StudyPolicy) -> float:
    """Return the number of runs of a whole study without which it is not found out which of several settings matter."""
    return (policy.shortest_comparison + _simplification(policy, 2)) / _LEFT


@dataclass(frozen=True)
class Finalists:
    """Who is compared with the defaults, the best first, and who would be if the budget were larger."""

    finalists: tuple[Coordinates, ...]
    left_out: Coordinates | None = None


def choose(
    means: Mapping[Coordinates, float],
    reference: float,
    *,
    space: Space,
    policy: StudyPolicy,
    runs_left: float,
    deviation: float,
) -> Finalists:
    """Choose among scenarios that look better than the defaults, which take `reference`.

    Scenarios that change nothing but switches are left out, since programs run as with the defaults. The others are as
    many as can be compared in three fifths of what is left of the budget, and leave enough to find out
    which of their settings matter; those that change too many for that are left out. One with fewer settings is among
    them, too, the best that has half of the best one's gain, or changes one: it may be all that is needed, or all that
    can be shown. `deviation` is how much a run differs from the next one, as a logarithm.
    """
    promising = [
        scenario
        for scenario in means
        if means[scenario] < reference * (1.0 - policy.least_gain) and not space.idle(scenario)
    ]
    everyone = sorted(promising, key=lambda scenario: (means[scenario], scenario))
    settings = {scenario: len(independent(space, scenario)) for scenario in everyone}

    def places(scenario: Coordinates) -> int:
        room = min(_COMPARED * runs_left, runs_left - _simplification(policy, settings[scenario]))
        return int(max(min(policy.finalists, room / policy.rounds[0] - 1.0), 0.0))

    ranked = [scenario for scenario in everyone if settings[scenario] == 1 or places(scenario)]
    if not ranked:
        # There is no single setting; what is there is compared, if only to be told.
        return Finalists(tuple(everyone[:1]))
    best = ranked[: max(places(ranked[0]), 1)]
    limit = math.sqrt(means[best[0]] * reference)
    able = [scenario for scenario in ranked if means[scenario] <= limit]
    simple = min(able, key=lambda scenario: (len(space.changed(scenario)), means[scenario]))
    if settings[simple] > 1 and len(best) > 1:
        simple = next((scenario for scenario in ranked if settings[scenario] == 1), simple)
    close = means[simple] <= means[best[0]] * (1.0 + max(_CLOSE, 2.0 * deviation))
    if simple not in best and (len(best) > 1 or close):
        best[-1] = simple
    gain = means[best[0]] / means[everyone[0]]
    return Finalists(tuple(best), everyone[0] if gain > max(_WORTH, math.exp(_DEVIATIONS * deviation)) else None)
