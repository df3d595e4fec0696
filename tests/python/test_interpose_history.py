"""The history of the interposer: the second run knows the results of the first, and of programs that use ADCL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from site_support import LIBRARIES, Built, built_for, mount_namespace, source_of

from adcl.knowledge import Folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    from adcl.trace import SavingsReport

    Adcl = Callable[..., Ended]

pytestmark = pytest.mark.mpi

_PROGRAM = source_of("""
  static double in[2 * 512], out[2 * 512];
  for (int i = 0; i < calls; ++i) {
    in[0] = rank + i;
    MPI_Alltoall(in, 512, MPI_DOUBLE, out, 512, MPI_DOUBLE, MPI_COMM_WORLD);
    if (rank == 0 && out[0] != i) MPI_Abort(MPI_COMM_WORLD, 1);
  }
""")


@pytest.fixture(scope="module", params=LIBRARIES)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    return built_for(request.param, _PROGRAM, tmp_path_factory.mktemp("program"))


def _run(built: Built, folder: Path, program: str = "", **environment: str) -> SavingsReport:
    settings = {"HOME": str(folder), "XDG_CACHE_HOME": "", **environment}
    found = built.run([(2, [program or str(built.program), "1500"])], folder / "report.json", **settings)
    assert found is not None
    return found


def test_the_second_run_knows_the_results_of_the_first(built: Built, tmp_path: Path) -> None:
    history = tmp_path / "kept"
    first = _run(built, tmp_path, ADCL_INTERPOSE_HISTORY=str(history))
    assert (first.history.folder, first.history.known, first.history.stored) == (str(history), 0, 1)
    (entry,), leftovers = Folder(history).read()
    assert not leftovers
    assert entry.features["datatype"] == "bytes"
    decision = entry.decisions["start_with"]
    assert (decision.decisions, decision.confirmations) == (1, 0)

    second = _run(built, tmp_path, ADCL_INTERPOSE_HISTORY=str(history))
    assert (second.history.known, second.history.trouble) == (1, "")
    (again,), _ = Folder(history).read()
    after = again.decisions["start_with"]
    # The winner is confirmed, or a search has followed because its time has changed.
    assert after.confirmations == 1 or after.decisions == 2 or after.winner == "Native"


def test_the_default_folder_is_in_the_home_of_the_user(adcl: Adcl, built: Built, tmp_path: Path) -> None:
    found = _run(built, tmp_path, ADCL_INTERPOSE_HISTORY="")
    assert found.history.folder == str(tmp_path / ".cache/adcl/history")
    assert found.history.stored == 1
    listed = adcl("history", "list", ADCL_INTERPOSE_HISTORY="", HOME=str(tmp_path), XDG_CACHE_HOME="")
    assert "of 4096 bytes" in listed.out


def test_nothing_is_kept_if_the_history_is_off(built: Built, tmp_path: Path) -> None:
    assert _run(built, tmp_path, ADCL_INTERPOSE_HISTORY="off").history.folder == ""
    assert not (tmp_path / ".cache").exists()


@pytest.mark.parametrize("home", ["/proc/none", "/dev/null", "relative"])
def test_a_home_that_cannot_be_written_is_no_failure(built: Built, tmp_path: Path, home: str) -> None:
    found = _run(built, tmp_path, ADCL_INTERPOSE_HISTORY="", HOME=home)
    assert found.history.stored == 0
    if home == "relative":
        assert found.history.folder == ""
    else:
        assert "cannot create the folder" in found.history.trouble


def test_a_full_disk_is_no_failure(built: Built, tmp_path: Path) -> None:
    mount_namespace()
    disk = tmp_path / "disk"
    disk.mkdir()
    script = tmp_path / "full"
    script.write_text(
        f"#!/bin/sh\nexec unshare -m sh -c 'mount -t tmpfs -o size=4k tmpfs {disk} && "
        f'head -c 4096 /dev/zero >{disk}/filler && exec {built.program} "$1"\' - "$1"\n',
        encoding="utf-8",
    )
    script.chmod(0o755)
    found = _run(built, tmp_path, str(script), ADCL_INTERPOSE_HISTORY=str(disk / "history"))
    assert found.history.stored == 0
    assert "No space left on device" in found.history.trouble


def test_results_are_shared_with_programs_that_use_adcl(adcl: Adcl, built: Built, tmp_path: Path) -> None:
    if built.library != "openmpi":
        pytest.skip("one library is enough")
    describe = str(built.interposer.parents[1] / "bin" / "adcl-describe")
    history = tmp_path / "kept"
    learn = ["learn", "-n", "2", "--mpi", "openmpi", "--oversubscribe", "--folder", str(history), "--time", "20s"]
    learned = adcl(*learn, "alltoall:4096", timeout_s=90.0, ADCL_DESCRIBE=describe)
    assert "alltoall:4096  start          " in learned.out, learned.err
    found = _run(built, tmp_path, ADCL_INTERPOSE_HISTORY=str(history))
    assert found.history.known == 1
    (entry,), _ = Folder(history).read()
    assert {"start", "start_with"} <= entry.decisions.keys()

    other = tmp_path / "other"
    assert _run(built, tmp_path, ADCL_INTERPOSE_HISTORY=str(other)).history.stored == 1
    learned = adcl(
        *learn[:6], "--folder", str(other), "--time", "20s", "alltoall:4096", timeout_s=90.0, ADCL_DESCRIBE=describe
    )
    assert "verified" in learned.out
    (entry,), _ = Folder(other).read()
    assert {"start", "start_with"} <= entry.decisions.keys()
