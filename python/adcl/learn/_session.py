"""Run ``adcl-learn`` once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcl.errors import AdclError
from adcl.info import find_companion
from adcl.launch import ANYWHERE, Job, library_variables, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from typing import Literal

    from adcl.launch import Launcher, Placement

__all__ = ["COMMON_PROBLEMS", "LearnResult", "find_learner", "learn"]

PROGRAM = "adcl-learn"
_GRACE_S = 60.0
"""Seconds by which the job may exceed its time, to start, to finish the current search, and to end."""

COMMON_PROBLEMS: tuple[str, ...] = (
    *(f"halo:2:{points}:1" for points in (64, 256, 1024)),
    *(f"halo:3:{points}:{fields}" for fields in (1, 4) for points in (16, 32, 64, 128)),
    *(
        f"{collective}:{size}"
        for collective in ("bcast", "allreduce", "allgather", "alltoall")
        for size in (8, 512, 32768, 1048576)
    ),
)
"""Default problems, in the notation of `learn`."""


@dataclass(frozen=True, slots=True)
class LearnResult:
    """Result of one problem in one mode of use."""

    problem: str
    use: str
    """Mode of use: ``start``, or ``init and wait``."""
    starts: int = 0
    seconds: float = 0.0
    winner: str = ""
    """Winner; empty if the time limit came first or the problem was skipped."""
    known: bool = False
    """Whether the history already had a winner, which this run has verified."""
    skipped: str = ""
    """Reason why nothing was measured."""


class _Lines:
    """Parses the lines that the program prints."""

    def __init__(self, on_learnt: Callable[[LearnResult], None]) -> None:
        self._on_learnt = on_learnt
        self._rest = b""
        self.seen: list[LearnResult] = []

    def take(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        if stream != "stdout":
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            record = _record(line)
            if record is not None:
                self.seen.append(record)
                self._on_learnt(record)


def _record(line: bytes) -> LearnResult | None:
    """Return the record in a line, or None: launchers and MPI libraries print to the same stream."""
    try:
        values: dict[str, Any] = json.loads(line)
        return LearnResult(**values)
    except (ValueError, TypeError):
        return None


def find_learner() -> Path:
    """Return the path of ``adcl-learn``. Raises `AdclError`."""
    return find_companion(PROGRAM)


def learn(
    folder: Path,
    problems: Iterable[str],
    ranks: int,
    *,
    time_s: float,
    launcher: Launcher | str | None = None,
    placement: Placement = ANYWHERE,
    on_learnt: Callable[[LearnResult], None] = lambda _: None,
) -> list[LearnResult]:
    """Search in `problems` with `ranks` ranks for at most `time_s` seconds and add the winners to `folder`.

    A problem is ``halo:DIMENSIONS:POINTS:FIELDS`` or ``bcast:BYTES``, likewise with ``allreduce``, ``allgather`` or
    ``alltoall``. Winners already in the folder are only verified. Variables of the library in this environment apply,
    except for the folder; the default search is ``brute_force``, whose decision is final. `on_learnt` is called with
    each result. Raises `AdclError`.
    """
    job = Job(
        program=str(find_learner()),
        arguments=(str(int(time_s)), *problems),
        ranks=ranks,
        environment=_environment(folder),
        timeout_s=time_s + _GRACE_S,
        placement=placement,
    )
    lines = _Lines(on_learnt)
    result = run(job, launcher, on_output=lines.take)
    if result.timed_out:
        raise AdclError(
            f"{PROGRAM} did not end within {_GRACE_S:g} s of its time limit and was stopped; results "
            f"stored in the history: {len(lines.seen)}"
        )
    errors = [line for line in result.stderr.splitlines() if line.startswith(f"{PROGRAM}: ")]
    if result.exit_code != 0 and errors:
        raise AdclError(errors[0].removeprefix(f"{PROGRAM}: "))
    result.check()
    return lines.seen


def _environment(folder: Path) -> dict[str, str | None]:
    named: dict[str, str | None] = dict.fromkeys(library_variables())
    return {"ADCL_SEARCH": "brute_force", **named, "ADCL_HISTORY": str(folder.absolute())}
