"""A prepared study request: checked combination of file, program, MPI library and allocation."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl.errors import AdclError, UsageError
from adcl.launch import Launcher, ProgramNotFoundError, find_program, job_conditions, launcher_for, linkage
from adcl.mpi_libraries import UNSET
from adcl.tune.file import (
    Checked,
    Source,
    as_oversubscribed,
    check_file,
    parse,
    reject_given_parameters,
    with_default_values,
)
from adcl.tune.profile import (
    RunConditions,
    current_limits,
    find_properties,
    read_profile,
    restrict_for_all,
    write_conditions,
)
from adcl.tune.study._kept_space import keep_space, kept_space
from adcl.tune.trial import Slot, Submission, TrialCase, Trials, find_profiler, run_cases, slots

if TYPE_CHECKING:
    from adcl.launch import Placement, Stop
    from adcl.tune.file import Case
    from adcl.tune.profile import Profile
    from adcl.tune.space import Configuration
    from adcl.tune.study._request import StudyRequest
    from adcl.tune.trial import TrialOutcome

__all__ = ["Session"]

JOURNAL = "journal.jsonl"
PROFILE = "profile"
OUTPUT = "output"
SCRATCH = "scratch"


@dataclass(frozen=True)
class Session:
    """A prepared study: program, space, library, and allocation."""

    request: StudyRequest
    folder: Path
    launcher: Launcher
    checked: Checked
    trials: Trials
    """Runs the program; with several cases, the program of the first case."""

    slots: tuple[Slot, ...]
    cases: tuple[TrialCase, ...] = ()
    """Cases of the file; empty: one program."""

    @property
    def journal(self) -> Path:
        """Path of the study's journal."""
        return self.folder / JOURNAL

    @property
    def all_trials(self) -> tuple[Trials, ...]:
        """Runs of each case, or of the single program."""
        return tuple(case.trials for case in self.cases) or (self.trials,)

    @staticmethod
    def prepare(
        request: StudyRequest, folder: Path, *, reading: bool = False, placement: Placement | None = None
    ) -> Session:
        """Prepare a session. Raises `UsageError` for inconsistent requests before anything runs.

        With `reading` nothing runs: neither the program nor an allocation is required, and the study may come from
        another machine. The session's request includes derived members, to be stored with the study. `placement`
        replaces the request's placement.
        """
        asked = request
        if placement is not None:
            request = dataclasses.replace(request, placement=placement)
        file = parse(Source(request.file_text, request.file_name))
        requests = _requests(request, file.cases)
        programs = [_find_program(one, reading=reading) for one in requests]
        program = programs[0]
        launcher = launcher_for(file.mpi, request.launcher, program if program.is_file() else None)
        own = request.own if reading else None
        checked = check_file(file, launcher, request.installation, whose=request.defaults, own=own)
        if not reading:
            _require_files(request, file.preparation.files)
            reject_given_parameters(checked, request.environment, os.environ)
            _require_same_settings(request, folder, checked)
        divided = (
            (Slot(),) if reading else slots(request.parallel, launcher, request.placement, submitted=request.submit)
        )
        several = [
            _trials(one, folder, path, launcher, checked, reading=reading)
            for one, path in zip(requests, programs, strict=True)
        ]
        to_profile = request.analyse and not reading and not (folder / PROFILE).is_dir()
        if to_profile and any(trials.profiler is None for trials in several):
            raise UsageError(
                "--analyze requires the profiler, libadcl-profile.so; build ADCL, or pass the profiler's path with "
                "--profiler"
            )
        cases = tuple(
            TrialCase(case.name, trials, case.weight) for case, trials in zip(file.cases, several, strict=False)
        )
        oversubscribed = any(trials.oversubscribed(divided[0]) for trials in several)
        if request.crowded not in (None, oversubscribed):
            if not reading:
                _require_same_oversubscription(request, folder, checked)
            oversubscribed = request.crowded is True
        if oversubscribed:
            checked = as_oversubscribed(checked)
        known = dataclasses.replace(asked, crowded=oversubscribed)
        return Session(known, folder, launcher, checked, several[0], divided, cases).restricted().with_original_space()

    def run(
        self, configuration: Configuration, *, timeout_s: float | None, slot: Slot, stop: Stop | None
    ) -> TrialOutcome:
        """Run the program, or all its cases, with a configuration; see `Trials.run`.

        Only settings that differ from the library's defaults are passed, so that the advice equals the measurement.
        """
        settings = self.changed(configuration)
        if self.cases:
            return run_cases(self.cases, settings, timeout_s=timeout_s, slot=slot, stop=stop)
        return self.trials.run(settings, timeout_s=timeout_s, slot=slot, stop=stop)

    def output_of(self, run: int) -> Path:
        """Return the path of a run's stored output."""
        return self.folder / OUTPUT / f"{run}.txt"

    def keep_output(self, run: int, text: str) -> None:
        """Store a run's output if there is room; a full disk does not end the study."""
        path = self.output_of(run)
        with contextlib.suppress(OSError):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")

    @property
    def profile(self) -> Path:
        """Folder of the profile of the program, or of all cases, if requested."""
        return self.folder / PROFILE

    def profiles(self) -> dict[str, Profile]:
        """Read the existing profiles by case; empty before profiling. Raises `ProfileError`."""
        if not self.request.analyse or not self.profile.is_dir():
            return {}
        if not self.cases:
            return {"": read_profile(self.profile)}
        # Names of cases may be invalid file names.
        return {case.name: read_profile(self.profile / str(place)) for place, case in enumerate(self.cases, 1)}

    @property
    def needs_profile(self) -> bool:
        """Whether the program must be profiled before the study begins."""
        return self.request.analyse and not self.profile.is_dir()

    def run_profiled(self) -> Session:
        """Profile the program, or each case, once; return the session with a space that suits all cases.

        Raises `AdclError`.
        """
        several = self.all_trials
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix="profile-", dir=self.folder) as scratch:
                for place, trials in enumerate(several, 1):
                    folder = Path(scratch) / str(place) if self.cases else Path(scratch)
                    folder.mkdir(exist_ok=True)
                    self._note_conditions(trials, folder)
                    trials.profile(folder, timeout_s=self.request.longest_s)
                Path(scratch).rename(self.profile)
                Path(scratch).mkdir()
        except OSError as error:
            raise AdclError(f"cannot write to {self.folder}: {error.strerror}") from error
        return self.restricted()

    def _note_conditions(self, trials: Trials, folder: Path) -> None:
        """Store the conditions of the profiled run for the evaluation."""
        load = job_conditions(trials.ranks, trials.placement, self.launcher) if trials.submission is None else None
        one_node = load is not None and trials.placement.local
        limits = current_limits(self.checked.library, self.checked.catalog, one_node=one_node)
        cores, busy = (None, 0.0) if load is None else (load.load.cores, load.load.busy)
        write_conditions(RunConditions(trials.ranks, cores, busy, limits), folder)

    def restricted(self) -> Session:
        """Reduce the space according to the profiles, if there are any."""
        profiles = self.profiles()
        if not profiles:
            return self
        reductions = [
            f"{case}: {one.name}: {one.text}" if case else f"{one.name}: {one.text}"
            for case, profile in profiles.items()
            for one in find_properties(profile, self.request.method)
        ]
        found = restrict_for_all(
            self.checked.space, tuple(profiles.values()), self.checked.library, self.request.method
        )
        for change in found.changes:
            what = (
                "not tried" if change.kind == "dropped" else f"tried only from {change.after[0]} to {change.after[-1]}"
            )
            reductions.append(f"{change.parameter} is {what}: {change.reason}")
        space = with_default_values(self.checked.file, found.space)
        checked = dataclasses.replace(self.checked, space=space, notices=(*self.checked.notices, *reductions))
        return dataclasses.replace(self, checked=checked)

    def with_stored_space(self) -> Session:
        """Return the session with the space in its request, to be stored with the new study."""
        checked = self.checked
        request = dataclasses.replace(self.request, space=keep_space(checked.space), own=checked.own)
        return dataclasses.replace(self, request=request)

    def with_original_space(self) -> Session:
        """Use the stored space of a study that has begun, because its runs refer to this space."""
        kept = self.request.space
        if kept is None:
            return self
        checked = dataclasses.replace(self.checked, space=kept_space(kept, self.checked.space))
        return dataclasses.replace(self, checked=checked)

    def about(self) -> dict[str, Any]:
        """Identity of the study; its journal belongs to this identity."""
        cases = [
            {
                "name": case.name,
                "program": case.trials.program,
                "arguments": list(case.trials.arguments),
                "ranks": case.trials.ranks,
                "weight": case.weight,
            }
            for case in self.cases
        ]
        return {
            **({"cases": cases} if cases else {}),
            "program": self.trials.program,
            "arguments": list(self.trials.arguments),
            "ranks": self.trials.ranks,
            "mpi": self.checked.catalog.library,
            "launcher": self.launcher.kind.title,
            **({"on": self.request.on} if self.request.on else {}),
            **(
                {"defaults": self.request.defaults, "own": [str(one) for one in own]}
                if (own := self.request.own)
                else {}
            ),
            "file": Path(self.request.file_name).name,
        }

    def own_configuration(self) -> dict[str, str | int]:
        """Return ignored settings of the user or the site that are parameters: candidates to try first."""
        checked = self.checked
        left = {one.name: one.value for one in checked.left_out}
        found: dict[str, str | int] = {}
        for parameter in checked.space.parameters:
            name = checked.library.full_name(parameter.name)
            variable = checked.catalog.variables.get(name)
            value = None if variable is None or name not in left else variable.as_value(left[name])
            if value is not None and variable is not None:
                same = (known for known in parameter.values if variable.same(known, value))
                found[parameter.name] = next(same, value)
        return found

    def changed(self, configuration: Configuration) -> dict[str, str | int]:
        """Remove settings that equal the library's defaults."""
        kept = {}
        for name, value in configuration.items():
            variable = self.checked.catalog.variables.get(self.checked.library.full_name(name))
            known = variable is not None and variable.default != ""
            if value == UNSET or (known and variable is not None and variable.same(variable.default, value)):
                continue
            kept[name] = value
        return kept


