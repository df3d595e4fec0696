# ranks: 1 2 3 4
"""Computes the inner points while the halo is exchanged, in two fields that are swapped after each step."""

from typing import Any

import numpy as np
from mpi4py import MPI

import adcl

SIDE, STEPS = 48, 300
Memory = np.ndarray[Any, np.dtype[np.float64]]

comm = MPI.COMM_WORLD
cart = comm.Create_cart(MPI.Compute_dims(comm.size, 2), periods=[True, True])
fields = [adcl.zeros((SIDE + 2, SIDE + 2)) for _ in range(2)]  # neighbors on the same node can read these arrays
fields[0][1:-1, 1:-1] = cart.rank
halos = [adcl.Halo(field, cart) for field in fields]  # both requests share one search


def update(old: Memory, new: Memory, rows: slice, columns: slice) -> None:
    """Write the mean of the four neighbors of these points."""
    above, below = (slice(rows.start + by, rows.stop + by) for by in (-1, 1))
    left, right = (slice(columns.start + by, columns.stop + by) for by in (-1, 1))
    new[rows, columns] = (old[above, columns] + old[below, columns] + old[rows, left] + old[rows, right]) / 4


INNER, EVERY = slice(2, SIDE), slice(1, SIDE + 1)
FIRST, LAST = slice(1, 2), slice(SIDE, SIDE + 1)
for step in range(STEPS):
    old, new = fields[step % 2], fields[(step + 1) % 2]
    with halos[step % 2].overlap():
        update(old, new, INNER, INNER)
    for rows, columns in ((FIRST, EVERY), (LAST, EVERY), (INNER, FIRST), (INNER, LAST)):
        update(old, new, rows, columns)
total = comm.allreduce(fields[STEPS % 2][1:-1, 1:-1].sum())
expected = SIDE * SIDE * comm.size * (comm.size - 1) / 2
if abs(total - expected) > 1e-9 * max(expected, 1.0):
    raise SystemExit(f"the sum is {total}, not {expected}")
for halo in halos:
    halo.free()
if comm.rank == 0:
    print("the sum is", round(total))
