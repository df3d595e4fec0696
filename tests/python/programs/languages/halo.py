"""Exchanges the halo of a block in Fortran order: see halo.c."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import adcl

NX, NY, STEPS = 24, 40, 400

cart = MPI.COMM_WORLD.Create_cart(MPI.Compute_dims(MPI.COMM_WORLD.size, 2), periods=[True, False])
u = np.zeros((NX + 2, NY + 2), order="F")
i, j = np.ogrid[1 : NX + 1, 1 : NY + 1]
u[1:-1, 1:-1] = 1.0 / (1 + i + j * NX + cart.rank * NX * NY)

with adcl.Halo(u, cart) as halo:
    first = ""
    for _ in range(STEPS):
        halo.start()
        first = first or halo.current
        u[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 3
    if cart.rank == 0:
        print(f"began with {first} decided for {halo.winner}")
Path(f"{sys.argv[1]}.{cart.rank}").write_bytes(u.tobytes(order="F"))
