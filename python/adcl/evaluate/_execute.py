"""Run the program for an evaluation: with a preselected codelet, tuned, or without ADCL."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from adcl import trace
from adcl.errors import AdclError, UsageError
from adcl.evaluate._records import Chosen, Done, Scouted
from adcl.evaluate._timed import NoTimeError
from adcl.launch import Job, Launcher, Placement, library_variables, run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.evaluate._config import Evaluation, EvaluationSetting
    from adcl.evaluate._plan import EvaluationRun
    from adcl.launch import Result, Stop
    from adcl.trace import TracedSearch

__all__ = ["Executor", "deciding_searches"]

_SCOUTED = {"ADCL_SEARCH": "brute_force", "ADCL_MEASUREMENTS": "3", "ADCL_TIMING": "barrier", "ADCL_OUTLIERS": "none"}
_TIMER = "timer"
"""Function set of a timer's search in a trace."""

_SET_HERE = {
    "ADCL_CODELETS": "",
    "ADCL_HISTORY": "off",
    "ADCL_REPORT": "off",
    "ADCL_TRACE": "off",
}
"""Variables of this process that must not reach the runs."""


def _filled(argument: str, words: Mapping[str, str]) -> str:
    return re.sub(r"\{([A-Za-z_]\w*)\}", lambda found: words[found[1]], argument)


def _set_of(searches: Sequence[TracedSearch], wanted: str | None, setting: EvaluationSetting) -> str:
    """Return the function set to evaluate. Raises `UsageError`."""
    sets = tuple(dict.fromkeys(one.function_set for one in searches))
    if not sets:
        raise UsageError(
            f"{setting.name}: the program created no ADCL request; check that it is linked with the library and that "
            "its arguments make it use ADCL"
        )
    if wanted is None:
        if len(sets) > 1:
            raise UsageError(
                f"the program has searches of several function sets, {', '.join(sets)}; name the set to evaluate: "
                f'[verification] and set = "{sets[0]}"'
            )
        return sets[0]
    if wanted not in sets:
        raise UsageError(
            f"the program has no search of the function set {wanted}; it has searches of {', '.join(sets)}"
        )
    return wanted


@dataclass(frozen=True)
class Executor:
    """Runs programs one at a time. No process is left when a call returns."""

    evaluation: Evaluation
    launcher: Launcher
    placement: Placement
    scratch: Path
    """Folder that all nodes can access."""

    stop: Stop | None = None

    def scout(self, setting: EvaluationSetting) -> Scouted:
        """Determine the codelets with a short search. Raises `AdclError` if the program fails."""
        wanted = self.evaluation
        result, _, searches = self._run(setting, wanted.program, wanted.arguments, _SCOUTED, wanted.timeout_s)
        if not result.ok:
            raise AdclError(f"{setting.name}: {_failure(result)}")
        function_set = _set_of(searches, wanted.function_set, setting)
        own = [one for one in searches if one.function_set == function_set]
        common = set.intersection(*({row.codelet for row in one.rows} for one in own))
        ordered = tuple(name for name in own[0].candidates if name in common)
        times = {row.codelet: row.judged_s for row in own[0].rows if row.judged_s is not None}
        for names, what in ((wanted.codelets, "codelets"), ((wanted.native,) if wanted.native else (), "native")):
            missing = [name for name in names if name not in ordered]
            if missing:
                raise UsageError(
                    f"{setting.name}: {what}: no candidate is named {' or '.join(missing)}; candidates: "
                    f"{', '.join(ordered)}"
                )
        return Scouted(
            setting.name,
            function_set,
            ordered,
            {name: time for name, time in times.items() if name in common},
            setting.ranks,
            dict(setting.parameters),
            wanted.native or ordered[0],
        )

    def run(self, planned: EvaluationRun, function_set: str, limit_s: float | None) -> Done:
        """Run the program. A failed run is a result, not an error."""
        wanted = self.evaluation
        arguments, variables, program = wanted.arguments, {}, wanted.program
        how = planned.combination
        if planned.codelet is not None:
            variables = {"ADCL_CODELETS": f"{function_set}:{planned.codelet}"}
        elif how is not None:
            timing = wanted.timing(how.timing)
            arguments = (*arguments, *timing.arguments)
            variables = {"ADCL_SEARCH": how.search, "ADCL_OUTLIERS": how.outliers, **dict(timing.environment)}
            variables |= {} if how.measurements is None else {"ADCL_MEASUREMENTS": str(how.measurements)}
        elif wanted.original is not None:
            program, arguments = wanted.original
        result, seconds, searches = self._run(
            planned.setting, program, arguments, variables, limit_s, traced=how is not None
        )
        status, reason = "ok", ""
        if result.timed_out:
            status, reason = ("slow" if planned.codelet is not None else "failed"), _failure(result)
        elif not result.ok:
            status, reason = "failed", _failure(result)
        elif isinstance(seconds, str):
            status, reason = "failed", seconds
        choices = tuple(_choice(one) for one in deciding_searches(searches, function_set))
        return Done(
            key=planned.key,
            setting=planned.setting.name,
            kind=planned.kind,
            number=planned.number,
            status=status,
            wall_s=result.seconds,
            seconds=seconds if status == "ok" and not isinstance(seconds, str) else None,
            codelet=planned.codelet,
            combination=how,
            choices=choices,
            reason=reason,
        )

    def _run(
        self,
        setting: EvaluationSetting,
        program: str,
        arguments: Sequence[str],
        variables: Mapping[str, str],
        limit_s: float | None,
        *,
        traced: bool = True,
    ) -> tuple[Result, float | str, tuple[TracedSearch, ...]]:
        """Return the status, the time or the reason for its absence, and, if `traced`, the searches."""
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=self.scratch))
        try:
            document, traces = folder / "time.json", folder / "trace"
            words = {**dict(setting.parameters), "ranks": str(setting.ranks), "json": str(document)}
            environment: dict[str, str | None] = {name: os.environ[name] for name in library_variables()}
            environment |= {**_SET_HERE, **dict(self.evaluation.environment), **variables}
            if traced:
                environment["ADCL_TRACE"] = str(traces)
            job = Job(
                program,
                tuple(_filled(argument, words) for argument in arguments),
                ranks=setting.ranks,
                environment=environment,
                timeout_s=limit_s,
                placement=self.placement,
            )
            result = run(job, self.launcher, stop=self.stop)
            seconds: float | str = "the run failed"
            if result.ok:
                try:
                    seconds = self.evaluation.time.seconds(result, document)
                except NoTimeError as error:
                    seconds = str(error)
            searches = trace.read(traces).searches if traced and result.ok and traces.is_dir() else ()
            return result, seconds, searches
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _failure(result: Result) -> str:
    said = result.last_words()
    return f"{Path(result.command[0]).name} … {result.ending()}" + (f": {said}" if said else "")


def deciding_searches(searches: Sequence[TracedSearch], function_set: str) -> tuple[TracedSearch, ...]:
    """Return the searches that choose codelets of a function set.

    A timer decides for its requests, whose own searches measure nothing. A timer of several function sets chooses
    combinations and is ignored.
    """
    own = tuple(one for one in searches if one.function_set == function_set)
    names = {name for one in own for name in one.candidates}
    timers = tuple(one for one in searches if one.function_set == _TIMER and set(one.candidates) <= names)
    return timers or own


def _choice(search: TracedSearch) -> Chosen:
    decision = search.decision
    return Chosen(
        winner=None if decision is None else decision.winner,
        estimates={row.codelet: row.judged_s for row in search.rows if row.judged_s},
        measurements=search.measurements,
        lost_s=None if decision is None else decision.lost_s,
    )
