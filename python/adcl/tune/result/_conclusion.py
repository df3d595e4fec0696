"""Conclusion of a study, as text, as JSON, and as settings for the MPI library."""

from __future__ import annotations

import collections
import dataclasses
import json
import math
import os
import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl.errors import AdclError
from adcl.launch import Job, command_line, launch_environment
from adcl.mpi_libraries import LIBRARIES
from adcl.tune.result._cases import CaseGain, case_gains
from adcl.tune.result._exports import MODULE, job_script, launcher_file_text, module_file, runs_table, settings_text
from adcl.tune.result._setting import NotConfirmed, Setting, interval_text
from adcl.tune.result._states import StateSeen, lines_of_states, states_seen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.launch import Launcher
    from adcl.mpi_libraries import Advice, MpiLibrary
    from adcl.tune.space import Configuration, Value
    from adcl.tune.study import Session, StudyResult

__all__ = ["MODULES", "Conclusion", "advice_for", "conclude", "document", "write_advice"]

SCHEMA = 2
MODULES = "modulefiles"
JOB_SCRIPT = "job.sh"

_SHOWN = 3
_UNCERTAIN = 1.1
"""If the upper end of the interval divided by the observed gain exceeds this value, a gain is still possible."""


@dataclass(frozen=True)
class Conclusion:
    """Advice of a study."""

    settings: tuple[Setting, ...]
    """Advised settings, each of which matters according to paired runs; empty: keep the defaults."""

    advice: Advice | None
    ratio: float | None
    """Value with the defaults / value with the advised settings, in paired runs: above 1, the settings are better."""

    interval: tuple[float, float] | None
    confidence: float | None
    pairs: int
    confirmed: bool
    reason: str
    ways: tuple[str, ...]
    """Instructions for applying the settings, in the shell and for the launcher."""

    statuses: dict[str, int]
    """Number of runs by outcome."""

    failures: tuple[str, ...]
    """Failure reasons of the runs, most frequent first."""

    interrupted: bool
    not_confirmed: NotConfirmed | None = None
    """Settings that looked better than the advice but were not confirmed."""

    defaults: str = ""
    """Origin of the defaults and its consequence for the advice; empty if the user and the site have set nothing."""

    cases: tuple[CaseGain, ...] = ()
    """Effect of the settings on each case, if there are several."""

    states: tuple[StateSeen, ...] = ()
    """The two states of the machine during the study, if there were two."""

    def lines(self) -> list[str]:
        """Format the conclusion as text."""
        begun = "ended early; so far: " if self.interrupted else ""
        found = []
        if not self.settings or self.advice is None:
            found.append(f"{begun}keep the defaults: {self.reason}")
            found += self._best_finalist_text()
        else:
            sure = "" if self.confirmed else ", not confirmed"
            found.append(f"{begun}{self.ratio or 1.0:.2f} times better than the defaults ({self._interval()}{sure})")
            found += [f"  {setting.line()}" for setting in self.settings]
            found += [f"  {case.line()}" for case in self.cases]
            found.append("apply the settings in one of these ways:")
            found += [f"  {line}" for way in self.ways for line in way.split("\n")]
            if self.advice.file_text:
                found.append(f"  {self.advice.file_name}: {self.advice.note}")
        found += lines_of_states(self.states)
        if self.defaults:
            found.append(self.defaults)
        if self.not_confirmed is not None:
            found += self.not_confirmed.lines()
        ran = ", ".join(f"{count} {status}" for status, count in self.statuses.items())
        found.append(f"runs: {ran}")
        found += [f"  {reason}" for reason in self.failures[:_SHOWN]]
        return found

    def _best_finalist_text(self) -> list[str]:
        """Return the result of the best finalist, and whether a gain is still possible, if the defaults are kept."""
        if self.ratio is None or self.interval is None or self.pairs < 2:  # noqa: PLR2004
            return []
        seen = (
            f"  with the best finalist, the program was {self.ratio:.2f} times as fast as with the defaults "
            f"({self._interval()})"
        )
        if self.interval[1] <= _UNCERTAIN * max(self.ratio, 1.0):
            return [seen]
        return [
            seen,
            "  the variation between runs is too large to exclude a gain: use longer runs or a quieter machine",
        ]

    def _interval(self) -> str:
        return interval_text(self.interval, self.confidence, self.pairs)


