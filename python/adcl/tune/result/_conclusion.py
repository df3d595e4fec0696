"""What a study comes to: records for people, for programs, and for the MPI library."""

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
from adcl.tune.result._exports import MODULE, job_script, module_file, runs_table, settings_text, tune_text
from adcl.tune.result._setting import NotConfirmed, Setting, interval_text
from adcl.tune.result._states import STATES, StateSeen, lines_of_states, states_seen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.launch import Launcher
    from adcl.mpi_libraries import Advice, MpiLibrary
    from adcl.report import Section
    from adcl.tune.space import Configuration, Value
    from adcl.tune.study import Session, StudyResult

__all__ = ["MODULES", "TUNE_FILE", "Conclusion", "advice_for", "conclude", "document", "write_advice"]

SCHEMA = 2
MODULES = "modulefiles"
JOB_SCRIPT = "job.sh"
TUNE_FILE = "mpi-settings.tune"
"""For the option --tune of Open MPI's launcher."""

_SHOWN = 3
_UNCERTAIN = 1.1
"""An interval that goes so far above what was seen says that a gain may be there all the same."""


@dataclass(frozen=True)
class Conclusion:
    """The advice of a study."""

    settings: tuple[Setting, ...]
    """Those that are advised, each of which was shown to matter in paired runs; none: keep the defaults."""

    advice: Advice | None
    ratio: float | None
    """Of the defaults to the advised settings, in paired runs: above 1 the settings are better."""

    interval: tuple[float, float] | None
    confidence: float | None
    pairs: int
    confirmed: bool
    reason: str
    ways: tuple[str, ...]
    """What to type to apply the settings, in the shell and at the launcher."""

    statuses: dict[str, int]
    """How many runs ended how."""

    failures: tuple[str, ...]
    """Why runs did not count, each reason once, the most frequent first."""

    interrupted: bool
    not_confirmed: NotConfirmed | None = None
    """What looked better than the advice, but was not shown to be, setting by setting."""

    defaults: str = ""
    """Whose values the defaults are, and what that means for the advice; empty where nothing is set here."""

    cases: tuple[CaseGain, ...] = ()
    """What the settings do for each case, where there are several."""

    states: tuple[StateSeen, ...] = ()
    """The two states that the machine was in while the study ran, where it was not one."""

    def lines(self) -> list[str]:
        """Say it in words."""
        begun = "ended early; so far: " if self.interrupted else ""
        found = []
        if not self.settings or self.advice is None:
            found.append(f"{begun}keep the defaults: {self.reason}")
            found += self._what_was_seen()
        else:
            sure = "" if self.confirmed else ", not confirmed"
            found.append(f"{begun}{self.ratio or 1.0:.2f} times better than the defaults ({self._interval()}{sure})")
            found += [f"  {setting.line()}" for setting in self.settings]
            found += [f"  {case.line()}" for case in self.cases]
            found.append("apply it in one of these ways:")
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

    def _what_was_seen(self) -> list[str]:
        """How the best one compared, and what a gain is not excluded means, where the defaults are kept."""
        if self.ratio is None or self.interval is None or self.pairs < 2:  # noqa: PLR2004
            return []
        seen = f"  the best of them was {self.ratio:.2f} times as fast as the defaults ({self._interval()})"
        if self.interval[1] <= _UNCERTAIN * max(self.ratio, 1.0):
            return [seen]
        return [
            seen,
            "  runs differ too much from each other to exclude a gain: longer runs or a quieter machine tell more",
        ]

    def _interval(self) -> str:
        return interval_text(self.interval, self.confidence, self.pairs)


def conclude(session: Session, result: StudyResult) -> Conclusion:
    """Sum a study up."""
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
        ways=() if advice is None else _ways(library, launcher.path.name, advice),
        statuses=dict(statuses.most_common()),
        failures=tuple(f"{count} times: {reason}" for reason, count in reasons.most_common()),
        interrupted=result.interrupted,
        not_confirmed=_not_confirmed(session, result),
        defaults=_defaults_told(session),
        cases=case_gains(result) if changed else (),
        states=states_seen(result),
    )


def _defaults_told(session: Session) -> str:
    checked = session.checked
    own = ", ".join(map(str, checked.own if checked.whose == "mine" else checked.left_out))
    if not own:
        return ""
    if checked.whose == "mine":
        return (
            f"the defaults are {checked.library.title}'s with what was set here, and is needed for this advice: {own}"
        )
    return f"not in any run, and to be taken out where it is set before this advice holds: {own}"


def _settings(session: Session, changed: Configuration, needed: Mapping[int, float]) -> tuple[Setting, ...]:
    """Describe settings; `needed` says by place what paired runs without one of them have shown."""
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
    """Return how the library is told, in the words of the launcher that ran the trials."""
    advice = library.advice(changed)
    if not launcher.kind.of_batch_system:
        return advice
    passed = library.passed(changed, launcher, oversubscribed=False)
    own = shlex.join(passed.options)
    if any("," in value for value in passed.environment.values()):
        # They separate the variables of --export.
        return dataclasses.replace(advice, options="", launcher_options=own, tune_file="")
    words = [f"{name}={value}" for name, value in passed.environment.items()]
    options = shlex.join([*([f"--export=ALL,{','.join(words)}"] if words else []), *passed.options])
    return dataclasses.replace(advice, options=options, launcher_options=own, tune_file="")


