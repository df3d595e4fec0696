"""Reuse of an earlier study: its best scenarios, or all its measurements."""

from __future__ import annotations

import contextlib
import statistics
from typing import TYPE_CHECKING

from adcl.errors import AdclError, UsageError
from adcl.tune.study._request import KnownScenario, StudyRequest
from adcl.tune.study._run_session import replay_session, scenario_with
from adcl.tune.study._session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.tune.file import Checked
    from adcl.tune.study._study import StudyResult

__all__ = ["good_settings", "known_scenarios", "settings_of_studies"]

_MOST = 5


def good_settings(result: StudyResult) -> tuple[dict[str, str | int], ...]:
    """Return the settings that a study advises, and the settings of its scenarios that were better than the defaults.

    The result has at most five scenarios, the best first, and only settings that differ from the defaults.
    """
    space, protocol = result.space, result.protocol
    reference = protocol.reference
    means = {scenario: arm.mean()[0] for scenario, arm in protocol.arms.items() if arm.samples and not arm.failures}
    better = sorted((mean, scenario) for scenario, mean in means.items() if mean < reference)
    advised = () if result.verdict.scenario is None else (result.verdict.scenario,)
    found = []
    for scenario in dict.fromkeys((*advised, *(scenario for _, scenario in better))):
        changed = {space.parameters[place].name for place in space.changed(scenario)}
        found.append({name: value for name, value in space.configuration(scenario).items() if name in changed})
    return tuple(found[:_MOST])


def settings_of_studies(folders: tuple[Path, ...], library: str) -> tuple[dict[str, str | int], ...]:
    """Return the best settings of earlier studies of the same MPI library. Raises `AdclError`."""
    found: list[dict[str, str | int]] = []
    for folder in folders:
        session = Session.prepare(StudyRequest.read(folder), folder, reading=True)
        before = session.checked.catalog.library
        if before != library:
            raise UsageError(f"cannot use the study in {folder}: it is for {before}, but this study is for {library}")
        # Skip a study that ended before its defaults were measured.
        with contextlib.suppress(AdclError):
            found += good_settings(replay_session(session))
    return tuple(found)


def known_scenarios(folder: Path, session: Session) -> tuple[KnownScenario, ...]:
    """Return earlier results of scenarios that the new study also has; none if the program differs.

    Raises `AdclError`.
    """
    earlier = Session.prepare(StudyRequest.read(folder), folder, reading=True)
    if not _are_comparable(earlier, session):
        return ()
    try:
        result = replay_session(earlier)
    except AdclError:
        # The study ended before its defaults were measured.
        return ()
    protocol, found = result.protocol, []
    others = list(zip(*protocol.defaults.samples, strict=True))[1:]
    reference = (protocol.reference, *(statistics.median(column) for column in others))
    for scenario, arm in protocol.arms.items():
        settings = earlier.changed(result.space.configuration(scenario))
        if not settings or scenario_with(session, settings) is None:
            continue
        if arm.failures:
            found.append(KnownScenario(settings, None))
        elif arm.samples:
            ratios = tuple(value / default for value, default in zip(arm.mean(), reference, strict=True))
            found.append(KnownScenario(settings, ratios))
    return tuple(found)


def _are_comparable(earlier: Session, session: Session) -> bool:
    """Return whether both studies run the same program and measure the same objective; ignores space and budget."""
    one, other = earlier.checked, session.checked
    same = earlier.request.runs_the_same(session.request) and one.catalog.library == other.catalog.library
    same = same and _applied_settings(one) == _applied_settings(other)
    names = ("objectives", "expect", "preparation", "cases")
    return same and all(getattr(one.file, name) == getattr(other.file, name) for name in names)


def _applied_settings(checked: Checked) -> dict[str, str]:
    """Return the settings of the user and the site that apply to all runs."""
    return {one.name: one.value for one in checked.in_all_runs}
