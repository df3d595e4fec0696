"""Hints of ``adcl tune run`` after the first run of the defaults: launch time and files, with real MPI programs."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support import clean_environment

from adcl.cli._tune_hints import Hints

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Mpi
    from support import Ended

_FILE = """
mpi = "openmpi"
[parameters]
btl_vader_eager_limit = [4096, 8192]
"""
_OBJECTIVE = """
[objective]
measure = "output"
pattern = 'Time in seconds = ([0-9.]+)'
"""


def _after_the_first_run(folder: Path, *words: str) -> str:
    """Return the output of a study up to the first run of the defaults; then interrupt the study."""
    with subprocess.Popen(
        [sys.executable, "-m", "adcl", "tune", "run", "t.toml", "-n", "2", "--", *words],
        cwd=folder,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        said, runs = "", 0
        for line in process.stderr:
            said += line
            # The warm-up and two runs of the defaults; the hints follow the first of these.
            runs += " default: " in line
            if runs == 2:
                break
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        process.wait()
    return said


@pytest.mark.mpi
@pytest.mark.alone
def test_launch_time_that_hides_the_program_is_said(openmpi_tuned: Mpi, tmp_path: Path) -> None:
    """The program ends at once: nearly all of its time is the launcher's."""
    (tmp_path / "t.toml").write_text(_FILE, encoding="utf-8")
    said = _after_the_first_run(tmp_path, openmpi_tuned.program, "no-mpi")
    assert "starting the ranks takes" in said, said
    assert 'measure = "output"' in said
    assert "new files" not in said

    (tmp_path / "t.toml").write_text(_FILE + _OBJECTIVE, encoding="utf-8")
    (tmp_path / "t.study").rename(tmp_path / "before")
    assert "the launcher takes" not in _after_the_first_run(tmp_path, openmpi_tuned.program, "no-mpi")


_WRITES = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    FILE* file = fopen("field.out", "w");
    fputs("field", file);
    fclose(file);
  }
  MPI_Finalize();
  return 0;
}
"""


@pytest.mark.mpi
def test_new_files_of_a_run_are_reported(openmpi_tuned: Mpi, tmp_path: Path) -> None:
    del openmpi_tuned  # requires Open MPI
    (tmp_path / "writes.c").write_text(_WRITES, encoding="utf-8")
    subprocess.run(["mpicc.openmpi", "-o", "writes", "writes.c"], cwd=tmp_path, check=True)
    (tmp_path / "t.toml").write_text(_FILE, encoding="utf-8")
    said = _after_the_first_run(tmp_path, "./writes")
    assert "the run left new files in" in said, said
    assert (
        ": field.out; to run each trial in a separate folder, write into the tuning file: [trial] folder = true" in said
    )

    (tmp_path / "field.out").unlink()
    (tmp_path / "t.toml").write_text(_FILE + "[trial]\nfolder = true\n", encoding="utf-8")
    (tmp_path / "t.study").rename(tmp_path / "before")
    assert "new files" not in _after_the_first_run(tmp_path, "./writes")
    assert not (tmp_path / "field.out").exists()


def test_launch_time_below_a_tenth_is_not_reported(tmp_path: Path) -> None:
    hints = Hints(0.5, None, frozenset())
    assert hints.lines(5.1) == []
    assert hints.lines(4.9)[0].startswith("starting the ranks takes 500 ms of the run's 4.90 s (10%), which")
    (tmp_path / "before").touch()
    for name in "abcd":
        (tmp_path / name).touch()
    (line,) = Hints(None, tmp_path, frozenset(["before"])).lines(1.0)
    assert ": a, b, c and 1 more; " in line


@pytest.mark.mpi
def test_a_starting_file_offers_an_objective_and_a_folder(adcl: Callable[..., Ended], openmpi_tuned: Mpi) -> None:
    text = adcl("tune", "init", "--mpi", str(openmpi_tuned.launcher.path)).out
    assert "[objective]\n# wall: the time of the whole job, including the start of the ranks." in text
    assert "# measure = 'output'\n# pattern = 'Time = ([0-9.eE+-]+)'" in text
    assert "# [trial]\n# folder = true" in text
