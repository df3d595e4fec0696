"""Postpones the signals that ask this process to end until a job has been stopped properly."""

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
    """Asks running jobs to end, from whatever thread or signal handler; also those that are started later."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        self._requested = False

    @property
    def requested(self) -> bool:
        """Whether somebody has asked."""
        return self._requested

    def request(self) -> None:
        """Ask."""
        # No lock: a handler interrupts a thread that may hold it. A second byte in the pipe would do no harm.
        if not self._requested:
            self._requested = True
            os.write(self._write_end, b".")

    @contextlib.contextmanager
    def on_signals(self) -> Iterator[None]:
        """While it is entered in the main thread, the first signal that asks to end is a request.

        What runs then is not torn apart, and comes to an end of its own. A further signal raises `KeyboardInterrupt`
        wherever the main thread is.
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
        """Wait so long; return at once, and true, when somebody asks."""
        return bool(select.select([self._read_end], [], [], seconds)[0])

    def fileno(self) -> int:
        """A descriptor that stays readable from the request on, for selectors."""
        return self._read_end

    def close(self) -> None:
        """Free the descriptors, when no job uses them any more."""
        os.close(self._read_end)
        os.close(self._write_end)


def _replace_handlers(handler: Callable[[int, FrameType | None], None]) -> dict[signal.Signals, Any]:
    """Have `handler` called for all that asks to end; returns what was called before."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    # A process started with nohup ignores SIGHUP, and must go on doing so.
    heard = [number for number in _ASKING_TO_END if signal.getsignal(number) not in (signal.SIG_IGN, None)]
    return {number: signal.signal(number, handler) for number in heard}


def _restore_handlers(before: dict[signal.Signals, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)


class PostponedSignals:
    """While it is entered, signals that ask to end are only counted; on leaving, the first of them is delivered.

    Python delivers signals to the main thread alone: entered in another thread it does nothing.
    """

    def __init__(self) -> None:
        self.received: list[signal.Signals] = []
        self._before: dict[signal.Signals, Any] = {}
        self._wakeup_before = -1
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        os.set_blocking(self._write_end, False)

    def fileno(self) -> int:
        """A descriptor that becomes readable when a signal arrives, for selectors."""
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
