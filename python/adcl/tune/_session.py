"""What a user asked to be tuned, made ready to run: file, program, MPI library and allocation fit together."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl.errors import AdclError, UsageError
from adcl.launch import Flavour, Launcher, ProgramNotFoundError, cores_here, detect, find_program
from adcl.tune._catalogue import UnknownSettingError
from adcl.tune._flavours import flavour_of, split
from adcl.tune._pipo import looks_like as is_pipo
from adcl.tune._profile import find_profiler
from adcl.tune._slurm import Submission
from adcl.tune._source import Source
from adcl.tune._space import Condition, Parameter, Space
from adcl.tune._trial import Slot, Trials
from adcl.tune._tuning_file import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.tune._catalogue import Catalogue
    from adcl.tune._flavours import MpiFlavour
    from adcl.tune._request import Request
    from adcl.tune._tuning_file import TuningFile

__all__ = ["Checked", "Session", "check_file", "elsewhere", "launcher_for", "slots"]

_KINDS = {"ibm": "poe"}
"""What `detect` calls the launchers of a flavour, where that is not the flavour's own name."""

_SCONTROL_TIMEOUT_S = 30.0
JOURNAL = "journal.jsonl"
PROFILE = "profile"


@dataclass(frozen=True)
class Checked:
    """A tuning file together with the installation that it fits."""

    file: TuningFile
    flavour: MpiFlavour
    catalogue: Catalogue
    space: Space
    """With the library's defaults, and with the conditions that the library has."""

    notices: tuple[str, ...] = ()


def elsewhere(mpi: str, named: str | None) -> Launcher:
    """Find a launcher to look settings up with. IBM's come from a list, so that a file can be written elsewhere."""
    if mpi == "ibm" and named is None:
        try:
            return launcher_for(mpi)
        except UsageError:
            return Launcher(Flavour.POE, Path("poe"), "not installed here")
    return launcher_for(mpi, named)


def launcher_for(mpi: str, named: str | None = None, program: Path | None = None) -> Launcher:
    """Find a launcher of the MPI library that a tuning file names, or the one that the user names.

    Raises `UsageError`.
    """
    return detect(named or _KINDS.get(mpi, mpi), program=program)


def check_file(
    source: Source, launcher: Launcher | None = None, installation: str | None = None, *, named: str | None = None
) -> Checked:
    """Read a tuning file and ask the installed library whether it can mean that.

    The launcher is that of a job; without one it is the one `named`, or the first of the library that the file names.
    Raises `SourceError`, for names and values that the library does not have too, and `AdclError`.
    """
    file = parse(source)
    launcher = launcher or elsewhere(file.mpi, named)
    flavour = flavour_of(file.mpi, launcher)
    home = launcher
    if launcher.flavour not in flavour.launchers:
        home = launcher_for(flavour.key, installation)
        flavour_of(file.mpi, home)
    catalogue = flavour.catalogue(home)
    names = {}
    for parameter in file.space.parameters:
        try:
            parts = split({parameter.name: parameter.values[0] if parameter.values[0] != "unset" else 0})
            if parts.settings:
                names[parameter.name] = flavour.full_name(parameter.name)
                catalogue.check(parameter, names[parameter.name])
        except UnknownSettingError as error:
            raise _located(source, parameter.name, str(error)) from error
        except UsageError as error:
            raise _located(source, parameter.name, str(error)) from error
    space, notices = _with_conditions(source, file.space, flavour, catalogue, names)
    return Checked(file, flavour, catalogue, catalogue.with_defaults(space, names), tuple(notices))


def _located(source: Source, name: str, message: str) -> UsageError:
    """The error with the place where the parameter is defined."""
    match = re.search(rf"(?m)(?:^|[;{{.])[ \t]*[\"']?(?P<name>{re.escape(name)})[\"']?[ \t]*[=\]]", source.text)
    return source.error(match.start("name"), message) if match else UsageError(f"{source.name}: {message}")


def _refuse_exported(source: Source, checked: Checked, environment: Mapping[str, str | None]) -> None:
    """What is to be tuned must not be set already: the defaults would not be the library's, nor `unset` unset."""
    for parameter in checked.file.space.parameters:
        parts = split({parameter.name: 0})
        names = [checked.flavour.variable_name(checked.flavour.full_name(name)) for name in parts.settings]
        for name in (*names, *parts.variables):
            if environment.get(name) is not None:
                message = (
                    f"{parameter.name} is to be tuned, but {name}={environment[name]} is in the environment and would "
                    f"hold for the defaults too; unset {name}, or take the parameter out"
                )
                raise _located(source, parameter.name, message)


