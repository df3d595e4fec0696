"""Run a job with an automatically selected launcher."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from adcl.jobs import Launcher, ProgramNotFoundError, command_line, find_program, prepared, run_with
from adcl.launch._detect import detect

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.jobs import Job, OnOutput, Result, Stop

__all__ = ["plan", "run"]


def run(
    job: Job,
    launcher: Launcher | str | Path | None = None,
    *,
    on_output: OnOutput | None = None,
    stdin: IO[bytes] | int | None = None,
    stop: Stop | None = None,
) -> Result:
    """Run a job to its end and end all its processes, also on errors.

    `launcher` is a result of `detect` or its argument. `on_output` receives output while the job runs; an exception in
    it ends the job and is re-raised. The launcher passes `stdin` to rank 0; None is an empty input. (Open MPI 5 does
    not signal the end of the input to rank 0.)

    If Ctrl-C, SIGTERM or SIGHUP arrives in the main thread, the job is stopped first and the signal is delivered
    afterward; a second signal skips `Job.grace_s`. The job is also stopped if this process is killed. `stop` ends the
    job from another thread; the result is then returned.

    A failing program does not raise: check the result, or call its `check`. Raises `UsageError` for a job that cannot
    be started, and `AdclError`.
    """
    return run_with(job, _chosen(job, launcher), on_output=on_output, stdin=stdin, stop=stop)


def plan(job: Job, launcher: Launcher | str | Path | None = None) -> list[str]:
    """Return the command line that `run` would use. Raises `UsageError`."""
    chosen = _chosen(job, launcher)
    return command_line(prepared(job, chosen), chosen)


def _chosen(job: Job, launcher: Launcher | str | Path | None) -> Launcher:
    if isinstance(launcher, Launcher):
        return launcher
    try:
        program = find_program(job.program, job.environment.get("PATH"))
    except ProgramNotFoundError:
        if job.placement.local and job.placement.pmi is None:
            raise
        program = None
    return detect(launcher, program=program)
