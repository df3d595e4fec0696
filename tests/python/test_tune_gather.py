"""Concurrent batch jobs, with a simulated Slurm."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from adcl.errors import AdclError
from adcl.launch import ANYWHERE
from adcl.tune.trial._gather import BatchTask, TaskGatherer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class _Slurm:
    """Simulated Slurm: prints the output of Slurm's commands, and records the requests."""

    def __init__(self, *, refuses: str = "", squeue: str = "") -> None:
        self.refuses = refuses
        self.squeue = squeue
        self.asked: list[tuple[str, ...]] = []
        self._numbers = iter(range(100, 200))

    def __call__(self, *command: str, environment: Mapping[str, str] | None = None) -> str:
        del environment
        self.asked.append(command)
        if command[0] == "sbatch":
            if self.refuses and any(self.refuses in word for word in command):
                raise AdclError(f"sbatch failed: {self.refuses}")
            return f"{next(self._numbers)};cluster\n"
        if command[0] == "squeue" and not self.squeue:
            raise AdclError("squeue failed: slurm_load_jobs error: Invalid job id specified")
        return self.squeue

    def called(self, name: str) -> list[tuple[str, ...]]:
        return [command for command in self.asked if command[0] == name]


def _task(ranks: int = 2, **environment: str) -> BatchTask:
    return BatchTask("true", ranks, ANYWHERE, environment, None, None)


def _submit_at_once(gatherer: TaskGatherer, *tasks: BatchTask) -> None:
    threads = [threading.Thread(target=gatherer.submit, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)


def test_concurrent_tasks_form_an_array_with_separate_settings(tmp_path: Path) -> None:
    slurm = _Slurm()
    tasks = [_task(A="1", B="x"), _task(A="2", B="x"), _task(B="x")]

    _submit_at_once(TaskGatherer(slurm, tmp_path, ("--qos=q",), 3), *tasks)

    (called,) = slurm.called("sbatch")
    assert {"--array=1-3", "--ntasks=2", "--qos=q"} <= set(called)
    assert sorted(task.number for task in tasks) == ["100_1", "100_2", "100_3"]
    first = min(tasks, key=lambda task: task.place or 0)
    for task in tasks:
        script = (task.folder / "task.sh").read_text(encoding="utf-8")
        changed = task.environment.get("A") != first.environment.get("A")
        assert (("export A=" in script) or ("unset A" in script)) is changed
        assert "export B=" not in script


def test_tasks_with_different_options_are_separate_jobs(tmp_path: Path) -> None:
    slurm, tasks = _Slurm(), [_task(2), _task(3)]
    _submit_at_once(TaskGatherer(slurm, tmp_path, (), 2), *tasks)
    assert sorted(task.number for task in tasks) == ["100", "101"]
    assert not any("--array" in word for command in slurm.asked for word in command)


def test_a_site_without_arrays_gets_jobs(tmp_path: Path) -> None:
    slurm, tasks = _Slurm(refuses="--array"), [_task(), _task()]
    _submit_at_once(TaskGatherer(slurm, tmp_path, (), 2), *tasks)
    assert sorted(task.number for task in tasks) == ["100", "101"]
    assert [task.error for task in tasks] == [None, None]


def test_rejected_jobs_raise_for_each_task_and_leave_no_files(tmp_path: Path) -> None:
    gatherer = TaskGatherer(_Slurm(refuses="--ntasks"), tmp_path, (), 1)
    with pytest.raises(AdclError, match="sbatch failed"):
        gatherer.submit(_task())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("told", "state"),
    [("2 PENDING\n1 RUNNING\n", "PENDING"), ("1 RUNNING\n", ""), ("", ""), ("N/A RUNNING\n", "")],
)
def test_a_waiting_task_of_an_array_is_known_by_the_arrays_number(told: str, state: str, tmp_path: Path) -> None:
    slurm = _Slurm(squeue=told)
    gatherer = TaskGatherer(slurm, tmp_path, (), 1)
    task = _task()
    task.job, task.place = "77", 2

    assert gatherer.state(task) == state
    assert gatherer.state(task) == state

    (called,) = slurm.called("squeue")
    assert {"--jobs=77", "--array"} <= set(called)


def test_separate_job_is_identified_by_its_number(tmp_path: Path) -> None:
    gatherer, task = TaskGatherer(_Slurm(squeue="N/A RUNNING\n"), tmp_path, (), 1), _task()
    gatherer.submit(task)
    assert gatherer.state(task) == "RUNNING"
    gatherer.end(task)
    assert list(tmp_path.iterdir()) == []
