"""How ``adcl scale run`` runs jobs here, or hands them to Slurm."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

from adcl import scale
from adcl.cli._console import output
from adcl.errors import AdclError

if TYPE_CHECKING:
    from adcl.launch import Launcher

__all__ = ["submit", "sweep"]


def sweep(study: scale.ScaleStudy, name: str, tasks: list[scale.Task], launcher: Launcher, seed: int) -> None:
    """Run these jobs, and print each when it is done; raises `AdclError` when some failed."""
    console = output()
    console.print(f"{study.name}: {len(tasks)} jobs, run {name}, seed {seed}", markup=False)
    width = len(str(len(tasks)))
    count = 0

    def show_done(done: scale.JobDone) -> None:
        nonlocal count
        count += 1
        said = "failed" if done.failure else f"{done.measurements} records"
        console.print(f"  {count:{width}} of {len(tasks)}  {done.task.key}  {done.seconds:.1f} s  {said}", markup=False)

    done = scale.sweep(study, name, tasks, launcher, show_done)
    failures = [row.failure for row in done if row.failure]
    if failures:
        raise AdclError(f"{len(failures)} of {len(done)} jobs failed and will be run again next time; {failures[0]}")


def submit(study: scale.ScaleStudy, name: str, seed: int, *, show: bool) -> None:
    """Hand the jobs that are left to Slurm, or print what would be handed to it."""
    arrays = list(scale.job_arrays(study, name, seed, (sys.executable, "-m", "adcl")))
    for batch in arrays:
        if show:
            sys.stdout.write(f"# {batch.ranks} ranks: {shlex.join(batch.command)}\n{batch.script}")
            continue
        try:
            done = subprocess.run(batch.command, input=batch.script, capture_output=True, text=True, check=False)
        except OSError as error:
            raise AdclError(f"cannot start sbatch: {error.strerror}; is Slurm installed here?") from error
        if done.returncode:
            raise AdclError(f"sbatch refused the jobs with {batch.ranks} ranks: {done.stderr.strip()}")
        sys.stdout.write(f"{batch.ranks} ranks: job array {done.stdout.strip()}\n")
    if not arrays:
        sys.stdout.write(f"nothing is left to run of {study.name}, run {name}\n")
