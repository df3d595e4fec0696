"""The program of the bench `python`, on MPI: ``_times.py FILE SIDE STEPS ROUNDS`` or ``_times.py FILE start N``.

The first form times a heat equation and its exchange, by hand and with adcl.Halo; the second one an empty start.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

import adcl
from adcl.runtime._native import native

Memory = np.ndarray[Any, np.dtype[np.float64]]


class ByHand:
    """The exchange that a user of mpi4py writes: buffers for the columns, which are not contiguous."""

    def __init__(self, u: Memory, cart: MPI.Cartcomm) -> None:
        self.u, self.cart = u, cart
        self.up, self.down = cart.Shift(0, 1)
        self.left, self.right = cart.Shift(1, 1)
        self.out, self.into = np.empty(u.shape[0] - 2), np.empty(u.shape[0] - 2)

    def start(self) -> None:
        """Exchange the halo."""
        u, cart, out, into = self.u, self.cart, self.out, self.into
        cart.Sendrecv(u[-2, 1:-1], self.down, 0, u[0, 1:-1], self.up, 0)
        cart.Sendrecv(u[1, 1:-1], self.up, 0, u[-1, 1:-1], self.down, 0)
        out[:] = u[1:-1, -2]
        cart.Sendrecv(out, self.right, 0, into, self.left, 0)
        if self.left != MPI.PROC_NULL:
            u[1:-1, 0] = into
        out[:] = u[1:-1, 1]
        cart.Sendrecv(out, self.left, 0, into, self.right, 0)
        if self.right != MPI.PROC_NULL:
            u[1:-1, -1] = into


def step(u: Memory, new: Memory, other: Memory) -> None:
    """Advance the heat equation."""
    np.add(u[:-2, 1:-1], u[2:, 1:-1], out=new)
    np.add(u[1:-1, :-2], u[1:-1, 2:], out=other)
    np.add(new, other, out=new)
    np.multiply(new, 0.25, out=u[1:-1, 1:-1])


def block(side: int, comm: MPI.Comm) -> Memory:
    """Return the first values of a rank's block with its halo."""
    u = np.zeros((side + 2, side + 2))
    u[1:-1, 1:-1] = np.random.default_rng(comm.rank).random((side, side))
    return u


def program(*, ours: bool, side: int, steps: int, cart: MPI.Cartcomm) -> tuple[float, float, bytes]:
    """Return the seconds of a whole program, of its exchanges alone afterwards, and the result."""
    u, new, other = block(side, cart), np.empty((side, side)), np.empty((side, side))
    cart.Barrier()
    begin = time.perf_counter()
    exchange = adcl.Halo(u, cart) if ours else ByHand(u, cart)
    for _ in range(steps):
        exchange.start()
        step(u, new, other)
    cart.Barrier()
    whole = time.perf_counter() - begin
    result = u.tobytes()
    begin = time.perf_counter()
    for _ in range(steps):
        exchange.start()
    cart.Barrier()
    alone = time.perf_counter() - begin
    if isinstance(exchange, adcl.Halo):
        exchange.free()
    return cart.allreduce(whole, MPI.MAX), cart.allreduce(alone, MPI.MAX), result


def heat(side: int, steps: int, rounds: int) -> dict[str, Any]:
    """Return the times of both programs, run in turn. Each run of adcl.Halo searches anew."""
    comm = MPI.COMM_WORLD
    adcl.set_option("ADCL_MERGE_REQUESTS", 0)
    cart = comm.Create_cart(MPI.Compute_dims(comm.size, 2), [True, True])
    found: dict[str, list[float]] = {"hand": [], "adcl": [], "hand_exchange": [], "adcl_exchange": []}
    for i in range(2 * rounds):
        ours = (i + i // 2) % 2 == 1
        whole, alone, result = program(ours=ours, side=side, steps=steps, cart=cart)
        if i == 0:
            expected = result
        if not comm.allreduce(result == expected, MPI.LAND):
            raise SystemExit("adcl.Halo and the hand-written exchange give different results")
        name = "adcl" if ours else "hand"
        found[name].append(whole)
        found[f"{name}_exchange"].append(alone)
    return found


def empty_starts(number: int) -> dict[str, Any]:
    """Return the seconds per start of a codelet that does nothing, minus the time of the empty loop, for batches."""
    library = native()
    address = int(library.ffi.cast("intptr_t", library.ffi.addressof(library.lib, "ADCL_Inside")))
    with adcl.FunctionSet("empty", [adcl.Codelet(address, name="empty")]) as functions, functions.request() as request:
        for _ in range(10000):
            request.start()
        gc.disable()
        added = []
        for _ in range(15):
            begin = time.perf_counter()
            for _ in range(number):
                request.start()
            middle = time.perf_counter()
            for _ in range(number):
                pass
            added.append((2 * middle - begin - time.perf_counter()) / number)
    return {"added_s": added}


def main() -> None:
    """Entry point."""
    kind, *numbers = sys.argv[2:]
    found = empty_starts(int(numbers[0])) if kind == "start" else heat(int(kind), *(int(one) for one in numbers))
    if MPI.COMM_WORLD.rank == 0:
        Path(sys.argv[1]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
