"""Requests: operations that tune themselves."""

from __future__ import annotations

import warnings
import weakref
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from adcl.runtime._native import native
from adcl.runtime._pending import take_pending
from adcl.runtime.generated.declarations import CONSTANTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType
    from typing import Self

    from mpi4py import MPI

__all__ = ["Candidate", "Request", "find", "requests"]

_kept: dict[int, tuple[Any, ...]] = {}
"""Objects that the library uses, by request. A request that was not freed keeps its arrays until the program ends."""

_living: weakref.WeakValueDictionary[int, Request] = weakref.WeakValueDictionary()
"""Requests that were not freed, for `adcl.report`, by handle."""


@dataclass(frozen=True)
class Candidate:
    """A codelet of a request and its measurements in the mode used last."""

    name: str
    measurements: int
    """Smallest number of samples of a rank."""

    mean_s: float
    """Largest mean time over the ranks, in seconds; 0 if not measured."""

    filtered_mean_s: float
    """The same without outliers."""

    outliers: int


class Request:
    """A persistent operation that measures its codelets in the first starts, and then runs the fastest.

    `adcl.Halo`, functions such as `adcl.allreduce_init`, and `adcl.FunctionSet.request` create requests. A request
    keeps its arrays alive. Use it as a context manager: leaving the block frees it. Freeing is collective. After an
    exception in the block the request is not freed, because the other ranks may not come there; ADCL frees it at the
    end of the program.

    Raises subclasses of `adcl.Error` with the library's message.
    """

    def __init__(self, handle: Any, kept: tuple[Any, ...]) -> None:  # noqa: ANN401 - a handle of cffi
        library = native()
        self._native = library
        self._handle = handle
        self._key = int(library.ffi.cast("intptr_t", handle))
        self.context: Any = None
        """An object for the codelets of a function set in Python."""
        self._run = library.lib.ADCL_Request_start
        _kept[self._key] = kept
        _living[self._key] = self

    # ---- Running ----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Run the operation once, from beginning to end. Collective; all ranks start requests in the same order.

        Raises `StateError` if it is in flight, `NoCodeletError`, and `CallbackError` if a codelet in Python failed.
        """
        code = self._run(self._handle)
        if code:
            self._fail(code)

    def init(self) -> None:
        """Start the operation; `wait` completes it. Do not access the data in between. Collective.

        Raises `StateError` if it is in flight, `NoCodeletError` if no candidate is nonblocking.
        """
        self._check(self._native.lib.ADCL_Request_init(self._handle))

    def wait(self) -> None:
        """Complete the operation that `init` started. Raises `StateError` without `init`."""
        self._check(self._native.lib.ADCL_Request_wait(self._handle))

    def test(self) -> bool:
        """Advance the operation; return whether it is complete. Local. Raises `StateError` without `init`."""
        flag = self._native.ffi.new("int *")
        self._check(self._native.lib.ADCL_Request_test(self._handle, flag))
        return bool(flag[0])

    def progress(self, depth: int = 0) -> None:
        """Advance an operation in flight. Local. `depth`: nesting level of the calling loop, 0 for the outermost."""
        self._check(self._native.lib.ADCL_Request_progress(self._handle, depth))

    @contextmanager
    def overlap(self) -> Iterator[Self]:
        """Start the operation, run the block, and complete it: ``with request.overlap(): compute_interior()``."""
        self.init()
        try:
            yield self
        finally:
            self.wait()

    def start_overlap(
        self,
        mid: Callable[[], object],
        end: Callable[[], object],
        total: Callable[[], object] | None = None,
    ) -> None:
        """Measure communication and computation as one unit. Collective like `start`.

        With a nonblocking codelet, calls `mid` (work that needs no received data) during the operation and `end` after
        it. With a blocking codelet, calls `total` after it (default: `mid`, then `end`). The operation is completed
        before an exception of a function is raised again.
        """
        from adcl.runtime._callback import work_function

        errors: list[BaseException] = []

        def both() -> None:
            mid()
            end()

        functions = [work_function(work, errors) for work in (mid, end, total or both)]
        self._check(self._native.lib.ADCL_Request_start_overlap(self._handle, *functions))
        if errors:
            raise errors[0]

    def update(self, seconds: float) -> None:
        """Replace the measured time of the last start with `seconds`, at least 0. Local."""
        self._check(self._native.lib.ADCL_Request_update(self._handle, seconds))

    def verify(self) -> None:
        """Re-check the decision after a change that the library cannot detect. Collective."""
        self._check(self._native.lib.ADCL_Request_verify(self._handle))

    # ---- Lifetime ---------------------------------------------------------------------------------------------------

    def free(self) -> None:
        """Free the request. Collective over its communicator. A second call does nothing.

        Raises `StateError` if it is in flight.
        """
        if self._key not in _kept:
            return
        slot = self._native.ffi.new("ADCL_Request *", self._handle)
        self._check(self._native.lib.ADCL_Request_free(slot))
        self._handle = slot[0]
        _living.pop(self._key, None)
        _kept.pop(self._key)
        self._released()

    def __del__(self) -> None:
        if getattr(self, "_key", None) in _kept and not self._native.is_finalized():
            warnings.warn(
                "a request of ADCL was not freed: its arrays stay in memory until the program ends; use it in a `with` "
                "statement, or call free() on all ranks",
                ResourceWarning,
                stacklevel=2,
            )

    def _released(self) -> None:
        """Release what the request used; subclasses free their objects here."""

    @property
    def freed(self) -> bool:
        """Whether `free` was called, or the block of ``with`` ended."""
        return self._key not in _kept

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.free()

    def __repr__(self) -> str:
        if self.freed:
            return f"<{type(self).__name__}, freed>"
        return f"<{type(self).__name__} of {self.function_set}: {self.winner or 'searching'}>"

    # ---- Queries ----------------------------------------------------------------------------------------------------

    @property
    def decided(self) -> bool:
        """Whether the request runs a winner, in the mode used last. Local, like all properties."""
        state = self._native.ffi.new("int *")
        self._check(self._native.lib.ADCL_Request_get_state(self._handle, state))
        return bool(state[0] == CONSTANTS["ADCL_STATE_PRODUCTION"])

    @property
    def winner(self) -> str:
        """Name of the winner; "" while searching."""
        return self._native.text(self._native.lib.ADCL_Request_get_winner, self._handle)

    @property
    def current(self) -> str:
        """Name of the codelet that ran last; "" before the first start."""
        return self._native.text(self._native.lib.ADCL_Request_get_curr_function, self._handle)

    @property
    def function_set(self) -> str:
        """Name of the function set."""
        return self._native.text(self._native.lib.ADCL_Request_get_fsname, self._handle)

    @property
    def candidates(self) -> list[Candidate]:
        """The codelets that are applicable on all ranks, with their measurements."""
        ffi, lib = self._native.ffi, self._native.lib
        number = ffi.new("int *")
        self._check(lib.ADCL_Request_get_functions_num(self._handle, number))
        name, samples, outliers = ffi.new("char[]", 256), ffi.new("int *"), ffi.new("int *")
        mean, filtered = ffi.new("double *"), ffi.new("double *")
        found = []
        for i in range(number[0]):
            self._check(lib.ADCL_Request_get_statistics(self._handle, i, name, 256, samples, mean, filtered, outliers))
            found.append(
                Candidate(ffi.string(name).decode(errors="replace"), samples[0], mean[0], filtered[0], outliers[0])
            )
        return found

    @property
    def comm(self) -> MPI.Intracomm:
        """Communicator for the codelets of this request, a duplicate. Do not free it."""
        comm = self._native.ffi.new("MPI_Comm *")
        null = self._native.ffi.NULL
        self._check(self._native.lib.ADCL_Request_get_comm(self._handle, comm, null, null))
        return self._native.communicator(comm[0])

    def attribute_values(self, number: int) -> list[int]:
        """Return the `number` attribute values of the codelet that runs or ran last."""
        values = self._native.ffi.new("int[]", number)
        self._check(self._native.lib.ADCL_Request_get_attribute_values(self._handle, number, values))
        return list(values)

    def set_name(self, name: str) -> None:
        """Set the name in reports and traces: 1 to 255 bytes. Raises `ArgumentError`."""
        self._check(self._native.lib.ADCL_Request_set_name(self._handle, name.encode()))

    def save_status(self) -> list[Candidate]:
        """Return the results of the search, for `restore_status` of a later request with the same function set."""
        return self.candidates

    def restore_status(self, saved: Sequence[Candidate]) -> None:
        """Restore the results of `save_status` before the first start: measured candidates are not measured again.

        Collective; the values of rank 0 apply. Raises `StateError` after the first start, `ArgumentError` if the number
        of candidates differs.
        """
        ffi = self._native.ffi
        self._check(
            self._native.lib.ADCL_Request_restore_status(
                self._handle,
                len(saved),
                ffi.new("int[]", [one.measurements for one in saved]),
                ffi.new("double[]", [one.mean_s for one in saved]),
                ffi.new("double[]", [one.filtered_mean_s for one in saved]),
                ffi.new("int[]", [one.outliers for one in saved]),
            )
        )

    # ---- Errors -----------------------------------------------------------------------------------------------------

    def _check(self, code: int) -> None:
        if code:
            self._fail(code)

    def _fail(self, code: int) -> NoReturn:
        cause = take_pending()
        try:
            self._native.fail(code)
        except Exception as error:
            if cause is not None:
                raise error from cause
            raise


def requests() -> list[Request]:
    """Return the requests that were not freed, in the order of their creation."""
    return list(_living.values())


def find(handle: Any) -> Request:  # noqa: ANN401 - a handle of cffi
    """Return the request that a codelet received. Raises `KeyError` if it was freed."""
    return _living[int(native().ffi.cast("intptr_t", handle))]
