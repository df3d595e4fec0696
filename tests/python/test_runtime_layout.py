"""Layouts of arrays, and the choice of the library; without MPI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from support import PROJECT

from adcl.errors import AdclError
from adcl.runtime._find import BuiltFor, Running, find_library, identity
from adcl.runtime._layout import Layout, layout_of

if TYPE_CHECKING:
    from pathlib import Path

_A = np.zeros


@pytest.mark.parametrize(
    ("array", "axes", "expected"),
    [
        (_A((4, 5)), (0, 1), Layout((0, 1), False, (4, 5), 1, 8, (0,))),
        (_A((4, 5), order="F"), (0, 1), Layout((0, 1), True, (4, 5), 1, 8, (0,))),
        (_A((4, 5, 3)), (0, 1), Layout((0, 1), False, (4, 5), 3, 8, (0,))),
        (_A((3, 4, 5)), (1, 2), Layout((0, 1), False, (4, 5), 1, 8, (0, 160, 320))),
        (_A((4, 10))[:, ::2], (0, 1), Layout((0, 1), False, (4, 5), 1, 16, (0,))),
        (_A((3, 4, 5)).transpose(1, 2, 0), (0, 1, 2), Layout((2, 0, 1), False, (3, 4, 5), 1, 8, (0,))),
        (_A((1, 5)), (0, 1), Layout((0, 1), False, (1, 5), 1, 8, (0,))),
        (_A((6, 7))[1:5, 1:6], (0, 1), None),
        (_A((4, 5))[::-1], (0, 1), None),
        (_A((8, 5))[::2], (0, 1), None),
    ],
)
def test_layout(array: np.ndarray[Any, Any], axes: tuple[int, ...], expected: Layout | None) -> None:
    assert layout_of(array.shape, array.strides, array.itemsize, axes) == expected


def _library(folder: Path, description: str) -> None:
    folder.mkdir(parents=True)
    (folder / "libadcl.so").write_bytes(b"")
    (folder / "libadcl.mpi").write_text(description)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a package with libraries for two MPI libraries and the standard ABI."""
    monkeypatch.delenv("ADCL_LIBRARY_PATH", raising=False)
    package = tmp_path / "site-packages/adcl"
    _library(package / "lib/a", "First MPI v4.1\nFirst MPI v5.0\n")
    _library(package / "lib/b", "Second Version: 4.0\n")
    _library(package / "lib/c", "Second Version: 5.0\nstandard ABI\n")
    return package


def test_the_library_of_the_package_fits(package: Path) -> None:
    for version, standard, folder in (
        ("First MPI v4.9.9, rev 3", False, "a"),
        ("First  MPI v5.1", False, "a"),
        ("Second\tVersion:  4.2\nDate", False, "b"),
        ("Third 1.0", True, "c"),
    ):
        running = Running(version, standard, "/lib/libmpi.so")
        assert find_library(running, package) == str(package / f"lib/{folder}/libadcl.so")


def test_an_error_names_both(package: Path) -> None:
    with pytest.raises(
        AdclError, match=r"mpi4py uses Second Version: 6.1 \(/x\), but .*First MPI v4.1 or First MPI v5.0"
    ):
        find_library(Running("Second Version: 6.1", False, "/x"), package)


def test_without_libraries_the_loader_searches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADCL_LIBRARY_PATH", raising=False)
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    assert find_library(Running("Any 1", False, "/x"), tmp_path / "a/b/c/adcl") == "libadcl.so.1"


def test_identity_is_the_library_s() -> None:
    assert identity("Open MPI v4.1.4, package: Debian") == "Open MPI v4"
    assert identity("MPICH Version:      4.0.2\nx") == "MPICH Version: 4"
    assert BuiltFor(PROJECT, ("Open MPI v4.1.4",), False).fits(Running("Open MPI v4.0.9", False, ""))
