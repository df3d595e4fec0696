"""Compares every collective of the Python interface with mpi4py's call: ``runtime_collectives.py SEED ROUNDS``."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI

import adcl

if TYPE_CHECKING:
    from collections.abc import Callable

COMM = MPI.COMM_WORLD
P, R = COMM.size, COMM.rank
TYPES = ["i4", "i8", "u2", "f8", "c16"]
Memory = np.ndarray[Any, np.dtype[Any]]
Pair = tuple[Memory, "Callable[[], object]", adcl.Request, Memory]


def small(rng: np.random.Generator, count: int, dtype: str) -> Memory:
    """Return small integers, whose sums are exact in every order."""
    return (rng.integers(0, 50, count) + R).astype(dtype)


def _with_blocks(rng: np.random.Generator, dtype: str, count: int, root: int) -> dict[str, Pair]:
    one, many = small(rng, count, dtype), small(rng, count * P, dtype)
    at_root = root == R
    out: list[Memory] = [np.zeros(count * P, dtype) for _ in range(12)]
    one_out = [np.zeros(count, dtype) for _ in range(2)]
    pairs: dict[str, Pair] = {
        "allgather": (out[0], lambda: COMM.Allgather(one, out[0]), adcl.allgather_init(one, out[1]), out[1]),
        "iallgather": (out[2], lambda: COMM.Allgather(one, out[2]), adcl.iallgather_init(one, out[3]), out[3]),
        "alltoall": (out[4], lambda: COMM.Alltoall(many, out[4]), adcl.alltoall_init(many, out[5]), out[5]),
        "ialltoall": (out[6], lambda: COMM.Alltoall(many, out[6]), adcl.ialltoall_init(many, out[7]), out[7]),
        "gather": (
            out[8],
            lambda: COMM.Gather(one, out[8] if at_root else None, root),
            adcl.gather_init(one, out[9] if at_root else None, root),
            out[9],
        ),
        "scatter": (
            one_out[0],
            lambda: COMM.Scatter(many if at_root else None, one_out[0], root),
            adcl.scatter_init(many if at_root else None, one_out[1], root),
            one_out[1],
        ),
    }
    for name, call in (("bcast", adcl.bcast_init), ("ibcast", adcl.ibcast_init)):
        theirs, ours = one.copy(), one.copy()
        pairs[name] = (theirs, partial(COMM.Bcast, theirs, root), call(ours, root), ours)
    return pairs


def _reductions(rng: np.random.Generator, dtype: str, count: int, root: int) -> dict[str, Pair]:
    one, many = small(rng, count, dtype), small(rng, count * P, dtype)
    op = MPI.PROD if dtype == "f8" else MPI.SUM
    pairs: dict[str, Pair] = {}
    rooted = {"reduce": adcl.reduce_init, "ireduce": adcl.ireduce_init}
    for name, init_rooted in rooted.items():
        theirs, ours = np.zeros(count, dtype), np.zeros(count, dtype)
        pairs[name] = (theirs, partial(COMM.Reduce, one, theirs, op, root), init_rooted(one, ours, op, root), ours)
    for name, init, call in (
        ("allreduce", adcl.allreduce_init, COMM.Allreduce),
        ("iallreduce", adcl.iallreduce_init, COMM.Allreduce),
        ("scan", adcl.scan_init, COMM.Scan),
        ("exscan", adcl.exscan_init, COMM.Exscan),
    ):
        theirs, ours = np.zeros(count, dtype), np.zeros(count, dtype)
        pairs[name] = (theirs, partial(call, one, theirs, op), init(one, ours, op), ours)
    theirs, ours = np.zeros(count, dtype), np.zeros(count, dtype)
    pairs["reduce_scatter_block"] = (
        theirs,
        partial(COMM.Reduce_scatter_block, many, theirs, op),
        adcl.reduce_scatter_block_init(many, ours, op),
        ours,
    )
    counts = [count + i for i in range(P)]
    blocks = small(rng, sum(counts), dtype)
    theirs, ours = np.zeros(counts[R], dtype), np.zeros(counts[R], dtype)
    pairs["reduce_scatter"] = (
        theirs,
        partial(COMM.Reduce_scatter, blocks, theirs, counts, op),
        adcl.reduce_scatter_init(blocks, ours, counts, op),
        ours,
    )
    return pairs


def _with_counts(rng: np.random.Generator, dtype: str, count: int, root: int) -> dict[str, Pair]:
    counts = [count + i for i in range(P)]
    displs = [2 * sum(counts[:i]) for i in range(P)]
    mpi_type = MPI.Datatype.fromcode(np.dtype(dtype).char)
    at_root = root == R
    mine, whole = small(rng, counts[R], dtype), small(rng, 2 * sum(counts), dtype)
    out = [np.zeros(2 * sum(counts), dtype) for _ in range(4)]
    part = [np.zeros(counts[R], dtype) for _ in range(2)]

    def spec(array: Memory) -> list[Any]:
        return [array, counts, displs, mpi_type]

    pairs: dict[str, Pair] = {
        "allgatherv": (
            out[0],
            lambda: COMM.Allgatherv(mine, spec(out[0])),
            adcl.allgatherv_init(mine, spec(out[1])),
            out[1],
        ),
        "gatherv": (
            out[2],
            lambda: COMM.Gatherv(mine, spec(out[2]) if at_root else None, root),
            adcl.gatherv_init(mine, spec(out[3]) if at_root else None, root),
            out[3],
        ),
        "scatterv": (
            part[0],
            lambda: COMM.Scatterv(spec(whole) if at_root else None, part[0], root),
            adcl.scatterv_init(spec(whole) if at_root else None, part[1], root),
            part[1],
        ),
    }
    to, of = [R + i for i in range(P)], [R + i for i in range(P)]
    send, theirs, ours = small(rng, sum(to), dtype), np.zeros(sum(of), dtype), np.zeros(sum(of), dtype)
    pairs["alltoallv"] = (
        theirs,
        lambda: COMM.Alltoallv([send, to], [theirs, of]),
        adcl.alltoallv_init([send, to], [ours, of]),
        ours,
    )
    size = np.dtype(dtype).itemsize
    steps = [size * sum(to[:i]) for i in range(P)]
    w_theirs, w_ours = np.zeros(sum(of), dtype), np.zeros(sum(of), dtype)
    words = (to, steps), [mpi_type] * P
    pairs["alltoallw"] = (
        w_theirs,
        lambda: COMM.Alltoallw([send, *words], [w_theirs, *words]),
        adcl.alltoallw_init([send, *words], [w_ours, *words]),
        w_ours,
    )
    return pairs


def in_place(dtype: str) -> None:
    """Reduce and gather in place."""
    ours, theirs = np.full(3, R + 1, dtype), np.full(3, R + 1, dtype)
    with adcl.allreduce_init(MPI.IN_PLACE, ours) as request:
        request.start()
    COMM.Allreduce(MPI.IN_PLACE, theirs)
    assert np.array_equal(ours, theirs), (ours, theirs)
    blocks = np.zeros(2 * P, dtype)
    blocks[2 * R : 2 * R + 2] = R
    with adcl.allgather_init(MPI.IN_PLACE, blocks) as request:
        request.start()
    assert blocks.tolist() == [i // 2 for i in range(2 * P)], blocks


def other_arrays() -> None:
    """Run a request with other arrays."""
    send, receive, other = np.full(4, 1.0), np.zeros(4), np.full(4, float(R))
    result = np.zeros(4)
    with adcl.allreduce_init(send, receive) as request:
        for _ in range(5):
            request.start_with(other, result)
            assert result.tolist() == [sum(range(P))] * 4
            request.init_with(send, result)
            request.wait()
            assert result.tolist() == [P] * 4
        try:
            request.start_with(other[:2].copy(), result)
        except ValueError as error:
            assert "16 bytes" in str(error), error
        else:
            raise AssertionError


def main() -> None:
    """Entry point."""
    common, rng = np.random.default_rng(int(sys.argv[1])), np.random.default_rng([int(sys.argv[1]), R])
    for _ in range(int(sys.argv[2])):
        dtype, count, root = str(common.choice(TYPES)), int(common.integers(0, 20)), int(common.integers(0, P))
        pairs = _with_blocks(rng, dtype, count, root)
        pairs |= _reductions(rng, dtype, count, root) | _with_counts(rng, dtype, count, root)
        assert {name.removesuffix("_init") for name in adcl.__all__ if name.endswith("_init")} - {"barrier"} == set(
            pairs
        )
        for name, (theirs, call, request, ours) in pairs.items():
            call()
            for start in range(8):
                if start % 2:
                    request.start()
                else:
                    request.init()
                    request.progress()
                    request.wait()
                if theirs.tobytes() != ours.tobytes():
                    print(f"{name}, rank {R} of {P}, {dtype}, {count}, {request.current}: {ours} {theirs}", flush=True)
                    COMM.Abort(1)
            request.free()
        in_place(dtype)
    other_arrays()
    with adcl.barrier_init() as barrier:
        barrier.start()
    if R == 0:
        print("collectives are equal")


main()
