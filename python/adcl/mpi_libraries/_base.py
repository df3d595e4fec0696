"""What every MPI library says about itself, and what they have in common.

Beside the library's own variables, a parameter's name may be ``--OPTION``, an option of the launcher, or ``env:NAME``,
an environment variable that the MPI library's catalog does not have, such as one of UCX or libfabric.
"""

from __future__ import annotations

import re
import shlex
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from adcl.errors import UsageError
from adcl.mpi_libraries._catalogue import UNSET
from adcl.mpi_libraries._own import Bare

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from adcl.jobs import Family, Launcher, LauncherKind
    from adcl.mpi_libraries._catalogue import Catalogue, Variable
    from adcl.mpi_libraries._eager import EagerLimit, MemoryBuffer
    from adcl.mpi_libraries._own import OwnSetting
    from adcl.tune.space import Choices, Configuration, Steps, Value

__all__ = [
    "SHELL_FILE",
    "Advice",
    "Evidence",
    "MpiLibrary",
    "Passed",
    "Split",
    "clean_output",
    "shell_advice",
    "split",
]

_DEVICES = {"xpmem": "/dev/xpmem", "knem": "/dev/knem"}
"""Of kernel modules that MPI libraries use to copy between processes, by the word in the names of their variables."""

SHELL_FILE = "adcl-settings.sh"
"""For libraries that read no file of settings."""

_OPTION = re.compile(r"--?[A-Za-z][\w:-]*")
_VARIABLE = re.compile(r"env:([A-Za-z_]\w*)")


@dataclass(frozen=True)
class Split:
    """A configuration by the ways in which its members are passed."""

    settings: Mapping[str, Value]
    """The library's own variables, under the names of the file."""

    options: Mapping[str, Value]
    variables: Mapping[str, Value]
    """Other environment variables, under their own names."""


def split(configuration: Configuration) -> Split:
    """Tell the members of a configuration apart; those that are left to the library are gone.

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
                f"{name!r} is not a variable; write --OPTION for an option of the launcher, env:NAME for others"
            )
        else:
            settings[name] = value
    return Split(settings, options, variables)


@dataclass(frozen=True)
class Passed:
    """How a configuration reaches the ranks: variables for all of them, and options of the launcher."""

    environment: Mapping[str, str]
    options: tuple[str, ...] = ()
    own_oversubscription: bool = False
    """Whether `options` say already what is to be done with more ranks than cores."""


@dataclass(frozen=True)
class Evidence:
    """What the library has told."""

    effective: Mapping[str, str]
    """Settings that it uses, by full name, as it writes them."""

    ignored: Mapping[str, str] = field(default_factory=dict)
    """Settings that it says it does not use, by full name, with its reason."""


@dataclass(frozen=True)
class Advice:
    """A configuration in the words in which a user can apply it."""

    environment: tuple[str, ...]
    """Lines for a shell."""

    options: str
    """Options for the launcher."""

    file_name: str
    """Where the library, or a shell, looks for `file_text`."""

    file_text: str
    note: str
    """What to know about the file."""

    launcher_options: str = ""
    """Those of the options that neither a shell nor a file can express."""

    tune_file: str = ""
    """What a file says that the launcher's option --tune names; empty where there is no such option."""


