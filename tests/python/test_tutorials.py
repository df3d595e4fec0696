"""The tutorials and the first page: their commands run as typed, and print what the pages show."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support import PROJECT, clean_environment, mpi_library, within

from adcl.knowledge import Folder

if TYPE_CHECKING:
    from pathlib import Path

_DOCS = PROJECT / "docs"
_PART = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PRESET = "openmpi"
_EXAMPLES = ("c", "cpp", "fortran", "python")


def _parts(page: str, *, without: str = "./program") -> list[tuple[str, str]]:
    """Return commands and listings of a page, in their order; commands on the reader's own program do not count."""
    text = (_DOCS / page).read_text(encoding="utf-8")
    return [(one[1], one[2]) for one in _PART.finditer(text) if without not in one[2]]


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the installed library."""
    build = PROJECT / "build" / _PRESET
    if not (build / "lib/libadcl_fortran.so").is_file() or not shutil.which("mpicc.openmpi"):
        pytest.skip(f"needs build/{_PRESET} with Fortran")
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run(
        ["cmake", "--install", str(build), "--prefix", str(folder / "before")],
        check=True,
        capture_output=True,
        timeout=within(120),
    )
    # An installed tree can be moved.
    return (folder / "before").rename(folder / "after")


@pytest.fixture
def shell(prefix: Path, tmp_path: Path) -> dict[str, str]:
    """Return the environment of a user: the commands mpicc, mpirun, python and adcl, and the sources in the folder."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("mpicc", "mpicxx", "mpif90", "mpirun", "mpiexec"):
        (programs / name).symlink_to(str(shutil.which(f"{name}.openmpi")))
    (programs / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    (programs / "python").chmod(0o755)
    (tmp_path / "examples").symlink_to(PROJECT / "examples")
    return clean_environment(
        PATH=f"{programs}:{prefix}/bin:{PROJECT}/.venv/bin:/usr/bin:/bin",
        PYTHONPATH=str(PROJECT / "python"),
        ADCL_LIBRARY_PATH=str(prefix / "lib"),
        MPI4PY_LIBMPI=str(mpi_library(PROJECT / "build" / _PRESET / "CMakeCache.txt")),
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",
        OMPI_MCA_mpi_yield_when_idle="1",
        XDG_CACHE_HOME=str(tmp_path / "cache"),
        ADCL_INTERPOSE_HISTORY="",
    )


def _typed(commands: str, prefix: Path, folder: Path, shell: dict[str, str]) -> str:
    """Run commands as typed, with the folder of the installation in place of PREFIX; return their output."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands.replace("PREFIX", str(prefix))],
        cwd=folder,
        env=shell,
        capture_output=True,
        text=True,
        check=False,
        timeout=within(180),
    )
    assert done.returncode == 0, f"{commands}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout + done.stderr


@pytest.mark.mpi
@pytest.mark.parametrize("page", ["tutorial-stencil.md", "tutorial-graph.md", "tutorial-program.md"])
def test_the_commands_run_and_print_the_listings(
    page: str, prefix: Path, tmp_path: Path, shell: dict[str, str]
) -> None:
    out, listings = "", 0
    for kind, text in _parts(page):
        if kind == "sh":
            out = _typed(text, prefix, tmp_path, shell)
        else:
            assert text in out, f"{page} shows\n{text}\nbut the commands printed\n{out}"
            listings += 1
    assert listings > 0


@pytest.mark.mpi
def test_the_first_program_of_the_first_page_runs(prefix: Path, tmp_path: Path, shell: dict[str, str]) -> None:
    (_, commands), (kind, listing) = _parts("index.md")[:2]
    assert kind == "text"
    out = _typed(commands, prefix, tmp_path, shell)
    assert listing in out
    assert "winner" in out


@pytest.mark.mpi
def test_the_commands_to_link_a_program_run(prefix: Path, tmp_path: Path, shell: dict[str, str]) -> None:
    """The commands for CMake and for pkg-config of the page on MPI libraries, with programs in three languages."""
    page = (_DOCS / "mpi-libraries.md").read_text(encoding="utf-8")
    section = page[page.index("### Link a program") : page.index("### Install the command")]
    (project,) = re.findall(r"^```cmake\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    with_cmake, with_pkg_config = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    (tmp_path / "CMakeLists.txt").write_text(project, encoding="utf-8")
    for name, source in (("cpp", "header/heat.cpp"), ("c", "c/ring.c"), ("f90", "fortran/ring.f90")):
        shutil.copy(PROJECT / "tests/consumer" / source, tmp_path / f"solver.{name}")
    _typed(with_cmake, prefix, tmp_path, shell)
    compilers = [line.split()[0] for line in with_pkg_config.splitlines() if "pkg-config" in line]
    assert compilers == ["mpicc", "mpif90"]
    for line in with_pkg_config.splitlines()[1:]:
        export = with_pkg_config.splitlines()[0]
        _typed(f"{export}\n{line}\nldd solver\nmpirun -n 2 ./solver", prefix, tmp_path, shell)


@pytest.mark.mpi
def test_the_report_of_the_unchanged_program_names_its_call(
    prefix: Path, tmp_path: Path, shell: dict[str, str]
) -> None:
    for kind, text in _parts("tutorial-program.md")[:4]:
        if kind == "sh":
            out = _typed(text, prefix, tmp_path, shell)
    report = json.loads((tmp_path / "adcl-interpose.json").read_text(encoding="utf-8"))
    assert {row["call"] for row in report["searched"]} >= {"MPI_Alltoall"}
    assert "MPI_Alltoall" in out


@pytest.mark.mpi
def test_four_languages_print_the_same_number_and_share_the_history(
    prefix: Path, tmp_path: Path, shell: dict[str, str]
) -> None:
    """Numbers have 17 digits, so that equal numbers have equal bits. The halo in Fortran has its own entry."""
    blocks = [text for kind, text in _parts("tutorial-stencil.md") if kind == "sh"][: len(_EXAMPLES)]
    numbers = set()
    shell["ADCL_HISTORY"] = str(tmp_path / "history")
    for language, commands in zip(_EXAMPLES, blocks, strict=True):
        assert f"examples/{language}/plate" in commands
        numbers.add(float(_typed(commands, prefix, tmp_path, shell).split()[-1]))
    (number,) = numbers
    assert f"{number:.17g}" in (_DOCS / "tutorial-stencil.md").read_text(encoding="utf-8")
    entries, _ = Folder(tmp_path / "history").read()
    assert sorted(entry.function_set for entry in entries) == ["allreduce", "neighborhood", "neighborhood"]


_SAME_HALO = {
    "c": "mpicc {source} $(pkg-config --cflags --libs adcl) -Wl,-rpath,PREFIX/lib -o halo && mpirun -n {ranks} ./halo",
    "cpp": "mpicxx -std=c++20 {source} $(pkg-config --cflags --libs adcl) -Wl,-rpath,PREFIX/lib -o halo"
    " && mpirun -n {ranks} ./halo",
    "f90": "mpif90 {source} $(pkg-config --cflags --libs adcl_fortran) -Wl,-rpath,PREFIX/lib -o halo"
    " && mpirun -n {ranks} ./halo",
    "py": "mpirun -n {ranks} python {source}",
}


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3])
def test_the_same_halo_has_the_same_bits_and_winner_in_four_languages(
    prefix: Path, tmp_path: Path, shell: dict[str, str], ranks: int
) -> None:
    """Each program begins with the winner that the history contains, and leaves the bits of all other programs."""
    history = tmp_path / "history"
    shell |= {"ADCL_HISTORY": str(history), "ADCL_SEARCH": "brute_force", "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
    blocks = set()
    for language, command in _SAME_HALO.items():
        stored = [entry.decisions for entry in Folder(history).read()[0]] if history.is_dir() else []
        source = PROJECT / f"tests/python/programs/languages/halo.{language}"
        out = _typed(f"{command.format(source=source, ranks=ranks)} {language}", prefix, tmp_path, shell)
        found = re.search(r"^began with (\w+) decided for (\w+)$", out, re.MULTILINE)
        assert found is not None, f"{language}: {out}"
        assert len(stored) == (0 if language == "c" else 1), f"{language} has an entry of its own"
        for decisions in stored:
            assert [found[1]] == [decision.winner for decision in decisions.values()], language
        ((decision,),) = (entry.decisions.values() for entry in Folder(history).read()[0])
        assert found[2] == decision.winner, language
        blocks.add(b"".join((tmp_path / f"{language}.{rank}").read_bytes() for rank in range(ranks)))
    (block,) = blocks
    assert len(block) == ranks * 26 * 42 * 8
    assert len(set(block)) > 200, "the numbers are not all equal"


def test_first_lines_of_the_report_have_the_words_of_the_messages() -> None:
    text = (_DOCS / "tutorial-program.md").read_text(encoding="utf-8")
    sentences = re.findall(r"^\| `(ADCL would [^`]+)`", text, re.MULTILINE)
    source = (PROJECT / "python/adcl/trace/_savings_words.py").read_text(encoding="utf-8")
    assert len(sentences) == 4
    assert [one for one in sentences if one not in source] == []


def test_included_programs_run_as_tests() -> None:
    included = set()
    for page in _DOCS.glob("*.md"):
        included |= set(re.findall(r"^```\{literalinclude\} (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert len(included) >= 6
    for name in included:
        file = (_DOCS / name).resolve()
        assert file.is_relative_to(PROJECT / "examples")
        assert "ranks: 1 2 3" in file.read_text(encoding="utf-8").split("\n", 1)[0]
