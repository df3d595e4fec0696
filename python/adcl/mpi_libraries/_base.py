"""Interface of the descriptions of MPI libraries, and shared code.

Besides the library's own variables, a parameter can be ``--OPTION``, an option of the launcher, or ``env:NAME``, an
environment variable outside the MPI library's catalog, such as one of UCX or libfabric.
"""

from __future__ import annotations

import re
import shlex
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from adcl.errors import UsageError
from adcl.mpi_libraries._catalog import UNSET
from adcl.mpi_libraries._own import CleanEnvironment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from adcl.jobs import Family, Launcher, LauncherKind
    from adcl.mpi_libraries._catalog import Catalog, Variable
    from adcl.mpi_libraries._eager import EagerLimit, MemoryBuffer
    from adcl.mpi_libraries._own import OwnSetting
    from adcl.tune.space import Choices, Configuration, Steps, Value

__all__ = [
    "SHELL_FILE",
    "Advice",
    "Evidence",
    "LauncherFile",
    "MpiLibrary",
    "Passed",
    "Split",
    "clean_output",
    "shell_advice",
    "split",
]

_DEVICES = {"xpmem": "/dev/xpmem", "knem": "/dev/knem"}
"""Devices of kernel modules that copy between processes, by the word in the names of their variables."""

SHELL_FILE = "adcl-settings.sh"
"""File with the advice for libraries that do not read a settings file."""

_OPTION = re.compile(r"--?[A-Za-z][\w:-]*")
_VARIABLE = re.compile(r"env:([A-Za-z_]\w*)")


@dataclass(frozen=True)
class Split:
    """A configuration, split by how each setting is passed."""

    settings: Mapping[str, Value]
    """Variables of the library, under the file's names."""

    options: Mapping[str, Value]
    variables: Mapping[str, Value]
    """Other environment variables, under their full names."""


def split(configuration: Configuration) -> Split:
    """Split a configuration; drop settings that are left to the library.

    Raises `UsageError` for invalid names.
    """
    settings: dict[str, Value] = {}
    options: dict[str, Value] = {}
    variables: dict[str, Value] = {}
    for name, value in configuration.items():
        if value == UNSET:
            continue
        if match := _VARIABLE.fullmatch(name):
            variables[match[1]] = value
        elif name.startswith("-"):
            if not _OPTION.fullmatch(name):
                raise UsageError(f"{name!r} is not a valid option of a launcher")
            options[name] = value
        elif not re.fullmatch(r"\w+", name):
            raise UsageError(
                f"{name!r} is not a variable; write --OPTION for an option of the launcher, or env:NAME for another "
                "variable"
            )
        else:
            settings[name] = value
    return Split(settings, options, variables)


@dataclass(frozen=True)
class Passed:
    """How a configuration is passed to the ranks: variables, and options of the launcher."""

    environment: Mapping[str, str]
    options: tuple[str, ...] = ()
    own_oversubscription: bool = False
    """Whether `options` already configure oversubscription."""


@dataclass(frozen=True)
class Evidence:
    """Settings that the library has reported."""

    effective: Mapping[str, str]
    """Settings in use by full name, with the library's spelling of the value."""

    ignored: Mapping[str, str] = field(default_factory=dict)
    """Settings that the library reports as unused, by full name, with the reason."""


@dataclass(frozen=True)
class Advice:
    """A configuration in the forms that a user can apply."""

    environment: tuple[str, ...]
    """Shell commands."""

    options: str
    """Options of the launcher."""

    file_name: str
    """Path where the library, or a shell, reads `file_text`."""

    file_text: str
    note: str
    """Remark on the file."""

    launcher_options: str = ""
    """Options that neither a shell nor a file can express."""

    launcher_file: str = ""
    """Contents of the library's `launcher_file`; empty if the library has no such file or cannot express a value."""


@dataclass(frozen=True)
class LauncherFile:
    """A file of settings that the library's launcher reads if an option names it."""

    name: str
    """Name of the file in a study's folder."""

    option: str
    """Option of the launcher. The path of the file is its value."""


