"""Persistent collectives: a function for each collective of ADCL.h."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adcl.runtime._buffers import Buffer, alltoallw_buffer, simple_buffer, vector_buffer
from adcl.runtime._collective import Collective, create

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mpi4py import MPI

    from adcl.runtime._buffers import BufferSpec, VectorSpec
    from adcl.runtime._native import Native

__all__ = [
    "allgather_init",
    "allgatherv_init",
    "allreduce_init",
    "alltoall_init",
    "alltoallv_init",
    "alltoallw_init",
    "barrier_init",
    "bcast_init",
    "exscan_init",
    "gather_init",
    "gatherv_init",
    "iallgather_init",
    "iallreduce_init",
    "ialltoall_init",
    "ibcast_init",
    "ireduce_init",
    "reduce_init",
    "reduce_scatter_block_init",
    "reduce_scatter_init",
    "scan_init",
    "scatter_init",
    "scatterv_init",
]

_Prepared = tuple[tuple[Buffer, ...], list[Any]]


def _type(native: Native, buffer: Buffer) -> Any:  # noqa: ANN401 - values of cffi
    return native.handle("MPI_Datatype", buffer.datatype)


def _simple(native: Native, buffer: Buffer) -> list[Any]:
    return [buffer.address, buffer.count, _type(native, buffer)]


def _vector(native: Native, buffer: Buffer) -> list[Any]:
    counts = native.ffi.NULL if buffer.counts is None else native.integers(buffer.counts)
    displs = native.ffi.NULL if buffer.displs is None else native.integers(buffer.displs)
    return [buffer.address, counts, displs, _type(native, buffer)]


def _types(native: Native, buffer: Buffer) -> list[Any]:
    address, counts, displs, _ = _vector(native, buffer)
    if buffer.types is None:
        return [address, counts, displs, native.ffi.NULL]
    types = native.ffi.new("MPI_Datatype[]", [native.handle("MPI_Datatype", one) for one in buffer.types])
    return [address, counts, displs, types]


def _op(native: Native, op: MPI.Op | None) -> Any:  # noqa: ANN401
    return native.handle("MPI_Op", native.mpi.SUM if op is None else op)


# ---- Without a root --------------------------------------------------------------------------------------------------


def barrier_init(comm: MPI.Intracomm | None = None) -> Collective:
    """Return a request for a barrier on `comm` (default: COMM_WORLD)."""
    return create("Barrier", comm, lambda _native, _comm: ((), []))


def _blocks(name: str, sendbuf: object, recvbuf: object, comm: MPI.Intracomm | None, *, divided: bool) -> Collective:
    def prepare(native: Native, comm: MPI.Intracomm) -> _Prepared:
        send = simple_buffer(native, sendbuf, writable=False, parts=comm.size if divided else 1)
        receive = simple_buffer(native, recvbuf, writable=True, parts=comm.size)
        return (send, receive), [*_simple(native, send), *_simple(native, receive)]

    return create(name, comm, prepare)


def allgather_init(sendbuf: BufferSpec, recvbuf: BufferSpec, comm: MPI.Intracomm | None = None) -> Collective:
    """Return a request that gathers the block of each rank on all ranks.

    `recvbuf` has a block for each rank, one after the other; an explicit count is the count of a block. `sendbuf` may
    be MPI.IN_PLACE. Collective over `comm`. Errors: see `allreduce_init`.
    """
    return _blocks("Allgather", sendbuf, recvbuf, comm, divided=False)


def alltoall_init(sendbuf: BufferSpec, recvbuf: BufferSpec, comm: MPI.Intracomm | None = None) -> Collective:
    """Return a request that sends block j of rank i to block i of rank j.

    Both arrays have a block for each rank; an explicit count is the count of a block. `sendbuf` may be MPI.IN_PLACE.
    Collective over `comm`. Errors: see `allreduce_init`.
    """
    return _blocks("Alltoall", sendbuf, recvbuf, comm, divided=True)


def allgatherv_init(sendbuf: BufferSpec, recvbuf: VectorSpec, comm: MPI.Intracomm | None = None) -> Collective:
    """Return a request that gathers blocks of different sizes on all ranks.

    `recvbuf`: [array, counts], [array, counts, displacements, datatype] or similar, in entries. Errors: see
    `allreduce_init`.
    """

    def prepare(native: Native, comm: MPI.Intracomm) -> _Prepared:
        send = simple_buffer(native, sendbuf, writable=False)
        receive = vector_buffer(native, recvbuf, comm.size, writable=True)
        return (send, receive), [*_simple(native, send), *_vector(native, receive)]

    return create("Allgatherv", comm, prepare)


def alltoallv_init(sendbuf: VectorSpec, recvbuf: VectorSpec, comm: MPI.Intracomm | None = None) -> Collective:
    """Return a request for an all-to-all with a count for each pair of ranks.

    Buffers: [array, counts], [array, counts, displacements, datatype] or similar, in entries. `sendbuf` may be
    MPI.IN_PLACE. Errors: see `allreduce_init`.
    """

    def prepare(native: Native, comm: MPI.Intracomm) -> _Prepared:
        send = vector_buffer(native, sendbuf, comm.size, writable=False)
        receive = vector_buffer(native, recvbuf, comm.size, writable=True)
        return (send, receive), [*_vector(native, send), *_vector(native, receive)]

    return create("Alltoallv", comm, prepare)


def alltoallw_init(sendbuf: VectorSpec, recvbuf: VectorSpec, comm: MPI.Intracomm | None = None) -> Collective:
    """Return a request for an all-to-all with a count and a datatype for each pair of ranks.

    Buffers: [array, counts, displacements in bytes, datatypes]. Errors: see `allreduce_init`.
    """

    def prepare(native: Native, comm: MPI.Intracomm) -> _Prepared:
        send = alltoallw_buffer(native, sendbuf, comm.size, writable=False)
        receive = alltoallw_buffer(native, recvbuf, comm.size, writable=True)
        return (send, receive), [*_types(native, send), *_types(native, receive)]

    return create("Alltoallw", comm, prepare)


# ---- Reductions ------------------------------------------------------------------------------------------------------


def _reduction(
    name: str, sendbuf: object, recvbuf: object, op: MPI.Op | None, comm: MPI.Intracomm | None
) -> Collective:
    def prepare(native: Native, _: MPI.Intracomm) -> _Prepared:
        send = simple_buffer(native, sendbuf, writable=False)
        receive = simple_buffer(native, recvbuf, writable=True)
        if send.array is not None and receive.array is not None and send.count != receive.count:
            raise ValueError(f"sendbuf has {send.count} entries, but recvbuf has {receive.count}; they must be equal")
        data = receive if receive.array is not None else send
        return (send, receive), [
            send.address,
            receive.address,
            data.count,
            _type(native, data),
            _op(native, op),
        ]

    return create(name, comm, prepare, op)


def allreduce_init(
    sendbuf: BufferSpec, recvbuf: BufferSpec, op: MPI.Op | None = None, comm: MPI.Intracomm | None = None
) -> Collective:
    """Return a request that combines the arrays of all ranks by `op` (default: MPI.SUM) on all ranks.

    Args:
        sendbuf: An array, [array, datatype], [array, count, datatype], or MPI.IN_PLACE.
        recvbuf: The same, with the same number of entries; written by each start.
        op: Operation of mpi4py. A user-defined operation must exist until the request is freed.
        comm: Communicator of mpi4py (default: COMM_WORLD).

    Collective over `comm`. If the arguments of one rank are invalid, this rank raises `TypeError` or `ValueError`, and
    all others raise an `adcl.Error`. Further errors: `MismatchError` if the ranks call different functions or pass
    different counts; `NoCodeletError`.
    """
    return _reduction("Allreduce", sendbuf, recvbuf, op, comm)


def scan_init(
    sendbuf: BufferSpec, recvbuf: BufferSpec, op: MPI.Op | None = None, comm: MPI.Intracomm | None = None
) -> Collective:
    """Return a request that combines the arrays of ranks 0 to i on rank i. Arguments: as in `allreduce_init`."""
    return _reduction("Scan", sendbuf, recvbuf, op, comm)


def exscan_init(
    sendbuf: BufferSpec, recvbuf: BufferSpec, op: MPI.Op | None = None, comm: MPI.Intracomm | None = None
) -> Collective:
    """Return a request that combines the arrays of ranks 0 to i - 1 on rank i. Arguments: as in `allreduce_init`."""
    return _reduction("Exscan", sendbuf, recvbuf, op, comm)


def reduce_scatter_block_init(
    sendbuf: BufferSpec, recvbuf: BufferSpec, op: MPI.Op | None = None, comm: MPI.Intracomm | None = None
) -> Collective:
    """Return a request that combines the arrays of all ranks, and leaves block i of the result on rank i.

    `sendbuf` has a block for each rank, `recvbuf` has one block. With MPI.IN_PLACE, `recvbuf` has all blocks. Other
    arguments: as in `allreduce_init`.
    """

    def prepare(native: Native, comm: MPI.Intracomm) -> _Prepared:
        send = simple_buffer(native, sendbuf, writable=False, parts=comm.size)
        receive = simple_buffer(native, recvbuf, writable=True, parts=comm.size if send.array is None else 1)
        if send.array is not None and send.count != receive.count:
            raise ValueError(
                f"a block of sendbuf has {send.count} entries, but recvbuf has {receive.count}; they must be equal"
            )
        return (send, receive), [
            send.address,
            receive.address,
            receive.count,
            _type(native, receive),
            _op(native, op),
        ]

    return create("Reduce_scatter_block", comm, prepare, op)


def reduce_scatter_init(
    sendbuf: BufferSpec,
    recvbuf: BufferSpec,
    counts: Sequence[int],
    op: MPI.Op | None = None,
    comm: MPI.Intracomm | None = None,
) -> Collective:
    """Return a request like `reduce_scatter_block_init`, with `counts[i]` entries for rank i."""

    def prepare(native: Native, comm: MPI.Intracomm) -> _Prepared:
        send = simple_buffer(native, sendbuf, writable=False)
        receive = simple_buffer(native, recvbuf, writable=True)
        if len(counts) != comm.size:
            raise ValueError(
                f"there are {len(counts)} counts, but the communicator has {comm.size} ranks; pass one per rank"
            )
        given = receive if send.array is None else send
        if given.count < sum(counts) or (send.array is not None and receive.count < counts[comm.rank]):
            raise ValueError(
                f"the counts are {list(counts)}, but the arrays have {send.count} and {receive.count} entries"
            )
        return (send, receive), [
            send.address,
            receive.address,
            native.integers(counts),
            _type(native, receive),
            _op(native, op),
        ]

    return create("Reduce_scatter", comm, prepare, op)


# ---- With a root -----------------------------------------------------------------------------------------------------


def _bcast(name: str, buf: object, root: int, comm: MPI.Intracomm | None) -> Collective:
    def prepare(native: Native, comm: MPI.Intracomm) -> _Prepared:
        buffer = simple_buffer(native, buf, writable=comm.rank != root)
        return (buffer,), [*_simple(native, buffer), root]

    return create(name, comm, prepare)


def bcast_init(buf: BufferSpec, root: int = 0, comm: MPI.Intracomm | None = None) -> Collective:
    """Return a request that copies the array of rank `root` to all ranks. Errors: see `allreduce_init`."""
    return _bcast("Bcast", buf, root, comm)


def _rooted(  # noqa: PLR0917 - the arguments of MPI
    name: str, sendbuf: object, recvbuf: object, op: MPI.Op | None, root: int, comm: MPI.Intracomm | None
) -> Collective:
    def prepare(native: Native, comm: MPI.Intracomm) -> _Prepared:
        send = simple_buffer(native, sendbuf, writable=False)
        receive = simple_buffer(native, recvbuf if comm.rank == root else None, writable=True)
        if send.array is not None and receive.array is not None and send.count != receive.count:
            raise ValueError(f"sendbuf has {send.count} entries, but recvbuf has {receive.count}; they must be equal")
        data = receive if receive.array is not None else send
        return (send, receive), [
            send.address,
            receive.address,
            data.count,
            _type(native, data),
            _op(native, op),
            root,
        ]

    return create(name, comm, prepare, op)


def reduce_init(
    sendbuf: BufferSpec,
    recvbuf: BufferSpec,
    op: MPI.Op | None = None,
    root: int = 0,
    comm: MPI.Intracomm | None = None,
) -> Collective:
    """Return a request that combines the arrays of all ranks on rank `root`.

    `recvbuf` matters only at the root, whose `sendbuf` may be MPI.IN_PLACE. Other arguments: as in `allreduce_init`.
    """
    return _rooted("Reduce", sendbuf, recvbuf, op, root, comm)


def gather_init(
    sendbuf: BufferSpec, recvbuf: BufferSpec, root: int = 0, comm: MPI.Intracomm | None = None
) -> Collective:
    """Return a request that gathers the block of each rank on rank `root`.

    `recvbuf` matters only at the root and has a block for each rank; an explicit count is the count of a block.
    Errors: see `allreduce_init`.
    """

    def prepare(native: Native, comm: MPI.Intracomm) -> _Prepared:
        send = simple_buffer(native, sendbuf, writable=False)
        receive = simple_buffer(native, recvbuf if comm.rank == root else None, writable=True, parts=comm.size)
        return (send, receive), [*_simple(native, send), *_simple(native, receive), root]

    return create("Gather", comm, prepare)


def gatherv_init(
    sendbuf: BufferSpec, recvbuf: VectorSpec, root: int = 0, comm: MPI.Intracomm | None = None
) -> Collective:
    """Return a request that gathers blocks of different sizes on rank `root`; `recvbuf` as in `allgatherv_init`."""

    def prepare(native: Native, comm: MPI.Intracomm) -> _Prepared:
        send = simple_buffer(native, sendbuf, writable=False)
        receive = vector_buffer(native, recvbuf if comm.rank == root else None, comm.size, writable=True)
        return (send, receive), [*_simple(native, send), *_vector(native, receive), root]

    return create("Gatherv", comm, prepare)


def scatter_init(
    sendbuf: BufferSpec, recvbuf: BufferSpec, root: int = 0, comm: MPI.Intracomm | None = None
) -> Collective:
    """Return a request that sends block i of the array of rank `root` to rank i.

    `sendbuf` matters only at the root, whose `recvbuf` may be MPI.IN_PLACE. Errors: see `allreduce_init`.
    """

    def prepare(native: Native, comm: MPI.Intracomm) -> _Prepared:
        send = simple_buffer(native, sendbuf if comm.rank == root else None, writable=False, parts=comm.size)
        receive = simple_buffer(native, recvbuf, writable=True)
        return (send, receive), [*_simple(native, send), *_simple(native, receive), root]

    return create("Scatter", comm, prepare)


def scatterv_init(
    sendbuf: VectorSpec, recvbuf: BufferSpec, root: int = 0, comm: MPI.Intracomm | None = None
) -> Collective:
    """Return a request that sends blocks of different sizes from rank `root`; `sendbuf` as in `allgatherv_init`."""

    def prepare(native: Native, comm: MPI.Intracomm) -> _Prepared:
        send = vector_buffer(native, sendbuf if comm.rank == root else None, comm.size, writable=False)
        receive = simple_buffer(native, recvbuf, writable=True)
        return (send, receive), [*_vector(native, send), *_simple(native, receive), root]

    return create("Scatterv", comm, prepare)


# ---- Nonblocking -----------------------------------------------------------------------------------------------------


def ibcast_init(buf: BufferSpec, root: int = 0, comm: MPI.Intracomm | None = None) -> Collective:
    """Return a request like `bcast_init` whose candidates overlap with computation: use `init`, `progress`, `wait`."""
    return _bcast("Ibcast", buf, root, comm)


def iallgather_init(sendbuf: BufferSpec, recvbuf: BufferSpec, comm: MPI.Intracomm | None = None) -> Collective:
    """Return a request like `allgather_init` for `init`, `progress` and `wait`."""
    return _blocks("Iallgather", sendbuf, recvbuf, comm, divided=False)


def ialltoall_init(sendbuf: BufferSpec, recvbuf: BufferSpec, comm: MPI.Intracomm | None = None) -> Collective:
    """Return a request like `alltoall_init` for `init`, `progress` and `wait`."""
    return _blocks("Ialltoall", sendbuf, recvbuf, comm, divided=True)


def ireduce_init(
    sendbuf: BufferSpec,
    recvbuf: BufferSpec,
    op: MPI.Op | None = None,
    root: int = 0,
    comm: MPI.Intracomm | None = None,
) -> Collective:
    """Return a request like `reduce_init` for `init`, `progress` and `wait`."""
    return _rooted("Ireduce", sendbuf, recvbuf, op, root, comm)


def iallreduce_init(
    sendbuf: BufferSpec, recvbuf: BufferSpec, op: MPI.Op | None = None, comm: MPI.Intracomm | None = None
) -> Collective:
    """Return a request like `allreduce_init` for `init`, `progress` and `wait`."""
    return _reduction("Iallreduce", sendbuf, recvbuf, op, comm)
