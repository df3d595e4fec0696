# set-up: build mpi_programs clusters openmpi4
# built first: live_interpose
"""Unmodified programs of Debian with and without the interposer: ``make bench NAME=interpose_packages``.

LAMMPS, HPCC and Quantum ESPRESSO come from Debian's packages, which are compiled with Open MPI 4 and without ADCL. Each
runs in pairs with alternating order and a small input that this bench writes, on 2 ranks in shared memory and, as root,
on 8 ranks on the emulated clusters `flat` and `hierarchical`, whose ranks share the cores of this machine. All results
but times must be the same with and without ``libadcl-interpose.so``, to the last printed digit: the energies of every
50th step, the residuals and verdicts of HPCC, the energies of each iteration of Quantum ESPRESSO.

- ``program_over_plain.MACHINE.PROGRAM``: the time of the whole job with the interposer divided by the time without it,
  with a 95 % interval and a `verdict`, as in the bench `interpose`.
- ``worst_program_over_plain``, ``geometric_mean_over_plain``, ``programs_slower``, ``programs_undecided``.

`--only flat.` selects the programs whose names begin with this text; `--pairs N` sets the number of pairs. Results in
the `--state FOLDER` from earlier calls are not measured again.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench._form import command_line, effort, write
from bench.interpose._paired import FEWEST_PAIRS, Measuring, Program, figures_of_pairs, measure_machines

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["main", "programs_of", "results_of_espresso", "results_of_hpcc", "results_of_lammps"]

_RANKS = {"shared": 2, "flat": 8, "hierarchical": 8}
"""Number of ranks on each machine."""

_MELT = """\
# A Lennard-Jones crystal that melts.
units lj
atom_style atomic
lattice fcc 0.8
region box block 0 12 0 12 0 12
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 2.5 48 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes
fix 1 all nve
thermo 50
run {steps}
"""

_SALT = """\
# Ions on a lattice, with long-range forces by Fourier transforms that exchange their data with MPI_Alltoallv.
units lj
atom_style charge
lattice sc 0.5
region box block 0 10 0 10 0 10
create_box 2 box
create_atoms 1 box
set type 1 type/ratio 2 0.5 48
set type 1 charge 1.0
set type 2 charge -1.0
mass * 1.0
velocity all create 1.5 48 loop geom
pair_style lj/cut/coul/long 2.5 3.0
pair_coeff * * 1.0 1.0
kspace_style pppm 1.0e-3
kspace_modify collective yes
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes
fix 1 all nve
timestep 0.002
thermo 50
run {steps}
"""

_HPL = """\
HPLinpack benchmark input file
{order} unknowns on {ranks} ranks
HPL.out      output file name
8            device
1            number of orders
{order}      orders
1            number of block sizes
64           block sizes
0            mapping: row-major
1            number of process grids
1            rows
{ranks}      columns
16.0         threshold
1            number of panel factorizations
2            right
1            number of stopping criteria
4            columns
1            number of numbers of panels
2            panels
1            number of recursive factorizations
1            Crout
1            number of broadcasts
1            modified ring
1            number of depths
1            depth
2            swap: mix
64           swapping threshold
0            L1 transposed
0            U transposed
1            equilibration
8            alignment
a separator
0            number of additional orders of PTRANS
1            orders
0            number of additional block sizes of PTRANS
1            block sizes
"""

_ATOM = """\
 &input
   title = 'Si', prefix = 'Si', zed = 14.0, rel = 1, config = '[Ne] 3s2.0 3p2.0 3d-2.0', iswitch = 3, dft = 'PZ'
 /
 &inputp
   lpaw = .false., pseudotype = 1, file_pseudopw = 'Si.UPF', lloc = 2, nlcc = .false., tm = .true.
 /
3
3S 1 0 2.0 0.0 2.1 2.1 0.0
3P 2 1 2.0 0.0 2.2 2.2 0.0
3D 3 2 -2.0 -0.3 2.3 2.3 0.0
"""
"""Input of ld1.x, which computes the pseudopotential."""

_CRYSTAL = """\
&control
  calculation = 'scf', prefix = 'si', pseudo_dir = '.', outdir = '.', disk_io = 'none'
/
&system
  ibrav = 1, celldm(1) = 10.2, nat = 8, ntyp = 1, ecutwfc = {cutoff}, nosym = .true.
/
&electrons
  conv_thr = 1.0d-9