def conclude(session: Session, result: StudyResult) -> Conclusion:
    """Summarize a study."""
    changed = session.changed(dict(result.configuration))
    library, launcher = session.checked.library, session.launcher
    advice = advice_for(library, launcher, changed) if changed else None
    comparison = result.verdict.comparison
    statuses = collections.Counter(run.sample.status for run in result.runs)
    reasons = collections.Counter(run.sample.reason for run in result.runs if run.sample.status != "ok")
    return Conclusion(
        settings=_settings(session, changed, result.verdict.needed),
        advice=advice,
        ratio=None if comparison is None else comparison.ratio,
        interval=None if comparison is None else (comparison.low, comparison.high),
        confidence=None if comparison is None else comparison.confidence,
        pairs=0 if comparison is None else comparison.pairs,
        confirmed=result.verdict.confirmed,
        reason=result.verdict.reason,
        ways=() if advice is None else _apply_commands(library, launcher.path.name, advice),
        statuses=dict(statuses.most_common()),
        failures=tuple(
            f"{count} {'run' if count == 1 else 'runs'}: {reason}" for reason, count in reasons.most_common()
        ),
        interrupted=result.interrupted,
        not_confirmed=_not_confirmed(session, result),
        defaults=_defaults_note(session),
        cases=case_gains(result) if changed else (),
        states=states_seen(result),
    )


def _defaults_note(session: Session) -> str:
    checked = session.checked
    own = ", ".join(map(str, checked.own if checked.whose == "mine" else checked.left_out))
    if not own:
        return ""
    if checked.whose == "mine":
        return f"the advice requires the settings of the user or the site that the defaults include: {own}"
    return f"all runs ignored these settings of the user or the site; remove them before you apply the advice: {own}"


def _settings(session: Session, changed: Configuration, needed: Mapping[int, float]) -> tuple[Setting, ...]:
    """Describe settings; `needed` maps places to the results of paired runs without one setting."""
    space = session.checked.space
    slower = {space.parameters[place].name: times for place, times in needed.items()}

    def described(name: str, value: Value) -> Setting:
        times = slower.get(name)
        finite = times is not None and math.isfinite(times)
        failed = times is not None and not finite
        return Setting(name, value, space.parameter(name).default, times if finite else None, failed)

    return tuple(described(name, value) for name, value in changed.items())


def _not_confirmed(session: Session, result: StudyResult) -> NotConfirmed | None:
    found = result.verdict.unconfirmed
    if found is None:
        return None
    changed, one = session.changed(result.space.configuration(found.scenario)), found.comparison
    interval = (one.low, one.high) if one.pairs > 1 else None
    return NotConfirmed(_settings(session, changed, {}), one.ratio, interval, one.confidence, one.pairs, found.reason)


def advice_for(library: MpiLibrary, launcher: Launcher, changed: Configuration) -> Advice:
    """Return how to apply the configuration with the launcher that ran the trials."""
    advice = library.advice(changed)
    if not launcher.kind.of_batch_system:
        return advice
    passed = library.passed(changed, launcher, oversubscribed=False)
    own = shlex.join(passed.options)
    if any("," in value for value in passed.environment.values()):
        # --export separates variables by commas.
        return dataclasses.replace(advice, options="", launcher_options=own, launcher_file="")
    words = [f"{name}={value}" for name, value in passed.environment.items()]
    options = shlex.join([*([f"--export=ALL,{','.join(words)}"] if words else []), *passed.options])
    return dataclasses.replace(advice, options=options, launcher_options=own, launcher_file="")


def _apply_commands(library: MpiLibrary, launcher: str, advice: Advice) -> tuple[str, ...]:
    """Return the commands for the shell and the launcher, without the latter if the launcher has no such option."""
    shell = [*advice.environment]
    if advice.launcher_options:
        shell.append(library.call(launcher, advice.launcher_options))
    ways = ("\n".join(shell),) if advice.environment else ()
    return (*ways, library.call(launcher, advice.options)) if advice.options else ways


def document(session: Session, result: StudyResult) -> dict[str, Any]:
    """Return the conclusion and all runs as plain data."""
    return {
        "schema": SCHEMA,
        "about": session.about(),
        "search": result.search,
        "objectives": list(result.objectives),
        "elapsed_s": result.elapsed_s,
        "defaults": {"of": session.checked.whose, "set_here": _own_listed(session)},
        "conclusion": asdict(conclude(session, result)),
        "runs": [
            {
                "number": run.order.number,
                "kind": run.order.kind,
                "configuration": {} if run.order.scenario is None else result.space.configuration(run.order.scenario),
                "status": run.sample.status,
                "seconds": run.sample.seconds,
                "objectives": dict(run.sample.objectives),
                "reason": run.sample.reason,
                "begin_s": run.begin_s,
                "end_s": run.end_s,
            }
            for run in result.runs
        ],
    }


def _own_listed(session: Session) -> list[dict[str, Any]]:
    checked = session.checked
    left = checked.left_out
    return [
        {"name": one.name, "value": one.value, "source": one.source, "in_runs": one not in left} for one in checked.own
    ]


