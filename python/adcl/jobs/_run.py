"""Run a job and end all its processes."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib.util
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time
import uuid
from typing import IO, TYPE_CHECKING, Literal

from adcl.errors import AdclError
from adcl.jobs import _guard
from adcl.jobs._command import command_line, launch_environment, prepared
from adcl.jobs._job import Result
from adcl.jobs._output import KeptOutput
from adcl.jobs._signals import PostponedSignals, Stop

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.jobs._job import Job
    from adcl.jobs._kind import LauncherKind
    from adcl.jobs._launcher import Launcher

    OnOutput = Callable[[Literal["stdout", "stderr"], bytes], None]

__all__ = ["OnOutput", "run_with", "strip_launcher_messages"]

_CHUNK = 1 << 16
_SIGNALS = frozenset(signal.Signals)
_FOREIGN_PIPE_S = 0.5
"""Seconds without output after the last process of the job has ended; then only a foreign process holds the pipe."""


@functools.cache
def _guard_program() -> str:
    """Return the guard's compiled file, which starts faster, or its source if that is missing."""
    source = _guard.__file__
    with contextlib.suppress(OSError, NotImplementedError):
        compiled = importlib.util.cache_from_source(source)
        state = os.stat(source)  # noqa: PTH116
        now = struct.pack("<III", 0, int(state.st_mtime) & 0xFFFFFFFF, state.st_size & 0xFFFFFFFF)
        with open(compiled, "rb") as file:  # noqa: PTH123
            if file.read(16) == importlib.util.MAGIC_NUMBER + now:
                return compiled
    return source


