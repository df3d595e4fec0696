"""Runs a job with a launcher that is found for it."""

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
    """Run a job to its end, and leave no process of it behind, whatever happens.

    `launcher` is one from `detect`, or what `detect` is to look for. `on_output` is called with output as it comes;
    what it raises ends the job and is raised here. `stdin` goes to the launcher, which hands it to rank 0; None is
    the end of input at once. (Open MPI 5 does not tell rank 0 that the input has ended.)

    When Ctrl-C, SIGTERM or SIGHUP arrives in the main thread, the job is stopped first (a second one does not wait for
    `Job.grace_s`), and the signal is delivered then. Should this process be killed, the job is stopped as well. A
    `stop` ends the job from another thread; its result is then returned.

    A program that fails is no error here: look at the result, or call its `check`. Raises `UsageError` for a job that
    cannot be started as it is, and `AdclError`.
    """
    return run_with(job, _chosen(job, launcher), on_output=on_output, stdin=stdin, stop=stop)


def plan(job: Job, launcher: Launcher | str | Path | None = None) -> list[str]:
    """Return the command line that `run` would use here. Raises `UsageError`."""
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
