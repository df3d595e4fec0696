"""Helper functions for the tests."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import ModuleType

PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ended:
    """A finished ``adcl`` command."""

    code: int
    out: str
    err: str


def script(path: str) -> ModuleType:
    """Load a Python file of the project as a module; its folder is on the search path, as in a normal run."""
    file = PROJECT / path
    specification = importlib.util.spec_from_file_location(file.stem, file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    sys.path.insert(0, str(file.parent))
    try:
        specification.loader.exec_module(module)
    finally:
        sys.path.remove(str(file.parent))
    return module


def bench_files() -> dict[str, Path]:
    """Return the source of each bench by the name in `make bench NAME=x`."""
    files = [*(PROJECT / "bench").glob("*/[!_]*.py"), *(PROJECT / "bench").glob("*/*.cpp")]
    return {
        file.stem: file
        for file in files
        if file.suffix == ".py" or ("\nint main(" in file.read_text("utf-8") and not file.stem.startswith("live_"))
    }


def bench_module(name: str) -> ModuleType:
    """Import a bench in Python, or a module next to it: `collectives.ft`."""
    if str(PROJECT) not in sys.path:
        sys.path.append(str(PROJECT))
    return importlib.import_module(f"bench.{name}")


def listed_tests(preset: str) -> list[dict[str, Any]]:
    """Return the tests of a build as ctest lists them; skip without a build."""
    build = PROJECT / "build" / preset
    if not (build / "CTestTestfile.cmake").is_file() or not shutil.which("ctest"):
        pytest.skip(f"there is no build/{preset}")
    listed = subprocess.run(
        ["ctest", "--test-dir", str(build), "--show-only=json-v1", "-E", "[.](test_|[A-Z])|/"],
        capture_output=True,
        check=True,
    )
    found: list[dict[str, Any]] = json.loads(listed.stdout)["tests"]
    return found


def property_of(test: dict[str, Any], name: str) -> Any:
    return next((one["value"] for one in test["properties"] if one["name"] == name), None)


def clean_environment(**changes: str) -> dict[str, str]:
    """Return this process's environment without settings of ADCL, colors and widths.

    The interposer keeps no history, because the default folder is in the home of the user who runs the tests.
    """
    dropped = ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TERM")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ADCL_") and name not in dropped}
    return kept | {"ADCL_INTERPOSE_HISTORY": "off"} | changes


def part_of(number: int) -> int:
    """Return the number of random problems to try: the share in ADCL_TEST_SHARE."""
    return max(1, round(number * float(os.environ.get("ADCL_TEST_SHARE") or 1.0)))


def processes_with(tag: str) -> list[str]:
    """Return command lines of the living processes that have `tag` in their arguments or environment."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            command, environment = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
        except OSError:
            continue
        if tag.encode() in command or tag.encode() in environment:
            found.append(f"{folder.name}: {command.replace(bytes(1), b' ').decode(errors='replace')}")
    return found


def children() -> set[int]:
    """Return the process ids of this process's children, including zombies."""
    found = set()
    for folder in Path("/proc").iterdir():
        try:
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split() if folder.name.isdigit() else ()
        except OSError:
            continue
        if fields and int(fields[1]) == os.getpid():
            found.add(int(folder.name))
    return found


_WORK_S = 0.15
"""Seconds that `_work_s` takes on an idle core of about 3 GHz."""

_START_S = 0.04
"""Seconds that an interpreter takes to start and end there."""

_LONGEST = 20.0
"""Maximum factor of time-outs, so that a hanging test still ends."""

_FRESH_S = 60.0
"""Seconds for which a calibration is valid; other programs may start while the tests run."""

_calibrated: list[tuple[float, float]] = []
"""Time and factor of the last calibration."""


def _work_s() -> float:
    """Time a fixed piece of work, long enough to compete with other processes for a core."""
    begin = time.perf_counter()
    total = 0
    for number in range(2_000_000):
        total += number & 3
    return time.perf_counter() - begin


