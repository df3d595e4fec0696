"""A program in Python with mpi4py under the interposer: the same results, bit for bit, as without it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from support import PROJECT, Ended, mpi_library

from adcl.trace import read_savings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.mpi

_PYTHON = PROJECT / ".venvs/mpi4py/bin/python"

_PROGRAM = """
import hashlib

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
random = numpy.random.default_rng(1 + comm.rank)
digest = hashlib.sha256()
for i in range(300):
    numbers = random.random(64)
    total = numpy.empty_like(numbers)
    comm.Allreduce(numbers, total)
    digest.update(total.tobytes())
    integers = random.integers(0, 1000, 40)
    largest = numpy.empty_like(integers)
    comm.Allreduce(integers, largest, op=MPI.MAX)
    digest.update(largest.tobytes())
    blocks = random.random(100 * comm.size)
    exchanged = numpy.empty_like(blocks)
    comm.Alltoall(blocks, exchanged)
    digest.update(exchanged.tobytes())
    array = random.random(257) if comm.rank == 0 else numpy.empty(257)
    comm.Bcast(array)
    digest.update(array.tobytes())
    if i % 10 == 0:
        objects = [
            comm.bcast({"round": i, "list": list(range(i))} if comm.rank == 0 else None),
            comm.allreduce((i, comm.rank), op=MPI.MIN),
            comm.alltoall([(comm.rank, j, i) for j in range(comm.size)]),
        ]
        digest.update(repr(objects).encode())
digests = comm.gather(digest.hexdigest())
if comm.rank == 0:
    print("digests", *digests)
"""


def _mpi_library(preset: str) -> Path:
    """Return the MPI library of a build; skip the test if something is missing."""
    cache = PROJECT / f"build/{preset}/CMakeCache.txt"
    built = PROJECT / f"build/{preset}/lib/libadcl-interpose-engine.so"
    if not _PYTHON.is_file() or not built.is_file():
        pytest.skip(f"needs {built.name} for {preset}, and the set-up tools/setup.sh mpi4py")
    return mpi_library(cache)


# mpi4py's package on PyPI has no module for the standard ABI.
@pytest.mark.parametrize("preset", ["openmpi", "openmpi5", "mpich5", "impi"])
def test_the_results_of_a_python_program_stay_the_same(
    tmp_path: Path, adcl: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch, preset: str
) -> None:
    library = _mpi_library(preset)
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM, encoding="utf-8")
    report = tmp_path / "report.json"
    monkeypatch.setenv("LD_LIBRARY_PATH", str(PROJECT / f"build/{preset}/lib"))  # where adcl looks first
    launcher = re.search(
        r"^MPIEXEC_EXECUTABLE:\w+=(.+)$",
        (PROJECT / f"build/{preset}/CMakeCache.txt").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert launcher is not None
    words = ["-n", "2", "--oversubscribe", "--mpi", launcher[1], "-x", f"MPI4PY_LIBMPI={library}"]
    tuning = ["-x", "ADCL_INTERPOSE_BUDGET=1000000", "-x", f"ADCL_INTERPOSE_REPORT={report}"]
    plain = adcl("run", *words, "--", str(_PYTHON), str(program))
    assert plain.code == 0, plain.err
    tuned = adcl("run", "--tune", *words, *tuning, "--", str(_PYTHON), str(program))
    assert tuned.code == 0, tuned.err
    assert tuned.out.startswith("digests ")
    assert tuned.out == plain.out
    rows = read_savings(report).searched
    assert {row.call for row in rows} >= {"MPI_Allreduce", "MPI_Alltoall", "MPI_Bcast"}
    assert any(row.state != "watching" for row in rows)
