"""Creates the request of a collective; errors of one rank reach all ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adcl.runtime._arrays import as_array
from adcl.runtime._errors import error_for
from adcl.runtime._native import native
from adcl.runtime._request import Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from mpi4py import MPI

    from adcl.runtime._arrays import Array
    from adcl.runtime._buffers import Buffer
    from adcl.runtime._native import Native

__all__ = ["Collective", "create"]


class Collective(Request):
    """The request of a collective operation."""

    def __init__(self, handle: Any, kept: tuple[Any, ...], buffers: tuple[Buffer, ...]) -> None:  # noqa: ANN401
        super().__init__(handle, (kept, buffers))
        self._buffers = buffers

    def start_with(self, sendbuf: Array | None, recvbuf: Array | None) -> None:
        """Run the operation with other arrays of the same sizes. Collective.

        Pass None for an array that the call does not use, such as the send array of an operation in place; a broadcast
        has only `recvbuf`. Raises `ValueError` if an array is smaller than the one that the request was created with.
        """
        self._with(self._native.lib.ADCL_Request_start_with, sendbuf, recvbuf)

    def init_with(self, sendbuf: Array | None, recvbuf: Array | None) -> None:
        """Start the operation with other arrays, as in `start_with`; `wait` completes it."""
        self._with(self._native.lib.ADCL_Request_init_with, sendbuf, recvbuf)

    def _with(self, call: Any, sendbuf: object, recvbuf: object) -> None:  # noqa: ANN401 - a function of cffi
        send, receive = self._buffers if len(self._buffers) == 2 else (self._buffers[0], self._buffers[0])  # noqa: PLR2004
        if len(self._buffers) == 1 and sendbuf is None:
            sendbuf = recvbuf
        self._check(
            call(
                self._handle,
                self._address(sendbuf, send, writable=False),
                self._address(recvbuf, receive, writable=True),
            )
        )

    def _address(self, given: object, created: Buffer, *, writable: bool) -> Any:  # noqa: ANN401
        if given is None:
            return self._native.ffi.NULL
        array = as_array(given, writable=writable)
        if created.array is not None:
            expected = created.array
            if (array.nbytes, array.dtype) != (expected.nbytes, expected.dtype) or not (
                array.flags.c_contiguous or array.flags.f_contiguous
            ):
                raise ValueError(
                    f"the array has {array.nbytes} bytes of type {array.dtype}, but the request was created for "
                    f"{expected.nbytes} contiguous bytes of type {expected.dtype}"
                )
        return self._native.ffi.cast("void *", array.ctypes.data)


def create(
    name: str,
    comm: MPI.Intracomm | None,
    prepare: Callable[[Native, MPI.Intracomm], tuple[tuple[Buffer, ...], list[Any]]],
    *kept: object,
) -> Collective:
    """Call ``ADCL_NAME_init`` with the arguments that `prepare` returns, between which communicator and request follow.

    If `prepare` raises an exception on a rank, this rank calls the function with invalid arguments, so that all ranks
    fail together.
    """
    library = native()
    ffi, mpi = library.ffi, library.mpi
    comm = mpi.COMM_WORLD if comm is None else comm
    if not isinstance(comm, mpi.Comm):
        raise TypeError(f"comm is {comm!r}; pass a communicator of mpi4py")
    function = getattr(library.lib, f"ADCL_{name}_init")
    request = ffi.new("ADCL_Request *", library.null("REQUEST"))
    handle = library.handle("MPI_Comm", comm)
    buffers: tuple[Buffer, ...] = ()
    try:
        buffers, arguments = prepare(library, comm)
    except Exception:
        function(*_invalid(library, function), handle, request)
        raise
    code = function(*arguments, handle, request)
    if code:
        raise error_for(code, ffi.string(library.lib.ADCL_Last_error()).decode(errors="replace"))
    return Collective(request[0], (kept, comm), buffers)


def _invalid(library: Native, function: Any) -> list[Any]:  # noqa: ANN401 - a function of cffi
    """Return arguments that the function rejects on all ranks: negative counts and null pointers."""
    mpi, ffi = library.mpi, library.ffi
    values: dict[str, Any] = {
        "MPI_Datatype": library.handle("MPI_Datatype", mpi.BYTE),
        "MPI_Op": library.handle("MPI_Op", mpi.BOR),
    }
    parameters = [one.cname for one in ffi.typeof(function).args[:-2]]
    return [-1 if one == "int" else ffi.NULL if one.endswith("*") else values.get(one) for one in parameters]
