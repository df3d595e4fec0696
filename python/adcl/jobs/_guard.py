"""Guard process between `run` and a launcher: it ends last, after all processes of the job.

`run` starts this file as a script. The guard adopts every orphaned process of the job (as subreaper), so all processes
remain its descendants, even if they leave the process group (Open MPI) or the session (MPICH's proxies), and none
remains a zombie. A marker in the environment identifies processes that other daemons start, such as Slurm's. When the
process that called `run` ends, its end of the control channel closes, and the guard stops the job.

The end of this file defines the protocol of the control channel. This file imports little, since imports delay every
job.
"""

from __future__ import annotations

import ctypes
import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
else:
    # `signal` adds enumerations; importing it takes a quarter of this process's time.
    import _signal as signal

# Exceptions for vanished processes are common here, and importing contextlib is slow.
# ruff: noqa: SIM105

__all__ = ["ENDED", "FAILED", "KILL", "MARKER", "OVER", "STOP", "pack"]

MARKER = "_ADCL_JOBS"
"""Environment variable with the marker. A nested job appends its marker to the markers of the outer jobs."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SCAN_S = 0.02
_SCAN_GROWTH = 1.2
_SCAN_MOST_S = 0.5
_LINGER_S = 0.5
"""Seconds for ranks to end after the launcher has ended by itself."""
_GIVE_UP_S = 10.0
"""Seconds after SIGKILL; only a process blocked inside a kernel call survives longer."""


class _Process:
    __slots__ = ("marked", "parent", "pid", "started", "zombie")

    def __init__(self, pid: int, fields: list[bytes]) -> None:
        self.pid = pid
        self.zombie = fields[0] in (b"Z", b"X")
        self.parent = int(fields[1])
        self.started = int(fields[19])


def _read(pid: int) -> _Process | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            text = file.read()
    except OSError:
        return None
    # The name in parentheses may contain spaces and parentheses.
    return _Process(pid, text[text.rindex(b")") + 2 :].split())


def _process_ids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208


class _Job:
    """The launcher and all its descendants."""

    def __init__(self, marker: str) -> None:
        self._marker = marker.encode()
        self._told: set[tuple[int, int]] = set()
        self.killed: set[tuple[int, int]] = set()
        # Python ignores these two signals; programs expect the default.
        self.dispositions: dict[signal.Signals, signal.Handlers] = {
            signal.SIGPIPE: signal.SIG_DFL,
            signal.SIGXFSZ: signal.SIG_DFL,
        }
        self.launcher = 0
        self.status: int | None = None

    def start(self, command: list[str], environment: dict[str, str], folder: str) -> None:
        """Start the launcher in a new session. Raises OSError."""
        libc = ctypes.CDLL(None)
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        reader, writer = os.pipe()
        self.launcher = os.fork()
        if self.launcher == 0:
            try:
                os.setsid()
                # If the guard is killed, the kernel asks the launcher to end, which ends its ranks.
                libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
                for number, disposition in self.dispositions.items():
                    signal.signal(number, disposition)
                if folder:
                    os.chdir(folder)
                os.execve(command[0], command, environment)  # noqa: S606
            except OSError as error:
                os.write(writer, str(error.errno).encode())
            finally:
                os._exit(127)
        os.close(writer)
        failure = os.read(reader, 64)
        os.close(reader)
        if failure:
            os.waitpid(self.launcher, 0)
            raise OSError(int(failure), os.strerror(int(failure)))

    def _marked(self, pid: int) -> bool:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123
                return self._marker in file.read()
        except OSError:
            # The process is gone, or belongs to another user and hence not to the job.
            return False

    def alive(self) -> list[_Process]:
        """Return all running or unreaped processes of the job, including the launcher."""
        self.reap()
        processes = [process for process in map(_read, _process_ids()) if process]
        children: dict[int, list[_Process]] = {}
        for process in processes:
            children.setdefault(process.parent, []).append(process)
        members: dict[int, _Process] = {}
        todo = children.get(os.getpid(), []) + [
            process for process in processes if not process.zombie and self._marked(process.pid)
        ]
        while todo:
            process = todo.pop()
            if process.pid not in members and process.pid != os.getpid():
                members[process.pid] = process
                todo += children.get(process.pid, [])
        return [process for process in members.values() if not process.zombie or process.parent == os.getpid()]

    def reap(self) -> None:
        """Reap children that have ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.launcher:
                self.status = status

    def send(self, number: signal.Signals, processes: list[_Process]) -> None:
        """Send a signal to the processes whose ids have not been reused."""
        for process in processes:
            try:
                handle = os.pidfd_open(process.pid)
            except OSError:
                continue
            try:
                # The handle pins the process, so the comparison of identities is free of races.
                now = _read(process.pid)
                if now is not None and now.started == process.started:
                    signal.pidfd_send_signal(handle, number)
            except OSError:
                pass
            finally:
                os.close(handle)

    def gone(self) -> bool:
        """Return whether no process is left."""
        return not self.alive() and self.status is not None

    def terminated(self) -> bool:
        """Return whether no process is left; send SIGTERM once to the processes that the launcher has left behind."""
        alive = self.alive()
        if self.status is not None:
            self.send(
                signal.SIGTERM, [process for process in alive if (process.pid, process.started) not in self._told]
            )
            self._told.update((process.pid, process.started) for process in alive)
        return not alive and self.status is not None

    def killed_all(self) -> bool:
        """Send SIGKILL to the remaining processes; return whether there were none."""
        alive = self.alive()
        self.killed.update((process.pid, process.started) for process in alive if not process.zombie)
        self.send(signal.SIGKILL, alive)
        return not alive and self.status is not None