def _circumstances(session: Session) -> dict[str, str | float | int | None]:
    about = session.about()
    facts: dict[str, str | float | int | None] = {}
    for case in about.get("cases", [about]):
        words = " ".join([case["program"], *case["arguments"]])
        if "name" in case:
            facts[f"case {case['name']}"] = f"{words}, {case['ranks']} ranks, weight {case['weight']:g}"
        else:
            facts |= {"program": words, "ranks": case["ranks"]}
    checked = session.checked
    whose = "including settings of the user or the site" if checked.whose == "mine" else "the library's own"
    facts |= {"MPI library": about["mpi"], "origin of the defaults": whose}
    for heading, own in (
        ("ignored in all runs", checked.left_out),
        ("set by the user or the site, in all runs", checked.in_all_runs),
    ):
        if own:
            facts[heading] = ", ".join(map(str, own))
    return {**facts, "file": about["file"]}


def _by_heading(conclusion: Conclusion) -> dict[str, str]:
    """Return the ways of applying the settings, by heading."""
    advice = conclusion.advice
    if advice is None:
        return {}
    found = {"in the shell" if "export " in way else "as options": way for way in conclusion.ways}
    return {**found, f"in {advice.file_name}": advice.file_text} if advice.file_text else found


def _write_or_remove(text: str, path: Path) -> None:
    """Write a file of the advice; if it is empty, remove the file of an earlier conclusion."""
    from adcl.pages import write_text

    if text:
        path.parent.mkdir(exist_ok=True)
        write_text(text, path)
    else:
        path.unlink(missing_ok=True)


def _write_module(session: Session, conclusion: Conclusion) -> None:
    """Write the environment module."""
    about = session.about()
    words = " ".join([about["program"], *about["arguments"]])
    text = module_file(conclusion, f"{words} on {about['ranks']} ranks")
    _write_or_remove(text, session.folder / MODULES / MODULE)


def _write_job_script(session: Session, conclusion: Conclusion) -> None:
    """Write the job script; there is none for a simulator, which runs on this machine."""
    if session.launcher.kind.simulates:
        _write_or_remove("", session.folder / JOB_SCRIPT)
        return
    request, trials, advice = session.request, session.trials, conclusion.advice
    options = () if advice is None else tuple(shlex.split(advice.launcher_options))
    placement = dataclasses.replace(
        request.placement,
        launcher_options=(*trials.clean_environment.options, *request.placement.launcher_options, *options),
    )
    clean_environment = trials.clean_environment.environment
    job = Job(
        trials.program,
        trials.arguments,
        ranks=trials.ranks,
        placement=placement,
        launcher_environment=clean_environment,
    )
    command = command_line(job, session.launcher)
    needed = launch_environment(job, session.launcher, as_root=False)
    variables: dict[str, str | None] = {name: None for name, value in clean_environment.items() if value is None}
    variables |= {name: value for name, value in needed.items() if name != "PATH" and os.environ.get(name) != value}
    text = job_script(conclusion, command, variables, trials.ranks, request.placement.ranks_per_node)
    _write_or_remove(text, session.folder / JOB_SCRIPT)


def _kept_name(settings_file: str) -> str:
    return Path(settings_file).name.lstrip(".")


def write_advice(session: Session, result: StudyResult, conclusion: Conclusion) -> Path:
    """Write the page, all runs, and the settings file for the MPI library or a shell into the study's folder.

    Returns the page. Raises `AdclError`.
    """
    from adcl.pages import write, write_text
    from adcl.tune.result._page import study_page
    from adcl.tune.result._panel import StudyContent

    profiles, notices = session.profiles(), session.checked.notices
    content = StudyContent(result, _circumstances(session), _by_heading(conclusion), conclusion, profiles, notices)
    page = session.folder / "report.html"
    try:
        write(study_page(content), page)
        write_text(json.dumps(document(session, result), indent=2) + "\n", session.folder / "result.json")
        write_text(runs_table(result), session.folder / "runs.csv")
        _write_module(session, conclusion)
        _write_job_script(session, conclusion)
        for library in LIBRARIES.values():
            _write_or_remove("", session.folder / _kept_name(library.settings_file))
            if library.launcher_file is not None:
                _write_or_remove("", session.folder / library.launcher_file.name)
        if conclusion.advice is not None:
            _write_or_remove(settings_text(conclusion), session.folder / _kept_name(conclusion.advice.file_name))
        launcher_file = session.checked.library.launcher_file
        if launcher_file is not None:
            _write_or_remove(launcher_file_text(conclusion), session.folder / launcher_file.name)
    except OSError as error:
        raise AdclError(f"cannot write to {session.folder}: {error.strerror}") from error
    return page
