"""Rules for administrators of the interposer: dry runs, filters, no output, small file systems, a module file."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from site_support import LAUNCH, LIBRARIES, Built, as_root, built_for, mount_namespace, source_of
from support import PROJECT, within

if TYPE_CHECKING:
    from adcl.trace import SavingsReport

pytestmark = pytest.mark.mpi

_EXCHANGES = source_of("""
  int n = argc > 2 ? atoi(argv[2]) : 1024;
  int *in = calloc(size * n, sizeof *in), *out = calloc(size * n, sizeof *out);
  for (int i = 0; i < calls; ++i) {
    in[0] = rank + i;
    MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, MPI_COMM_WORLD);
    if (rank == 0 && out[0] != i) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  free(in);
  free(out);
""")
"""Exchanges integers, as many times as argument 1 states; argument 2: integers for each rank."""

_PARTS = source_of("""
  int color = atoi(argv[2]), in = 1, out = 0;
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, color, rank, &part);
  int members = 0;
  MPI_Comm_size(part, &members);
  for (int i = 0; i < calls; ++i) {
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (out != size) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, part);
    if (out != members) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(&out, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Comm_free(&part);
""")
"""Reduces over all processes, and over the processes with the same argument 2."""

_COUNTER = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static long calls;
int MPI_Alltoall(const void *in, int n, MPI_Datatype a, void *out, int m, MPI_Datatype b, MPI_Comm comm) {
  ++calls;
  return PMPI_Alltoall(in, n, a, out, m, b, comm);
}
int MPI_Finalize(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE *file = rank == 0 ? fopen(getenv("COUNTED"), "w") : NULL;
  if (file != NULL) {
    fprintf(file, "%ld", calls);
    fclose(file);
  }
  return PMPI_Finalize();
}
"""
"""A library behind the interposer: counts the calls that reach the MPI library."""

_DENIED = "ADCL_INTERPOSE_PROGRAMS or ADCL_INTERPOSE_HOSTS excludes a process"


@pytest.fixture(scope="module", params=LIBRARIES)
def exchanges(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    return built_for(request.param, _EXCHANGES, tmp_path_factory.mktemp("exchanges"))


@pytest.fixture(scope="module", params=LIBRARIES)
def parts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    return built_for(request.param, _PARTS, tmp_path_factory.mktemp("parts"))


def _report(found: SavingsReport | None) -> SavingsReport:
    assert found is not None
    return found


# ---- Dry runs --------------------------------------------------------------------------------------------------------


def _counted(exchanges: Built, folder: Path, **environment: str) -> tuple[SavingsReport, int]:
    """Return the report, and the number of calls that ran the MPI library's function, with codelets that always win."""
    (folder / "counter.c").write_text(_COUNTER, encoding="utf-8")
    counter = folder / "counter.so"
    compiler = f"mpicc.{exchanges.library}"
    subprocess.run([compiler, "-shared", "-fPIC", "counter.c", "-o", counter], cwd=folder, check=True)
    found = exchanges.run(
        [(2, [str(exchanges.program), "3000"])],
        folder / "report.json",
        preload=str(counter),
        COUNTED=str(folder / "counted"),
        **environment,
    )
    return _report(found), int((folder / "counted").read_text(encoding="utf-8"))


def test_a_dry_run_measures_and_uses_no_codelet(exchanges: Built, tmp_path: Path) -> None:
    found, native = _counted(exchanges, tmp_path, ADCL_INTERPOSE="measure")
    assert found.mode == "measure"
    (row,) = found.searched
    assert row.state in ("recommended", "native", "searching", "proving")
    assert row.search_seconds > 0
    assert row.saved is None
    # Candidates run in searches and pairs only.
    assert native > 0.5 * row.calls
    if row.state == "recommended":
        assert row.winner_calls <= native
        assert native > 0.8 * row.calls
    if row.would_save is not None and row.state == "recommended":
        assert found.would_save is not None
        assert row.would_save.low <= row.would_save.seconds <= row.would_save.high
        # At most the whole time in the MPI library's calls would have been saved.
        assert row.would_save.high <= row.winner_seconds <= row.seconds * 1.01


def test_the_same_program_uses_codelets_without_dry_run(exchanges: Built, tmp_path: Path) -> None:
    found, native = _counted(exchanges, tmp_path)
    assert found.mode == "tune"
    (row,) = found.searched
    assert row.would_save is None
    if row.state == "production":
        assert native < row.calls - row.winner_calls + 1


def test_a_dry_run_stores_nothing(exchanges: Built, tmp_path: Path) -> None:
    history = tmp_path / "history"
    line = [(2, [str(exchanges.program), "1500"])]
    settings = {"ADCL_INTERPOSE": "measure", "ADCL_INTERPOSE_HISTORY": str(history)}
    found = _report(exchanges.run(line, tmp_path / "report.json", **settings))
    assert (found.history.folder, found.history.stored) == (str(history), 0)
    assert not history.exists()


def test_one_rank_that_measures_makes_all_measure(exchanges: Built, tmp_path: Path) -> None:
    line = [str(exchanges.program), "1500"]
    dry = ["env", "ADCL_INTERPOSE=measure", *line]
    found = _report(exchanges.run([(1, line), (1, dry)], tmp_path / "report.json"))
    (row,) = found.searched
    assert row.state != "production"
    assert row.saved is None


# ---- Filters ---------------------------------------------------------------------------------------------------------


def test_a_program_that_is_denied_keeps_the_calls_of_the_library(exchanges: Built, tmp_path: Path) -> None:
    line = [(2, [str(exchanges.program), "300"])]
    for settings in (
        {"ADCL_INTERPOSE_PROGRAMS": "!prog*"},
        {"ADCL_INTERPOSE_PROGRAMS": "solver*"},
        {"ADCL_INTERPOSE_HOSTS": "none*"},
    ):
        (row,) = _report(exchanges.run(line, tmp_path / "report.json", **settings)).searched
        assert (row.state, row.reason) == ("native", _DENIED)
    for settings in ({"ADCL_INTERPOSE_PROGRAMS": "prog*"}, {"ADCL_INTERPOSE_HOSTS": "*,!none*"}):
        (row,) = _report(exchanges.run(line, tmp_path / "report.json", **settings)).searched
        assert row.reason != _DENIED


def test_a_denied_rank_affects_only_its_communicators(parts: Built, tmp_path: Path) -> None:
    other = tmp_path / "coupler"
    shutil.copy(parts.program, other)
    for first, second in (("1", "2"), ("2", "1")):
        found = _report(
            parts.run(
                [(2, [str(parts.program), "400", first]), (1, [str(other), "400", second])],
                tmp_path / "report.json",
                ADCL_INTERPOSE_PROGRAMS="!coupler",
            )
        )
        reasons = {(row.call, row.reason == _DENIED) for row in found.searched}
        # All processes: denied. The two processes of the program: searched. The coupler alone: not searched.
        assert ("MPI_Allreduce", True) in reasons
        assert ("MPI_Bcast", True) in reasons
        assert ("MPI_Allreduce", False) in reasons
        assert ("MPI_Bcast", False) not in reasons


# ---- File systems ----------------------------------------------------------------------------------------------------


def _in_namespace(program: Path, folder: Path, mounts: str) -> str:
    """Return a script that runs the program with other file systems."""
    script = folder / "wrapped"
    script.write_text(
        f'#!/bin/sh\nexec unshare -m sh -c \'{mounts} && exec {program} "$1"\' - "$1"\n', encoding="utf-8"
    )
    script.chmod(0o755)
    return str(script)


@pytest.mark.parametrize("megabytes", [64, 9])
def test_a_small_dev_shm_is_no_failure(exchanges: Built, tmp_path: Path, megabytes: int) -> None:
    mount_namespace()
    if exchanges.library == "mpich" and megabytes < 64:
        pytest.skip("MPICH itself needs more")
    # All ranks share the small file system, so the launcher runs in it.
    command = exchanges.command(
        [(2, [str(exchanges.program), "1000", "65536"])],
        ADCL_INTERPOSE_BUDGET="1000000",
        ADCL_INTERPOSE_HISTORY="off",
        ADCL_INTERPOSE_REPORT=str(tmp_path / "report.json"),
    )
    done = subprocess.run(
        [
            "unshare",
            "-m",
            "sh",
            "-c",
            f'mount -t tmpfs -o size={megabytes}m tmpfs /dev/shm && exec "$@"',
            "-",
            *command,
        ],
        env=as_root(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=within(120),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_read_only_home_is_no_failure(exchanges: Built, tmp_path: Path) -> None:
    mount_namespace()
    home = tmp_path / "home"
    home.mkdir()
    script = _in_namespace(exchanges.program, tmp_path, f"mount -t tmpfs -o ro tmpfs {home}")
    settings = {"HOME": str(home), "XDG_CACHE_HOME": "", "ADCL_INTERPOSE_HISTORY": ""}
    found = _report(exchanges.run([(2, [script, "1500"])], tmp_path / "report.json", **settings))
    assert found.history.stored == 0
    assert "Read-only file system" in found.history.trouble


# ---- The module file -------------------------------------------------------------------------------------------------

_LMOD = Path("/usr/share/lmod/lmod/init/bash")


@pytest.mark.skipif(not _LMOD.is_file(), reason="the system has no Lmod")
def test_the_module_preloads_the_installed_library(exchanges: Built, tmp_path: Path) -> None:
    prefix = tmp_path / "opt"
    script = PROJECT / f"build/{exchanges.library}/src/interpose/cmake_install.cmake"
    install = ["cmake", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-P", str(script)]
    subprocess.run(install, check=True, capture_output=True)
    moved = prefix.rename(tmp_path / "moved")
    launch = " ".join(LAUNCH[exchanges.library])
    shell = f"""
      source {_LMOD}
      module use {moved}/share/adcl/modulefiles
      module load adcl-interpose && echo "loaded $LD_PRELOAD"
      module whatis adcl-interpose
      {launch} -n 2 {exchanges.program} 200
      module unload adcl-interpose && echo "unloaded [$LD_PRELOAD]"
    """
    done = subprocess.run(
        ["bash", "-c", shell],
        env=as_root(ADCL_INTERPOSE_REPORT=str(tmp_path / "report.json")),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=within(120),
    )
    assert done.returncode == 0, done.stderr
    library = next(moved.glob("lib*/**/libadcl-interpose.so"))
    assert f"loaded {library}" in done.stdout
    assert "unloaded []" in done.stdout
    assert (tmp_path / "report.json").is_file()
    # A module file whose library is missing explains the problem.
    library.unlink()
    lacks = subprocess.run(
        ["bash", "-c", f"source {_LMOD}; module use {moved}/share/adcl/modulefiles; module load adcl-interpose"],
        env=as_root(),
        capture_output=True,
        text=True,
        check=False,
        timeout=within(60),
    )
    assert f"{library} does not exist" in " ".join(lacks.stderr.split())