def _requests(request: StudyRequest, cases: tuple[Case, ...]) -> list[StudyRequest]:
    """Return the request of each case. Raises `UsageError`."""
    found = [
        dataclasses.replace(
            request,
            program=case.program or request.program,
            arguments=request.arguments if case.arguments is None else case.arguments,
            ranks=case.ranks or request.ranks,
        )
        for case in cases
    ] or [request]
    if not all(one.program for one in found):
        raise UsageError("no program is given: write it after --" + (", or in each [[case]]" if cases else ""))
    return found


def _find_program(request: StudyRequest, *, reading: bool) -> Path:
    """Return the program's path; unresolved if it need not exist on this machine."""
    try:
        return find_program(request.program)
    except ProgramNotFoundError:
        if not reading and request.placement.local and not request.submit:
            raise
        return Path(request.program)


def _trials(
    request: StudyRequest, folder: Path, program: Path, launcher: Launcher, checked: Checked, *, reading: bool
) -> Trials:
    """Return how to run the program."""
    file, placement = checked.file, request.placement
    if launcher.kind.of_batch_system and request.parallel > 1 and not request.submit:
        placement = dataclasses.replace(placement, launcher_options=("--exact", *placement.launcher_options))
    wants_profiler = request.analyse or any(objective.measure == "mpi" for objective in file.objectives)
    return Trials(
        str(program),
        request.arguments,
        ranks=request.ranks,
        launcher=launcher,
        library=checked.library,
        catalog=checked.catalog,
        objectives=file.objectives,
        expect=None if file.expect is None else re.compile(file.expect, re.MULTILINE),
        environment=request.environment,
        cwd=None if request.cwd is None else Path(request.cwd),
        placement=placement,
        grace_s=request.grace_s,
        profiler=_profiler(request, checked, program) if wants_profiler else None,
        submission=Submission(folder.absolute(), request.sbatch_options, request.parallel) if request.submit else None,
        reading=reading,
        clean_environment=checked.clean_environment,
        preparation=file.preparation,
        scratch=folder.absolute() / SCRATCH if file.preparation.own_folder else None,
    )


