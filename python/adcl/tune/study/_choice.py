"""Select the scenarios of the search that are compared with the defaults. Pure.

After the comparison, further paired runs determine which of several settings matter; part of the budget is reserved for
these runs. If the budget is too small, only scenarios that change one setting are compared, because the comparison
itself shows that the setting matters.
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
"""Share of the remaining budget for the comparison."""

_LEFT = 0.38
"""Share of the budget for comparison and simplification."""

_WORTH = 1.05
_DEVIATIONS = 3.0


def independent(space: Space, scenario: Coordinates) -> tuple[int, ...]:
    """Return the indices of the changed settings, except settings that only enable others."""
    changed = space.changed(scenario)
    governors: set[str] = set()
    for place in changed:
        condition = space.parameters[place].when
        while condition is not None:
            governors.add(condition.parameter)
            condition = space.parameter(condition.parameter).when
    return tuple(place for place in changed if space.parameters[place].name not in governors)


def _simplification(policy: StudyPolicy, settings: int) -> float:
    """Return the number of runs that determine which of these settings matter; infinite if this is not attempted.

    The runs are for two attempts. The first removes all but one setting and is decided early; the same rounds compare
    each setting alone with the defaults and with all settings. The second removes the settings without an effect.
    """
    if settings < 2:  # noqa: PLR2004
        return 0.0
    early = early_look(policy.rounds)
    runs = early * (settings + 2) + 3 * policy.rounds[0] + (3 * early if settings > 2 else 0)  # noqa: PLR2004
    return runs if policy.simplifications else math.inf


def fewest_for_several(policy: StudyPolicy) -> float:
    """Return the minimum number of runs of a study that determines which of several settings matter."""
    return (policy.shortest_comparison + _simplification(policy, 2)) / _LEFT


@dataclass(frozen=True)
class Finalists:
    """Finalists for the comparison with the defaults, best first, and the finalists that a larger budget would add."""

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
    """Select among scenarios that look better than the defaults, whose value is `reference`.

    Scenarios that change only switches are skipped, because programs behave as with the defaults then. The number of
    finalists is limited so that the comparison uses three fifths of the remaining budget and leaves enough runs to
    determine which settings matter; scenarios with too many changes for these runs are skipped. One finalist has few
    settings: the best scenario that changes a single setting or reaches half of the largest gain. This finalist may
    suffice, or its gain may be the only gain that can be confirmed. `deviation` is the variation between runs, as a
    logarithm.
    """
    promising = [
        scenario
        for scenario in means
        if means[scenario] < reference * (1.0 - policy.least_gain) and not space.changes_only_switches(scenario)
    ]
    everyone = sorted(promising, key=lambda scenario: (means[scenario], scenario))
    settings = {scenario: len(independent(space, scenario)) for scenario in everyone}

    def places(scenario: Coordinates) -> int:
        room = min(_COMPARED * runs_left, runs_left - _simplification(policy, settings[scenario]))
        return int(max(min(policy.finalists, room / policy.rounds[0] - 1.0), 0.0))

    ranked = [scenario for scenario in everyone if settings[scenario] == 1 or places(scenario)]
    if not ranked:
        # No scenario changes a single setting; compare the existing scenarios for the report.
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
