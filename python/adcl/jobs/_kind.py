"""Interface of launcher kinds, and the families of programs that they start."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from adcl.jobs._job import Job

__all__ = ["Family", "LauncherKind", "given", "signal_of_exit_code"]

_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Family:
    """MPI libraries whose programs the same launchers can start."""

    title: str
    own_libraries: str
    """Regular expression for shared libraries with which only programs of this family are linked."""

    numbered_library: str | None = None
    """Regular expression for `libmpi.so` with the family's version number."""

    standard_abi: bool = False
    """Whether libraries of the family may provide the standard ABI of MPI 5."""

    batch_systems: bool = False
    """Whether launchers of batch systems start programs of the family."""


class LauncherKind(ABC):
    """A launcher and the MPI library that it belongs to. Reads only the launcher's folder."""

    name: ClassVar[str]
    """Name on the command line."""

    title: ClassVar[str]
    """Official name."""

    families: ClassVar[tuple[Family, ...]] = ()
    """Family whose programs run as one job under this launcher."""

    programs: ClassVar[tuple[str, ...]]
    """File names of its launchers, the most common first."""

    failure_messages: ClassVar[re.Pattern[str]] = _NOTHING
    """Matches the lines that the launcher or its MPI library writes about a failed job."""

    of_batch_system: ClassVar[bool] = False
    """Whether the launcher belongs to a batch system, which starts programs of several libraries and may queue jobs."""

    single: ClassVar[bool] = False
    """Whether there is no launcher: the program is a single process."""

    simulates: ClassVar[bool] = False
    """Whether ranks run on a simulated cluster."""

    on_emulated_clusters: ClassVar[bool] = False
    """Whether the launcher starts ranks in the network namespaces of an emulated cluster, see `cluster_options`."""

    def starts(self, family: Family) -> bool:
        """Return whether ranks of that family form one job under this launcher."""
        return family in self.families

    @abstractmethod
    def version(self, text: str) -> str | None:
        """Return the version in the output of `--version`, or None if the output is from another kind of launcher."""

    @abstractmethod
    def options(self, job: Job) -> list[str]:
        """Return the launcher's arguments before the program. Raises `UsageError` for unsupported requests."""

    def cluster_options(self, agent: str, subnet: str) -> Sequence[str]:  # noqa: ARG002
        """Return the options that start ranks on the hosts of an emulated cluster.

        `agent` is the program that runs a command on a host. Ranks communicate only over TCP within `subnet`, and are
        not bound to cores.
        """
        return ()

    def inherited(self, job: Job) -> Mapping[str, str]:  # noqa: ARG002
        """Return the job's variables that ranks inherit from the launcher's environment, as `options` omits them."""
        return {}

    def environment(self, job: Job, path: Path, *, as_root: bool) -> Mapping[str, str]:  # noqa: ARG002
        """Return the variables that the launcher itself needs and the user has not set."""
        return {}

    def crash(self, exit_code: int, output: str) -> int | None:  # noqa: ARG002
        """Return the number of the signal that ended a rank, if exit code and last lines reveal it."""
        return signal_of_exit_code(exit_code)


def given(job: Job) -> list[tuple[str, str]]:
    """Return the job's variables that have a value."""
    return [(name, value) for name, value in job.environment.items() if value is not None]


def signal_of_exit_code(exit_code: int) -> int | None:
    """Return the signal in an exit code, by the convention of shells."""
    return exit_code - 128 if 128 < exit_code < 128 + 65 else None  # noqa: PLR2004