def _with_conditions(
    source: Source, space: Space, flavour: MpiFlavour, catalogue: Catalogue, names: dict[str, str]
) -> tuple[Space, list[str]]:
    """Add the conditions of the library: settings that mean something only where another one has a certain value."""
    by_full_name = {full: space.parameter(name) for name, full in names.items()}
    parameters: list[Parameter] = []
    notices: list[str] = []
    for parameter in space.parameters:
        needed = flavour.needs(names.get(parameter.name, ""))
        if needed is None or parameter.when is not None:
            parameters.append(parameter)
            continue
        master, variable = by_full_name.get(needed[0]), catalogue.variables.get(needed[0])
        if master is None and variable is not None and any(variable.same(variable.default, one) for one in needed[1]):
            # As it is by default, and nobody is going to change it.
            parameters.append(parameter)
            continue
        values = tuple(one for one in master.values if str(one) in needed[1]) if master is not None else ()
        if master is None or not values:
            wanted = f"{needed[0]}={needed[1][0]};" if is_pipo(source.text) else f'{needed[0]} = ["{needed[1][0]}"]'
            message = f"{parameter.name} has no effect unless {needed[0]} is {needed[1][0]}; add {wanted}"
            raise _located(source, parameter.name, message)
        parameters.append(dataclasses.replace(parameter, when=Condition(master.name, values)))
        if len(values) < len(master.values):
            notices.append(f"{parameter.name} is tried only where {master.name} is {' or '.join(map(str, values))}")
    return dataclasses.replace(space, parameters=tuple(parameters)), notices


def _as_crowded(checked: Checked) -> Checked:
    """With the defaults that hold where there are more ranks than cores."""
    flavour, catalogue = checked.flavour, checked.catalogue
    others = {
        name: dataclasses.replace(variable, default=flavour.when_crowded[name])
        for name, variable in catalogue.variables.items()
        if name in flavour.when_crowded
    }
    catalogue = dataclasses.replace(catalogue, variables={**catalogue.variables, **others})
    names = {one.name: flavour.full_name(one.name) for one in checked.space.parameters}
    open_ = tuple(
        dataclasses.replace(one, default=None) if names[one.name] in others else one for one in checked.space.parameters
    )
    space = catalogue.with_defaults(dataclasses.replace(checked.space, parameters=open_), names)
    return dataclasses.replace(checked, catalogue=catalogue, space=space)


def slots(request: Request, launcher: Launcher) -> tuple[Slot, ...]:
    """Divide the allocation among trials that run at once. Raises `UsageError` where it is too small."""
    count = request.parallel
    if count < 1:
        raise UsageError(f"at least 1 trial runs at once, not {count}")
    if count == 1:
        return (Slot(),)
    if request.submit or launcher.flavour is Flavour.SLURM:
        # Slurm itself keeps jobs, and the steps of a job, apart.
        return (Slot(),) * count
    hosts = request.hosts or _allocated_hosts()
    if hosts:
        share = len(hosts) // count
        if share == 0:
            raise UsageError(f"{count} trials at once need {count} hosts, here are {len(hosts)}")
        return tuple(Slot(hosts=hosts[i * share : (i + 1) * share]) for i in range(count))
    if request.hostfile is not None:
        raise UsageError("trials at once need a list of hosts with --host, which can be divided; not a hostfile")
    cores = cores_here()
    share = len(cores) // count
    if share == 0:
        raise UsageError(f"{count} trials at once need {count} cores, here are {len(cores)}")
    parts = [cores[i * share : (i + 1) * share] for i in range(count)]
    return tuple(Slot(cores=tuple(cpu for core in part for cpu in core), count=share) for part in parts)