/
ATOMIC_SPECIES
Si 28.086 Si.UPF
ATOMIC_POSITIONS crystal
Si 0.00 0.00 0.00
Si 0.00 0.50 0.50
Si 0.50 0.00 0.50
Si 0.50 0.50 0.00
Si 0.25 0.25 0.26
Si 0.25 0.75 0.75
Si 0.75 0.25 0.75
Si 0.75 0.75 0.25
K_POINTS {points}
"""

_TIMES_OF_LAMMPS = re.compile(
    r"seconds|Loop time|Performance|CPU use|wall time|^(Pair|Kspace|Neigh|Comm|Output|Modify|Other)\s*[|]"
)
_RESULTS_OF_HPCC = re.compile(
    r"^(Success|HPL_(RnormI|Anorm1|AnormI|Xnorm1|XnormI|BnormI|N)|PTRANS_(residual|n)|MPIFFT_(N|maxErr))=|"
    r"^Found .* errors|tests completed|[|][|]oo.*="
)
"""The scaled residual of DGEMM differs in each run, because its matrices depend on the time."""

_ERRORS_OF_HPCC = re.compile(r"^Found .* errors(?= in)")
"""RandomAccess may lose up to 1 % of its updates, and the number differs from run to run."""

_TIMES_OF_ESPRESSO = re.compile(r"\bsecs\b|CPU|starts on|terminated on|Estimated")


def results_of_lammps(_folder: Path, output: str) -> str:
    """Return the output without times."""
    return "\n".join(line for line in output.splitlines() if not _TIMES_OF_LAMMPS.search(line))


def results_of_hpcc(folder: Path, _output: str) -> str:
    """Return the residuals and norms, and which tests have passed."""
    lines = (folder / "hpccoutf.txt").read_text(encoding="utf-8").splitlines()
    return "\n".join(_ERRORS_OF_HPCC.sub("Errors", line) for line in lines if _RESULTS_OF_HPCC.search(line))


def results_of_espresso(_folder: Path, output: str) -> str:
    """Return the output without times and dates."""
    return "\n".join(line for line in output.splitlines() if not _TIMES_OF_ESPRESSO.search(line))


def _crystal(cutoff: str, points: str) -> Callable[[Path], None]:
    """Return a function that writes the input of pw.x. The first call computes the pseudopotential with ld1.x."""

    def write_input(folder: Path) -> None:
        stored = folder.parent / "Si.UPF"
        if not stored.exists():
            subprocess.run(["ld1.x"], input=_ATOM, cwd=folder, check=True, text=True, stdout=subprocess.DEVNULL)
            (folder / "Si.UPF").rename(stored)
        shutil.copy(stored, folder / "Si.UPF")
        (folder / "pw.in").write_text(_CRYSTAL.format(cutoff=cutoff, points=points), encoding="utf-8")

    return write_input


def _writer(name: str, text: str) -> Callable[[Path], None]:
    def write_input(folder: Path) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    return write_input


@dataclass(frozen=True)
class _Effort:
    """Sizes of the inputs, and the number of pairs of runs."""

    pairs: int
    pairs_of_hpcc: int
    melt_steps: int
    salt_steps: int
    order: int
    cutoff: str
    points: str


_SHARED = _Effort(20, 20, 1200, 400, 1600, "18.0", "automatic\n2 2 2 0 0 0")
_SHORT = _Effort(FEWEST_PAIRS, FEWEST_PAIRS, 100, 50, 400, "12.0", "automatic\n2 2 2 0 0 0")
_CLUSTER = _Effort(12, FEWEST_PAIRS, 400, 50, 400, "12.0", "gamma")
"""Eight ranks on two cores: one run of HPCC takes 40 s on `flat` and 140 s on `hierarchical`, nearly all of it in its
test of bandwidths, which no input shortens."""


def _programs_on(machine: str, size: _Effort) -> list[Program]:
    ranks = _RANKS[machine]
    melt, salt = _MELT.format(steps=size.melt_steps), _SALT.format(steps=size.salt_steps)
    hpl = _HPL.format(order=size.order, ranks=ranks)
    crystal = _crystal(size.cutoff, size.points)
    files = {name: Path(shutil.which(name) or f"/usr/bin/{name}") for name in ("lmp", "hpcc", "pw.x")}

    def program(title: str, file: str, arguments: tuple[str, ...], **more: Any) -> Program:
        pairs = size.pairs_of_hpcc if file == "hpcc" else size.pairs
        return Program(machine, title, files[file], arguments, ranks, pairs, **more)

    lammps = {"results": results_of_lammps}
    return [
        program("lammps_melt", "lmp", ("-in", "in.melt"), prepare=_writer("in.melt", melt), **lammps),
        program("lammps_salt", "lmp", ("-in", "in.salt"), prepare=_writer("in.salt", salt), **lammps),
        program("hpcc", "hpcc", (), prepare=_writer("hpccinf.txt", hpl), results=results_of_hpcc),
        program("espresso", "pw.x", ("-in", "pw.in"), prepare=crystal, results=results_of_espresso),
    ]


def programs_of() -> list[Program]:
    """Return the programs in the order of their execution."""
    if effort("usual", "short") == "short":
        return _programs_on("shared", _SHORT)
    return [one for machine in _RANKS for one in _programs_on(machine, _SHARED if machine == "shared" else _CLUSTER)]


def main() -> None:
    """Measure every program and write the figures."""
    parser = command_line(__doc__)
    parser.add_argument("--only", default="", help="programs whose names begin with this text")
    parser.add_argument("--pairs", type=int, default=0, help="number of pairs of each program")
    parser.add_argument("--state", type=Path, help="a folder with results of earlier calls")
    arguments = parser.parse_args()
    folder: Path = (arguments.state or arguments.output.parent / "interpose_packages").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    measure = Measuring(arguments.build.absolute(), folder / "runs", arguments.pairs)
    programs = programs_of()
    keep = arguments.state is not None
    results, left_out = measure_machines(programs, folder, measure, only=arguments.only, keep=keep)
    if not results:
        sys.exit("; ".join(measure.failed) or f"no program's name begins with {arguments.only!r}")
    context = {
        "mpi_library": next(found["report"]["mpi_library"].partition(",")[0] for found in results.values()),
        "ranks": {program.name: program.ranks for program in results},
        "cores": os.cpu_count(),
        "seconds": measure.seconds,
        "left_out": left_out,
        "failed": measure.failed,
        "reports": {program.name: found["report"] for program, found in results.items()},
    }
    write(arguments.output, context, figures_of_pairs(results))
    if measure.failed:
        sys.exit(f"{len(measure.failed)} programs failed")


if __name__ == "__main__":
    main()
