# ranks: 1 2 3 4
"""Heat on a periodic plate: see examples/c/plate.c. Start it with ``mpiexec -n 2 python plate.py``."""

import numpy as np
from mpi4py import MPI

import adcl

SIDE, STEPS = 64, 500

dims = MPI.Compute_dims(MPI.COMM_WORLD.size, 2)
cart = MPI.COMM_WORLD.Create_cart(dims, periods=[True, True])
u = np.zeros((SIDE + 2, SIDE + 2))
inner = u[1:-1, 1:-1]

# Heat a quarter of the plate.
rows, columns = (cart.coords[d] * SIDE + np.arange(1, SIDE + 1) for d in range(2))
inner[:] = np.where(np.outer(2 * rows <= dims[0] * SIDE, 2 * columns <= dims[1] * SIDE), 100.0, 0.0)
before = inner.sum()

change, largest = np.zeros(1), np.zeros(1)
with (  # describe the two operations once
    adcl.Halo(u, cart) as halo,
    adcl.allreduce_init(change, largest, MPI.MAX, cart) as norm,
):
    halo.set_name("plate")
    for _ in range(STEPS):
        halo.start()  # fills the halo of u
        following = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
        change[0] = np.abs(following - inner).max()
        inner[:] = following
        norm.start()  # reads change, writes largest

before, after = cart.allreduce(np.array([before, inner.sum()]))
if cart.rank == 0:
    print(f"{STEPS} steps on {cart.size} ranks: the last one changed a cell by {largest[0]:.17g}")
if abs(after - before) > 1e-9 * before:
    raise SystemExit("heat was lost")
