# ranks: 1 2 3 4
"""A function set in Python: two ways to shift an array around a ring. ADCL selects the faster one."""

from typing import Any

import numpy as np
from mpi4py import MPI

import adcl

STARTS = 300


def with_sendrecv(request: adcl.Request) -> None:
    """Send to the right and receive from the left in one call."""
    comm, (mine, theirs) = request.comm, arrays(request)
    comm.Sendrecv(mine, (comm.rank + 1) % comm.size, 0, theirs, (comm.rank - 1) % comm.size, 0)


def with_requests(request: adcl.Request) -> None:
    """Use two nonblocking messages."""
    comm, (mine, theirs) = request.comm, arrays(request)
    receive = comm.Irecv(theirs, (comm.rank - 1) % comm.size, 0)
    send = comm.Isend(mine, (comm.rank + 1) % comm.size, 0)
    MPI.Request.Waitall([receive, send])


def arrays(request: adcl.Request) -> Any:
    """Return the arrays that the program has stored in the request."""
    return request.context


comm = MPI.COMM_WORLD
mine, theirs = np.full(1000, float(comm.rank)), np.empty(1000)
with (
    adcl.FunctionSet("ring", [with_sendrecv, with_requests]) as functions,
    functions.request(comm, context=(mine, theirs)) as ring,
):
    for _ in range(STARTS):
        ring.start()
        if theirs[0] != (comm.rank - 1) % comm.size:
            raise SystemExit(f"rank {comm.rank} received {theirs[0]}")
    if comm.rank == 0:
        print(adcl.report())
