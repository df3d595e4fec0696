"""What every adapter provides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from adcl.launch._job import Job

__all__ = ["NO_FAREWELL", "Adapter", "beyond_128", "given"]

NO_FAREWELL = re.compile(r"(?!)")
"""For launchers that say nothing."""


class Adapter(Protocol):
    """How one flavor wants to be spoken to. Pure: no look at the machine, except for the launcher's own folder."""

    names: ClassVar[tuple[str, ...]]
    """What its launchers are called, the likeliest first."""

    farewell: ClassVar[re.Pattern[str]]
    """What the launcher, or the MPI library for it, says of a job that ended badly, whole lines of it."""

    def version(self, text: str) -> str | None:
        """Return the version in what the launcher answers to `--version`, or None if this is not its flavor."""

    def options(self, job: Job) -> list[str]:
        """Return the launcher's arguments, up to the program. Raises `UsageError` for what it cannot express."""

    def inherited(self, job: Job) -> Mapping[str, str]:
        """Return those of the job's variables that ranks get from the launcher's environment and not from `options`."""

    def environment(self, job: Job, path: Path, *, as_root: bool) -> Mapping[str, str]:
        """Return what the launcher itself needs in its environment, unless the user has set it."""

    def crash(self, exit_code: int, output: str) -> int | None:
        """Return the number of the signal that ended a rank, as far as code and last words of the launcher tell."""


def given(job: Job) -> list[tuple[str, str]]:
    """The job's variables that have a value of their own."""
    return [(name, value) for name, value in job.environment.items() if value is not None]


def beyond_128(exit_code: int) -> int | None:
    """The signal in an exit code, by the convention of shells."""
    return exit_code - 128 if 128 < exit_code < 128 + 65 else None  # noqa: PLR2004
