"""The end of the demonstration: a run with a trace, here and on an emulated cluster, and the page of it.

It is the same program. The cluster is two racks of four hosts with Gigabit Ethernet (docs/testbed.md): what is fastest
there need not be what is fastest in shared memory. Where there can be none, one line says why it was left out.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.errors import AdclError, UsageError
from adcl.launch import ON_EMULATED_CLUSTERS, Job, Launcher, detect, run, usable_cores
from adcl.report import write
from adcl.testbed import check_possible, on_cluster
from adcl.trace import headline, read_recording, trace_page

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Ending", "main", "report"]

_ROOT = Path(__file__).resolve().parents[2]
_CLUSTER = "hierarchical"
_RANKS_THERE = 8
_MOST_RANKS = 4
_ITERATIONS = 500
_ITERATIONS_THERE = 1500
_TIMEOUT_S = 40.0


@dataclass(frozen=True)
class Ending:
    """What is run for the trace."""

    program: Path
    launcher: Launcher
    ranks: int
    output: Path
    """Folder for the trace and the page."""

    iterations: int = _ITERATIONS
    size: str = "32x32x32"

    @property
    def trace(self) -> Path:
        """The folder of the traces of all runs."""
        return self.output / "trace"

    @property
    def job(self) -> Job:
        """The program with ADCL, traced."""
        return Job(
            str(self.program),
            ("--size", self.size, "--exchange", "adcl", "--iterations", str(self.iterations), "--quiet"),
            ranks=self.ranks,
            environment={"ADCL_TRACE": str(self.trace), "ADCL_MONITOR": "100"},
            timeout_s=_TIMEOUT_S,
        )


def _say(words: str) -> None:
    print(words, flush=True)


def _run_on_cluster(ending: Ending) -> None:
    """Raises `AdclError` where there can be no cluster, or where the program failed on it."""
    check_possible()
    launcher = detect(ON_EMULATED_CLUSTERS.value, program=ending.program)
    if launcher.flavour != ON_EMULATED_CLUSTERS:
        raise AdclError(f"programs there are started by {ON_EMULATED_CLUSTERS.title}, not by {launcher}")
    job = replace(ending, ranks=_RANKS_THERE, iterations=_ITERATIONS_THERE).job
    with on_cluster(_CLUSTER, job.placement, _RANKS_THERE) as (placement, ranks):
        run(replace(job, placement=placement, ranks=ranks), launcher).check()


def _chosen(trace: Path) -> str:
    """What the last run has chosen."""
    searches = [search for search in read_recording(trace).trace.searches if search.measurements]
    return " ".join(headline(search) for search in searches[-1:]) or "nothing was measured"


def report(ending: Ending) -> Path:
    """Run with a trace, here and on the cluster where it may be, and write the page. Raises `AdclError`."""
    shutil.rmtree(ending.trace, ignore_errors=True)
    ending.output.mkdir(parents=True, exist_ok=True)
    run(ending.job, ending.launcher).check()
    _say(f"With a trace, on {ending.ranks} rank{'s' if ending.ranks > 1 else ''} here: {_chosen(ending.trace)}")
    before = set(ending.trace.iterdir())
    try:
        _run_on_cluster(ending)
        _say(f"On {_RANKS_THERE} ranks of an emulated cluster of two racks: {_chosen(ending.trace)}")
    except AdclError as error:
        for unfinished in set(ending.trace.iterdir()) - before:
            shutil.rmtree(unfinished)
        _say(f"Left out: the same program on an emulated cluster of two racks, since {error}")
    page = ending.output / "report.html"
    write(trace_page(read_recording(ending.trace)), page)
    _say(f"The page of what was measured and decided: {page}")
    return page


def main(arguments: Sequence[str]) -> int:
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(prog="demo_report.py", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--build", type=Path, default=_ROOT / "build/openmpi", metavar="FOLDER", help="build folder")
    parser.add_argument("--output", type=Path, default=_ROOT / "build/demo", metavar="FOLDER", help="for the page")
    given = parser.parse_args(arguments)
    program = given.build.resolve() / "bin" / "solver3d"
    try:
        if not program.is_file():
            raise UsageError(f"{program} is not there: build it with `make demo`")
        ranks = min(_MOST_RANKS, usable_cores())
        report(Ending(program, detect(program=program), ranks, given.output.resolve()))
    except AdclError as error:
        print(f"demo_report.py: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("demo_report.py: interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
