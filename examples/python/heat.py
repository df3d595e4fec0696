# ranks: 1 2 3 4
"""The heat equation on a periodic plate: each rank has a block with a halo, which adcl.Halo exchanges.

Run it with ``mpiexec -n 2 python heat.py``. All ranks together keep the sum of the temperatures.
"""

import numpy as np
from mpi4py import MPI

import adcl

SIDE, STEPS = 64, 500

comm = MPI.COMM_WORLD
cart = comm.Create_cart(MPI.Compute_dims(comm.size, 2), periods=[True, True])
u = np.zeros((SIDE + 2, SIDE + 2))
u[1:-1, 1:-1] = np.random.default_rng(cart.rank).random((SIDE, SIDE))
before, after = np.empty(1), np.empty(1)

with (
    adcl.Halo(u, cart, width=1) as halo,
    adcl.allreduce_init(before, after, MPI.SUM, cart) as total,
):
    before[0] = u[1:-1, 1:-1].sum()
    total.start()
    first = after[0]
    for _ in range(STEPS):
        halo.start()
        u[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
    before[0] = u[1:-1, 1:-1].sum()
    total.start()
    if cart.rank == 0:
        print(adcl.report())
        print(f"winner: {halo.winner or halo.current}; the sum changed by {abs(after[0] - first):.1e}")
if abs(after[0] - first) > 1e-8 * first:
    raise SystemExit(f"the sum was {first}, and is {after[0]}")
