"""Paired runs of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcl.tune.space import Coordinates
    from adcl.tune.study import StudyResult

__all__ = ["paired"]


def paired(result: StudyResult, objective: str, scenario: Coordinates) -> tuple[list[float], list[float]]:
    """Return the values of the defaults and a scenario in the rounds of both phases in which both succeeded."""
    rounds: dict[tuple[str, int | None], dict[Coordinates | None, float]] = {}
    for run in result.runs:
        if run.order.kind in ("comparison", "simplification") and objective in run.sample.objectives:
            took = rounds.setdefault((run.order.kind, run.order.round), {})
            took[run.order.scenario] = run.sample.objectives[objective]
    both = [(took[None], took[scenario]) for took in rounds.values() if None in took and scenario in took]
    return [a for a, _ in both], [b for _, b in both]
