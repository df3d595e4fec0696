"""Postpone termination signals of this process until the job has been stopped."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType, TracebackType

__all__ = ["PostponedSignals", "Stop"]

_ASKING_TO_END = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop:
    """Asks running and later jobs to end; any thread or signal handler may use it."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        self._requested = False

    @property
    def requested(self) -> bool:
        """Whether a stop was requested."""
        return self._requested

    def request(self) -> None:
        """Request a stop."""
        # No lock: a signal handler may interrupt the thread that holds it. A second byte in the pipe is harmless.
        if not self._requested:
            self._requested = True
            os.write(self._write_end, b".")

    @contextlib.contextmanager
    def on_signals(self) -> Iterator[None]:
        """Context manager for the main thread: the first termination signal becomes a stop request.

        The running code is not interrupted and finishes by itself. A second signal raises `KeyboardInterrupt`.
        """

        def handle(_number: int, _frame: FrameType | None) -> None:
            if self._requested:
                raise KeyboardInterrupt
            self.request()

        before = _replace_handlers(handle)
        try:
            yield
        finally:
            _restore_handlers(before)

    def wait(self, seconds: float) -> bool:
        """Wait for `seconds`; return True at once when a stop is requested."""
        return bool(select.select([self._read_end], [], [], seconds)[0])

    def fileno(self) -> int:
        """Return a descriptor that is readable after a request, for selectors."""
        return self._read_end

    def close(self) -> None:
        """Close the descriptors; no job may use the object afterward."""
        os.close(self._read_end)
        os.close(self._write_end)


def _replace_handlers(handler: Callable[[int, FrameType | None], None]) -> dict[signal.Signals, Any]:
    """Install `handler` for the termination signals (SIGINT, SIGTERM, SIGHUP); return the previous handlers."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    # Under nohup, SIGHUP remains ignored.
    heard = [number for number in _ASKING_TO_END if signal.getsignal(number) not in (signal.SIG_IGN, None)]
    return {number: signal.signal(number, handler) for number in heard}


def _restore_handlers(before: dict[signal.Signals, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)


class PostponedSignals:
    """Context manager that counts termination signals and delivers the first signal on exit.

    Python delivers signals only to the main thread; in other threads this has no effect.
    """

    def __init__(self) -> None:
        self.received: list[signal.Signals] = []
        self._before: dict[signal.Signals, Any] = {}
        self._wakeup_before = -1
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        os.set_blocking(self._write_end, False)

    def fileno(self) -> int:
        """Return a descriptor that becomes readable when a signal arrives, for selectors."""
        return self._read_end

    def drain(self) -> None:
        """Make `fileno` unreadable again."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._read_end, 4096)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.received.append(signal.Signals(number))

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._wakeup_before = signal.set_wakeup_fd(self._write_end, warn_on_full_buffer=False)
            self._before = _replace_handlers(self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _restore_handlers(self._before)
        if threading.current_thread() is threading.main_thread():
            signal.set_wakeup_fd(self._wakeup_before)
        os.close(self._read_end)
        os.close(self._write_end)
        if self.received:
            signal.raise_signal(self.received[0])
