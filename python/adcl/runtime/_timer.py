"""Tunes several requests together."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from adcl.runtime._native import native
from adcl.runtime.generated.declarations import CONSTANTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

    from adcl.runtime._request import Request

__all__ = ["Timer"]


class Timer:
    """Tunes several requests by the measured time of a part of the program, such as an iteration.

    Example::

        with adcl.Timer(halo, total) as timer:
            for step in range(steps):
                with timer.part():
                    halo.start()
                    update(u)
                    total.start()

    Collective over the communicator of the first request. Raises `ArgumentError` if a request occurs twice,
    `StateError` if it is in flight or in another timer. Leaving the block frees the timer, except after an exception.
    """

    def __init__(self, *requests: Request) -> None:
        library = native()
        self._native = library
        self._requests = list(requests)
        self._slot = library.ffi.new("ADCL_Timer *", library.null("TIMER"))
        handles = library.ffi.new("ADCL_Request[]", [one._handle for one in requests])  # noqa: SLF001
        library.check(library.lib.ADCL_Timer_create(len(requests), handles, self._slot))

    def start(self) -> None:
        """Begin the timed part. Collective. Raises `StateError` if it is running, or not committed."""
        self._native.check(self._native.lib.ADCL_Timer_start(self._slot[0]))

    def stop(self) -> None:
        """End the timed part. Collective. Raises `StateError` if it is not running."""
        self._native.check(self._native.lib.ADCL_Timer_stop(self._slot[0]))

    @contextmanager
    def part(self) -> Iterator[Self]:
        """Time the block: `start`, the block, `stop`. After an exception in the block the part does not end."""
        self.start()
        yield self
        self.stop()

    def add(self, request: Request) -> None:
        """Add a request; call `commit` before the next start. Local."""
        self._native.check(self._native.lib.ADCL_Timer_add_request(self._slot[0], request._handle))  # noqa: SLF001
        self._requests.append(request)

    def remove(self, request: Request) -> None:
        """Remove a request; call `commit` before the next start. Local."""
        self._native.check(self._native.lib.ADCL_Timer_remove_request(self._slot[0], request._handle))  # noqa: SLF001
        self._requests.remove(request)

    def commit(self) -> None:
        """Begin a new search with the timer's requests. Collective. Raises `StateError` if there are none."""
        self._native.check(self._native.lib.ADCL_Timer_commit(self._slot[0]))

    @property
    def decided(self) -> bool:
        """Whether the requests run the best combination. Local."""
        state = self._native.ffi.new("int *")
        self._native.check(self._native.lib.ADCL_Timer_get_state(self._slot[0], state))
        return bool(state[0] == CONSTANTS["ADCL_STATE_PRODUCTION"])

    def free(self) -> None:
        """Free the timer; the requests keep their winners. Collective. A second call does nothing."""
        if self._slot[0] != self._native.null("TIMER"):
            self._native.check(self._native.lib.ADCL_Timer_free(self._slot))
            self._requests.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.free()
