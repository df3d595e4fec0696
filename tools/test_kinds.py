"""Count the tests that ran, by kind, and fail if no test of an expected kind ran.

Usage: test_kinds.py LEFT_OUT PRESET [PRESET...]

Reads build/PRESET/tests.json (`ctest --show-only=json-v1`) and build/PRESET/tests.xml (`ctest --output-junit`). A kind
is a label of CTest; a test with several labels counts for each. LEFT_OUT is a file of tools/setup.sh with one line
"KIND: REASON" for each kind that this machine cannot run.
"""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

_LIBRARY = ("mpi", "capi", "cpp", "mpi_defects", "small_shm", "example", "fortran", "profile")
_ALL = (*_LIBRARY, "unit", "consumer", "memory", "application", "workload", "solver3d", "bench", "bench_short")
"""Kinds of a full build; a build with ADCL_LIBRARY_ONLY has only the kinds of _LIBRARY."""

_NUMBERS_OF_RANKS = {"few_ranks", "more_ranks"}
"""Labels by which `make check` selects tests, and which are no kinds."""

_VALGRIND = "valgrind"
"""Kind of tests that exists only with MPICH, which runs without errors under valgrind."""


def counts(folder: Path) -> tuple[Counter[str], Counter[str]]:
    """Return the numbers of tests that ran and that were skipped in this build folder, by kind."""
    listed = json.loads((folder / "tests.json").read_text(encoding="utf-8"))["tests"]
    labels = {
        test["name"]: next((one["value"] for one in test.get("properties", []) if one["name"] == "LABELS"), ["other"])
        for test in listed
    }
    ran: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for case in ET.parse(folder / "tests.xml").getroot().iter("testcase"):  # noqa: S314 (ctest wrote the file)
        counter = skipped if case.get("status") in {"notrun", "disabled"} else ran
        counter.update(set(labels.get(case.get("name", ""), ["other"])) - _NUMBERS_OF_RANKS)
    return ran, skipped


def expected(folder: Path) -> tuple[str, ...]:
    """Return the kinds that a build should run, from its CMake cache."""
    cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
    kinds: tuple[str, ...] = _LIBRARY if "ADCL_LIBRARY_ONLY:BOOL=ON\n" in cache else _ALL
    if "ADCL_FORTRAN:BOOL=OFF\n" in cache:
        kinds = tuple(kind for kind in kinds if kind != "fortran")
    return (*kinds, _VALGRIND) if folder.name == "mpich" else kinds


def main(arguments: list[str]) -> int:
    """Print the table; return 1 and list the missing kinds if no test of an expected kind ran."""
    left_out_file, *presets = arguments
    lines = Path(left_out_file).read_text(encoding="utf-8").splitlines()
    left_out = dict(line.split(": ", 1) for line in lines)
    folders = [Path("build") / preset for preset in presets]
    found = {folder.name: counts(folder) for folder in folders}
    kinds = sorted({kind for ran, skipped in found.values() for kind in (*ran, *skipped)} | set(left_out))

    print(f"{'tests that ran':<16}" + "".join(f"{preset:>22}" for preset in found))
    for kind in kinds:
        cells = []
        for ran, skipped in found.values():
            words = str(ran[kind]) if ran[kind] else "-"
            cells.append(words + (f" ({skipped[kind]} skipped)" if skipped[kind] else ""))
        reason = f"  {left_out[kind]}" if kind in left_out else ""
        print(f"{kind:<16}" + "".join(f"{cell:>22}" for cell in cells) + reason)

    missing = [
        f"{kind} with preset {folder.name}"
        for folder in folders
        for kind in expected(folder)
        if kind not in left_out and not (found[folder.name][0][kind] or found[folder.name][1][kind])
    ]
    for one in missing:
        print(f"missing: no test of kind {one} ran", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
