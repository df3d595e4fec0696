"""The demonstration: one solver with every hand-written exchange and with ADCL, on this node and on emulated clusters.

If clusters cannot be emulated, stored records replace their measurements, and are marked.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import sys
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rendering import NEXT_PURPOSE, page, show
from results import Measured, Origin, load, row_of, store
from rich.console import Console

from adcl import __version__
from adcl.errors import AdclError, UsageError
from adcl.launch import (
    ANYWHERE,
    ON_EMULATED_CLUSTERS,
    Job,
    JobFailedError,
    Launcher,
    Placement,
    detect,
    job_conditions,
    run,
    usable_cores,
)
from adcl.pages import write
from adcl.testbed import check_possible, on_cluster

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["CASES", "Case", "Plan", "main", "measure"]

_ROOT = Path(__file__).resolve().parents[2]
_RECORDED = Path(__file__).resolve().parent / "recorded.json"
_NODE = "node"
_RANKS_ON_CLUSTER = 8
_MOST_RANKS_ON_NODE = 8
_TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Case:
    """One job of the program `demo`."""

    key: str
    machine: str
    title: str
    arguments: tuple[str, ...]
    seconds: int
    """Time of all rounds together, in seconds. The program does not wait for a search that takes longer."""


def _solver(key: str, machine: str, title: str, *, size: tuple[int, int, int], seconds: int) -> Case:
    """Return a case of the solver; `size`: mesh points per rank, fields, and levels of the multigrid."""
    points, fields, levels = map(str, size)
    return Case(key, machine, title, ("--points", points, "--fields", fields, "--levels", levels), seconds)


def _alltoall(key: str, machine: str, title: str, *, size: int, seconds: int) -> Case:
    """Return a case of the all-to-all; `size`: bytes for each pair of ranks."""
    return Case(key, machine, title, ("--alltoall", str(size)), seconds)


CASES = (
    _solver("node-small", _NODE, "small halos on this node", size=(40, 1, 1), seconds=3),
    _solver("node-large", _NODE, "larger halos on this node", size=(150, 32, 3), seconds=3),
    _alltoall("node-alltoall", _NODE, "all-to-all on this node", size=4096, seconds=3),
    _solver("flat-small", "flat", "small halos on a cluster of one switch", size=(40, 4, 1), seconds=9),
    _alltoall("flat-alltoall", "flat", "all-to-all on a cluster of one switch", size=65536, seconds=9),
    _solver("racks-small", "hierarchical", "small halos on a cluster of two racks", size=(40, 4, 1), seconds=9),
    _solver("racks-large", "hierarchical", "larger halos on a cluster of two racks", size=(150, 32, 2), seconds=10),
    _alltoall("racks-alltoall", "hierarchical", "all-to-all on a cluster of two racks", size=16384, seconds=10),
)


@dataclass(frozen=True)
class Plan:
    """Cases to run, and the folder of their files."""

    program: Path
    launcher: Launcher
    output: Path
    cases: tuple[Case, ...] = CASES

    def job(self, case: Case, placement: Placement, ranks: int) -> Job:
        """Return the job of a case."""
        limits = ("--seconds", str(case.seconds), "--json", str(self.record(case)))
        return Job(
            str(self.program),
            (*case.arguments, *limits),
            ranks=ranks,
            placement=placement,
            environment={"ADCL_HISTORY": ""},
            timeout_s=_TIMEOUT_S,
        )

    def record(self, case: Case) -> Path:
        """Return the path of the file that the program writes."""
        return self.output / f"{case.key}.json"


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.machine()


def _origin(measurements: Sequence[Measured]) -> Origin:
    return Origin(
        machine=f"{_processor()}, {usable_cores()} cores",
        adcl=__version__,
        mpi=str(measurements[0].record["mpi"]),
        date=datetime.now(UTC).date().isoformat(),
    )


class _Progress:
    """Prints one line before each case: its title and its maximum duration."""

    def __init__(self, cases: Sequence[Case], console: Console) -> None:
        self._total = len(cases)
        self._done = 0
        self._console = console
        self._begun = time.monotonic()

    def next(self, case: Case) -> None:
        self._done += 1
        elapsed = time.monotonic() - self._begun
        self._console.print(
            f"{self._done} of {self._total}, {elapsed:3.0f} s: {case.title} ({case.seconds} to {2 * case.seconds} s)",
            highlight=False,
        )


def _measure_case(plan: Plan, case: Case, launcher: Launcher, placement: Placement, ranks: int) -> Measured:
    plan.record(case).unlink(missing_ok=True)
    run(plan.job(case, placement, ranks), launcher).check()
    record = json.loads(plan.record(case).read_text(encoding="utf-8"))
    return Measured(case.key, case.machine, usable_cores(), record)


@contextlib.contextmanager
def _where(plan: Plan, machine: str) -> Iterator[tuple[Launcher, Placement, int]]:
    """Yield the launcher, placement and number of ranks of a machine's cases. Raises `AdclError` if they cannot run."""
    if machine == _NODE:
        ranks = min(usable_cores(), _MOST_RANKS_ON_NODE)
        if ranks < 2:
            raise AdclError("this process can use only one core, so the ranks would measure the scheduler")
        yield plan.launcher, ANYWHERE, ranks
        return
    check_possible()
    launcher = detect(ON_EMULATED_CLUSTERS.name, program=plan.program)
    if launcher.kind != ON_EMULATED_CLUSTERS:
        raise AdclError(f"programs on emulated clusters are started by {ON_EMULATED_CLUSTERS.title}, not by {launcher}")
    with on_cluster(machine, ANYWHERE, _RANKS_ON_CLUSTER) as (placement, ranks):
        yield launcher, placement, ranks


