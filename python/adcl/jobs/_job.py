"""Jobs and their results."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adcl.errors import AdclError, UsageError
from adcl.jobs._placement import ANYWHERE, Placement

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from signal import Signals

__all__ = ["Job", "JobFailedError", "Result"]

_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LAST_LINES = 3
_LAST_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Job:
    """An MPI program, its number of ranks, and its placement; independent of the MPI library.

    Raises `UsageError` for values that no launcher accepts.
    """

    program: str
    """Path of the program, or a name that is searched in PATH."""

    arguments: tuple[str, ...] = ()
    ranks: int = 1

    environment: Mapping[str, str | None] = field(default_factory=dict)
    """Variables for every rank. None passes the variable's value in this process."""

    launcher_environment: Mapping[str, str | None] = field(default_factory=dict)
    """Variables for the launcher, which may pass them to ranks. None removes the variable."""

    timeout_s: float | None = None
    """Seconds until the job is stopped; None: no limit."""

    grace_s: float = 5.0
    """Seconds between SIGTERM and SIGKILL when the job is stopped."""

    takes_input: bool = False
    """Whether rank 0 reads the launcher's standard input. Set by `run`."""

    cwd: Path | None = None
    """Working folder of the ranks; None: the folder of this process."""

    placement: Placement = ANYWHERE
    output_limit: int = 64 * 1024 * 1024
    """Bytes of each stream to keep in the `Result`; the middle of longer output is dropped."""

    def __post_init__(self) -> None:
        """Check the values independently of the machine."""
        if self.ranks < 1:
            raise UsageError(f"a job needs at least 1 rank, not {self.ranks}")
        if self.timeout_s is not None and not self.timeout_s > 0:
            raise UsageError(f"a timeout must be more than 0 seconds, not {self.timeout_s:g}")
        if not self.grace_s >= 0:
            raise UsageError(f"the time between SIGTERM and SIGKILL cannot be {self.grace_s:g} seconds")
        if self.output_limit < 0:
            raise UsageError(f"the output limit cannot be {self.output_limit} bytes")
        for name, value in self.environment.items():
            if not _VARIABLE_NAME.fullmatch(name):
                raise UsageError(f"{name!r} is not a valid name of an environment variable")
            if value is not None and "\0" in value:
                raise UsageError(f"the value of {name} contains a null byte, which environment variables cannot hold")


class JobFailedError(AdclError):
    """An MPI program that had to succeed failed."""


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a job. When it exists, no process of the job is left."""

    command: tuple[str, ...]
    exit_code: int
    """Exit code of the launcher, usually a failed rank's; 128 + n after signal n."""

    seconds: float
    """Seconds from the start to the end of the launcher."""

    stdout: str
    stderr: str
    signal: Signals | None = None
    """Signal that ended a rank, as reported by the launcher, or the launcher itself."""

    timed_out: bool = False
    left_out_bytes: int = 0
    """Number of bytes dropped because of `Job.output_limit`; the live callback received them."""

    own_stderr: str = ""
    """`stderr` without the launcher's own messages about the failed program."""

    killed: int = 0
    """Number of processes ended because they outlived the launcher or ignored SIGTERM."""

    @property
    def ok(self) -> bool:
        """Whether the program ended by itself and reported success."""
        return self.exit_code == 0 and not self.timed_out

    def ending(self) -> str:
        """Return how the job ended; the text follows the program's name."""
        if self.timed_out:
            return f"was stopped after {self.seconds:.1f} s"
        if self.signal is not None:
            return f"was ended by {self.signal.name}"
        return f"ended with exit code {self.exit_code}"

    def check(self) -> Result:
        """Return the result, or raise `JobFailedError` with the last lines of the output if it is not `ok`."""
        if self.ok:
            return self
        last = self.last_words()
        raise JobFailedError(f"{' '.join(self.command)} {self.ending()}" + (f": {last}" if last else ""))

    def last_words(self) -> str:
        """Return the last lines of the program on standard error, or the launcher's if the program wrote none.

        Identical lines of several ranks appear once.
        """
        output = self.own_stderr if self.own_stderr.strip() else self.stderr
        lines = dict.fromkeys(line.strip() for line in output.splitlines() if line.strip())
        text = " | ".join(list(lines)[-_LAST_LINES:])
        return text if len(text) <= _LAST_CHARACTERS else "… " + text[-_LAST_CHARACTERS:].partition(" ")[2]
