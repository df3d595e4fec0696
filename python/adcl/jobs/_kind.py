"""What every kind of launcher says about itself, and the families of programs that launchers start."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from adcl.jobs._job import Job

__all__ = ["Family", "LauncherKind", "beyond_128", "given"]

_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Family:
    """MPI libraries whose programs can be started by the same launchers."""

    title: str
    own_libraries: str
    """A regular expression for the names of shared libraries that only programs of this family are linked with."""

    numbered_library: str | None = None
    """The same for `libmpi.so`, whose number tells the family."""

    standard_abi: bool = False
    """Whether libraries of the family may have the standard ABI of MPI 5."""

    batch_systems: bool = False
    """Whether launchers of batch systems start programs of the family."""


class LauncherKind(ABC):
    """A launcher together with the MPI library that it belongs to. Looks at nothing but the launcher's own folder."""

    name: ClassVar[str]
    """What users type."""

    title: ClassVar[str]
    """The name as its makers write it."""

    families: ClassVar[tuple[Family, ...]] = ()
    """Whose programs find each other when this launcher starts them."""

    programs: ClassVar[tuple[str, ...]]
    """What its launchers are called, the likeliest first."""

    farewell: ClassVar[re.Pattern[str]] = _NOTHING
    """What the launcher, or the MPI library for it, says of a job that ended badly, whole lines of it."""

    of_batch_system: ClassVar[bool] = False
    """Whether it is a batch system's, which starts programs of several libraries and has jobs wait for nodes."""

    single: ClassVar[bool] = False
    """Whether there is no launcher: the program is one process."""

    simulates: ClassVar[bool] = False
    """Whether ranks run on a simulated cluster."""

    on_emulated_clusters: ClassVar[bool] = False
    """Whether it starts ranks in the network namespaces of an emulated cluster."""

    def starts(self, family: Family) -> bool:
        """Whether programs of that family find each other when this launcher starts them."""
        return family in self.families

    @abstractmethod
    def version(self, text: str) -> str | None:
        """Return the version in what the launcher answers to `--version`, or None if this is not its kind."""

    @abstractmethod
    def options(self, job: Job) -> list[str]:
        """Return the launcher's arguments, up to the program. Raises `UsageError` for what it cannot express."""

    def inherited(self, job: Job) -> Mapping[str, str]:  # noqa: ARG002
        """Return those of the job's variables that ranks get from the launcher's environment and not from `options`."""
        return {}

    def environment(self, job: Job, path: Path, *, as_root: bool) -> Mapping[str, str]:  # noqa: ARG002
        """Return what the launcher itself needs in its environment, unless the user has set it."""
        return {}

    def crash(self, exit_code: int, output: str) -> int | None:  # noqa: ARG002
        """Return the number of the signal that ended a rank, as far as code and last words of the launcher tell."""
        return beyond_128(exit_code)


def given(job: Job) -> list[tuple[str, str]]:
    """The job's variables that have a value of their own."""
    return [(name, value) for name, value in job.environment.items() if value is not None]


def beyond_128(exit_code: int) -> int | None:
    """The signal in an exit code, by the convention of shells."""
    return exit_code - 128 if 128 < exit_code < 128 + 65 else None  # noqa: PLR2004
