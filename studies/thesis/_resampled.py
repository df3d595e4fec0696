"""Recorded searches, and the decisions of each statistical method on the first n_m measurements of each codelet."""

from __future__ import annotations

import dataclasses
import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from adcl import trace
from adcl.evaluate import Chosen, Done, Executor, ReplayOptions, recorded_searches, replay
from studies.thesis._evaluated import run_evaluation

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from adcl.evaluate import EvaluationRun, RecordedSearch
    from studies._catalog import Place

__all__ = [
    "LINES",
    "METHODS",
    "RECORDED",
    "Decided",
    "RecordingExecutor",
    "decided_of",
    "read_decided",
    "run_recorded",
]

METHODS = ("none", "heuristic", "iqr", "cluster", "robust")
RECORDED = "barrier"
"""Timing technique whose runs are recorded."""

LINES = "decided.jsonl"
"""File with a line for each recorded run."""

_DIGITS = 3
"""Number of decimals of stored measurements, in microseconds."""


@dataclass(frozen=True)
class Decided:
    """One recorded search of a setting."""

    setting: str
    run: int
    winners: Mapping[tuple[str, int], str]
    """Choice of each method, such as iqr, with n_m measurements of each codelet."""

    samples: Mapping[str, tuple[float, ...]]
    """Measurements of each codelet in microseconds, as returned by `RecordingExecutor.kept`."""


class RecordingExecutor(Executor):
    """Like `Executor`; each run that is `recorded` also adds a line to a file next to the journal."""

    trace_options: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Further variables of the recorded runs."""

    def recorded(self, planned: EvaluationRun) -> bool:
        """Return True if a run is recorded: it has the timing `RECORDED`."""
        return planned.combination is not None and planned.combination.timing == RECORDED

    def line(self, planned: EvaluationRun, own: RecordedSearch, whole: trace.Recording) -> dict[str, Any]:  # noqa: ARG002
        """Return the stored part of a recorded run: the decision of each method, and the measurements."""
        (search,) = replay([own], ReplayOptions(searches=("brute_force",), outliers=METHODS)).searches
        winners = [[one.outliers, one.measurements_per_codelet, one.winner] for one in search.decisions]
        return {
            "setting": planned.setting.name,
            "run": planned.number,
            "winners": winners,
            "samples": self.samples(own),
        }

    def samples(self, own: RecordedSearch) -> dict[str, list[float]]:
        """Return the measurements of each codelet in microseconds."""
        return {name: [round(1e6 * one, _DIGITS) for one in self.kept(rows)] for name, rows in own.times.items()}

    def kept(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the stored part of a codelet's times (a row for each rank): the slowest rank of each measurement."""
        slowest: NDArray[np.float64] = rows.max(axis=0)
        return slowest

    def run(self, planned: EvaluationRun, function_set: str, limit_s: float | None) -> Done:
        """Run the planned evaluation run."""
        how = planned.combination
        if how is None or not self.recorded(planned):
            return super().run(planned, function_set, limit_s)
        folder = self.scratch / "recorded"
        shutil.rmtree(folder, ignore_errors=True)
        timing = self.evaluation.timing(how.timing)
        recording = dataclasses.replace(
            self.evaluation,
            environment=(*self.evaluation.environment, ("ADCL_TRACE", str(folder)), *self.trace_options),
        )
        # Use the base class: for a run without a trace of its own, it keeps the trace that the environment selects.
        plain = Executor(recording, self.launcher, self.placement, self.scratch, self.stop)
        variables = {"ADCL_SEARCH": how.search, "ADCL_OUTLIERS": how.outliers, **dict(timing.environment)}
        if how.measurements is not None:
            variables["ADCL_MEASUREMENTS"] = str(how.measurements)
        arguments = (*recording.arguments, *timing.arguments)
        result, seconds, _ = plain._run(  # noqa: SLF001 - of the class that this one extends
            planned.setting, recording.program, arguments, variables, limit_s, traced=False
        )
        good = result.ok and isinstance(seconds, float)
        choices: tuple[Chosen, ...] = ()
        if good:
            whole = trace.read_recording(folder)
            own = [one for one in recorded_searches([whole]) if one.search.function_set == function_set]
            line = json.dumps(self.line(planned, own[0], whole), separators=(",", ":"))
            with (self.scratch.parent / LINES).open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
            choices = tuple(_choice(one.search) for one in own)
        return _done(planned, result.seconds, seconds if good else None, choices, "" if good else str(seconds))


def _choice(search: trace.TracedSearch) -> Chosen:
    winner = None if search.decision is None else search.decision.winner
    estimates = {row.codelet: row.judged_s for row in search.rows if row.judged_s}
    return Chosen(winner, estimates, search.measurements, None)


def _done(
    planned: EvaluationRun, wall_s: float, seconds: float | str | None, choices: tuple[Chosen, ...], reason: str
) -> Done:
    return Done(
        key=planned.key,
        setting=planned.setting.name,
        kind=planned.kind,
        number=planned.number,
        status="failed" if reason else "ok",
        wall_s=wall_s,
        seconds=seconds if isinstance(seconds, float) else None,
        codelet=planned.codelet,
        combination=planned.combination,
        choices=choices,
        reason=reason,
    )


def run_recorded(
    place: Place, file: Path, machine: str, *, on: str | None = None, executor: type[Executor] = RecordingExecutor
) -> None:
    """Run the missing parts of an evaluation, with recorded searches. Raises `StudyError`."""
    folder = run_evaluation(place, file, machine, on=on, executor=executor)
    lines = (folder / LINES).read_text(encoding="utf-8").splitlines()
    last = {(one["setting"], one["run"]): line for line, one in zip(lines, map(json.loads, lines), strict=True)}
    text = "".join(f"{last[key]}\n" for key in sorted(last))
    decided_of(place, machine).write_text(text, encoding="utf-8")


def decided_of(place: Place, machine: str) -> Path:
    """Return the path of the stored decisions of one machine."""
    return place.folder / f"{machine}.{LINES}"


def read_decided(place: Place, machine: str) -> tuple[Decided, ...]:
    """Read the stored decisions; empty if there are none."""
    path = decided_of(place, machine)
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        one = json.loads(line)
        winners = {(method, count): winner for method, count, winner in one.get("winners", ())}
        samples = {name: tuple(values) for name, values in one["samples"].items()}
        found.append(Decided(one["setting"], one["run"], winners, samples))
    return tuple(found)