class MpiLibrary(ABC):
    """All that is known of one MPI library. Its module is the only one that knows its name."""

    key: ClassVar[str]
    """The name in tuning files."""

    aliases: ClassVar[tuple[str, ...]] = ()
    """Names that it has in common with other versions of itself; the launcher tells the version."""

    title: ClassVar[str]
    family: ClassVar[Family]
    launchers: ClassVar[tuple[LauncherKind, ...]]
    """Which launchers start its programs, besides those of batch systems; the usual one first."""

    proof: ClassVar[Mapping[str, str]] = {}
    """Variables that make the library tell, on standard output or error, which settings it uses."""

    when_crowded: ClassVar[Mapping[str, str]] = {}
    """Defaults by full name that are others where a node has more ranks than cores."""

    when_sharing: ClassVar[Mapping[str, str]] = {}
    """Options of the launcher, unless the user gives them, for a job that runs beside others on one machine."""

    settings_file: ClassVar[str] = SHELL_FILE
    """Where the library, or a shell, looks for the text of `advice`."""

    eager_limits: ClassVar[tuple[EagerLimit, ...]] = ()
    memory_buffers: ClassVar[tuple[MemoryBuffer, ...]] = ()
    not_above: ClassVar[Mapping[str, str]] = {}
    """Variables that must not be larger than another one, by full names: programs would not even start."""

    one_sided: ClassVar[re.Pattern[str] | None] = None
    """Matches the whole names of settings that matter for one-sided communication only."""

    collective: ClassVar[re.Pattern[str] | None] = None
    """Matches the whole names of settings that matter for one collective operation only, its group `operation`."""

    placement: ClassVar[re.Pattern[str] | None] = None
    """Matches the whole names of settings that say on which cores ranks run."""

    only_a_switch: ClassVar[re.Pattern[str] | None] = None
    """Matches the whole names of settings that do nothing but give others a meaning."""

    @abstractmethod
    def full_name(self, name: str) -> str:
        """Return the name in the catalog of what a file may call by a shorter name."""

    @abstractmethod
    def variable_name(self, name: str) -> str:
        """Return the environment variable for a full name."""

    @abstractmethod
    def catalogue(self, launcher: Launcher) -> Catalogue:
        """Ask the installation that the launcher belongs to. Raises `AdclError`."""

    @abstractmethod
    def passed(self, configuration: Configuration, launcher: Launcher, *, oversubscribed: bool) -> Passed:
        """Say how the configuration reaches the ranks when that launcher starts them."""

    @abstractmethod
    def evidence(self, output: str) -> Evidence | None:
        """Read what the library has told; None when it has told nothing."""

    @abstractmethod
    def is_evidence(self, line: str) -> bool:
        """Whether a line of the output is the library's answer to `proof`, and none of the program's."""

    @abstractmethod
    def advice(self, configuration: Configuration) -> Advice:
        """Say how a user applies the configuration."""

    @abstractmethod
    def preselected(self, variable: Variable) -> bool:
        """Whether the variable belongs into a starting file, because it is known to change the speed of programs."""

    @abstractmethod
    def relevant(self, variable: Variable) -> bool:
        """Whether the variable may change the speed of programs."""

    def own_settings(self, home: Launcher, catalogue: Catalogue, *, started_by: Launcher) -> tuple[OwnSetting, ...]:  # noqa: ARG002
        """Return what the user or the site has set, in this environment or in files that are read at every start.

        The catalog is that of `home`, the launcher of its installation, with the library's own defaults; jobs are
        `started_by` that or another one. Raises `AdclError`.
        """
        return ()

    def bare(self, own: Sequence[OwnSetting], home: Launcher, catalogue: Catalogue, *, started_by: Launcher) -> Bare:  # noqa: ARG002
        """Say how jobs are started so that those of `own` that do not stay have the library's values."""
        return Bare()

    def provable(self, name: str) -> bool:  # noqa: ARG002
        """Whether the ranks of a run know of the variable with that full name."""
        return True

    def needs(self, name: str) -> tuple[str, tuple[str, ...]] | None:  # noqa: ARG002
        """Return the variable and its values without which the one of that full name has no effect, if any."""
        return None

    def upper_limit(self, name: str, catalogue: Catalogue) -> tuple[str, int] | None:
        """Return the variable that the one of that full name must not be larger than, and its value by default, if any.

        None, too, where the library's own defaults are not like that: then it is not so in this version.
        """
        variable, other = catalogue.variables.get(name), catalogue.variables.get(self.not_above.get(name, ""))
        if variable is None or other is None:
            return None
        default, limit = variable.as_value(variable.default), other.as_value(other.default)
        if not isinstance(default, int) or not isinstance(limit, int) or default > limit:
            return None
        return other.name, limit

    def usual_values(self, variable: Variable) -> Steps | Choices | None:  # noqa: ARG002
        """Return values worth trying where the catalog does not tell which there are."""
        return None

    def of_network(self, variable: Variable) -> bool:  # noqa: ARG002
        """Whether the variable matters between machines only."""
        return False

    def without_a_use(self, variable: Variable) -> bool:
        """Whether the variable cannot be set, or is of a kernel module that this machine has not."""
        absent = [word for word, device in _DEVICES.items() if not Path(device).exists()]
        return not variable.settable or any(word in variable.name.lower() for word in absent)

    def unused_components(self, catalogue: Catalogue, launcher: Launcher) -> frozenset[str] | None:  # noqa: ARG002
        """Return the variables of components that a program on this machine does not use; None: it is not known.

        Starts a small program where the library can be asked by one.
        """
        return None

    def call(self, launcher: str, options: str) -> str:
        """Write what a user types to start a program with these options of the launcher."""
        return f"{launcher} {options} …"

    def stand_in(self) -> Launcher | None:
        """Return a launcher to write files with where the library is not installed, if that is possible."""
        return None

    def eager_limit(self, name: str) -> EagerLimit | None:
        """Return what is known of the setting as an eager limit, or None when it is none."""
        return next((eager_limit for eager_limit in self.eager_limits if eager_limit.pattern.fullmatch(name)), None)

    def memory_buffer(self, name: str) -> MemoryBuffer | None:
        """Return what is known of the setting as memory for eager messages, or None when it is none."""
        return next(
            (memory_buffer for memory_buffer in self.memory_buffers if memory_buffer.pattern.fullmatch(name)), None
        )

    def is_one_sided(self, name: str) -> bool:
        """Whether the setting matters for one-sided communication only."""
        return self.one_sided is not None and self.one_sided.fullmatch(name) is not None

    def is_only_a_switch(self, name: str) -> bool:
        """Whether the setting does nothing but give others a meaning."""
        return self.only_a_switch is not None and self.only_a_switch.fullmatch(name) is not None

    def is_placement(self, name: str) -> bool:
        """Whether the setting says on which cores ranks run; all options of launchers may."""
        return name.startswith("--") or (self.placement is not None and self.placement.fullmatch(name) is not None)

    def operation(self, name: str) -> str | None:
        """Return the collective operation, in small letters, for which alone the setting matters, if there is one."""
        match = None if self.collective is None else self.collective.fullmatch(name)
        return None if match is None else match["operation"].lower()


def clean_output(library: MpiLibrary, output: str) -> str:
    """Remove what the library has said about its settings from what a program has printed."""
    return "".join(line for line in output.splitlines(keepends=True) if not library.is_evidence(line))


def shell_lines(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Write variables as a shell sets them."""
    return tuple(f"export {name}={shlex.quote(value)}" for name, value in environment.items())


def option_words(options: Mapping[str, Value]) -> list[str]:
    """Write options of a launcher: a name and a value each."""
    return [word for name, value in options.items() for word in (name, str(value))]


def shell_advice(environment: Mapping[str, str], options: Iterable[str], own: Mapping[str, Value], who: str) -> Advice:
    """Advice for a library that reads no file: one for the shell. `own`: options that no variable can express."""
    lines = shell_lines(environment)
    return Advice(
        lines,
        shlex.join(options),
        SHELL_FILE,
        "\n".join(lines) + "\n" if lines else "",
        f"{who} reads no file of settings; read this one into the shell that starts the job: . ./{SHELL_FILE}"
        + ("; options have no place in it" if own else ""),
        shlex.join(option_words(own)),
    )
