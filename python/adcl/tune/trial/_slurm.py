"""Trials as batch jobs of Slurm."""

from __future__ import annotations

import shlex
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adcl.errors import AdclError, UsageError
from adcl.launch import Result, command_line, launch_environment
from adcl.tune.trial._gather import BatchTask, TaskGatherer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from adcl.launch import Job, Launcher, Stop

__all__ = ["Submission"]

_POLL_S = 0.1
_POLL_MOST_S = 2.0
_STATE_EVERY_S = 3.0
_LATE_FILE_S = 5.0
"""Seconds after which a shared file system must show the output of a job that has ended."""

_TIMEOUT_CODE, _KILLED_CODE = 124, 137
_CLIENT_TIMEOUT_S = 60.0
_ENDED = (
    "BOOT_FAIL",
    "CANCELLED",
    "COMPLETED",
    "DEADLINE",
    "FAILED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PREEMPTED",
    "TIMEOUT",
)

_LINES = """begin=$(date +%s.%N)
{command}
code=$?
echo "$begin $(date +%s.%N) $code" >"$folder/ended.part" && mv "$folder/ended.part" "$folder"/ended"""


def _ask(*command: str, environment: Mapping[str, str] | None = None) -> str:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=_CLIENT_TIMEOUT_S,
            start_new_session=True,  # A terminal's Ctrl-C reaches all processes of this session.
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AdclError(f"cannot run {command[0]}: {error}") from error
    if done.returncode != 0:
        raise AdclError(f"{command[0]} failed: {' '.join(done.stderr.split()) or f'exit code {done.returncode}'}")
    return done.stdout


def _task(job: Job, launcher: Launcher, command: list[str]) -> BatchTask:
    words = shlex.join(command)
    if job.timeout_s is not None:
        words = f"timeout -k {job.grace_s:.3f} {job.timeout_s:.3f} {words}"
    # Remove a surrounding job's variables, which would affect this job.
    environment = {
        name: value
        for name, value in launch_environment(job, launcher).items()
        if name == "SLURM_CONF" or not name.startswith("SLURM_")
    }
    limit_s = None if job.timeout_s is None else job.timeout_s + job.grace_s
    return BatchTask(_LINES.format(command=words), job.ranks, job.placement, environment, limit_s, job.cwd)


@dataclass(frozen=True)
class Submission:
    """Runs every job through ``sbatch``; the time in the queue does not count. Raises `UsageError` without Slurm."""

    folder: Path
    """Folder of the scripts and outputs of running jobs; visible to all nodes."""

    options: tuple[str, ...] = ()
    """Additional options of ``sbatch``, such as ``--partition=short``."""

    at_once: int = 1
    """Maximum number of concurrent jobs; jobs submitted at the same time form an array."""

    _tasks: TaskGatherer = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find Slurm's commands."""
        for name in ("sbatch", "squeue", "scancel"):
            if shutil.which(name) is None:
                raise UsageError(f"{name} is not in PATH: --submit requires Slurm")
        object.__setattr__(self, "_tasks", TaskGatherer(_ask, self.folder, self.options, self.at_once))

    def run(self, job: Job, launcher: Launcher, *, stop: Stop | None = None) -> Result:
        """Submit a job, wait for it, and return its result; cancel it when `stop` is requested.

        Raises `AdclError` if Slurm rejects the job.
        """
        command = command_line(job, launcher)
        task = _task(job, launcher, command)
        self._tasks.submit(task)
        try:
            try:
                state = self._await(task, stop)
            except BaseException:
                self._cancel(task)
                raise
            if stop is not None and stop.requested:
                self._cancel(task)
            return self._result(task.folder, job, tuple(command), task.number, state)
        finally:
            self._tasks.end(task)

    def _await(self, task: BatchTask, stop: Stop | None) -> str:
        """Wait for the end of a job, and return its last state known to Slurm."""
        pause, asked, state = _POLL_S, time.monotonic(), ""
        gone_since: float | None = None
        while not (task.folder / "ended").exists():
            if stop is not None and stop.requested:
                return "CANCELLED"
            if time.monotonic() - asked > _STATE_EVERY_S:
                now = self._tasks.state(task)
                state, asked = now or state, time.monotonic()
                if now and now not in _ENDED:
                    gone_since = None
                elif gone_since is None:
                    gone_since = asked
            if gone_since is not None and time.monotonic() - gone_since > _LATE_FILE_S:
                return state or "unknown"
            if stop is not None:
                stop.wait(pause)
            else:
                time.sleep(pause)
            pause = min(pause * 1.1, _POLL_MOST_S)
        return "COMPLETED"

    def _cancel(self, task: BatchTask) -> None:
        latest = time.monotonic() + _CLIENT_TIMEOUT_S
        _ask("scancel", task.number)
        while self._tasks.state(task) not in ("", *_ENDED) and time.monotonic() < latest:
            time.sleep(_POLL_S)

    def _result(self, folder: Path, job: Job, command: tuple[str, ...], number: str, state: str) -> Result:
        def text(name: str) -> str:
            try:
                return (folder / name).read_text(encoding="utf-8", errors="replace")
            except OSError:
                return ""

        ended = text("ended").split()
        stderr = text("err")
        begin, end, code = (float(ended[0]), float(ended[1]), int(ended[2])) if ended else (0.0, 0.0, 1)
        if not ended:
            stderr += f"\nSlurm ended job {number} in state {state}\n"
        # `timeout` returns 124, or 137 if the launcher did not end in the grace period.
        late = job.timeout_s is not None and end - begin >= job.timeout_s
        number_of_signal = code - 128 if 128 < code < 128 + 65 else None  # noqa: PLR2004
        known = number_of_signal in signal.Signals.__members__.values()
        return Result(
            command=command,
            exit_code=code,
            seconds=end - begin,
            stdout=text("out"),
            stderr=stderr,
            signal=signal.Signals(number_of_signal) if known and number_of_signal else None,
            timed_out=code == _TIMEOUT_CODE or state == "TIMEOUT" or (code == _KILLED_CODE and late),
        )