class _Guard:
    """Follows a job through its states: running, lingering, stopping, killing."""

    def __init__(self, control: int, job: _Job, grace_s: float) -> None:
        self._control = control
        self._job = job
        self._grace_s = grace_s
        self._orders = b""
        self._told_end = False
        self._begin = time.monotonic()
        self._child_ended, wakeup = os.pipe()
        os.set_blocking(self._child_ended, False)
        os.set_blocking(wakeup, False)
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def report(self, *words: object) -> None:
        """Report an event to `run`, if it still exists."""
        try:
            os.write(self._control, (" ".join(map(str, words)) + "\n").encode())
        except OSError:
            pass

    def _wait(self, seconds: float | None, done: Callable[[], bool], *, scan: bool = True) -> bool:
        """Wait until `done()` or the deadline; return whether it was done in time.

        `done` is called after every event, and periodically if `scan` is set.
        """
        every_s = _SCAN_S if scan else None
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            self._job.reap()
            if self._job.status is not None and not self._told_end:
                self._told_end = True
                self.report(ENDED, self._job.status, time.monotonic() - self._begin)
            if done():
                return True
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return False
            times = [seconds for seconds in (left, every_s) if seconds is not None]
            if every_s is not None:
                every_s = min(every_s * _SCAN_GROWTH, _SCAN_MOST_S)
            # A closed end of the control channel would remain readable.
            watched = [self._child_ended] if self._orders.endswith(GONE) else [self._child_ended, self._control]
            for ready in select.select(watched, [], [], min(times) if times else None)[0]:
                if ready == self._control:
                    self._orders += os.read(self._control, 64) or GONE
                else:
                    os.read(self._child_ended, 4096)

    def _kill_ordered(self) -> bool:
        return KILL in self._orders

    def follow(self) -> None:
        """Return when no process of the job is left."""
        job = self._job
        self._wait(None, lambda: job.status is not None or bool(self._orders), scan=False)
        left: list[_Process] = []
        if job.status is None or not self._wait(_LINGER_S, job.gone):
            if job.status is None:
                try:
                    os.killpg(job.launcher, signal.SIGTERM)
                except OSError:
                    pass
            self._wait(self._grace_s, lambda: job.terminated() or self._kill_ordered())
            self._wait(_GIVE_UP_S, job.killed_all)
            left = job.alive()
        self.report(OVER, len(job.killed), *[process.pid for process in left])


# From `run`: the packed order, then single bytes.
STOP = b"T"
KILL = b"K"
GONE = b"."
# To `run`: lines of words separated by spaces.
FAILED = "failed"  # errno
ENDED = "ended"  # wait status, seconds
OVER = "over"  # number of killed processes, ids of processes that survived


def pack(marker: str, grace_s: float, folder: str, command: list[str], environment: dict[str, str]) -> bytes:
    """Return the packed order for the guard."""
    variables = [f"{name}={value}" for name, value in environment.items()]
    words = [marker, str(grace_s), folder, str(len(command)), *command, *variables]
    data = b"\0".join(map(os.fsencode, words))
    return len(data).to_bytes(8, "little") + data


def _receive(control: int) -> list[str]:
    def exactly(size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = os.read(control, size - len(data))
            if not part:
                sys.exit(1)
            data += part
        return data

    return [os.fsdecode(word) for word in exactly(int.from_bytes(exactly(8), "little")).split(b"\0")]


def _main() -> None:
    control = int(sys.argv[1])
    os.set_inheritable(control, False)  # noqa: FBT003
    marker, grace_s, folder, count, *rest = _receive(control)
    command, variables = rest[: int(count)], rest[int(count) :]
    environment = dict(variable.split("=", 1) for variable in variables)
    around = environment.get(MARKER)
    environment[MARKER] = f"{around}:{marker}" if around else marker
    job = _Job(marker)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # The job inherits ignored signals, as set by nohup.
        ignored = signal.signal(number, signal.SIG_IGN) == signal.SIG_IGN
        job.dispositions[number] = signal.SIG_IGN if ignored else signal.SIG_DFL
    guard = _Guard(control, job, float(grace_s))
    try:
        job.start(command, environment, folder)
    except OSError as error:
        guard.report(FAILED, error.errno)
        return
    # The output ends when all processes of the job have closed it, so the guard closes it here.
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    guard.follow()


if __name__ == "__main__":
    _main()
    # Skip the interpreter's cleanup; `run` waits for the exit.
    os._exit(0)
