"""Reconfiguring build folders, and kinds of tests that ran in them, with a real CMake."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tools_support import TOOLS, run_tool, write

if TYPE_CHECKING:
    from pathlib import Path

_SMALL_PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES C)
option(ADCL_LARGE_TESTS "" OFF)
option(ADCL_LIBRARY_ONLY "" OFF)
option(ADCL_UNITY "" ON)
find_program(CHECKER NAMES better-checker checker)
message(STATUS "MPI library: ${CHECKER}")
add_executable(one one.c)
"""
_SMALL_PRESETS = {
    "version": 6,
    "configurePresets": [{"name": "openmpi", "generator": "Unix Makefiles", "binaryDir": "${sourceDir}/build/openmpi"}],
}


@pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("cc")), reason="needs CMake and a C compiler")
def test_later_installed_packages_are_found(tmp_path: Path) -> None:
    shutil.copytree(TOOLS, tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    write(tmp_path / "CMakeLists.txt", _SMALL_PROJECT)
    write(tmp_path / "one.c", "int main(void) { return 0; }\n")
    write(tmp_path / "CMakePresets.json", json.dumps(_SMALL_PRESETS))
    write(tmp_path / "bin/checker", "", executable=True)
    write(tmp_path / "build/installed.txt", "checker 1\n")
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"

    def build() -> str:
        done = run_tool("bash", "-c", f"source {tmp_path}/tools/common.sh && build openmpi", PATH=path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert f"MPI library: {tmp_path}/bin/checker\n" in build()
    assert "configuring" not in build()
    made = (tmp_path / "build/openmpi/CMakeFiles/one.dir/one.c.o").stat().st_mtime_ns
    write(tmp_path / "bin/better-checker", "", executable=True)
    write(tmp_path / "build/installed.txt", "better-checker 1\nchecker 1\n")

    assert f"MPI library: {tmp_path}/bin/better-checker\n" in build()
    assert (tmp_path / "build/openmpi/CMakeFiles/one.dir/one.c.o").stat().st_mtime_ns == made
    assert "configuring" not in build()


_UNSTEADY_TESTS = """
cmake_minimum_required(VERSION 3.25)
project(tests LANGUAGES NONE)
enable_testing()
add_test(NAME steady COMMAND true)
foreach(test RANGE 1 ${FAIL_ONCE})
  add_test(NAME once${test} COMMAND sh -c "test -e ${CMAKE_BINARY_DIR}/ran${test} || { touch ran${test}; exit 1; }")
endforeach()
if(FAIL_ALWAYS)
  add_test(NAME always COMMAND false)
endif()
"""


@pytest.mark.skipif(not shutil.which("cmake"), reason="needs CMake")
@pytest.mark.parametrize(
    ("once", "always", "passes", "again"), [(2, 0, True, True), (1, 1, False, True), (4, 0, False, False)]
)
def test_up_to_three_failed_tests_run_again(
    tmp_path: Path, once: int, always: int, *, passes: bool, again: bool
) -> None:
    shutil.copytree(TOOLS, tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    write(tmp_path / "CMakeLists.txt", _UNSTEADY_TESTS)
    options = [f"-DFAIL_ONCE={once}", f"-DFAIL_ALWAYS={always}"]
    subprocess.run(["cmake", "-B", "build/small", *options], cwd=tmp_path, check=True, capture_output=True)
    done = run_tool(
        "bash", "-c", f"source {tmp_path}/tools/common.sh && set -o pipefail && test_preset small -E steady"
    )
    assert (done.returncode == 0) == passes, done.stdout
    assert not again or done.stdout.count("Start") == 2 * (once + always)
    assert (f"== running {once + always} failed test(s) again" in done.stdout) == again


_FAILS_ONCE = """
from pathlib import Path


def test_once():
    seen = Path("seen").exists()
    Path("seen").touch()
    assert seen


def test_steady():
    pass
"""


def test_a_python_test_that_fails_once_runs_again(tmp_path: Path) -> None:
    shutil.copytree(TOOLS, tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    # A link would hide the packages of the project's environment.
    write(tmp_path / ".venv/bin/python", f'#!/bin/sh\nexec {sys.executable} "$@"\n', executable=True)
    (tmp_path / "build").mkdir()
    write(tmp_path / "python/test_some.py", _FAILS_ONCE)

    def run() -> subprocess.CompletedProcess[str]:
        return run_tool("bash", "-c", f"source {tmp_path}/tools/common.sh && set -o pipefail && run_pytest")

    done = run()
    assert done.returncode == 0, done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert "1 passed" in done.stdout.split("running 1 failed test(s) again")[1]

    write(tmp_path / "python/test_some.py", "def test_always():\n    raise ValueError\n")
    assert run().returncode != 0


_LISTED_TESTS = """
cmake_minimum_required(VERSION 3.25)
project(tests LANGUAGES NONE)
option(ADCL_LIBRARY_ONLY "" ON)
option(ADCL_FORTRAN "" OFF)
enable_testing()
add_test(NAME a COMMAND true)
add_test(NAME b COMMAND sh -c "exit 77")
add_test(NAME c COMMAND false)
set_tests_properties(a b c PROPERTIES LABELS "mpi;capi;cpp;mpi_defects;example;profile" SKIP_RETURN_CODE 77)
if(NOT WITHOUT)
  add_test(NAME d COMMAND true)
  set_tests_properties(d PROPERTIES LABELS "mpi;small_shm")
endif()
"""


@pytest.mark.skipif(not shutil.which("cmake"), reason="needs CMake")
@pytest.mark.parametrize(
    ("without", "left_out", "missing"),
    [
        ("OFF", "", ""),
        ("ON", "", "missing: no test of kind small_shm with preset openmpi ran\n"),
        ("ON", "small_shm: no namespaces here\n", ""),
    ],
)
def test_missing_test_kinds_are_reported(tmp_path: Path, without: str, left_out: str, missing: str) -> None:
    write(tmp_path / "CMakeLists.txt", _LISTED_TESTS)
    write(tmp_path / "left-out.txt", left_out)
    folder = tmp_path / "build/openmpi"
    assert run_tool("cmake", "-S", tmp_path, "-B", folder, f"-DWITHOUT={without}").returncode == 0
    listed = run_tool("ctest", "--test-dir", folder, "--show-only=json-v1")
    (folder / "tests.json").write_text(listed.stdout, encoding="utf-8")
    run_tool("ctest", "--test-dir", folder, "--output-junit", folder / "tests.xml")

    done = subprocess.run(
        [sys.executable, TOOLS / "test_kinds.py", "left-out.txt", "openmpi"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == missing
    assert done.returncode == (1 if missing else 0)
    assert re.search(r"^capi +2 \(1 skipped\)$", done.stdout, re.MULTILINE)
    assert re.search(rf"^mpi +{2 if without == 'ON' else 3} \(1 skipped\)$", done.stdout, re.MULTILINE)
    assert left_out.partition(": ")[2] in done.stdout
