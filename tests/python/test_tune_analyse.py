"""``adcl tune analyze``: profile a program or read a profile; output as text, page and JSON."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from profile_support import rank_document
from support import within
from tune_programs import TUNING_FILE, result_of

from adcl.launch import KINDS, Job, JobFailedError, Launcher, Result, linkage
from adcl.mpi_libraries import LIBRARIES
from adcl.tune.trial import find_profiler
from adcl.tune.trial._profiler import run_profiled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    Adcl = Callable[..., Ended]

_PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, size;
  static char data[5000];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 40; ++i) {
    if (rank == 0) MPI_Send(data, 5000, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data, 5000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
"""


def _profile(folder: Path, *in_mpi: float, size: int = 3000) -> None:
    """Write files of ranks that are in MPI for the given seconds of 10 or more."""
    folder.mkdir()
    for rank, seconds in enumerate(in_mpi):
        document = rank_document(
            rank, len(in_mpi), {size: 100, 100_000: 1}, Send=("p2p", 101, seconds / 4), Bcast=("collective", 3, seconds)
        )
        (folder / f"adcl-profile.{rank}.json").write_text(json.dumps(document), encoding="utf-8")


def test_the_british_spelling_is_a_hidden_alias(adcl: Adcl, tune: Callable[..., Ended], tmp_path: Path) -> None:
    _profile(tmp_path / "there", 2.0, 4.0)
    british = adcl("tune", "analyse", "--output", "there", "--json")
    assert british.code == 0, british.err
    assert british.out == adcl("tune", "analyze", "--output", "there", "--json").out
    assert "analyse" not in adcl("tune", "--help").out
    assert "--analyse" not in adcl("tune", "run", "--help").out
    refused = tune("run", "t.toml", "--analyse", "--", "./program")
    assert "--analyze requires the profiler" in refused.err


def test_shows_a_profile_and_writes_its_page(adcl: Adcl, tmp_path: Path) -> None:
    _profile(tmp_path / "there", 2.0, 4.0)
    ended = adcl("tune", "analyze", "--output", "there")
    assert ended.code == 0, ended.err
    words = " ".join(ended.out.split())
    for part in (
        "fish_school on 2 ranks, Open MPI v5: 11.0 s, 34.1% of the time in MPI (2.50 s to 5.00 s per rank)",
        "MPI_Bcast 6 3.00 s 27.3%",
        "≤ 4 KiB 200 585.9 KiB",
        "EagerLimitDependency 99% 87%",
        "try the algorithms of MPI_Bcast, which takes the most",
        "balance the work first",
        "page: there/analysis.html",
    ):
        assert part in words, words
    page = (tmp_path / "there" / "analysis.html").read_text(encoding="utf-8")
    assert "34.1 % of the run&#39;s 11.0 s is spent in MPI." in page
    assert "MPI_Bcast" in page
    assert max(map(len, ended.out.splitlines()[1:-1])) <= 80


def test_for_programs(adcl: Adcl, tmp_path: Path) -> None:
    _profile(tmp_path / "there", 2.0, 4.0)
    ended = adcl("tune", "analyze", "--output", "there", "--json")
    document: dict[str, Any] = json.loads(ended.out)
    assert document == json.loads((tmp_path / "there" / "analysis.json").read_text(encoding="utf-8"))
    assert document["seconds_in_mpi_of_ranks"] == [2.5, 5.0]
    assert [one["name"] for one in document["functions"]] == ["MPI_Bcast", "MPI_Send"]
    assert [one["name"] for one in document["properties"]] == [
        "EagerLimitDependency",
        "MpiMatters",
        "CollectivesDominate",
        "OneSidedUsed",
        "LoadImbalance",
    ]


def test_mistakes(adcl: Adcl, tmp_path: Path) -> None:
    assert "no program is given" in adcl("tune", "analyze").err
    assert "the profiler wrote nothing to" in adcl("tune", "analyze", "--output", ".").err
    _profile(tmp_path / "there", 1.0)
    ended = adcl("tune", "analyze", "--output", "there", "--", "true")
    assert ended.code == 2
    assert "there is not empty" in ended.err


def test_a_real_program(adcl: Adcl, tmp_path: Path) -> None:
    compiler = shutil.which("mpicc")
    if compiler is None:
        pytest.skip("no MPI compiler is installed")
    (tmp_path / "sends.c").write_text(_PROGRAM, encoding="utf-8")
    subprocess.run(
        [compiler, "sends.c", "-o", "sends"], cwd=tmp_path, check=True, capture_output=True, timeout=within(60)
    )
    linked = linkage(tmp_path / "sends")
    if linked is None or find_profiler(linked.family) is None:
        pytest.skip("the profiler is not built for this MPI library")
    ended = adcl("tune", "analyze", "-n", "2", "--timeout", "50s", "--json", "--", "./sends")
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)
    assert (document["program"], document["ranks"], document["messages"]["count"]) == ("sends", 2, 40)
    assert document["metrics"]["PSC_MPI_MSG_P2P_8K"] == 40
    properties = {one["name"]: one for one in document["properties"]}
    eager = properties["EagerLimitDependency"]
    assert (eager["severity"], eager["holds"]) == (1.0, True)
    assert "above the current eager limit" in eager["text"]
    assert properties["CoresShared"]["text"]


