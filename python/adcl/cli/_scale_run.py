"""Implementation of ``adcl scale run``: run jobs here or submit them to Slurm."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

from adcl import scale
from adcl.cli._console import counted, output
from adcl.cli._load import warn_of_load
from adcl.cli._placement import launcher_kind_on, placement_on_cluster, require_launcher_kind
from adcl.errors import AdclError, UsageError

if TYPE_CHECKING:
    from adcl.launch import Launcher, Placement

__all__ = ["submit", "sweep"]

_MEANING = "the times include waiting for cores, which grows with the number of ranks independently of the program"


def sweep(study: scale.ScaleStudy, name: str, tasks: list[scale.Task], seed: int) -> None:
    """Run the jobs and print each when it ends; raise `AdclError` if some failed."""
    plan = scale.plan_of(study)
    if plan.on is None:
        launcher = scale.find_launcher(study)
        scale.require_enough_cores(study, launcher)
        _sweep(study, name, tasks, launcher, seed=seed, placement=plan.placement)
        return
    with placement_on_cluster(plan.on, plan.placement, max(plan.ranks)) as (placement, _):
        launcher = scale.find_launcher(study, launcher_kind_on(placement))
        require_launcher_kind(plan.on, placement, launcher)
        scale.require_enough_cores(study, launcher)
        _sweep(study, name, tasks, launcher, seed=seed, placement=placement)


def _sweep(
    study: scale.ScaleStudy, name: str, tasks: list[scale.Task], launcher: Launcher, *, seed: int, placement: Placement
) -> None:
    if tasks:
        warn_of_load(scale.plan_of(study).max_cores_used, placement, launcher, _MEANING)
    console = output()
    console.print(f"{study.name}: {counted(len(tasks), 'job')}, run {name}, seed {seed}", markup=False)
    width = len(str(len(tasks)))
    count = 0

    def show_done(done: scale.JobDone) -> None:
        nonlocal count
        count += 1
        outcome = "failed" if done.failure else counted(done.measurements, "record")
        console.print(
            f"  {count:{width}} of {len(tasks)}  {done.task.key}  {done.seconds:.1f} s  {outcome}", markup=False
        )

    done = scale.sweep(study, name, tasks, launcher, show_done, placement=placement)
    failures = [row.failure for row in done if row.failure]
    if failures:
        raise AdclError(
            f"{len(failures)} of {len(done)} jobs failed; run the same command again to repeat them; first failure: "
            f"{failures[0]}"
        )


def submit(study: scale.ScaleStudy, name: str, seed: int, *, show: bool) -> None:
    """Submit the remaining jobs to Slurm, or print what would be submitted."""
    if scale.plan_of(study).on is not None:
        raise UsageError("a testbed cluster exists only on this machine: run the jobs here, without --submit")
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
            raise AdclError(f"sbatch rejected the jobs with {batch.ranks} ranks: {done.stderr.strip()}")
        sys.stdout.write(f"{batch.ranks} ranks: job array {done.stdout.strip()}\n")
    if not arrays:
        sys.stdout.write(f"no jobs are left to run: {study.name}, run {name}\n")
