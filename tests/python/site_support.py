"""Programs without ADCL that run under the interposer."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from support import PROJECT, clean_environment, within

from adcl.trace import read_savings

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.trace import SavingsReport

__all__ = ["LAUNCH", "LIBRARIES", "Built", "as_root", "built_for", "mount_namespace", "source_of"]

LIBRARIES = ("openmpi", "mpich")
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"],
    "mpich": ["mpiexec.mpich"],
}


def as_root(**changes: str) -> dict[str, str]:
    """Return an environment in which Open MPI also runs as root."""
    return clean_environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **changes)


def source_of(body: str) -> str:
    """Return a program that runs `body` between MPI_Init and MPI_Finalize, with rank, size and calls (argument 1)."""
    return f"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {{
  int rank = 0, size = 0, calls = argc > 1 ? atoi(argv[1]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  {body}
  MPI_Finalize();
  return 0;
}}
"""


@dataclass(frozen=True)
class Built:
    """A compiled program, and the interposer for its MPI library."""

    library: str
    program: Path
    interposer: Path

    def command(self, parts: list[tuple[int, list[str]]], *, preload: str = "", **environment: str) -> list[str]:
        """Return the launcher's command for several parts: a number of ranks and a command line for each."""
        variables = {"LD_PRELOAD": f"{self.interposer}:{preload}" if preload else str(self.interposer), **environment}
        words: list[str] = []
        for ranks, line in parts:
            words += [":"] if words else []
            for name, value in variables.items():
                words += ["-x", f"{name}={value}"] if self.library == "openmpi" else ["-env", name, value]
            words += ["-n", str(ranks), *line]
        return [*LAUNCH[self.library], *words]

    def run(
        self, parts: list[tuple[int, list[str]]], report: Path, *, preload: str = "", **environment: str
    ) -> SavingsReport | None:
        """Run parts, check that they print nothing, and return the report."""
        report.unlink(missing_ok=True)
        defaults = {"ADCL_INTERPOSE_BUDGET": "1000000", "ADCL_INTERPOSE_HISTORY": "off"}
        settings = {**defaults, "ADCL_INTERPOSE_REPORT": str(report), **environment}
        done = subprocess.run(
            self.command(parts, preload=preload, **settings),
            env=as_root(),
            cwd=report.parent,
            capture_output=True,
            text=True,
            check=False,
            timeout=within(120),
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        return read_savings(report) if report.exists() else None


def built_for(library: str, source: str, folder: Path) -> Built:
    """Compile a C program. Skips the test if there is no compiler or no interposer."""
    compiler = shutil.which(f"mpicc.{library}")
    interposer = PROJECT / f"build/{library}/lib/libadcl-interpose.so"
    if compiler is None or not interposer.is_file():
        pytest.skip(f"needs mpicc.{library} and build/{library}/lib/{interposer.name}")
    (folder / "program.c").write_text(source, encoding="utf-8")
    subprocess.run([compiler, "-O1", "program.c", "-o", "program"], cwd=folder, check=True)
    return Built(library, folder / "program", interposer)


def mount_namespace() -> None:
    """Skip the test if the user cannot mount file systems for a process."""
    command = ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if os.geteuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip("needs root and mount namespaces")
