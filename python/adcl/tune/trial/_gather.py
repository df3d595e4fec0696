"""Batch jobs that are submitted at once are one job array: one entry in the queue, and one request to Slurm."""

from __future__ import annotations

import shlex
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adcl.launch import BatchJob

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from adcl.launch import Placement

__all__ = ["BatchTask", "TaskGatherer"]

_GATHER_S = 0.5
"""How long the first of some tasks waits for others."""

NAME = "adcl-tune"


@dataclass
class BatchTask:
    """What a batch job carries out, in a folder of its own, which all nodes see."""

    folder: Path
    lines: str
    ranks: int
    placement: Placement
    environment: Mapping[str, str]
    limit_s: float | None
    cwd: Path | None
    number: str = field(default="", init=False)
    """By which Slurm knows it, once it is submitted."""

    error: BaseException | None = field(default=None, init=False)
    submitted: threading.Event = field(default_factory=threading.Event, init=False)

    def script(self, common: Mapping[str, str]) -> str:
        """What a shell carries out where `common` is the environment."""
        changed = {name: value for name, value in self.environment.items() if common.get(name) != value}
        lines = [f"export {name}={shlex.quote(value)}" for name, value in changed.items()]
        lines += [f"unset {name}" for name in common if name not in self.environment]
        if self.cwd is not None:
            lines.append(f"cd {shlex.quote(str(self.cwd))} || exit 1")
        folder = shlex.quote(str(self.folder))
        return "\n".join([f"exec >{folder}/out 2>{folder}/err", *lines, self.lines, ""])


class TaskGatherer:
    """Submits the tasks of several threads: those that come within half a second, and ask for the same, as an array."""

    def __init__(self, ask: Callable[[list[str], Mapping[str, str]], str], options: tuple[str, ...], most: int) -> None:
        """`ask` calls sbatch with words and environment; `most` tasks are all that can come at once."""
        self._ask = ask
        self._options = options
        self._most = most
        self._waiting: list[BatchTask] = []
        self._changed = threading.Condition()

    def submit(self, task: BatchTask) -> str:
        """Submit a task, perhaps with others, and return by which number Slurm knows it. Raises `AdclError`."""
        with self._changed:
            self._waiting.append(task)
            self._changed.notify_all()
            leads = len(self._waiting) == 1
        if leads:
            for alike in self._gathered():
                self._submit(alike)
        task.submitted.wait()
        if task.error is not None:
            raise task.error
        return task.number

    def _gathered(self) -> list[list[BatchTask]]:
        """Wait for others; return all that have come, those together that can be one array."""
        latest = time.monotonic() + _GATHER_S
        with self._changed:
            while len(self._waiting) < self._most and (left := latest - time.monotonic()) > 0:
                self._changed.wait(left)
            come, self._waiting = self._waiting, []
        groups: dict[tuple[int, str], list[BatchTask]] = {}
        for task in come:
            groups.setdefault((task.ranks, repr(task.placement)), []).append(task)
        return list(groups.values())

    def _submit(self, tasks: list[BatchTask]) -> None:
        first = tasks[0]
        try:
            choices = []
            for place, task in enumerate(tasks, 1):
                path = task.folder / "task.sh"
                path.write_text(task.script(first.environment), encoding="utf-8")
                choices.append(f"{place}) exec sh {shlex.quote(str(path))};;")
            several = len(tasks) > 1
            limits = [task.limit_s for task in tasks if task.limit_s is not None]
            batch = BatchJob(
                NAME,
                "\n".join(["case ${SLURM_ARRAY_TASK_ID:-1} in", *choices, "esac"]),
                first.ranks,
                first.placement,
                array=len(tasks) if several else 0,
                limit_s=max(limits) if len(limits) == len(tasks) else None,
                output=first.folder / "sbatch-%a",
                error=first.folder / "sbatch-%a",
                options=self._options,
            )
            script = first.folder / "job.sh"
            script.write_text(batch.script, encoding="utf-8")
            number = self._ask([*batch.command, str(script)], first.environment).strip().split(";")[0]
            for place, task in enumerate(tasks, 1):
                task.number = f"{number}_{place}" if several else number
        except BaseException as error:  # noqa: BLE001 - each thread raises it
            for task in tasks:
                task.error = error
        finally:
            for task in tasks:
                task.submitted.set()
