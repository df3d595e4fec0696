"""What is to be run, and what came of it."""

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
    """An MPI program, how many ranks of it, and where. Nothing here depends on the MPI library.

    Raises `UsageError` when it is made with values that no launcher could take.
    """

    program: str
    """A path, or a name to be looked up as a shell does."""

    arguments: tuple[str, ...] = ()
    ranks: int = 1

    environment: Mapping[str, str | None] = field(default_factory=dict)
    """Variables that every rank must see. None stands for the value that the variable has in this process."""

    launcher_environment: Mapping[str, str | None] = field(default_factory=dict)
    """Variables of the launcher, which may hand them on. None takes away what this process has."""

    timeout_s: float | None = None
    """After this many seconds the job is stopped; None waits for ever."""

    grace_s: float = 5.0
    """Between SIGTERM and SIGKILL when the job is stopped."""

    takes_input: bool = False
    """Whether rank 0 reads what the launcher is given as its standard input. `run` sets it."""

    cwd: Path | None = None
    """The ranks' working folder; None is that of this process."""

    placement: Placement = ANYWHERE
    output_limit: int = 64 * 1024 * 1024
    """Bytes of each of the two streams kept in the `Result`; from longer ones the middle is left out."""

    def __post_init__(self) -> None:
        """Check all that can be checked without looking at the machine."""
        if self.ranks < 1:
            raise UsageError(f"a job needs at least 1 rank, not {self.ranks}")
        if self.timeout_s is not None and not self.timeout_s > 0:
            raise UsageError(f"a time-out must be more than 0 seconds, not {self.timeout_s:g}")
        if not self.grace_s >= 0:
            raise UsageError(f"the time between SIGTERM and SIGKILL cannot be {self.grace_s:g} seconds")
        if self.output_limit < 0:
            raise UsageError(f"the output limit cannot be {self.output_limit} bytes")
        for name, value in self.environment.items():
            if not _VARIABLE_NAME.fullmatch(name):
                raise UsageError(f"{name!r} is not a valid name of an environment variable")
            if value is not None and "\0" in value:
                raise UsageError(f"the value of {name} contains a null byte, which no environment can hold")


class JobFailedError(AdclError):
    """An MPI program that had to succeed did not."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a job. When it exists, no process of the job is left."""

    command: tuple[str, ...]
    exit_code: int
    """The launcher's, which passes on a failed rank's; 128 + n when signal n ended a rank or the launcher."""

    seconds: float
    """From starting the launcher until it ended."""

    stdout: str
    stderr: str
    signal: Signals | None = None
    """What ended a rank, as far as the launcher tells, or the launcher itself."""

    timed_out: bool = False
    left_out_bytes: int = 0
    """Output that `Job.output_limit` had no room for. The live callback saw it."""

    own_stderr: str = ""
    """`stderr` without what the launcher says of a program that has failed."""

    killed: int = 0
    """Processes that had to be ended after the launcher was gone, or that ignored SIGTERM."""

    @property
    def ok(self) -> bool:
        """Whether the program ended by itself and reported success."""
        return self.exit_code == 0 and not self.timed_out

    def ending(self) -> str:
        """How it ended, in words that follow the program's name."""
        if self.timed_out:
            return f"was stopped after {self.seconds:.1f} s"
        if self.signal is not None:
            return f"was ended by {self.signal.name}"
        return f"ended with exit code {self.exit_code}"

    def check(self) -> Result:
        """Return itself, or raise `JobFailedError` with the last words of the job when it is not `ok`."""
        if self.ok:
            return self
        last = self.last_words()
        raise JobFailedError(f"{' '.join(self.command)} {self.ending()}" + (f": {last}" if last else ""))

    def last_words(self) -> str:
        """The last lines that the program wrote to standard error, or the launcher where the program wrote nothing.

        What several ranks say alike is said once.
        """
        said = self.own_stderr if self.own_stderr.strip() else self.stderr
        lines = dict.fromkeys(line.strip() for line in said.splitlines() if line.strip())
        text = " | ".join(list(lines)[-_LAST_LINES:])
        return text if len(text) <= _LAST_CHARACTERS else "… " + text[-_LAST_CHARACTERS:].partition(" ")[2]
