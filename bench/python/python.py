# set-up: build
# built first: adcl-describe
# in make check
"""The cost and the value of the Python interface: ``make bench NAME=python``.

- ``start_added_us``: time that a start through Python adds, measured with a codelet that does nothing on one rank,
  minus the time of the empty loop. It includes the library's own time.
- ``heat_over_mpi4py.SIDE``: time of a heat equation in numpy with adcl.Halo, including the search, divided by the time
  with an exchange written by hand with mpi4py, on 2 ranks with blocks of SIDE² points. Both programs run in turn, and
  their results must be equal, bit for bit.
- ``exchange_over_mpi4py.SIDE``: the same for the exchange alone, after the program.
"""

from __future__ import annotations

import os
import re
import statistics
import sys
from typing import TYPE_CHECKING, Any

from bench._form import ROOT, Figures, command_line, effort, write
from bench._programs import FILE, run_python

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["main"]

_STEPS = {32: 10000, 64: 6000, 128: 3000, 256: 1200, 512: 400, 1024: 120}
"""Steps of a program by the side of a block."""


def _environment(build: Path) -> dict[str, str]:
    """Return the environment in which mpi4py uses the MPI library of the build."""
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    found = re.search(r"^MPI_mpi_LIBRARY:FILEPATH=(.+)$", cache, re.MULTILINE)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ADCL_")}
    kept |= {"ADCL_LIBRARY_PATH": str(build / "lib"), "PYTHONPATH": str(ROOT / "python")}
    return kept | ({"MPI4PY_LIBMPI": found[1]} if found else {})


def _ratio(ours: list[float], theirs: list[float]) -> dict[str, Any]:
    """Return the median of the ratios of neighboring runs, with the smallest and the largest ratio."""
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    return {"value": statistics.median(ratios), "interval": [min(ratios), max(ratios)]}


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    given = command_line(__doc__).parse_args(arguments)
    environment = _environment(given.build)
    program = str(ROOT / "bench/python/_times.py")

    def run(ranks: int, *words: str) -> dict[str, Any]:
        return run_python(given.build, ranks, [program, FILE, *words], environment)

    added = run(1, "start", str(effort(100_000, 1000)))["added_s"]
    figures: Figures = {
        "start_added_us": {"value": 1e6 * statistics.median(added), "interval": [1e6 * min(added), 1e6 * max(added)]}
    }
    for side, steps in _STEPS.items():
        found = run(2, str(side), str(effort(steps, 20)), str(effort(9, 1)))
        figures[f"heat_over_mpi4py.{side}"] = _ratio(found["adcl"], found["hand"])
        figures[f"exchange_over_mpi4py.{side}"] = _ratio(found["adcl_exchange"], found["hand_exchange"])
    write(given.output, {"ranks": 2, "steps": {str(side): steps for side, steps in _STEPS.items()}}, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