def _ways(library: MpiLibrary, launcher: str, advice: Advice) -> tuple[str, ...]:
    """What to type, in the shell and at the launcher; the second is left out where the launcher cannot express it."""
    shell = [*advice.environment]
    if advice.launcher_options:
        shell.append(library.call(launcher, advice.launcher_options))
    ways = ("\n".join(shell),) if advice.environment else ()
    return (*ways, library.call(launcher, advice.options)) if advice.options else ways


def document(session: Session, result: StudyResult) -> dict[str, Any]:
    """Everything for programs: the conclusion and all runs."""
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
    told: dict[str, str | float | int | None] = {}
    for case in about.get("cases", [about]):
        words = " ".join([case["program"], *case["arguments"]])
        if "name" in case:
            told[f"case {case['name']}"] = f"{words}, {case['ranks']} ranks, weight {case['weight']:g}"
        else:
            told |= {"program": words, "ranks": case["ranks"]}
    checked = session.checked
    whose = "with what is set here" if checked.whose == "mine" else "the library's own"
    told |= {"MPI library": about["mpi"], "defaults are": whose}
    for heading, own in (("left out of all runs", checked.left_out), ("set here, in all runs", checked.in_all_runs)):
        if own:
            told[heading] = ", ".join(map(str, own))
    return {**told, "file": about["file"]}


def _headed(conclusion: Conclusion) -> dict[str, str]:
    """The ways of applying the settings, by heading."""
    advice = conclusion.advice
    if advice is None:
        return {}
    found = {"in the shell" if "export " in way else "as options": way for way in conclusion.ways}
    return {**found, f"in {advice.file_name}": advice.file_text} if advice.file_text else found


def _write_or_remove(text: str, path: Path) -> None:
    """Write a file of the advice; where there is none any more, that of an earlier conclusion must not stay."""
    from adcl.report import write_text

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
    request, trials, advice = session.request, session.trials, conclusion.advice
    options = () if advice is None else tuple(shlex.split(advice.launcher_options))
    placement = dataclasses.replace(
        request.placement, launcher_options=(*trials.bare.options, *request.placement.launcher_options, *options)
    )
    bare = trials.bare.environment
    job = Job(trials.program, trials.arguments, ranks=trials.ranks, placement=placement, launcher_environment=bare)
    command = command_line(job, session.launcher)
    needed = launch_environment(job, session.launcher, as_root=False)
    variables: dict[str, str | None] = {name: None for name, value in bare.items() if value is None}
    variables |= {name: value for name, value in needed.items() if name != "PATH" and os.environ.get(name) != value}
    text = job_script(conclusion, command, variables, trials.ranks, request.placement.ranks_per_node)
    _write_or_remove(text, session.folder / JOB_SCRIPT)


def _cases(conclusion: Conclusion) -> tuple[Section, ...]:
    """What the settings do for each case."""
    from adcl.report import Section, Table

    if not conclusion.cases:
        return ()
    rows = tuple(
        (
            case.name,
            f"{case.ratio:.2f}",
            f"{case.interval[0]:.2f} to {case.interval[1]:.2f}",
            ", ".join(f"{name}={value}" for name, value in case.own.items()) or None,
            None if case.own_ratio is None else f"{case.own_ratio:.2f}",
        )
        for case in conclusion.cases
    )
    header = ("case", "times as fast as with the defaults", "interval", "clearly better in the search", "times as fast")
    return (Section("Cases", (Table(header, rows),)),)


def _states(conclusion: Conclusion) -> tuple[Section, ...]:
    """The states that the machine was in."""
    from adcl.report import Section, Table, Text

    if not conclusion.states:
        return ()
    header = ("state", "the defaults took", "runs of the defaults", "times as fast with the settings", "pairs")
    rows = tuple((one.name, one.typical, one.runs, one.ratio, one.pairs) for one in conclusion.states)
    text = f"While the study ran, {STATES}, for some time each: what the settings gain may differ between them."
    return (Section("States of the machine", (Text((text,)), Table(header, rows))),)


def _kept_name(settings_file: str) -> str:
    return Path(settings_file).name.lstrip(".")


def write_advice(session: Session, result: StudyResult, conclusion: Conclusion) -> Path:
    """Write into the study's folder: its page, all runs, and the file that the MPI library or a shell reads.

    Returns the page. Raises `AdclError`.
    """
    from adcl.report import write, write_text
    from adcl.tune.result._page import study_page
    from adcl.tune.result._profile_page import sections_of_profiles

    further = sections_of_profiles(session.profiles(), session.checked.notices)
    page = session.folder / "report.html"
    about = _circumstances(session)
    further = (*_cases(conclusion), *_states(conclusion), *further)
    try:
        write(study_page(result, about=about, advice=_headed(conclusion), further=further), page)
        write_text(json.dumps(document(session, result), indent=2) + "\n", session.folder / "result.json")
        write_text(runs_table(result), session.folder / "runs.csv")
        _write_module(session, conclusion)
        _write_job_script(session, conclusion)
        for library in LIBRARIES.values():
            _write_or_remove("", session.folder / _kept_name(library.settings_file))
        if conclusion.advice is not None:
            _write_or_remove(settings_text(conclusion), session.folder / _kept_name(conclusion.advice.file_name))
        _write_or_remove(tune_text(conclusion), session.folder / TUNE_FILE)
    except OSError as error:
        raise AdclError(f"cannot write into {session.folder}: {error.strerror}") from error
    return page
