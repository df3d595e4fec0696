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


_LISTED_TESTS = """
cmake_minimum_required(VERSION 3.25)
project(tests LANGUAGES NONE)
option(ADCL_LIBRARY_ONLY "" ON)
option(ADCL_FORTRAN "" OFF)
enable_testing()
add_test(NAME a COMMAND true)
add_test(NAME b COMMAND sh -c "exit 77")
add_test(NAME c COMMAND false)
set_tests_properties(a b c PROPERTIES LABELS "mpi;capi;mpi_defects;example;profile" SKIP_RETURN_CODE 77)
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
