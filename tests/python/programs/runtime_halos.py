"""Exchanges halos of random arrays with adcl.Halo and by hand: ``runtime_halos.py SEED PROBLEMS``."""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
from mpi4py import MPI

import adcl

COMM = MPI.COMM_WORLD
TYPES: list[Any] = ["f8", "f4", "c16", "i8", "i2", "u1", "?", "f2", "S5", [("a", "i4"), ("b", "f8")]]
Memory = np.ndarray[Any, np.dtype[Any]]


def exchange(array: Memory, cart: MPI.Cartcomm, widths: list[tuple[int, int]]) -> None:
    """Exchange the halo with Sendrecv of contiguous copies. Cartesian dimension d divides axis d; no corners."""
    before = array.copy()
    inner = [slice(low, array.shape[d] - high) for d, (low, high) in enumerate(widths)]
    for d, (low, high) in enumerate(widths):
        extent = array.shape[d]
        left, right = cart.Shift(d, 1)
        for source, target, send, receive in (
            (left, right, slice(extent - high - low, extent - high), slice(0, low)),
            (right, left, slice(low, low + high), slice(extent - high, extent)),
        ):
            outgoing = np.ascontiguousarray(before[(*inner[:d], send, *inner[d + 1 :])])
            incoming = np.empty_like(outgoing)
            cart.Sendrecv(outgoing.view("u1"), target, 1, incoming.view("u1"), source, 1)
            if source != MPI.PROC_NULL:
                array[(*inner[:d], receive, *inner[d + 1 :])] = incoming


def strided(rng: random.Random, shape: list[int], dtype: np.dtype[Any]) -> Memory:
    """Return an array of this shape with a random layout in memory."""
    kind = rng.choice(["C", "F", "transposed", "last", "block", "reversed", "allocated", "allocated F"])
    if kind == "transposed":
        order = rng.sample(range(len(shape)), len(shape))
        base = np.zeros([shape[axis] for axis in order], dtype)
        return base.transpose(np.argsort(order))
    if kind == "last":
        return np.zeros([*shape[:-1], 2 * shape[-1]], dtype)[..., ::2]
    if kind == "block":
        return np.zeros([extent + 3 for extent in shape], dtype)[tuple(slice(1, 1 + extent) for extent in shape)]
    if kind == "reversed":
        return np.zeros(shape, dtype)[::-1]
    if kind.startswith("allocated"):
        return adcl.zeros(shape, dtype, order="F" if kind.endswith("F") else "C")
    return np.zeros(shape, dtype, order="F" if kind == "F" else "C")


def fill(array: Memory, rng: random.Random) -> None:
    """Fill with bytes that differ between ranks and starts; booleans stay valid."""
    generator = np.random.default_rng(rng.randrange(2**32) + COMM.rank)
    if array.dtype == np.dtype("?"):
        array[...] = generator.integers(0, 2, array.shape).astype("?")
        return
    raw = generator.integers(1, 256, array.size * array.dtype.itemsize, dtype=np.uint8)
    array[...] = np.frombuffer(raw.tobytes(), array.dtype).reshape(array.shape)


def problem(rng: random.Random, number: int) -> None:
    """Compare one random problem."""
    ndims = rng.randint(1, 3)
    components = [rng.randint(1, 3) for _ in range(rng.randint(0, 1))]
    dims = MPI.Compute_dims(COMM.size, ndims)
    cart = COMM.Create_cart(dims, [rng.random() < 0.5 for _ in range(ndims)])
    same = rng.randint(0, 2)
    widths = [(same, same) if rng.random() < 0.5 else (rng.randint(0, 2), rng.randint(0, 2)) for _ in range(ndims)]
    shape = [low + high + max(low, high, 1) + rng.randint(0, 4) for low, high in widths]
    arrays, expected = [], []
    for _ in range(rng.choice([1, 1, 2])):
        dtype = np.dtype(rng.choice(TYPES))
        array = strided(rng, [*shape, *components], dtype)
        arrays.append(array)
        expected.append(np.empty(array.shape, dtype))
    with adcl.Halo(arrays if len(arrays) > 1 else arrays[0], cart, widths) as halo:
        for start in range(6):
            for array, copy in zip(arrays, expected, strict=True):
                fill(array, rng)
                copy[...] = array
                exchange(copy, cart, widths)
            if start % 3 == 2:
                with halo.overlap():
                    pass
            else:
                halo.start()
            for array, copy in zip(arrays, expected, strict=True):
                if array.tobytes() != copy.tobytes():
                    text = f"problem {number}, start {start}, rank {COMM.rank}: {array.shape} {array.strides} {widths}"
                    print(f"{text} {array.dtype} {halo.current} staged={halo.staged}", flush=True)
                    COMM.Abort(1)
    cart.Free()


def main() -> None:
    """Entry point."""
    rng = random.Random(int(sys.argv[1]))
    staged = int(sys.argv[2])
    for number in range(staged):
        problem(rng, number)
    if COMM.rank == 0:
        print("halos are equal")


main()
