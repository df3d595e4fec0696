"""The libraries of the wheel that programs preload: each is for versions of an MPI library, or for the standard ABI."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from adcl.launch import _preload, find_library
from adcl.mpi_libraries import FAMILIES

if TYPE_CHECKING:
    from pathlib import Path

_NAME = "libadcl-interpose-engine.so"
_WHEEL = {
    "mpi-abi": ("libmpi_abi.so.1", "MPICH Version: 5.0.2\nstandard ABI\n"),
    "mpich": ("libmpi.so.12", "MPICH Version:\t4.0.2\nMPICH Version: 5\nIntel(R) MPI Library 2021\n"),
    "openmpi": ("libmpi.so.40", "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4\n"),
    "openmpi5": ("libmpi.so.40", "Open MPI v5.0.11, package: Open MPI\n"),
}
_MPICH, _OPEN_MPI = (next(one for one in FAMILIES if one.title == title) for title in ("MPICH", "Open MPI"))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a package with libraries that are linked like those of the wheel."""
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    package = tmp_path / "site-packages/adcl"
    for folder, (mpi, description) in _WHEEL.items():
        place = package / "lib" / folder
        place.mkdir(parents=True)
        (place / "libadcl.mpi").write_text(description, encoding="utf-8")
        stub = tmp_path / "stub" / mpi
        stub.parent.mkdir(exist_ok=True)
        shared = ["cc", "-shared", "-x", "c", "/dev/null", "-x", "none"]
        subprocess.run([*shared, f"-Wl,-soname,{mpi}", "-o", stub], check=True)
        subprocess.run([*shared, "-Wl,--no-as-needed", stub, "-o", place / _NAME], check=True)
    monkeypatch.setattr(_preload, "_PACKAGE", package)
    monkeypatch.setattr(_preload, "_SOURCE_TREE", tmp_path)
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    return package


def test_the_interposer_of_the_wheel_is_for_the_version_of_the_mpi_library(package: Path) -> None:
    for family, version, standard_abi, folder in (
        (_OPEN_MPI, "4.1.4", False, "openmpi"),
        (_OPEN_MPI, "5.0.11", False, "openmpi5"),
        (_MPICH, "4.2", False, "mpich"),
        (_MPICH, "5.0.2", False, "mpich"),
        (_MPICH, "2021.18", False, "mpich"),
        (_MPICH, "5.0.2", True, "mpi-abi"),
        (_MPICH, None, True, "mpi-abi"),
        (_MPICH, None, False, "mpich"),
    ):
        found = find_library(_NAME, family, version=version, standard_abi=standard_abi)
        assert found == package / "lib" / folder / _NAME, (family.title, version, standard_abi)


def test_the_wheel_has_no_interposer_for_other_versions(package: Path) -> None:
    assert package.is_dir()
    assert find_library(_NAME, _OPEN_MPI, version="6.0.0") is None
    assert find_library(_NAME, _MPICH, version="3.4") is None
