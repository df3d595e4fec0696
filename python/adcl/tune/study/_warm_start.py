"""What an earlier study leaves to a new one: the scenarios that were good."""

from __future__ import annotations

import contextlib
import statistics
from typing import TYPE_CHECKING

from adcl.errors import AdclError, UsageError
from adcl.tune.study._request import StudyRequest
from adcl.tune.study._run_session import replay_session
from adcl.tune.study._session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.tune.study._study import StudyResult

__all__ = ["good_settings", "settings_of_studies"]

_MOST = 5


def good_settings(result: StudyResult) -> tuple[dict[str, str | int], ...]:
    """Return the settings that a study advises, and those of its scenarios that were better than the defaults.

    The best first, five at most; only what differs from the defaults.
    """
    space, protocol = result.space, result.protocol
    reference = statistics.median([sample[0] for sample in protocol.defaults.samples])
    means = {scenario: arm.mean()[0] for scenario, arm in protocol.arms.items() if arm.samples and not arm.failures}
    better = sorted((mean, scenario) for scenario, mean in means.items() if mean < reference)
    advised = () if result.verdict.scenario is None else (result.verdict.scenario,)
    found = []
    for scenario in dict.fromkeys((*advised, *(scenario for _, scenario in better))):
        changed = {space.parameters[place].name for place in space.changed(scenario)}
        found.append({name: value for name, value in space.configuration(scenario).items() if name in changed})
    return tuple(found[:_MOST])


def settings_of_studies(folders: tuple[Path, ...], library: str) -> tuple[dict[str, str | int], ...]:
    """Return the good settings of earlier studies of the same MPI library. Raises `AdclError`."""
    found: list[dict[str, str | int]] = []
    for folder in folders:
        session = Session.prepare(StudyRequest.read(folder), folder, reading=True)
        before = session.checked.catalogue.library
        if before != library:
            raise UsageError(f"the study in {folder} is of {before}, and this one of {library}: it cannot be used")
        # One that ended before its defaults were known leaves nothing.
        with contextlib.suppress(AdclError):
            found += good_settings(replay_session(session))
    return tuple(found)