class _Supervisor:
    """Controls a running job: reads its output and sends the guard orders to stop it."""

    def __init__(self, job: Job, signals: PostponedSignals, on_output: OnOutput | None, stop: Stop | None) -> None:
        self._job = job
        self._signals = signals
        self._stop = stop
        self._stopped = False
        self._on_output = on_output
        self._selector = selectors.DefaultSelector()
        self._kept = {"stdout": KeptOutput(job.output_limit), "stderr": KeptOutput(job.output_limit)}
        self._open_pipes = 0
        self._taken = 0
        self._control_open = True
        self._partial_line = b""
        self._events: dict[str, list[str]] = {}

    def run(self, launcher: Launcher, environment: dict[str, str], stdin: IO[bytes] | int) -> Result:
        """Start the guard, which starts the launcher; return when no process of the job is left."""
        command = command_line(self._job, launcher)
        self._control, far_end = socket.socketpair()
        with self._control, self._selector:
            with far_end:
                guard = self._start(far_end.fileno(), stdin)
            with guard:
                try:
                    self._watch(guard)
                    self._instruct(command, environment)
                    timed_out = self._supervise()
                except BaseException:
                    # The callback raised: the guard ends the job without anyone waiting for it.
                    with contextlib.suppress(OSError):
                        self._control.sendall(_guard.STOP + _guard.KILL)
                    raise
        return self._result(command, launcher.kind, timed_out=timed_out)

    def _start(self, far_end: int, stdin: IO[bytes] | int) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [sys.executable, "-I", "-S", _guard_program(), str(far_end)],
                pass_fds=(far_end,),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise AdclError(f"cannot start {sys.executable}: {error.strerror}") from error

    def _watch(self, guard: subprocess.Popen[bytes]) -> None:
        for name, pipe in (("stdout", guard.stdout), ("stderr", guard.stderr)):
            if pipe is not None:
                self._selector.register(pipe, selectors.EVENT_READ, name)
                self._open_pipes += 1
        self._selector.register(self._control, selectors.EVENT_READ, "control")
        self._selector.register(self._signals, selectors.EVENT_READ, "signal")
        if self._stop is not None:
            self._selector.register(self._stop, selectors.EVENT_READ, "stop")

    def _instruct(self, command: list[str], environment: dict[str, str]) -> None:
        folder = str(self._job.cwd) if self._job.cwd is not None and self._job.placement.here else ""
        order = _guard.pack(uuid.uuid4().hex, self._job.grace_s, folder, command, environment)
        # If the guard could not start, its end is closed; `_supervise` detects that.
        with contextlib.suppress(BrokenPipeError):
            self._control.sendall(order)

    def _supervise(self) -> bool:
        """Read output until the job is over; return whether the time limit was reached first."""
        limit = float("inf") if self._job.timeout_s is None else self._job.timeout_s
        in_time = self._wait(limit, lambda: self._ended() or self._requests > 0)
        if not in_time:
            self._order(_guard.STOP)
        obeyed = 0
        while not self._over():
            if self._requests > obeyed:
                # The first signal stops the job like a time-out. A second signal kills it at once.
                self._order(_guard.STOP if obeyed == 0 and in_time else _guard.KILL)
                obeyed += 1
            else:
                self._pump(None)
        taken = -1
        while self._open_pipes and self._taken > taken:
            taken = self._taken
            self._wait(_FOREIGN_PIPE_S, lambda: not self._open_pipes)
        return not in_time

    @property
    def _requests(self) -> int:
        return len(self._signals.received) + self._stopped

    def _order(self, order: bytes) -> None:
        with contextlib.suppress(OSError):
            self._control.sendall(order)

    def _ended(self) -> bool:
        return _guard.ENDED in self._events or self._over()

    def _over(self) -> bool:
        return not self._control_open or _guard.OVER in self._events

    def _wait(self, seconds: float, done: Callable[[], bool]) -> bool:
        """Read output until `done()` returns true or the deadline passes; return the result of `done()`."""
        end = time.monotonic() + seconds
        while not done():
            left = end - time.monotonic()
            if left <= 0:
                return False
            self._pump(None if left == float("inf") else left)
        return True

    def _pump(self, at_most_s: float | None) -> None:
        for key, _ in self._selector.select(at_most_s):
            if key.data == "signal":
                self._signals.drain()
            elif key.data == "stop":
                # The descriptor remains readable.
                self._selector.unregister(key.fileobj)
                self._stopped = True
            elif key.data == "control":
                self._listen()
            else:
                self._take(key)

    def _listen(self) -> None:
        chunk = self._control.recv(_CHUNK)
        if not chunk:
            self._control_open = False
            self._selector.unregister(self._control)
        *lines, self._partial_line = (self._partial_line + chunk).split(b"\n")
        for line in lines:
            event, *words = line.decode().split()
            self._events[event] = words

    def _take(self, key: selectors.SelectorKey) -> None:
        data = os.read(key.fd, _CHUNK)
        if not data:
            self._selector.unregister(key.fileobj)
            self._open_pipes -= 1
            return
        self._taken += len(data)
        self._kept[key.data].add(data)
        if self._on_output is not None:
            self._on_output(key.data, data)

    def _result(self, command: list[str], kind: LauncherKind, *, timed_out: bool) -> Result:
        if _guard.FAILED in self._events:
            reason = os.strerror(int(self._events[_guard.FAILED][0]))
            raise AdclError(f"cannot start {command[0]}: {reason}")
        if _guard.OVER not in self._events or _guard.ENDED not in self._events:
            reason = self._kept["stderr"].text().strip()[-400:] or "another process killed it"
            raise AdclError(f"the guard process of the job ended before the job: {reason}")
        killed, *left = self._events[_guard.OVER]
        if left:
            raise AdclError(
                f"processes remain after SIGKILL, blocked in the kernel: {', '.join(left)}; see /proc/PID/stack"
            )
        status, seconds = self._events[_guard.ENDED]
        code = os.waitstatus_to_exitcode(int(status))
        stdout, stderr = self._kept["stdout"].text(), self._kept["stderr"].text()
        number = -code if code < 0 else None
        if code > 0 and not timed_out:
            number = kind.crash(code, f"{stdout}\n{stderr}")
        return Result(
            command=tuple(command),
            exit_code=code if number is None else 128 + number,
            seconds=float(seconds),
            stdout=stdout,
            stderr=stderr,
            own_stderr=stderr if code == 0 else kind.failure_messages.sub("", stderr),
            signal=signal.Signals(number) if number in _SIGNALS else None,
            timed_out=timed_out,
            left_out_bytes=sum(kept.left_out for kept in self._kept.values()),
            killed=int(killed),
        )


def run_with(
    job: Job,
    launcher: Launcher,
    *,
    on_output: OnOutput | None = None,
    stdin: IO[bytes] | int | None = None,
    stop: Stop | None = None,
) -> Result:
    """Run a job with a launcher; see `adcl.launch.run` for the arguments and errors."""
    job = prepared(dataclasses.replace(job, takes_input=stdin is not None), launcher)
    environment = launch_environment(job, launcher)
    with PostponedSignals() as signals:
        return _Supervisor(job, signals, on_output, stop).run(
            launcher, environment, subprocess.DEVNULL if stdin is None else stdin
        )


def strip_launcher_messages(output: str, launcher: Launcher) -> str:
    """Remove the launcher's messages about a failed job from its output."""
    return launcher.kind.failure_messages.sub("", output)
