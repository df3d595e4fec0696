"""One run of ``adcl-learn``."""

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

__all__ = ["COMMON_PROBLEMS", "Learnt", "find_learner", "learn"]

PROGRAM = "adcl-learn"
_GRACE_S = 60.0
"""What the job may take beyond its time: to start, to finish what it is at, and to end."""

COMMON_PROBLEMS: tuple[str, ...] = (
    *(f"halo:2:{points}:1" for points in (64, 256, 1024)),
    *(f"halo:3:{points}:{fields}" for fields in (1, 4) for points in (16, 32, 64, 128)),
    *(
        f"{collective}:{size}"
        for collective in ("bcast", "allreduce", "allgather", "alltoall")
        for size in (8, 512, 32768, 1048576)
    ),
)
"""What is searched in when nothing else is asked for, as `learn` takes it."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """What came of one problem in one way of use."""

    problem: str
    use: str
    """``start``, or ``init and wait``."""
    starts: int = 0
    seconds: float = 0.0
    winner: str = ""
    """Empty: the time was over before the search was, or the problem was skipped."""
    known: bool = False
    """The history knew it, and what it knew was verified."""
    skipped: str = ""
    """Why nothing was measured."""


class _Lines:
    """The lines that the program writes, as they come."""

    def __init__(self, on_learnt: Callable[[Learnt], None]) -> None:
        self._on_learnt = on_learnt
        self._rest = b""
        self.seen: list[Learnt] = []

    def take(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        if stream != "stdout":
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            record = _record(line)
            if record is not None:
                self.seen.append(record)
                self._on_learnt(record)


def _record(line: bytes) -> Learnt | None:
    """Return what a line says, or None: launchers and MPI libraries write there, too."""
    try:
        values: dict[str, Any] = json.loads(line)
        return Learnt(**values)
    except (ValueError, TypeError):
        return None


def find_learner() -> Path:
    """Find ``adcl-learn``. Raises `AdclError`."""
    return find_companion(PROGRAM)


def learn(
    folder: Path,
    problems: Iterable[str],
    ranks: int,
    *,
    time_s: float,
    launcher: Launcher | str | None = None,
    placement: Placement = ANYWHERE,
    on_learnt: Callable[[Learnt], None] = lambda _: None,
) -> list[Learnt]:
    """Search in `problems` with `ranks` ranks for at most `time_s` seconds; what is learned is added to `folder`.

    A problem is ``halo:DIMENSIONS:POINTS:FIELDS`` or ``bcast:BYTES``, ``allreduce:``, ``allgather:`` or ``alltoall:``.
    What the folder knows is only verified. Variables of the library that are set here hold, but for the folder;
    without ``ADCL_SEARCH`` the search is ``brute_force``, whose decision is final. `on_learnt` is called with
    each result as it comes. Raises `AdclError`.
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
            f"{PROGRAM} was stopped: it did not end within {_GRACE_S:g} s after its time; {len(lines.seen)} results "
            "are in the history"
        )
    said = [line for line in result.stderr.splitlines() if line.startswith(f"{PROGRAM}: ")]
    if result.exit_code != 0 and said:
        raise AdclError(said[0].removeprefix(f"{PROGRAM}: "))
    result.check()
    return lines.seen


def _environment(folder: Path) -> dict[str, str | None]:
    named: dict[str, str | None] = dict.fromkeys(library_variables())
    return {"ADCL_SEARCH": "brute_force", **named, "ADCL_HISTORY": str(folder.absolute())}