def measure(plan: Plan, console: Console) -> tuple[list[Measured], list[str]]:
    """Run all cases; use stored records for machines that are not available, and print the reason."""
    progress = _Progress(plan.cases, console)
    measurements: list[Measured] = []
    skipped: list[str] = []
    for machine in dict.fromkeys(case.machine for case in plan.cases):
        mine = [case for case in plan.cases if case.machine == machine]
        try:
            with _where(plan, machine) as (launcher, placement, ranks):
                for case in mine:
                    progress.next(case)
                    measurements.append(_measure_case(plan, case, launcher, placement, ranks))
        except JobFailedError:
            raise
        except AdclError as error:
            skipped.append(f"Not measured here: {machine}, because {error}")
            measurements += _stored(mine)
    return measurements, list(dict.fromkeys(skipped))


def _stored(cases: Sequence[Case]) -> list[Measured]:
    origin, measurements = load(_RECORDED)
    keys = {case.key for case in cases}
    return [replace(one, recorded=origin) for one in measurements if one.case in keys]


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="demo.py", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--build", type=Path, default=_ROOT / "build/openmpi", metavar="FOLDER", help="build folder")
    parser.add_argument(
        "--output", type=Path, default=_ROOT / "build/demo", metavar="FOLDER", help="folder of records and page"
    )
    parser.add_argument("--only", metavar="CASE", action="append", help="measure only this case; may be repeated")
    parser.add_argument("--show", type=Path, metavar="FILE", help="measure nothing; show the records of a file")
    return parser.parse_args(arguments)


def _plan(given: argparse.Namespace) -> Plan:
    """Return the plan that the arguments describe. Raises `UsageError`."""
    program: Path = given.build.resolve() / "bin" / "demo"
    if not program.is_file():
        raise UsageError(f"{program} is missing: build it with `make demo`")
    unknown = set(given.only or ()) - {case.key for case in CASES}
    if unknown:
        raise UsageError(f"--only: no case {min(unknown)!r}; there are {', '.join(case.key for case in CASES)}")
    cases = tuple(case for case in CASES if not given.only or case.key in given.only)
    return Plan(program, detect(program=program), given.output.resolve(), cases)


def _show_file(path: Path, console: Console) -> None:
    """Print a stored result. Raises `UsageError`."""
    try:
        _, measurements = load(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"--show: {path} has no records of this demonstration: {error}") from error
    show([row_of(one) for one in measurements], (), console)


def _demonstrate(plan: Plan, console: Console) -> None:
    """Measure, write the files, and print the result. Raises `AdclError`."""
    plan.output.mkdir(parents=True, exist_ok=True)
    load = job_conditions(usable_cores(), ANYWHERE, plan.launcher)
    for warning in load.warnings("differences may be hidden, and intervals are wide") if load else ():
        console.print(f"Warning: {warning}", markup=False, soft_wrap=True)
    measurements, skipped = measure(plan, console)
    store(measurements, _origin(measurements), plan.output / "records.json")
    rows = [row_of(one) for one in measurements]
    ranks = min(usable_cores(), _MOST_RANKS_ON_NODE)
    program = os.path.relpath(plan.program.parent / "unstructured")
    command = f".venv/bin/adcl run -n {ranks} -x ADCL_REPORT=stderr {program} --points 40 --fields 4 --quiet"
    write(page(rows, skipped, command), plan.output / "report.html")
    console.print()
    show(rows, skipped, console)
    console.print(f"\nPage with a figure: {os.path.relpath(plan.output / 'report.html')}", soft_wrap=True)
    console.print(f"Next: {command}\n      {NEXT_PURPOSE}", markup=False, soft_wrap=True)


def main(arguments: Sequence[str]) -> int:
    """Entry point; returns the exit code."""
    console = Console(highlight=False)
    errors = Console(stderr=True)
    given = _parse(arguments)
    try:
        if given.show is not None:
            _show_file(given.show, console)
        else:
            _demonstrate(_plan(given), console)
    except AdclError as error:
        errors.print(f"demo.py: {error}", style="red", markup=False, soft_wrap=True)
        return error.exit_code
    except KeyboardInterrupt:
        errors.print("demo.py: interrupted")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
