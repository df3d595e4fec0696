"""The Python interface on real MPI: same bits as mpi4py, lifetimes, errors, codelets, history."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
from support import PROJECT, clean_environment, mpi_library, part_of, within

import adcl
from adcl import runtime

if TYPE_CHECKING:
    from pathlib import Path

_PROGRAMS = PROJECT / "tests/python/programs"
_PRESETS = ["openmpi", "openmpi5", "mpich5", "impi"]


def _environment(preset: str) -> dict[str, str]:
    """Return the environment for mpi4py with the MPI library of a build; skip the test without the build."""
    folder = PROJECT / "build" / preset
    cache = folder / "CMakeCache.txt"
    if not (folder / "lib/libadcl.so").is_file() or not cache.is_file():
        pytest.skip(f"needs build/{preset}")
    return clean_environment(
        MPI4PY_LIBMPI=str(mpi_library(cache)),
        ADCL_LIBRARY_PATH=str(folder / "lib"),
        PYTHONPATH=str(PROJECT / "python"),
    )


def _run(preset: str, ranks: int, *words: str, **changes: str) -> str:
    """Run a Python program on MPI; return its output."""
    command = [str(PROJECT / f"build/{preset}/launch"), str(ranks), sys.executable, "-X", "dev", *words]
    environment = _environment(preset) | changes
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=within(120))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_halos_are_equal_to_hand_written_exchanges(ranks: int, seed: int) -> None:
    out = _run("openmpi", ranks, str(_PROGRAMS / "runtime_halos.py"), str(seed), str(part_of(60)))
    assert out == "halos are equal\n"


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_collectives_are_equal_to_mpi4py_s(ranks: int, seed: int) -> None:
    out = _run("openmpi", ranks, str(_PROGRAMS / "runtime_collectives.py"), str(seed), str(part_of(4)))
    assert out == "collectives are equal\n"


_CASES = ["lifetimes", "errors", "codelets", "timers", "arrays", "finalized"]


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_objects(ranks: int) -> None:
    out = _run("openmpi", ranks, str(_PROGRAMS / "runtime_objects.py"), *_CASES)
    assert out.splitlines() == [f"passed {case}" for case in _CASES]


@pytest.mark.mpi
@pytest.mark.parametrize("preset", _PRESETS[1:])
def test_other_mpi_libraries(preset: str, seed: int) -> None:
    assert "are equal" in _run(preset, 2, str(_PROGRAMS / "runtime_halos.py"), str(seed), "10")
    assert "are equal" in _run(preset, 2, str(_PROGRAMS / "runtime_collectives.py"), str(seed), "1")
    assert "passed codelets" in _run(preset, 2, str(_PROGRAMS / "runtime_objects.py"), "lifetimes", "codelets")


@pytest.mark.mpi
def test_a_second_run_uses_the_history(tmp_path: Path) -> None:
    found = []
    for _ in range(2):
        out = _run(
            "openmpi",
            2,
            str(_PROGRAMS / "runtime_objects.py"),
            "history",
            ADCL_HISTORY=str(tmp_path / "history"),
            ADCL_SEARCH="brute_force",
        )
        decided = re.search(r"began with (\w+) decided for (\w+)", out)
        assert decided is not None, out
        found.append(decided.groups())
    (_, winner), (first, _) = found
    assert first == winner, "the second run begins with the winner of the first one"


@pytest.mark.mpi
def test_the_library_must_fit_the_mpi_library(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import adcl\ntry:\n    adcl.version()\nexcept adcl.LibraryError as error:\n    print(error)\n")
    (tmp_path / "libadcl.so").write_bytes(b"")
    (tmp_path / "libadcl.mpi").write_text("Foreign MPI 7.1\n")
    out = _run("openmpi", 1, str(program), ADCL_LIBRARY_PATH=str(tmp_path))
    assert f"ADCL_LIBRARY_PATH={tmp_path} was built for Foreign MPI 7.1, but mpi4py uses Open MPI v4" in out
    out = _run("openmpi", 1, str(program), ADCL_LIBRARY_PATH=str(tmp_path / "missing"))
    assert "is neither libadcl.so nor a folder" in out


def test_importing_loads_nothing() -> None:
    code = (
        "import adcl, sys; before = set(sys.modules); adcl.Halo, adcl.allreduce_init, adcl.Error;"
        "assert 'mpi4py' not in sys.modules and 'cffi' not in sys.modules and 'numpy' not in before;"
        "print(open('/proc/self/maps').read())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(PROJECT / "python")},
    )
    assert not re.search(r"libmpi|libadcl|libmpich", done.stdout)


def test_every_name_is_documented_and_exported() -> None:
    assert set(runtime.__all__) | {"__version__"} == set(adcl.__all__)
    header = (PROJECT / "include/ADCL.h").read_text(encoding="utf-8")
    collectives = set(re.findall(r"^ADCL_API int ADCL_(\w+_init)\(", header, re.MULTILINE)) - {
        "Request_init",
        "Halo_init",
    }
    assert {name.lower() for name in collectives} == {name for name in adcl.__all__ if name.endswith("_init")}
    for name in adcl.__all__:
        if name not in {"__version__", "Array", "BufferSpec", "VectorSpec", "Width"}:
            assert (getattr(adcl, name).__doc__ or "").strip().endswith((".", "::")) or "Args:" in getattr(
                adcl, name
            ).__doc__
    with pytest.raises(AttributeError, match="has no attribute 'Hallo'"):
        adcl.Hallo  # noqa: B018


def _listings(page: str) -> list[str]:
    """Return the Python listings of a page."""
    text = (PROJECT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_listings_of_the_page_run(tmp_path: Path, ranks: int) -> None:
    program = tmp_path / "listings.py"
    listings = _listings("docs/python.md")
    assert len(listings) == 7
    program.write_text("\n".join([*listings, "print('end of rank', comm.rank)\n"]), encoding="utf-8")
    out = _run("openmpi", ranks, str(program))
    assert len(re.findall("end of rank", out)) == ranks
    # On a busy machine, the search may need more starts than the listing makes.
    decided = re.search(
        r"^request 1: neighborhood, (?:winner (\w+)|searching), [1-9]\d* of \d+ cand", out, re.MULTILINE
    )
    assert decided is not None, out
    assert len(re.findall(r"\w+ takes [\d.e-]+ s", out)) == (ranks if decided[1] else 0)
    assert out.count(f"{decided[1]} takes ") == (ranks if decided[1] else 0)


_PREAMBLE = """
import adcl
import numpy as np
from mpi4py import MPI
u = np.full((4, 4), -1.0)
u[1:-1, 1:-1] = 1
cart, steps = MPI.COMM_WORLD.Create_cart([MPI.COMM_WORLD.size, 1], [True, True]), 10
def compute(u):
    assert u[0, 1] == u[1, 0] == 1
"""


@pytest.mark.mpi
def test_the_listing_of_the_user_guide_runs(tmp_path: Path) -> None:
    (listing,) = _listings("docs/user-guide.md")
    program = tmp_path / "listing.py"
    program.write_text(f"{_PREAMBLE}{listing}print('ran ', end='')\n", encoding="utf-8")
    assert _run("openmpi", 2, str(program)).split() == ["ran", "ran"]


_EXAMPLES = sorted((PROJECT / "examples/python").glob("*.py"))


@pytest.mark.mpi
@pytest.mark.parametrize("example", _EXAMPLES, ids=lambda path: path.stem)
def test_examples(example: Path) -> None:
    ranks = example.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ranks: ").split()
    assert len(ranks) > 2
    for number in ranks:
        assert _run("openmpi", int(number), str(example))


def test_both_distributions_need_the_same_packages() -> None:
    rows = [
        tomllib.loads((PROJECT / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for folder in (".", "python")
    ]
    for key in ("dependencies", "requires-python", "scripts"):
        assert rows[0][key] == rows[1][key]
