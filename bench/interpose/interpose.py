# set-up: build clusters openmpi4
# built first: live_interpose ft_plain cg is
"""What the interposer adds to calls, and what it saves in whole programs: ``make bench NAME=interpose``.

`live_interpose` measures single calls: after the decision (also calls whose block sizes may differ), the first 1000
calls on a communicator, and a program that ends before a decision. Then FT, CG and IS run with and without
``libadcl-interpose.so``, as plain MPI programs in pairs with alternating order: in shared memory and, as root, on the
emulated clusters `flat` and `hierarchical`, where all ranks share the cores of this machine. Times are those of whole
jobs, with launcher, search and report. All runs must print the same results.

- ``program_over_plain.MACHINE.PROGRAM``: the time with the interposer divided by the time without it, with a 95 %
  interval; `verdict` is *faster* (the interval lies below 1), *not slower* (its upper end is at most 1.01), *slower*
  (its lower end is above 1.01), or *undecided*.
- ``worst_program_over_plain``, ``geometric_mean_over_plain``: the largest of these ratios, and their mean.
- ``programs_slower``, ``programs_undecided``: the number of programs with this verdict.
- ``ft_speedup.CLUSTER``: the speedup of FT, whose all-to-all has 64 KiB for each pair of ranks.
- ``second_run_over_first.CLUSTER``: the time of FT with the history of a first run, divided by that run's time.

`--only flat.` selects the programs whose names begin with this text; `--pairs N` sets the number of pairs. Results in
the `--state FOLDER` from earlier calls are not measured again.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench._form import Figures, command_line, effort, write
from bench._programs import FILE, run
from bench.interpose._paired import (
    FEWEST_PAIRS,
    Measuring,
    Program,
    figures_of_pairs,
    measure_machines,
    measured,
    ratio_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PARTS", "figures_of", "main", "programs_of"]

PARTS = ("decided", "blocks", "first", "undecided")
"""Parts of `live_interpose`."""

_FT = "ft_s_64k"
"""FT of class S on 8 ranks: the all-to-all has 64 KiB for each pair of ranks."""


def programs_of(build: Path) -> list[Program]:
    """Return the programs in the order of their execution."""
    ft, cg, sort = (build / "bin" / name for name in ("ft_plain", "cg", "is"))
    if effort("usual", "short") == "short":
        return [Program("shared", "ft_s", ft, ("S", "6"), 2, FEWEST_PAIRS)]
    found = [
        Program("shared", "ft_s", ft, ("S", "1500"), 2, 30),
        Program("shared", "ft_w", ft, ("W", "400"), 2, 40),
        Program("shared", "cg_b", cg, ("--class", "B"), 2, 8),
        Program("shared", "is_b", sort, ("--class", "B"), 2, 40),
    ]
    # An iteration of FT takes 20 times longer on `hierarchical` than on `flat`.
    for cluster, iterations, pairs in (("flat", "600", 12), ("hierarchical", "300", FEWEST_PAIRS)):
        found += [
            Program(cluster, _FT, ft, ("S", iterations), 8, pairs, history=True),
            Program(cluster, "cg_s", cg, ("--class", "S"), 8, 30),
            Program(cluster, "is_w", sort, ("--class", "W"), 8, 30),
        ]
    return found


def figures_of(results: Mapping[Program, Mapping[str, Any]]) -> Figures:
    """Return the figures of whole programs from the seconds of their pairs."""
    figures: Figures = {}
    for program, found in results.items():
        if program.title == _FT:
            speedup = ratio_of(found["plain_s"], found["tuned_s"])
            interval = [speedup.low, speedup.high]
            figures[f"ft_speedup.{program.machine}"] = {"value": speedup.value, "interval": interval}
        if program.history:
            second = ratio_of(found["second_s"], found["tuned_s"])
            figures[f"second_run_over_first.{program.machine}"] = measured(second)
    return figures | figures_of_pairs(results)


def _calls(build: Path) -> tuple[Figures, dict[str, Any]]:
    """Return the figures of single calls, and the context of the last document."""
    figures: Figures = {}
    context: dict[str, Any] = {}
    for part in PARTS:
        document = run(build, 2, "live_interpose", (part, FILE), limit_s=1200.0)
        figures |= {one.pop("name"): one for one in document["figures"]}
        context = document["context"]
        print(f"  live_interpose {part}", flush=True)
    return figures, context


def main() -> None:
    """Measure calls and programs, and write the figures."""
    parser = command_line(__doc__)
    parser.add_argument("--only", default="", help="programs whose names begin with this text")
    parser.add_argument("--pairs", type=int, default=0, help="number of pairs of each program")
    parser.add_argument("--state", type=Path, help="a folder with results of earlier calls")
    arguments = parser.parse_args()
    build: Path = arguments.build.absolute()
    folder: Path = (arguments.state or arguments.output.parent / "interpose").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    measure = Measuring(build, folder / "runs", arguments.pairs)
    programs = programs_of(build)
    keep = arguments.state is not None
    results, left_out = measure_machines(programs, folder, measure, only=arguments.only, keep=keep)
    if not results:
        sys.exit("; ".join(measure.failed) or f"no program's name begins with {arguments.only!r}")
    figures, context = _calls(build) if not arguments.only else ({}, {})
    context |= {
        "cores": os.cpu_count(),
        "ranks": {program.name: program.ranks for program in results},
        "seconds": measure.seconds,
        "left_out": left_out,
        "failed": measure.failed,
        "reports": {program.name: found["report"] for program, found in results.items()},
    }
    write(arguments.output, context, figures | figures_of(results))
    if measure.failed:
        sys.exit(f"{len(measure.failed)} programs failed")


if __name__ == "__main__":
    main()
