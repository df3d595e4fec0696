"""Postpones the signals that ask this process to end until a job has been stopped properly."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import FrameType, TracebackType

__all__ = ["PostponedSignals", "Stop"]

_ASKING_TO_END = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop:
    """Asks running jobs to end, from whatever thread; also those that are started later."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        self._requested = threading.Event()

    @property
    def requested(self) -> bool:
        """Whether somebody has asked."""
        return self._requested.is_set()

    def request(self) -> None:
        """Ask."""
        if not self._requested.is_set():
            self._requested.set()
            os.write(self._write_end, b".")

    def wait(self, seconds: float) -> bool:
        """Wait so long; return at once, and true, when somebody asks."""
        return self._requested.wait(seconds)

    def fileno(self) -> int:
        """A descriptor that stays readable from the request on, for selectors."""
        return self._read_end

    def close(self) -> None:
        """Free the descriptors, when no job uses them any more."""
        os.close(self._read_end)
        os.close(self._write_end)


class PostponedSignals:
    """While it is entered, signals that ask to end are only counted; on leaving, the first of them is delivered.

    Python delivers signals to the main thread alone: entered in another thread it does nothing.
    """

    def __init__(self) -> None:
        self.received: list[signal.Signals] = []
        self._before: dict[signal.Signals, object] = {}
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
            for number in _ASKING_TO_END:
                # A process started with nohup ignores SIGHUP, and must go on doing so.
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        if threading.current_thread() is threading.main_thread():
            signal.set_wakeup_fd(self._wakeup_before)
        os.close(self._read_end)
        os.close(self._write_end)
        if self.received:
            signal.raise_signal(self.received[0])