class MpiLibrary(ABC):
    """Description of an MPI library. Only its own module names it."""

    key: ClassVar[str]
    """Name in tuning files."""

    aliases: ClassVar[tuple[str, ...]] = ()
    """Names shared with other versions; the launcher determines the version."""

    title: ClassVar[str]
    family: ClassVar[Family]
    launchers: ClassVar[tuple[LauncherKind, ...]]
    """Launchers that start the library's programs, without launchers of batch systems; the most common first."""

    proof: ClassVar[Mapping[str, str]] = {}
    """Variables that make the library print the settings in use to standard output or error."""

    when_oversubscribed: ClassVar[Mapping[str, str]] = {}
    """Defaults that differ on oversubscribed nodes, by full name."""

    when_sharing: ClassVar[Mapping[str, str]] = {}
    """Default options of the launcher for one of several concurrent jobs on one machine."""

    settings_file: ClassVar[str] = SHELL_FILE
    """Path where the library, or a shell, reads the text of `advice`."""

    launcher_file: ClassVar[LauncherFile | None] = None
    """File for the launcher, if the launcher can read settings from one."""

    eager_limits: ClassVar[tuple[EagerLimit, ...]] = ()
    memory_buffers: ClassVar[tuple[MemoryBuffer, ...]] = ()
    not_above: ClassVar[Mapping[str, str]] = {}
    """Variables that must not exceed another variable, by full name; otherwise programs do not start."""

    one_sided: ClassVar[re.Pattern[str] | None] = None
    """Matches the names of settings that affect only one-sided communication."""

    collective: ClassVar[re.Pattern[str] | None] = None
    """Matches the names of settings that affect only one collective operation, its group `operation`."""

    placement: ClassVar[re.Pattern[str] | None] = None
    """Matches the names of settings that bind ranks to cores."""

    counts: ClassVar[re.Pattern[str] | None] = None
    """Matches in the names of counts, unlike sizes, in addition to common words such as `count`."""

    for_two_ranks: ClassVar[tuple[str, ...]] = ()
    """Values of enumerations that are valid only with two ranks."""

    only_a_switch: ClassVar[re.Pattern[str] | None] = None
    """Matches the names of settings that only enable other settings."""

    @abstractmethod
    def full_name(self, name: str) -> str:
        """Return the catalog's name for a name in a file, which may be shorter."""

    @abstractmethod
    def variable_name(self, name: str) -> str:
        """Return the environment variable for a full name."""

    @abstractmethod
    def catalog(self, launcher: Launcher) -> Catalog:
        """Query the installation of the launcher. Raises `AdclError`."""

    @abstractmethod
    def passed(self, configuration: Configuration, launcher: Launcher, *, oversubscribed: bool) -> Passed:
        """Return how the configuration is passed to the ranks by this launcher."""

    @abstractmethod
    def evidence(self, output: str) -> Evidence | None:
        """Parse the settings that the library has reported; None if it has reported none."""

    @abstractmethod
    def is_evidence(self, line: str) -> bool:
        """Return whether an output line comes from the library (because of `proof`) and not from the program."""

    @abstractmethod
    def advice(self, configuration: Configuration) -> Advice:
        """Return the configuration in the forms that a user can apply."""

    @abstractmethod
    def preselected(self, variable: Variable) -> bool:
        """Return whether starting files include the variable with values, because it is known to affect speed."""

    @abstractmethod
    def relevant(self, variable: Variable) -> bool:
        """Return whether the variable may affect the speed of programs."""

    def own_settings(self, home: Launcher, catalog: Catalog, *, started_by: Launcher) -> tuple[OwnSetting, ...]:  # noqa: ARG002
        """Return the settings of the user or the site, in this environment or in files that every start reads.

        The catalog is that of `home`, the launcher of its installation, with the library's own defaults; `started_by`
        is the launcher of the jobs, which may be another one. Raises `AdclError`.
        """
        return ()

    def clean_environment(
        self,
        own: Sequence[OwnSetting],  # noqa: ARG002
        home: Launcher,  # noqa: ARG002
        catalog: Catalog,  # noqa: ARG002
        *,
        started_by: Launcher,  # noqa: ARG002
    ) -> CleanEnvironment:
        """Return how to start jobs so that settings in `own` that can be removed revert to the library's values."""
        return CleanEnvironment()

    def provable(self, name: str) -> bool:  # noqa: ARG002
        """Return whether the ranks of a run report the variable with this full name."""
        return True

    def needs(self, name: str) -> tuple[str, tuple[str, ...]] | None:  # noqa: ARG002
        """Return the variable and the values of it without which the given variable has no effect, if any; or None."""
        return None

    def upper_limit(self, name: str, catalog: Catalog) -> tuple[str, int] | None:
        """Return the variable that limits the given variable, and the limit's default value, if any.

        Also None if the library's defaults exceed the limit: then this version does not enforce the limit.
        """
        variable, other = catalog.variables.get(name), catalog.variables.get(self.not_above.get(name, ""))
        if variable is None or other is None:
            return None
        default, limit = variable.as_value(variable.default), other.as_value(other.default)
        if not isinstance(default, int) or not isinstance(limit, int) or default > limit:
            return None
        return other.name, limit

    def usual_values(self, variable: Variable) -> Steps | Choices | None:  # noqa: ARG002
        """Return values to try if the catalog does not list any."""
        return None

    def is_network_only(self, variable: Variable) -> bool:  # noqa: ARG002
        """Return whether the variable affects only communication between machines."""
        return False

    def cannot_be_used(self, variable: Variable) -> bool:
        """Return whether the variable is read-only, or belongs to a kernel module that this machine lacks."""
        absent = [word for word, device in _DEVICES.items() if not Path(device).exists()]
        return not variable.settable or any(word in variable.name.lower() for word in absent)

    def unused_components(self, catalog: Catalog, launcher: Launcher) -> frozenset[str] | None:  # noqa: ARG002
        """Return the variables of components that a program on this machine does not use; None if unknown.

        Runs a small program if the library supports that.
        """
        return None

    def call(self, launcher: str, options: str) -> str:
        """Return the command that starts a program with these options of the launcher."""
        return f"{launcher} {options} …"

    def stand_in(self) -> Launcher | None:
        """Return a launcher for writing files if the library is not installed; None if that is not possible."""
        return None

    def eager_limit(self, name: str) -> EagerLimit | None:
        """Return the properties of the setting as an eager limit, or None if it is not one."""
        return next((eager_limit for eager_limit in self.eager_limits if eager_limit.pattern.fullmatch(name)), None)

    def memory_buffer(self, name: str) -> MemoryBuffer | None:
        """Return the properties of the setting as memory for eager messages, or None if it is not one."""
        return next(
            (memory_buffer for memory_buffer in self.memory_buffers if memory_buffer.pattern.fullmatch(name)), None
        )

    def is_one_sided(self, name: str) -> bool:
        """Return whether the setting affects only one-sided communication."""
        return self.one_sided is not None and self.one_sided.fullmatch(name) is not None

    def only_enables_others(self, name: str) -> bool:
        """Return whether the setting only enables other settings."""
        return self.only_a_switch is not None and self.only_a_switch.fullmatch(name) is not None

    def is_placement(self, name: str) -> bool:
        """Return whether the setting may bind ranks to cores; every launcher option may."""
        return name.startswith("--") or (self.placement is not None and self.placement.fullmatch(name) is not None)

    def operation(self, name: str) -> str | None:
        """Return the only collective operation that the setting affects, in lower case, or None."""
        match = None if self.collective is None else self.collective.fullmatch(name)
        return None if match is None else match["operation"].lower()


def clean_output(library: MpiLibrary, output: str) -> str:
    """Remove the library's reports on its settings from a program's output."""
    return "".join(line for line in output.splitlines(keepends=True) if not library.is_evidence(line))


def shell_lines(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return shell commands that set variables."""
    return tuple(f"export {name}={shlex.quote(value)}" for name, value in environment.items())


def option_words(options: Mapping[str, Value]) -> list[str]:
    """Return launcher options as a flat list of names and values."""
    return [word for name, value in options.items() for word in (name, str(value))]


def shell_advice(environment: Mapping[str, str], options: Iterable[str], own: Mapping[str, Value], who: str) -> Advice:
    """Return advice for a library without a settings file: a shell file.

    `own` are options that no variable can express.
    """
    lines = shell_lines(environment)
    return Advice(
        lines,
        shlex.join(options),
        SHELL_FILE,
        "\n".join(lines) + "\n" if lines else "",
        f"{who} does not read a settings file; source {SHELL_FILE} in the shell that starts the job: . ./{SHELL_FILE}"
        + ("; the file cannot contain options" if own else ""),
        shlex.join(option_words(own)),
    )
