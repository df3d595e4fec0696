"""The exception of a Python function that the library called, until the call that ran it returns."""

from __future__ import annotations

import threading

__all__ = ["set_pending", "take_pending"]


class _Pending(threading.local):
    error: BaseException | None = None


_pending = _Pending()


def set_pending(error: BaseException) -> None:
    """Store the exception of this thread; the first one counts."""
    if _pending.error is None:
        _pending.error = error


def take_pending() -> BaseException | None:
    """Return and clear the exception of this thread."""
    found, _pending.error = _pending.error, None
    return found
