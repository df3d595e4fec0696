"""Run the jobs of a sweep that are missing in the store, or write them as Slurm job arrays."""

from __future__ import annotations

import dataclasses
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from adcl.errors import AdclError, UsageError
from adcl.launch import NO_MPI, BatchJob, Job, Launcher, detect, run, usable_cores
from adcl.scale.input import Store, read_measurements
from adcl.scale.study._plan import RunPlan, Task, planned
from adcl.scale.study._words import with_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from adcl.launch import Placement, Result
    from adcl.scale.model import Measurement
    from adcl.scale.study._study import ScaleStudy

__all__ = ["JobDone", "find_launcher", "job_arrays", "pending", "plan_of", "require_enough_cores", "sweep"]


@dataclass(frozen=True, slots=True)
class JobDone:
    """Result of one job."""

    task: Task
    seconds: float
    measurements: int
    failure: str | None = None
    """Reason why the store has no measurements of the job, or None."""


def plan_of(study: ScaleStudy) -> RunPlan:
    """Return the study's plan. Raises `UsageError` if it has none."""
    if study.plan is None:
        raise UsageError(f'{study.path}: the study names no program; write [run] and program = "…"')
    return study.plan


def _runs_remotely(plan: RunPlan, launcher: Launcher | None) -> bool:
    """Return whether the ranks run in a batch system, in a simulator, or on hosts that are named."""
    if launcher is not None and (launcher.kind.simulates or launcher.kind.of_batch_system):
        return True
    return plan.placement.hostfile is not None


def require_enough_cores(study: ScaleStudy, launcher: Launcher | None) -> None:
    """Raise `UsageError` for oversubscribed times, unless the study marks them."""
    plan, cores = plan_of(study), usable_cores()
    timed = any(expectation.metric.endswith("_s") for expectation in study.expectations)
    if _runs_remotely(plan, launcher) or not timed or plan.oversubscribed == "mark" or plan.max_cores_used <= cores:
        return
    what = "ranks" if plan.max_cores_used == max(plan.ranks) else "threads"
    raise UsageError(
        f"{study.path}: {plan.max_cores_used} {what} would share {cores} cores, so times would depend on the "
        f'scheduler; use at most {cores} {what}, or write oversubscribed = "mark" to mark these times'
    )


def pending(study: ScaleStudy, run_name: str, seed: int) -> list[Task]:
    """Return the jobs that are missing in the store, in random order.

    Raises `UsageError` if the run was measured with another program, other arguments or another launcher.
    """
    plan, store = plan_of(study), Store(study.store)
    if store.digests(run_name) - {plan.digest}:
        raise UsageError(
            f"{study.path}: run {run_name} in {study.store} was measured with another program, launcher or other "
            "arguments; choose another name for the new run: --run NAME"
        )
    finished = store.finished(run_name)
    return [one for one in planned(plan, run_name, seed) if one.key not in finished]


def _job(plan: RunPlan, task: Task, placement: Placement) -> Job:
    if task.ranks_per_node:
        placement = dataclasses.replace(placement, ranks_per_node=task.ranks_per_node)
    return Job(
        program=plan.program,
        arguments=task.arguments,
        ranks=task.ranks,
        environment=dict(task.environment),
        timeout_s=plan.timeout_s,
        placement=placement,
    )


def _with_contexts(found: list[Measurement], task: Task, launcher: Launcher, *, elsewhere: bool) -> list[Measurement]:
    """Add known properties to contexts that lack them."""
    known: dict[str, object] = {
        "ranks": task.ranks,
        "launcher": f"{launcher.kind.name} {launcher.version}".removesuffix(" -"),
    }
    if task.threads > 1:
        known["threads"] = task.threads
    if launcher.kind.simulates:
        known["simulated"] = True
    elif not elsewhere:
        cores = usable_cores()
        known |= {"cores": cores, "oversubscribed": task.busy > cores}
    layout = {"ranks_per_node": float(task.ranks_per_node)} if task.ranks_per_node else {}
    return [
        dataclasses.replace(
            one,
            function=with_words(one.function, dict(task.words)),
            context={**known, **one.context},
            parameters={**one.parameters, **layout},
        )
        for one in found
    ]


def _failure(result: Result, found: list[Measurement], task: Task) -> str | None:
    if not result.ok:
        message = result.last_words()
        return f"{task.key}: {shlex.join(result.command)} {result.ending()}" + (f": {message}" if message else "")
    if not found:
        return (
            f"{task.key}: {shlex.join(result.command)} printed no record; the program must print JSON Lines, see "
            "docs/scale.md"
        )
    return None


def sweep(
    study: ScaleStudy,
    run_name: str,
    tasks: list[Task],
    launcher: Launcher,
    on_done: Callable[[JobDone], None] = lambda _: None,
    *,
    placement: Placement | None = None,
) -> list[JobDone]:
    """Run these jobs in order; store the measurements of each job before the next job starts.

    A failed job stores nothing and will run again next time. `placement` replaces the plan's placement.
    """
    plan, store, finished = plan_of(study), Store(study.store), []
    for task in tasks:
        result = run(_job(plan, task, placement or plan.placement), launcher)
        failure, found = None, []
        try:
            found = read_measurements(result.stdout, f"{task.key}: output")
        except AdclError as error:
            failure = str(error)
        failure = failure or _failure(result, found, task)
        if failure is None:
            found = _with_contexts(found, task, launcher, elsewhere=_runs_remotely(plan, launcher))
            store.append(run_name, task.key, time.time(), found, plan.digest)
        finished.append(JobDone(task, result.seconds, len(found), failure))
        on_done(finished[-1])
    return finished


def find_launcher(study: ScaleStudy, kind: str | None = None) -> Launcher:
    """Return the study's launcher, a launcher of the given kind, or the launcher for the study's program."""
    plan = plan_of(study)
    found = which(plan.program)
    if plan.mpi == NO_MPI.name and plan.ranks != (1,):
        raise UsageError(f"{study.path}: ranks: a program without MPI is one process; omit ranks, or name a launcher")
    return detect(plan.mpi or kind, program=Path(found) if found else None)


def job_arrays(study: ScaleStudy, run_name: str, seed: int, command: tuple[str, ...]) -> Iterator[BatchJob]:
    """Write the pending jobs as Slurm job arrays, one for each number of ranks and of ranks per node.

    Each task of an array runs one job through `command`, the ``adcl`` command line, so that the store and resuming work
    as usual.
    """
    plan, tasks = plan_of(study), pending(study, run_name, seed)
    for ranks, each in sorted({(task.ranks, task.ranks_per_node) for task in tasks}):
        own = [task for task in tasks if (task.ranks, task.ranks_per_node) == (ranks, each)]
        words = [*command, "scale", "run", str(study.path.absolute()), "--run", run_name, "--seed", str(seed)]
        keys = [task.key for task in own]
        cases = "\n".join(f"  {at}) key={shlex.quote(key)} ;;" for at, key in enumerate(keys, 1))
        lines = f'case $SLURM_ARRAY_TASK_ID in\n{cases}\nesac\nexec {shlex.join(words)} --only "$key"'
        name = f"{study.name}-{ranks}" + (f"-{each}" if each else "")
        placement = dataclasses.replace(plan.placement, ranks_per_node=each) if each else plan.placement
        yield BatchJob(name, lines, ranks, placement, array=len(own), options=plan.batch_options)
