"""What a user asked to be tuned, made ready to run: file, program, MPI library and allocation fit together."""

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
from adcl.launch import Launcher, ProgramNotFoundError, find_program, job_conditions, launcher_for
from adcl.mpi_libraries import UNSET
from adcl.tune.file import Checked, Source, as_crowded, check_file, parse, refuse_given, with_ways_back
from adcl.tune.profile import (
    RunConditions,
    find_properties,
    limits_in_force,
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
    """Everything that a study needs."""

    request: StudyRequest
    folder: Path
    launcher: Launcher
    checked: Checked
    trials: Trials
    """Runs the program; where there are several cases, that of the first."""

    slots: tuple[Slot, ...]
    cases: tuple[TrialCase, ...] = ()
    """Those of the file; none: one program."""

    @property
    def journal(self) -> Path:
        """Where the study's journal is."""
        return self.folder / JOURNAL

    @property
    def all_trials(self) -> tuple[Trials, ...]:
        """How each case is run, or the one program."""
        return tuple(case.trials for case in self.cases) or (self.trials,)

    @staticmethod
    def prepare(
        request: StudyRequest, folder: Path, *, reading: bool = False, placement: Placement | None = None
    ) -> Session:
        """Make everything ready. Raises `UsageError` for what does not fit together, before anything is run.

        With `reading` nothing is to be run, so that neither the program nor an allocation has to be there, and this may
        be another machine. The session's request says what was found out, to be kept with the study. `placement` is
        where the jobs run, if that is not what the request says.
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
            refuse_given(checked, request.environment, os.environ)
            _refuse_other_own(request, folder, checked)
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
                "an analysis needs the profiler, libadcl-profile.so; build ADCL, or name it with --profiler"
            )
        cases = tuple(
            TrialCase(case.name, trials, case.weight) for case, trials in zip(file.cases, several, strict=False)
        )
        crowded = any(trials.crowded(divided[0]) for trials in several)
        if request.crowded not in (None, crowded):
            if not reading:
                _refuse_other_defaults(request, folder, checked)
            crowded = request.crowded is True
        if crowded:
            checked = as_crowded(checked)
        known = dataclasses.replace(asked, crowded=crowded)
        return Session(known, folder, launcher, checked, several[0], divided, cases).restricted().as_it_began()

    def run(
        self, configuration: Configuration, *, timeout_s: float | None, slot: Slot, stop: Stop | None
    ) -> TrialOutcome:
        """Run the program, or all cases, with a configuration; see `Trials.run`.

        Only what differs from the library's defaults is set, so that what is measured is what is advised.
        """
        settings = self.changed(configuration)
        if self.cases:
            return run_cases(self.cases, settings, timeout_s=timeout_s, slot=slot, stop=stop)
        return self.trials.run(settings, timeout_s=timeout_s, slot=slot, stop=stop)

    def output_of(self, run: int) -> Path:
        """Where what a run printed is kept."""
        return self.folder / OUTPUT / f"{run}.txt"

    def keep_output(self, run: int, text: str) -> None:
        """Keep what a run printed, where there is room for it: no study ends for want of that."""
        path = self.output_of(run)
        with contextlib.suppress(OSError):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")

    @property
    def profile(self) -> Path:
        """Where the profile of the program is, if one was asked for, or those of all cases."""
        return self.folder / PROFILE

    def profiles(self) -> dict[str, Profile]:
        """Read the profiles that there are, by case; none before one was taken. Raises `ProfileError`."""
        if not self.request.analyse or not self.profile.is_dir():
            return {}
        if not self.cases:
            return {"": read_profile(self.profile)}
        # Names of cases need not be names of files.
        return {case.name: read_profile(self.profile / str(place)) for place, case in enumerate(self.cases, 1)}

    @property
    def wants_profile(self) -> bool:
        """Whether the program is to be profiled before the study can begin."""
        return self.request.analyse and not self.profile.is_dir()

    def take_profile(self) -> Session:
        """Run the program, or each case, once under the profiler; return the session whose space fits all of them.

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
            raise AdclError(f"cannot write into {self.folder}: {error.strerror}") from error
        return self.restricted()

    def _note_conditions(self, trials: Trials, folder: Path) -> None:
        """Write down under which conditions a profile is taken, for what is judged by it."""
        load = job_conditions(trials.ranks, trials.placement, self.launcher) if trials.submission is None else None
        one_node = load is not None and trials.placement.local
        limits = limits_in_force(self.checked.library, self.checked.catalogue, one_node=one_node)
        cores, busy = (None, 0.0) if load is None else (load.load.cores, load.load.busy)
        write_conditions(RunConditions(trials.ranks, cores, busy, limits), folder)

    def restricted(self) -> Session:
        """Cut the space to what the profiles leave, where there are any."""
        profiles = self.profiles()
        if not profiles:
            return self
        told = [
            f"{case}: {one.name}: {one.text}" if case else f"{one.name}: {one.text}"
            for case, profile in profiles.items()
            for one in find_properties(profile, self.request.method)
        ]
        found = restrict_for_all(
            self.checked.space, tuple(profiles.values()), self.checked.library, self.request.method
        )
        for change in found.changes:
            what = (
                "not tried" if change.kind == "dropped" else f"tried from {change.after[0]} to {change.after[-1]} only"
            )
            told.append(f"{change.parameter} is {what}: {change.reason}")
        space = with_ways_back(self.checked.file, found.space)
        checked = dataclasses.replace(self.checked, space=space, notices=(*self.checked.notices, *told))
        return dataclasses.replace(self, checked=checked)

    def begun(self) -> Session:
        """Return the session with a request that says what is searched, to be kept with the study that begins."""
        checked = self.checked
        request = dataclasses.replace(self.request, space=keep_space(checked.space), own=checked.own)
        return dataclasses.replace(self, request=request)

    def as_it_began(self) -> Session:
        """Take the space of a study that has begun: what was run is a part of that one."""
        kept = self.request.space
        if kept is None:
            return self
        checked = dataclasses.replace(self.checked, space=kept_space(kept, self.checked.space))
        return dataclasses.replace(self, checked=checked)

    def about(self) -> dict[str, Any]:
        """What is tuned; a journal belongs to one such thing."""
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
            "mpi": self.checked.catalogue.library,
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
        """What the user or the site has set and no run has, as far as these are parameters: worth trying first."""
        checked = self.checked
        left = {one.name: one.value for one in checked.left_out}
        found: dict[str, str | int] = {}
        for parameter in checked.space.parameters:
            name = checked.library.full_name(parameter.name)
            variable = checked.catalogue.variables.get(name)
            value = None if variable is None or name not in left else variable.as_value(left[name])
            if value is not None and variable is not None:
                same = (known for known in parameter.values if variable.same(known, value))
                found[parameter.name] = next(same, value)
        return found

    def changed(self, configuration: Configuration) -> dict[str, str | int]:
        """Leave out what is the library's default anyway."""
        kept = {}
        for name, value in configuration.items():
            variable = self.checked.catalogue.variables.get(self.checked.library.full_name(name))
            known = variable is not None and variable.default != ""
            if value == UNSET or (known and variable is not None and variable.same(variable.default, value)):
                continue
            kept[name] = value
        return kept


def _requests(request: StudyRequest, cases: tuple[Case, ...]) -> list[StudyRequest]:
    """What is asked for, for each case. Raises `UsageError`."""
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
        raise UsageError("no program was named: write it after --" + (", or in each [[case]]" if cases else ""))
    return found


def _find_program(request: StudyRequest, *, reading: bool) -> Path:
    """The program; as it was asked for where it need not be on this machine."""
    try:
        return find_program(request.program)
    except ProgramNotFoundError:
        if not reading and request.placement.local and not request.submit:
            raise
        return Path(request.program)


def _trials(
    request: StudyRequest, folder: Path, program: Path, launcher: Launcher, checked: Checked, *, reading: bool
) -> Trials:
    """Say how the program is run."""
    file, placement = checked.file, request.placement
    if launcher.kind.of_batch_system and request.parallel > 1 and not request.submit:
        placement = dataclasses.replace(placement, launcher_options=("--exact", *placement.launcher_options))
    wants_profiler = request.analyse or any(objective.measure == "mpi" for objective in file.objectives)
    named = None if request.profiler is None else Path(request.profiler)
    return Trials(
        str(program),
        request.arguments,
        ranks=request.ranks,
        launcher=launcher,
        library=checked.library,
        catalogue=checked.catalogue,
        objectives=file.objectives,
        expect=None if file.expect is None else re.compile(file.expect, re.MULTILINE),
        environment=request.environment,
        cwd=None if request.cwd is None else Path(request.cwd),
        placement=placement,
        grace_s=request.grace_s,
        profiler=find_profiler(checked.library.family, named) if wants_profiler else None,
        submission=Submission(folder.absolute(), request.sbatch_options, request.parallel) if request.submit else None,
        reading=reading,
        bare=checked.bare,
        preparation=file.preparation,
        scratch=folder.absolute() / SCRATCH if file.preparation.own_folder else None,
    )


def _require_files(request: StudyRequest, names: tuple[str, ...]) -> None:
    """Refuse a study whose runs need files that are not there."""
    source = Path(request.cwd) if request.cwd is not None else Path.cwd()
    for name in names:
        if not (source / name).exists():
            raise UsageError(f"{request.file_name}: the file {name!r} of the table [trial] is not in {source}")


def _refuse_other_own(request: StudyRequest, folder: Path, checked: Checked) -> None:
    """Refuse to continue a study whose defaults are the user's where these are others now."""
    if request.own is None or request.defaults == "library":
        return
    before, now = ({one.name: one.value for one in several if not one.stays} for several in (request.own, checked.own))
    changed = [name for name in sorted(before | now) if before.get(name) != now.get(name)]
    if changed:
        words = ", ".join(
            f"{name} was {before.get(name, 'not set')}, and is {now.get(name, 'not set')} now" for name in changed
        )
        raise UsageError(
            f"cannot continue the study in {folder}, whose defaults are yours, since these have changed: {words}; "
            "set it as it was, or name another folder with --study"
        )


def _refuse_other_defaults(request: StudyRequest, folder: Path, checked: Checked) -> None:
    """Refuse to continue a study where a node has more ranks than cores now, or no longer, if defaults depend on it."""
    if as_crowded(checked).space.fingerprint() != checked.space.fingerprint():
        was, is_ = ("more", "not more") if request.crowded else ("not more", "more")
        raise UsageError(
            f"cannot continue the study in {folder}: a node had {was} ranks than cores, and has {is_} now, "
            "which changes the defaults; continue it where it began, or name another folder with --study"
        )
