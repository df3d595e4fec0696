"""Finding launchers and their kinds, with fake launchers that print real version output."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from adcl.errors import UsageError
from adcl.launch import (
    KINDS,
    Job,
    LauncherError,
    LauncherKind,
    Placement,
    ProgramNotFoundError,
    detect,
    installed,
    plan,
    usable_cores,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_COMPILER = shutil.which("cc")

_ANSWERS = {
    KINDS["openmpi4"]: ("mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/", "4.1.4"),
    KINDS["openmpi5"]: ("mpirun (Open MPI) 5.0.11\n\nReport bugs to https://www.open-mpi.org/", "5.0.11"),
    KINDS["mpich"]: ("HYDRA build details:\n    Version:                                 4.0.2\n    Release", "4.0.2"),
    KINDS["intel"]: ("Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626 (id: b4)", "2021.18.1"),
    KINDS["smpi"]: ("SimGrid version 3.32\nCopyright", "3.32"),
    KINDS["slurm"]: ("slurm-wlm 22.05.8", "22.05.8"),
    KINDS["poe"]: ("ERROR: 0031-808  Hostfile or pool must be used to request nodes", "unknown"),
}


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Return a function that puts launchers with this version output into an otherwise empty PATH."""
    folder = tmp_path / "fakes"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def make(name: str, answer: str, code: int = 0) -> Path:
        path = folder / name
        path.write_text(f"#!/bin/sh\n/bin/cat <<'END'\n{answer}\nEND\nexit {code}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return make


@pytest.mark.parametrize("kind", [one for one in KINDS.values() if not one.single], ids=lambda one: one.name)
def test_each_kind_is_recognized_by_its_answer(fake: Callable[..., Path], kind: LauncherKind) -> None:
    answer, version = _ANSWERS[kind]
    path = fake("start", answer)
    for launcher in (detect(path), detect(str(path)), detect("start")):
        assert (launcher.kind, launcher.version, launcher.path) == (kind, version, path)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("mpirun.openmpi (OpenRTE) 4.1.4", KINDS["openmpi4"]),
        ("mpirun (Open MPI) 3.1.6rc2", KINDS["openmpi4"]),
        ("prterun (PRRTE) 3.0.13", KINDS["openmpi5"]),
        ("mpirun (Open MPI) 6.0.0a1", KINDS["openmpi5"]),
        ("slurm 23.11.4", KINDS["slurm"]),
    ],
)
def test_other_versions_and_names(fake: Callable[..., Path], answer: str, kind: LauncherKind) -> None:
    assert detect(fake("start", answer)).kind is kind


def test_kinds_are_names_too(fake: Callable[..., Path]) -> None:
    fake("mpirun", _ANSWERS[KINDS["openmpi5"]][0])
    fake("mpiexec.mpich", _ANSWERS[KINDS["mpich"]][0])
    fake("srun", _ANSWERS[KINDS["slurm"]][0])
    assert detect("mpich").path.name == "mpiexec.mpich"
    assert detect("openmpi").kind is KINDS["openmpi5"]
    assert detect("Slurm").path.name == "srun"
    with pytest.raises(
        LauncherError, match=r"no launcher of kind intel.*installed launchers: .*mpirun \(Open MPI 5, version 5"
    ):
        detect("intel")


def test_default_is_the_first_usual_name_and_a_simulator_is_last(fake: Callable[..., Path]) -> None:
    fake("smpirun", _ANSWERS[KINDS["smpi"]][0])
    assert detect().kind is KINDS["smpi"]
    fake("mpiexec.mpich", _ANSWERS[KINDS["mpich"]][0])
    assert detect().kind is KINDS["mpich"]
    fake("mpirun", _ANSWERS[KINDS["openmpi4"]][0])
    assert detect().kind is KINDS["openmpi4"]
    assert [one.path.name for one in installed()] == ["mpirun", "mpiexec.mpich", "smpirun"]


def test_two_names_of_one_launcher_count_once(fake: Callable[..., Path]) -> None:
    path = fake("mpirun", _ANSWERS[KINDS["mpich"]][0])
    path.with_name("mpiexec").symlink_to(path)
    assert len(installed()) == 1


def test_unknown_launchers_are_reported_with_a_remedy(fake: Callable[..., Path]) -> None:
    with pytest.raises(LauncherError, match=r"no MPI launcher is in PATH; install an MPI library"):
        detect()
    with pytest.raises(LauncherError, match=r"the launcher 'mpirum' does not exist; name a path or a kind \(openmpi"):
        detect("mpirum")
    path = fake("mpirun", "Mein Programm 1.0", 1)
    with pytest.raises(
        LauncherError, match=r"is not a supported launcher: its output of --version is 'Mein Programm 1.0'"
    ):
        detect(path)