_CASES = """
[[case]]
name = "many small ones"
arguments = ["usual"]

[[case]]
name = "collectives/only"
arguments = ["flat"]
"""


def test_study_of_several_cases_keeps_settings_that_matter_for_one(tune: Adcl, tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(TUNING_FILE + _CASES, encoding="utf-8")
    refused = tune("run", "t.toml", "--analyze", "--", "./program")
    assert "--analyze requires the profiler" in refused.err
    assert not (tmp_path / "t.study").exists(), "nothing is left behind"
    (tmp_path / "t.study" / "profile").mkdir(parents=True, exist_ok=True)
    _profile(tmp_path / "t.study" / "profile" / "1", 2.0, 4.0)
    _profile(tmp_path / "t.study" / "profile" / "2", 2.0, 4.0, size=8)

    ended = tune("run", "t.toml", "--analyze", "--resume", "--", "./program")

    assert ended.code == 0, ended.err
    told = " ".join(ended.out.split())
    assert "many small ones: EagerLimitDependency: " in told
    assert "collectives/only: EagerLimitDependency: 0%" in told
    assert "2 cases" in told
    trials = [run for run in result_of(tmp_path)["runs"] if run["kind"] == "trial"]
    assert {run["configuration"]["eager_limit"] for run in trials} == {1024, 32768, 65536}
    page = (tmp_path / "t.study" / "report.html").read_text(encoding="utf-8")
    for title in ("many small ones: Properties", "collectives/only: Messages"):
        assert page.count(title) >= 1
    assert "collectives/only: EagerLimitDependency: " not in page, "that is in the table of the case"


def test_the_profiler_is_found_beside_the_installed_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib").mkdir()
    program, library = tmp_path / "bin" / "adcl-describe", tmp_path / "lib" / "libadcl-profile.so"
    program.touch(mode=0o755)
    library.touch()
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    assert find_profiler(LIBRARIES["mpich"].family) == library


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_profiler_with_the_standard_abi_is_rejected_for_other_libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, profiler = tmp_path / "libmpi_abi.so.0", tmp_path / "libadcl-profile.so"
    (tmp_path / "lib.c").write_text("int abi(void) { return 0; }\n", encoding="utf-8")
    (tmp_path / "profiler.c").write_text("int abi(void);\nint profiler(void) { return abi(); }\n", encoding="utf-8")
    shared = ["cc", "-shared", "-fPIC", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run([*shared, "-Wl,-soname,libmpi_abi.so.0", tmp_path / "lib.c", "-o", library], check=True)
    subprocess.run([*shared, tmp_path / "profiler.c", library, "-o", profiler], check=True)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))

    assert find_profiler(LIBRARIES["mpich"].family) == profiler
    assert find_profiler(LIBRARIES["ibm"].family) is None


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_profiler_of_the_same_version_precedes_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lib.c").write_text("int mpi(void) { return 0; }\n", encoding="utf-8")
    (tmp_path / "profiler.c").write_text("int mpi(void);\nint profiler(void) { return mpi(); }\n", encoding="utf-8")
    libraries = [tmp_path / version / "libmpi.so.40" for version in ("new", "old")]
    for library in libraries:
        library.parent.mkdir()
        shared = ["cc", "-shared", "-fPIC", f"-Wl,-rpath,{library.parent}"]
        subprocess.run([*shared, "-Wl,-soname,libmpi.so.40", tmp_path / "lib.c", "-o", library], check=True)
        profiler = library.with_name("libadcl-profile.so")
        subprocess.run([*shared, tmp_path / "profiler.c", library, "-o", profiler], check=True)
    monkeypatch.setattr("adcl.launch._preload._places", lambda name: [one.with_name(name) for one in libraries])
    family = LIBRARIES["openmpi4"].family
    for library in libraries:
        assert find_profiler(family, mpi=library) == library.with_name("libadcl-profile.so")


def test_failing_profiled_program_is_named_as_on_the_command_line(tmp_path: Path) -> None:
    """The message omits the launcher's command, which contains variables for the profiler."""
    failed = Result(("mpirun", "-x", "LD_PRELOAD=p.so", "./sort"), 134, 1.0, "", "sort: bucket 7 overflows\n")
    job = Job("./sort", ("10", "a b"), ranks=2)

    with pytest.raises(JobFailedError) as raised:
        run_profiled(job, Launcher(KINDS["mpich"], tmp_path / "mpiexec", "5.0.2"), tmp_path, lambda *_: failed)

    assert str(raised.value) == (
        "./sort 10 'a b' on 2 ranks ended with exit code 134, with the profiler preloaded: sort: bucket 7 overflows"
    )