def _profiler(request: StudyRequest, checked: Checked, program: Path) -> Path | None:
    named = None if request.profiler is None else Path(request.profiler)
    linked = linkage(program)
    return find_profiler(checked.library.family, named, linked.path if linked is not None else None)


def _require_files(request: StudyRequest, names: tuple[str, ...]) -> None:
    """Raise if files required by the runs are missing."""
    source = Path(request.cwd) if request.cwd is not None else Path.cwd()
    for name in names:
        if not (source / name).exists():
            raise UsageError(f"{request.file_name}: the file {name!r} of the table [trial] is not in {source}")


def _require_same_settings(request: StudyRequest, folder: Path, checked: Checked) -> None:
    """Raise if the study's defaults include settings of the user that have changed."""
    if request.own is None or request.defaults == "library":
        return
    before, now = ({one.name: one.value for one in several if not one.stays} for several in (request.own, checked.own))
    changed = [name for name in sorted(before | now) if before.get(name) != now.get(name)]
    if changed:
        words = ", ".join(
            f"{name} was {before.get(name, 'not set')} and is now {now.get(name, 'not set')}" for name in changed
        )
        raise UsageError(
            f"cannot continue the study in {folder}: its defaults include your settings, which have changed: {words}; "
            "restore them, or name another folder with --study"
        )


def _require_same_oversubscription(request: StudyRequest, folder: Path, checked: Checked) -> None:
    """Raise if defaults depend on oversubscription and oversubscription has changed since the study began."""
    if as_oversubscribed(checked).space.fingerprint() != checked.space.fingerprint():
        was, is_ = ("were", "are not") if request.crowded else ("were not", "are")
        raise UsageError(
            f"cannot continue the study in {folder}: its nodes {was} oversubscribed, but now {is_}, which changes "
            "the defaults; continue it with the original placement, or name another folder with --study"
        )
