"""Figure 5: each exchange of a run that searches by hypotheses."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

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
    """Times of rank 0 in the order of the starts, with the decision and without it."""

    size: str
    codelets: Sequence[str]
    microseconds: Sequence[float]
    searched: int
    """Number of exchanges before the decision."""

    @property
    def chosen(self) -> str:
        """Codelet of the exchanges after the decision; empty if there are none."""
        return self.codelets[-1] if self.searched < len(self.codelets) else ""

    def by_codelet(self) -> dict[str, list[tuple[float, float]]]:
        """Return pairs of the exchange's number and microseconds, by codelet, separately after the decision."""
        found: dict[str, list[tuple[float, float]]] = {}
        for number, (name, time) in enumerate(zip(self.codelets, self.microseconds, strict=True), 1):
            shown = name if number <= self.searched else f"decided: {name}"
            found.setdefault(shown, []).append((float(number), time))
        return found

    def medians(self) -> tuple[float, float]:
        """Return the medians of the chosen codelet's times before and after the decision."""
        pairs = list(zip(self.codelets, self.microseconds, strict=True))
        before = [time for name, time in pairs[: self.searched] if name == self.chosen]
        return statistics.median(before), statistics.median(time for _, time in pairs[self.searched :])


class SeriesExecutor(RecordingExecutor):
    """Like `Executor`, but records each exchange of the first search by hypotheses of each size."""

    trace_options: ClassVar[tuple[tuple[str, str], ...]] = (("ADCL_TRACE_PRODUCTION", "1"),)

    def recorded(self, planned: EvaluationRun) -> bool:
        """Return True if a run is recorded."""
        how = planned.combination
        return how is not None and (how.search, how.timing) == RECORDED and planned.number == 1

    def line(self, planned: EvaluationRun, own: RecordedSearch, whole: Recording) -> dict[str, Any]:
        """Return the times of rank 0, in order, and the number of exchanges before the decision."""
        measured = whole.of(own.search.key)[0]
        names = [measured.codelets[place] for place in measured.codelet]
        times = [round(1e6 * float(one), _DIGITS) for one in measured.seconds]
        size = dict(planned.setting.parameters)["size"]
        return {
            "setting": planned.setting.name,
            "run": planned.number,
            "size": size,
            "searched": int((~measured.production).sum()),
            "codelets": names,
            "us": times,
        }


def read_series(place: Place, machine: str) -> list[Series]:
    """Read the stored times of a machine; empty if there are none."""
    path = decided_of(place, machine)
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines() if path.exists() else ())
    # Older records end with the decision.
    return [Series(one["size"], one["codelets"], one["us"], one.get("searched", len(one["us"]))) for one in lines]