class TestPrograms:
    @pytest.fixture(autouse=True)
    def _launcher(self, fake: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fake("mpiexec", _ANSWERS[KINDS["mpich"]][0])
        monkeypatch.chdir(tmp_path)

    @pytest.mark.parametrize(
        ("program", "message"),
        [
            ("./gone", "the program './gone' does not exist; build it, or correct its path"),
            ("gone", r"the program 'gone' is not in PATH$"),
            ("adcl-gone", "is not in PATH; ADCL installs it in the folder bin; add that folder to PATH"),
            ("data", r"the program 'data' is not in PATH; to run the program in this folder, write \./data"),
            ("./data", r"'\./data' is not executable; if it is a program, run chmod \+x"),
            ("./fakes", r"'\./fakes' is a folder"),
        ],
    )
    def test_unusable_programs_are_named(self, tmp_path: Path, program: str, message: str) -> None:
        (tmp_path / "data").touch()
        with pytest.raises(ProgramNotFoundError, match=message):
            plan(Job(program))

    def test_programs_become_absolute(self, tmp_path: Path) -> None:
        (tmp_path / "solver").touch(0o755)
        assert plan(Job("./solver", cwd=tmp_path))[-1] == str(tmp_path / "solver")
        assert plan(Job("mpiexec"))[-1] == str(tmp_path / "fakes" / "mpiexec")

    def test_program_may_exist_only_on_other_hosts(self) -> None:
        assert plan(Job("/far/solver", placement=Placement(hosts=("a",))))[-1] == "/far/solver"

    def test_the_working_folder_must_exist(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"working folder '.*gone' does not exist"):
            plan(Job("mpiexec", cwd=tmp_path / "gone"))


def test_ranks_beyond_the_cores_are_oversubscribed(fake: Callable[..., Path]) -> None:
    fake("mpirun", _ANSWERS[KINDS["openmpi4"]][0])
    cores = usable_cores()
    assert "--oversubscribe" not in plan(Job("mpirun", ranks=cores))
    assert "--oversubscribe" in plan(Job("mpirun", ranks=cores + 1))
    assert "--oversubscribe" not in plan(Job("mpirun", ranks=cores + 1, placement=Placement(oversubscribe=False)))
    assert "--oversubscribe" not in plan(Job("mpirun", ranks=cores + 1, placement=Placement(hosts=("a", "b"))))


@pytest.mark.skipif(_COMPILER is None, reason="needs a C compiler")
@pytest.mark.parametrize("other", [None, KINDS["openmpi4"], KINDS["mpich"]])
@pytest.mark.parametrize(
    ("soname", "own"), [("libopen-pal.so.80", KINDS["openmpi5"]), ("libmpi_abi.so.0", KINDS["mpich"])]
)
def test_the_launcher_installed_with_the_program_s_library_comes_first(
    fake: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    soname: str,
    own: LauncherKind,
    other: LauncherKind | None,
) -> None:
    """A library with the standard ABI of MPI 5 fits any launcher, but the one found here has its own launcher."""
    monkeypatch.undo()
    prefix = tmp_path / "venv"
    for folder in ("bin", "lib"):
        (prefix / folder).mkdir(parents=True)
    launcher = fake("mpirun", _ANSWERS[own][0]).rename(prefix / "bin/mpirun")
    if other is not None:
        fake("mpirun", _ANSWERS[other][0])
    (tmp_path / "lib.c").write_text("int opal(void) { return 0; }\n")
    (tmp_path / "main.c").write_text("int opal(void);\nint main(void) { return opal(); }\n")
    library = prefix / "lib" / soname
    made: list[str | Path] = ["-shared", "-fPIC", f"-Wl,-soname,{soname}", tmp_path / "lib.c", "-o", library]
    subprocess.run([str(_COMPILER), *made], check=True)
    program = tmp_path / "program"
    used: list[str | Path] = [tmp_path / "main.c", library, f"-Wl,-rpath,{library.parent}", "-o", program]
    subprocess.run([str(_COMPILER), *used], check=True)
    monkeypatch.setenv("PATH", f"{tmp_path / 'fakes'}:/usr/bin:/bin")

    assert detect(program=program).path == launcher
