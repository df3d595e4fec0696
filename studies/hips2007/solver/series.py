"""Figure 5: each measured exchange of a run that searches by hypotheses."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studies.thesis._resampled import RecordingExecutor, decided_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.evaluate import EvaluationRun, RecordedSearch
    from adcl.trace import Recording
    from studies._catalog import Place

__all__ = ["RECORDED", "Series", "SeriesExecutor", "read_series"]

RECORDED = ("hypothesis", "limit_40")
"""Search and outlier limit of the recorded runs; the first run of each size is recorded."""

_DIGITS = 2
"""Digits of stored microseconds."""


@dataclass(frozen=True)
class Series:
    """Measurements of rank 0 in the order of the starts."""

    size: str
    codelets: Sequence[str]
    microseconds: Sequence[float]

    def by_codelet(self) -> dict[str, list[tuple[float, float]]]:
        """Return, for each codelet, pairs of measurement number and microseconds."""
        found: dict[str, list[tuple[float, float]]] = {}
        for number, (name, time) in enumerate(zip(self.codelets, self.microseconds, strict=True), 1):
            found.setdefault(name, []).append((float(number), time))
        return found


class SeriesExecutor(RecordingExecutor):
    """Like `Executor`, but records the first search by hypotheses of each size."""

    def recorded(self, planned: EvaluationRun) -> bool:
        """Return True if a run is recorded."""
        how = planned.combination
        return how is not None and (how.search, how.timing) == RECORDED and planned.number == 1

    def line(self, planned: EvaluationRun, own: RecordedSearch, whole: Recording) -> dict[str, Any]:
        """Return the measurements of rank 0, in order."""
        measured = whole.of(own.search.key)[0]
        names = [measured.codelets[place] for place in measured.codelet]
        times = [round(1e6 * float(one), _DIGITS) for one in measured.seconds]
        size = dict(planned.setting.parameters)["size"]
        return {"setting": planned.setting.name, "run": planned.number, "size": size, "codelets": names, "us": times}


def read_series(place: Place, machine: str) -> list[Series]:
    """Read the stored measurements of a machine; empty if there are none."""
    path = decided_of(place, machine)
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines() if path.exists() else ())
    return [Series(one["size"], one["codelets"], one["us"]) for one in lines]
