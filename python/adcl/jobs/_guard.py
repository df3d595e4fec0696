"""A small process that stands between `run` and a launcher, and ends with the job: nothing of a job outlives its guard.

`run` starts this file as a script. It adopts every process of the job that loses its parent, so all of them stay its
descendants, wherever ranks move to (Open MPI's leave the process group, MPICH's proxies the session), and none is
left as a zombie. A marker in the environment finds those that other daemons started, as Slurm's do. When the process
that called `run` disappears, its end of the control channel closes, and the job is stopped.

What goes through the control channel is at the end of this file. Imports are few: each would cost every job time.
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
    # What `signal` adds are enumerations, which take a quarter of this process's time to load.
    import _signal as signal

# The exceptions that mean "it has gone meanwhile" are ordinary here, and contextlib takes long to import.
# ruff: noqa: SIM105

__all__ = ["ENDED", "FAILED", "KILL", "MARKER", "OVER", "STOP", "pack"]

MARKER = "_ADCL_JOBS"
"""The variable that carries the marker. A job started inside another one adds its own to those around it."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SCAN_S = 0.02
_SCAN_GROWTH = 1.2
_SCAN_MOST_S = 0.5
_LINGER_S = 0.5
"""Time for ranks to follow a launcher that has ended by itself."""
_GIVE_UP_S = 10.0
"""After SIGKILL, which only a process that the kernel holds in the middle of a call can survive for so long."""


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
    # The name in parentheses may itself contain blanks and parentheses.
    return _Process(pid, text[text.rindex(b")") + 2 :].split())


def _process_ids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208


class _Job:
    """The launcher and all that came from it."""

    def __init__(self, marker: str) -> None:
        self._marker = marker.encode()
        self._told: set[tuple[int, int]] = set()
        self.killed: set[tuple[int, int]] = set()
        # Python itself ignores these two, which programs do not expect.
        self.dispositions: dict[signal.Signals, signal.Handlers] = {
            signal.SIGPIPE: signal.SIG_DFL,
            signal.SIGXFSZ: signal.SIG_DFL,
        }
        self.launcher = 0
        self.status: int | None = None

    def start(self, command: list[str], environment: dict[str, str], folder: str) -> None:
        """Start the launcher in a session of its own. Raises OSError."""
        libc = ctypes.CDLL(None)
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        reader, writer = os.pipe()
        self.launcher = os.fork()
        if self.launcher == 0:
            try:
                os.setsid()
                # Should the guard be killed, the launcher at least is asked to end, and its ranks with it.
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
            # Gone, or another user's and so none of ours.
            return False

    def alive(self) -> list[_Process]:
        """All processes of the job that still run, or are still to be reaped here; the launcher among them."""
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
        """Take note of the children that have ended."""
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
        """Send a signal to those that have not been replaced by other processes since."""
        for process in processes:
            try:
                handle = os.pidfd_open(process.pid)
            except OSError:
                continue
            try:
                # The handle fixes the process; only now can its identity be compared without a race.
                now = _read(process.pid)
                if now is not None and now.started == process.started:
                    signal.pidfd_send_signal(handle, number)
            except OSError:
                pass
            finally:
                os.close(handle)

    def gone(self) -> bool:
        """Whether nothing is left."""
        return not self.alive() and self.status is not None

    def terminated(self) -> bool:
        """Whether nothing is left; what the launcher has left behind gets a SIGTERM, once."""
        alive = self.alive()
        if self.status is not None:
            self.send(
                signal.SIGTERM, [process for process in alive if (process.pid, process.started) not in self._told]
            )
            self._told.update((process.pid, process.started) for process in alive)
        return not alive and self.status is not None

    def killed_all(self) -> bool:
        """Whether nothing is left; what is gets a SIGKILL."""
        alive = self.alive()
        self.killed.update((process.pid, process.started) for process in alive if not process.zombie)
        self.send(signal.SIGKILL, alive)
        return not alive and self.status is not None


class _Guard:
    """Follows a job through its life: running, lingering, being stopped, being killed."""

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

    def tell(self, *words: object) -> None:
        """Tell `run` what has happened, if it is still there."""
        try:
            os.write(self._control, (" ".join(map(str, words)) + "\n").encode())
        except OSError:
            pass

    def _wait(self, seconds: float | None, done: Callable[[], bool], *, scan: bool = True) -> bool:
        """Wait until `done`, asked after every event and, to scan, now and then; return whether that came in time."""
        every_s = _SCAN_S if scan else None
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            self._job.reap()
            if self._job.status is not None and not self._told_end:
                self._told_end = True
                self.tell(ENDED, self._job.status, time.monotonic() - self._begin)
            if done():
                return True
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return False
            times = [seconds for seconds in (left, every_s) if seconds is not None]
            if every_s is not None:
                every_s = min(every_s * _SCAN_GROWTH, _SCAN_MOST_S)
            # An end of the control channel would be readable for ever.
            watched = [self._child_ended] if self._orders.endswith(GONE) else [self._child_ended, self._control]
            for ready in select.select(watched, [], [], min(times) if times else None)[0]:
                if ready == self._control:
                    self._orders += os.read(self._control, 64) or GONE
                else:
                    os.read(self._child_ended, 4096)

    def _kill_ordered(self) -> bool:
        return KILL in self._orders

    def follow(self) -> None:
        """Return when nothing of the job is left."""
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
        self.tell(OVER, len(job.killed), *[process.pid for process in left])


# From `run`: its `pack`ed order, then single bytes.
STOP = b"T"
KILL = b"K"
GONE = b"."
# To `run`: lines of blank-separated words.
FAILED = "failed"  # errno
ENDED = "ended"  # wait status, seconds
OVER = "over"  # how many had to be killed, process ids that could not be


def pack(marker: str, grace_s: float, folder: str, command: list[str], environment: dict[str, str]) -> bytes:
    """Pack what the guard needs to know."""
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
        # What was ignored, as by nohup, the job ignores as well.
        ignored = signal.signal(number, signal.SIG_IGN) == signal.SIG_IGN
        job.dispositions[number] = signal.SIG_IGN if ignored else signal.SIG_DFL
    guard = _Guard(control, job, float(grace_s))
    try:
        job.start(command, environment, folder)
    except OSError as error:
        guard.tell(FAILED, error.errno)
        return
    # The output ends when the job's processes have closed it, and this is none of them.
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    guard.follow()


if __name__ == "__main__":
    _main()
    # There is nothing to clear up, and `run` waits for the end.
    os._exit(0)