def _start_s() -> float:
    """Time the start and the end of a process."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True, timeout=_LONGEST * 10)
    return time.perf_counter() - begin


def slowness() -> float:
    """Return the current slowdown of programs relative to an idle machine, from 1 to 20."""
    now = time.monotonic()
    if not _calibrated or now - _calibrated[-1][0] > _FRESH_S:
        factor = max(_work_s() / _WORK_S, _start_s() / _START_S)
        _calibrated.append((now, min(max(factor, 1.0), _LONGEST)))
    return _calibrated[-1][1]


def within(seconds: float) -> float:
    """Return the time-out for an operation that takes less than `seconds` on an idle machine."""
    return seconds * slowness()


def wait_until(condition: Any, seconds: float) -> bool:
    """Poll until `condition` holds; return whether it does within `seconds`, or more on a busy machine."""
    end = time.monotonic() + within(seconds)
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


DOCUMENT: dict[str, Any] = {
    "schema": 1,
    "version": "2.0.0",
    "build": {
        "compiler": "GNU 12.2.0",
        "flags": "-O2 -g -DNDEBUG",
        "mpi_standard": "3.1",
        "mpi_library": "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022",
    },
    "function_sets": [
        {
            "name": "neighborhood",
            "constant": "ADCL_FNCTSET_NEIGHBORHOOD",
            "summary": "Halo exchange with all neighbours of a topology",
            "attributes": [
                {
                    "name": "partners",
                    "values": [
                        {"name": "aao", "value": 0, "class": "", "level": 0},
                        {"name": "pair", "value": 1, "class": "", "level": 1},
                    ],
                },
                {
                    "name": "primitive",
                    "values": [
                        {"name": "isend_irecv", "value": 0, "class": "two-sided", "level": 0},
                        {"name": "fence_put", "value": 1, "class": "one-sided", "level": 1},
                    ],
                },
                {"name": "completion", "values": [{"name": "waitall", "value": 0, "class": "", "level": 0}]},
            ],
            "codelets": [
                {
                    "name": "IsIr_aao",
                    "attributes": {"partners": "aao", "primitive": "isend_irecv", "completion": None},
                    "capabilities": {
                        "nonblocking": True,
                        "fixed_buffers": False,
                        "fixed_several": True,
                        "collective_plan": False,
                        "touches_data": False,
                        "progress_depth": 0,
                    },
                    "requirements": "",
                    "source": "thesis Table 3.1",
                    "expectation": "1",
                    "available": True,
                    "unavailable_because": "",
                },
                {
                    "name": "WinfencePut_pair",
                    "attributes": {"partners": "pair", "primitive": "fence_put", "completion": "waitall"},
                    "capabilities": {
                        "nonblocking": False,
                        "fixed_buffers": True,
                        "fixed_several": False,
                        "collective_plan": True,
                        "touches_data": True,
                        "progress_depth": 2,
                    },
                    "requirements": "memory that windows can be made of",
                    "source": "paper section II",
                    "expectation": "log p",
                    "available": False,
                    "unavailable_because": "[red]one-sided[/red] communication is switched off",
                },
            ],
        },
        {
            "name": "allreduce",
            "constant": "ADCL_FNCTSET_ALLREDUCE",
            "summary": "Reduction with the result on all ranks",
            "attributes": [],
            "codelets": [],
        },
    ],
    "searches": [{"name": "brute_force", "summary": "every codelet in turn", "source": "paper section II"}],
    "estimators": [{"name": "none", "summary": "the plain mean", "source": ""}],
    "options": [
        {
            "name": "ADCL_SEARCH",
            "type": "choice",
            "choices": ["brute_force", "hypothesis"],
            "minimum": None,
            "maximum": None,
            "default": "hypothesis",
            "value": "brute_force",
            "origin": "environment",
            "help": "Selection logic: which codelet is measured next.",
            "role": "decides",
            "users": [],
        },
        {
            "name": "ADCL_OUTLIER_FRACTION",
            "type": "real",
            "choices": [],
            "minimum": 0,
            "maximum": 1.0,
            "default": "0.2",
            "value": "0.2",
            "origin": "default",
            "help": "Accepted fraction of outliers.",
            "role": "decides",
            "users": ["heuristic", "cluster"],
        },
        {
            "name": "ADCL_MEASUREMENTS",
            "type": "integer",
            "choices": [],
            "minimum": 1,
            "maximum": None,
            "default": "10",
            "value": "10",
            "origin": "default",
            "help": "Measurements of each codelet.",
            "role": "decides",
            "users": ["brute_force", "hypothesis"],
        },
    ],
}


def mpi_library(cache: Path) -> Path:
    """Return the MPI library of a build from its ``CMakeCache.txt``."""
    found = re.search(r"^MPI_mpi(?:_abi)?_LIBRARY:FILEPATH=(.+)$", cache.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    # A package of PyPI may contain a linker script with the name of its shared library.
    path = PROJECT / found[1]
    numbered = sorted(path.parent.glob(f"{path.name}.[0-9]*"))
    return numbered[0] if numbered else path