def _allocated_hosts() -> tuple[str, ...]:
    """The hosts of the surrounding job of Slurm; none outside of one, or where there is only one."""
    nodes = os.environ.get("SLURM_JOB_NODELIST")
    if not nodes:
        return ()
    try:
        done = subprocess.run(
            ["scontrol", "show", "hostnames", nodes],
            capture_output=True,
            text=True,
            check=True,
            timeout=_SCONTROL_TIMEOUT_S,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise AdclError(f"cannot ask Slurm for the hosts of this job: {error}") from error
    hosts = tuple(done.stdout.split())
    return hosts if len(hosts) > 1 else ()


@dataclass(frozen=True)
class Session:
    """Everything that a study needs."""

    request: Request
    folder: Path
    launcher: Launcher
    checked: Checked
    trials: Trials
    slots: tuple[Slot, ...]

    @property
    def journal(self) -> Path:
        """Where the study's journal is."""
        return self.folder / JOURNAL

    @staticmethod
    def prepare(request: Request, folder: Path, *, reading: bool = False) -> Session:
        """Make everything ready. Raises `UsageError` for what does not fit together, before anything is run.

        With `reading` nothing is to be run, so that neither the program nor an allocation has to be there, and this may
        be another machine. The session's request says what was found out, to be kept with the study.
        """
        source = Source(request.file_text, request.file_name)
        file = parse(source)
        try:
            program = find_program(request.program)
        except ProgramNotFoundError:
            if not reading and not request.hosts and request.hostfile is None and not request.submit:
                raise
            program = Path(request.program)
        launcher = launcher_for(file.mpi, request.launcher, program if program.is_file() else None)
        checked = check_file(source, launcher, request.installation)
        if not reading:
            _refuse_exported(source, checked, {**os.environ, **request.environment})
        divided = (Slot(),) if reading else slots(request, launcher)
        exact = (
            ("--exact",) if launcher.flavour is Flavour.SLURM and request.parallel > 1 and not request.submit else ()
        )
        wants_profiler = request.analyse or any(one.measure == "mpi" for one in file.objectives)
        named = None if request.profiler is None else Path(request.profiler)
        trials = Trials(
            str(program),
            request.arguments,
            ranks=request.ranks,
            launcher=launcher,
            flavour=checked.flavour,
            catalogue=checked.catalogue,
            objectives=file.objectives,
            expect=None if file.expect is None else re.compile(file.expect, re.MULTILINE),
            environment=request.environment,
            cwd=None if request.cwd is None else Path(request.cwd),
            hosts=request.hosts,
            hostfile=None if request.hostfile is None else Path(request.hostfile),
            ranks_per_node=request.ranks_per_node,
            oversubscribe=request.oversubscribe,
            pmi=request.pmi,
            launcher_options=(*exact, *request.launcher_options),
            grace_s=request.grace_s,
            profiler=find_profiler(checked.flavour.family, named) if wants_profiler else None,
            submission=Submission(folder.absolute(), request.sbatch_options) if request.submit else None,
            reading=reading,
        )
        crowded = trials.crowded(divided[0])
        if request.crowded is not None and request.crowded != crowded:
            if not reading and _as_crowded(checked).space.fingerprint() != checked.space.fingerprint():
                was, is_ = ("more", "not more") if request.crowded else ("not more", "more")
                raise UsageError(
                    f"cannot continue the study in {folder}: a node had {was} ranks than cores, and has {is_} now, "
                    "which changes the defaults; continue it where it began, or name another folder with --study"
                )
            crowded = request.crowded
        if crowded:
            checked = _as_crowded(checked)
        known = dataclasses.replace(request, crowded=crowded)
        return Session(known, folder, launcher, checked, trials, divided).restricted()

    @property
    def profile(self) -> Path:
        """Where the profile of the program is, if one was asked for."""
        return self.folder / PROFILE

    @property
    def wants_profile(self) -> bool:
        """Whether the program is to be profiled before the study can begin."""
        return self.request.analyse and not self.profile.is_dir()

    def take_profile(self) -> Session:
        """Run the program once under the profiler, and return the session whose space fits the program.

        Raises `AdclError`.
        """
        if self.trials.profiler is None:
            raise UsageError(
                "an analysis needs the profiler, libadcl-profile.so; build ADCL, or name it with --profiler"
            )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix="profile-", dir=self.folder) as scratch:
                self.trials.profile(Path(scratch), timeout_s=self.request.longest_s)
                Path(scratch).rename(self.profile)
                Path(scratch).mkdir()
        except OSError as error:
            raise AdclError(f"cannot write into {self.folder}: {error.strerror}") from error
        return self.restricted()

    def restricted(self) -> Session:
        """Cut the space to what the profile leaves, where there is one."""
        if not self.request.analyse or not self.profile.is_dir():
            return self
        from adcl.tune._profile_read import read_profile
        from adcl.tune._restrict import restrict

        found = restrict(self.checked.space, read_profile(self.profile))
        told = [f"{one.name}: {one.text}" for one in found.properties]
        for change in found.changes:
            what = (
                "not tried" if change.kind == "dropped" else f"tried from {change.after[0]} to {change.after[-1]} only"
            )
            told.append(f"{change.parameter} is {what}: {change.reason}")
        checked = dataclasses.replace(self.checked, space=found.space, notices=(*self.checked.notices, *told))
        return dataclasses.replace(self, checked=checked)

    def about(self) -> dict[str, Any]:
        """What is tuned; a journal belongs to one such thing."""
        return {
            "program": self.trials.program,
            "arguments": list(self.request.arguments),
            "ranks": self.request.ranks,
            "mpi": self.checked.catalogue.library,
            "launcher": self.launcher.flavour.title,
            "file": Path(self.request.file_name).name,
        }

    def changed(self, configuration: dict[str, str | int]) -> dict[str, str | int]:
        """Leave out what is the library's default anyway."""
        kept = {}
        for name, value in configuration.items():
            variable = self.checked.catalogue.variables.get(self.checked.flavour.full_name(name))
            known = variable is not None and variable.default != ""
            if value == "unset" or (known and variable is not None and variable.same(variable.default, value)):
                continue
            kept[name] = value
        return kept
