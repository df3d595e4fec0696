"""Group batch jobs that are submitted at the same time into one job array, to reduce requests to Slurm."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.errors import AdclError
from adcl.launch import BatchJob

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    from adcl.launch import Placement

    class AskSlurm(Protocol):
        """Runs a Slurm command and returns its output. Raises `AdclError`."""

        def __call__(self, *command: str, environment: Mapping[str, str] | None = None) -> str:
            """Run the command in the given environment (default: this process's)."""


__all__ = ["BatchTask", "TaskGatherer"]

_GATHER_S = 0.5
"""Seconds for which the first task waits for further tasks."""

_FRESH_S = 1.0
"""Seconds for which squeue's output is reused, because the tasks of an array query it at about the same time."""

_NAME = "adcl-tune"


@dataclass
class BatchTask:
    """Contents of a batch job."""

    lines: str
    """Shell commands; file names are relative to the task's folder, which is the shell variable `folder`."""

    ranks: int
    placement: Placement
    environment: Mapping[str, str]
    limit_s: float | None
    cwd: Path | None
    folder: Path = field(default_factory=Path, init=False)
    """Folder of the task's outputs `out` and `err` after submission; visible to all nodes."""

    job: str = field(default="", init=False)
    """Slurm's number of the job or the array; empty before submission."""

    place: int | None = field(default=None, init=False)
    """Index in the array."""

    error: BaseException | None = field(default=None, init=False)
    submitted: threading.Event = field(default_factory=threading.Event, init=False)

    @property
    def number(self) -> str:
        """Slurm's identifier of the task."""
        return self.job if self.place is None else f"{self.job}_{self.place}"

    def script(self, common: Mapping[str, str]) -> str:
        """Return the shell script of the task; `common` is the environment."""
        changed = {name: value for name, value in self.environment.items() if common.get(name) != value}
        lines = [f"export {name}={shlex.quote(value)}" for name, value in changed.items()]
        lines += [f"unset {name}" for name in common if name not in self.environment]
        if self.cwd is not None:
            lines.append(f"cd {shlex.quote(str(self.cwd))} || exit 1")
        return "\n".join([*lines, f"folder={shlex.quote(str(self.folder))}", self.lines, ""])


class TaskGatherer:
    """Submits the tasks of several threads; concurrent tasks with equal options form an array.

    If Slurm does not support arrays, each task is a separate job.
    """

    def __init__(self, ask: AskSlurm, folder: Path, options: tuple[str, ...], most: int) -> None:
        """`folder` is the parent of the tasks' folders; `most` is the maximum number of concurrent tasks."""
        self._ask = ask
        self._folder = folder
        self._options = options
        self._most = most
        self._under_way = 0
        self._waiting: list[BatchTask] = []
        self._changed = threading.Condition()
        self._asking = threading.Lock()
        self._known: dict[str, tuple[float, dict[int | None, str]]] = {}

    def submit(self, task: BatchTask) -> None:
        """Submit a task, possibly with other tasks; call `end` afterward. Raises `AdclError`."""
        with self._changed:
            self._waiting.append(task)
            self._changed.notify_all()
            leads = len(self._waiting) == 1
        if leads:
            for alike in self._collect():
                self._submit(alike)
        task.submitted.wait()
        if task.error is not None:
            self.end(task)
            raise task.error

    def end(self, task: BatchTask) -> None:
        """Remove the folder of a task that has ended."""
        with self._changed:
            self._under_way -= 1
        if task.folder.name:
            shutil.rmtree(task.folder, ignore_errors=True)
            with contextlib.suppress(OSError):  # other tasks of the array are still using it
                task.folder.parent.rmdir()

    def state(self, task: BatchTask) -> str:
        """Return Slurm's state of the task; empty if Slurm no longer knows the task.

        squeue has no separate line for a waiting task of an array; therefore the query lists all tasks of the array,
        with one line for each task.
        """
        with self._asking:
            asked, states = self._known.get(task.job, (-_FRESH_S, {}))
            if time.monotonic() - asked >= _FRESH_S:
                states = self._states(task.job)
                self._known[task.job] = (time.monotonic(), states)
        return states.get(task.place, "")

    def _states(self, job: str) -> dict[int | None, str]:
        try:
            answer = self._ask("squeue", "--noheader", "--array", f"--jobs={job}", "--format=%K %T")
        except AdclError as error:
            if "Invalid job id" in str(error):
                return {}
            raise
        rows = [line.split() for line in answer.splitlines() if line.strip()]
        return {int(row[0]) if row[0].isdigit() else None: row[-1] for row in rows}

    def _collect(self) -> list[list[BatchTask]]:
        """Wait for further tasks; return them in groups that can form an array."""
        latest = time.monotonic() + _GATHER_S
        with self._changed:
            while len(self._waiting) + self._under_way < self._most and (left := latest - time.monotonic()) > 0:
                self._changed.wait(left)
            come, self._waiting = self._waiting, []
            self._under_way += len(come)
        groups: dict[tuple[int, str], list[BatchTask]] = {}
        for task in come:
            groups.setdefault((task.ranks, repr(task.placement)), []).append(task)
        return list(groups.values())

    def _submit(self, tasks: Sequence[BatchTask]) -> None:
        """Submit tasks, and wake the waiting threads also on errors."""
        try:
            try:
                self._submit_together(tasks)
            except AdclError:
                if len(tasks) == 1:
                    raise
                for task in tasks:
                    self._submit_together([task])
        except BaseException as error:  # noqa: BLE001 - each thread raises it
            for task in tasks:
                task.error = error
                if task.job:
                    self._ask("scancel", task.number)
        finally:
            for task in tasks:
                task.submitted.set()

    def _submit_together(self, tasks: Sequence[BatchTask]) -> None:
        first, several = tasks[0], len(tasks) > 1
        top = Path(tempfile.mkdtemp(prefix="job-", dir=self._folder))
        choices = []
        for place, task in enumerate(tasks, 1):
            task.folder, task.place = top / str(place), place if several else None
            task.folder.mkdir()
            path = task.folder / "task.sh"
            path.write_text(task.script(first.environment), encoding="utf-8")
            choices.append(f"{place}) exec sh {shlex.quote(str(path))};;")
        limits = [task.limit_s for task in tasks if task.limit_s is not None]
        own = "%a" if several else "1"
        batch = BatchJob(
            _NAME,
            "\n".join(["case ${SLURM_ARRAY_TASK_ID:-1} in", *choices, "esac"]),
            first.ranks,
            first.placement,
            array=len(tasks) if several else 0,
            limit_s=max(limits) if len(limits) == len(tasks) else None,
            output=top / own / "out",
            error=top / own / "err",
            options=self._options,
        )
        script = first.folder / "job.sh"
        script.write_text(batch.script, encoding="utf-8")
        try:
            answer = self._ask(*batch.command, str(script), environment=first.environment)
        except BaseException:
            shutil.rmtree(top, ignore_errors=True)
            raise
        for task in tasks:
            task.job = answer.strip().split(";")[0]
