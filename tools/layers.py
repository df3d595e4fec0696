"""Checks dependencies between folders and the length of files: ``layers.py [ROOT]``. The tables below are the rules."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PACKAGES", "WITH_SUBPACKAGES", "find_violations", "imported", "main"]

_MAX_LINES = 600
_GENERATED = "generated"
"""Name of folders with generated files, whose length is not limited."""

# Maps a folder of src to the other folders that it may include from.
_LAYERS: dict[str, set[str]] = {
    "core": set(),
    "measure": {"core"},
    "select": {"core", "measure"},
    "mpi": {"core"},
    "history": {"core", "measure"},
    "data": {"core", "mpi"},
    "codelets": {"core", "mpi", "data"},
    "options": {"core", "measure", "select"},
    "output": {"core", "measure", "select", "mpi", "options"},
    "tuner": {"core", "measure", "select", "mpi", "history", "options", "output"},
    "request": {"core", "measure", "select", "mpi", "data", "history", "options", "output", "tuner"},
    "timer": {"core", "measure", "select", "mpi", "options", "output", "tuner", "request"},
    "capi": {"core", "mpi", "data", "codelets", "options", "output", "tuner", "request", "timer"},
    "interpose": {
        "core",
        "measure",
        "select",
        "mpi",
        "history",
        "data",
        "codelets",
        "options",
        "tuner",
        "request",
        "profile",
    },
    "profile": set(),
}


@dataclass(frozen=True)
class _Ban:
    pattern: re.Pattern[str]
    folders: set[str] | None  # of src; None: all
    reason: str
    exempt: frozenset[str] | set[str] = frozenset()


_BANS = [
    _Ban(
        re.compile(r"#include <mpi\.h>|\bMPI_\w+"),
        {"core", "measure", "select", "history"},
        "must not use MPI",
        {"src/measure/stopwatch.hpp"},  # the clock
    ),
    _Ban(
        re.compile(r"\bP?MPI_(?!Initialized|Finalized|Comm_test_inter)[A-Z][a-z]\w*\("),
        {"capi"},
        "must not call MPI; src/mpi, src/codelets and the agreements of src/tuner do",
    ),
    _Ban(
        re.compile(r"\bstd::(exp|exp2|expm1|log|log2|log10|log1p|pow|erf|erfc|tgamma|lgamma|cbrt|sin|cos|tan)\("),
        {"select", "history"},
        "differs between processors, but ranks must agree; use core/elementary.hpp",
    ),
    _Ban(
        re.compile(r"\b(steady|system|high_resolution)_clock\b|\bclock_gettime\b"),
        None,
        "use MPI_Wtime",
        {"src/mpi/clock.cpp"},  # compares both clocks
    ),
    _Ban(
        re.compile(r"\bMPI_Wtime\b"),
        {
            "core",
            "mpi",
            "data",
            "codelets",
            "measure",
            "options",
            "output",
            "tuner",
            "request",
            "timer",
            "capi",
            "interpose",
        },
        "use measure/stopwatch.hpp",
        {"src/measure/stopwatch.hpp", "src/mpi/clock.cpp"},
    ),
    _Ban(
        re.compile(r"\bstd::c(out|err|log)\b|\b(std::)?(printf|puts)\("),
        None,
        "the library must not print",
        # With ADCL_REPORT=stderr and ADCL_ERRORS.
        {"src/output/report.cpp", "src/output/failures.cpp"},
    ),
    _Ban(
        re.compile(r"\b(std::)?(abort|_?exit|quick_exit|terminate)\(|\bMPI_Abort\b"),
        None,
        "the library must not exit",
        {"src/output/failures.cpp"},  # with ADCL_ERRORS=abort
    ),
    _Ban(
        re.compile(
            r"\b(?:std::)?(?:strto(?:d|f|ld)|ato[fil]|atoll|sto(?:i|l|ul|ll|ull|f|d|ld)|to_string|[fs]?scanf|setlocale|"
            r"is(?:alpha|alnum|digit|space|punct|upper|lower)|to(?:upper|lower))\(|"
            r"\bstd::o?stringstream \w+ *[;({]|\bstd::locale::global\b"
        ),
        None,
        "depends on the program's locale; use core/text.hpp",
    ),
]

_PROSE = re.compile(r'^\s*#include [^\n]*|"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL | re.MULTILINE)
_INCLUDE = re.compile(r'^\s*#include "([a-z_]+)/', re.MULTILINE)
_INCLUDE_OF_POLICY = re.compile(r'^\s*#include "(select/[a-z_]+)/', re.MULTILINE)
_NATIVE = {"mpi4py", "cffi"}
_SINGLE = {"difflib": "_suggest.py", "tomllib": "_toml.py"}
"""Modules that only one file of python/adcl may import."""


# Maps a package or subpackage of python/adcl to what it may import: packages, subpackages of its own package, and
# subpackages of other packages (PACKAGE/SUBPACKAGE). Imports for annotations also count.
PACKAGES: dict[str, set[str]] = {
    "jobs": set(),
    "mpi_libraries": {"jobs", "knowledge", "tune/space"},
    "launch": {"jobs", "mpi_libraries"},
    "info": set(),
    "trace": {"pages"},
    "knowledge": set(),
    "learn": {"launch", "info"},
    "pages": set(),
    "scale/model": set(),
    "scale/judge": {"model"},
    "scale/input": {"model"},
    "scale/study": {"launch", "model", "judge", "input"},
    "scale/output": {"pages", "model", "judge", "study"},
    "evaluate": {"info", "launch", "pages", "trace"},
    "testbed": {"launch"},
    "tune/space": set(),
    "tune/search": {"space"},
    "tune/file": {"launch", "mpi_libraries", "space", "search"},
    "tune/profile": {"mpi_libraries", "space"},
    "tune/trial": {"launch", "mpi_libraries", "space", "file"},
    "tune/study": {"launch", "mpi_libraries", "space", "search", "file", "profile", "trial"},
    "tune/result": {"launch", "mpi_libraries", "pages", "space", "search", "profile", "study"},
    "runtime": set(),
    "cli": {"launch", "mpi_libraries", "info", "learn", "trace", "knowledge", "pages"}
    | {"scale", "evaluate", "testbed", "tune"},
}
WITH_SUBPACKAGES = {name.split("/")[0] for name in PACKAGES if "/" in name}

_EXPORTING = {"scale"}
"""Packages that export the names of their subpackages."""


def _code(text: str) -> str:
    """Return the text without comments and without the contents of strings. Line numbers do not change."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if "#include" in match[0] and match[0][0] not in '"/' else "\n" * match[0].count("\n")

    return _PROSE.sub(blank, text)


def _check_source(path: Path, folder: str, text: str) -> list[str]:
    found = []
    if folder not in _LAYERS:
        return [f"{path}: src/{folder} is not a layer; the layers are {', '.join(_LAYERS)}"]
    code = _code(text)
    forbidden = _LAYERS.keys() - _LAYERS[folder] - {folder}
    for match in _INCLUDE.finditer(code):
        if match[1] in forbidden:
            line = code.count("\n", 0, match.start(1)) + 1
            found.append(f"{path}:{line}: {folder} may not use {match[1]}")
    if folder == "select" and len(path.parts) > len(("src", "select", "file")):
        policy = "/".join(path.parts[1:3])
        for match in _INCLUDE_OF_POLICY.finditer(code):
            if match[1] != policy:
                line = code.count("\n", 0, match.start(1)) + 1
                found.append(f"{path}:{line}: {policy} may not use {match[1]}")
    for ban in _BANS:
        if (ban.folders is None or folder in ban.folders) and path.as_posix() not in ban.exempt:
            for match in ban.pattern.finditer(code):
                line = code.count("\n", 0, match.start()) + 1
                found.append(f"{path}:{line}: {match[0]!r} in {folder}: {ban.reason}")
    return found


def imported(text: str) -> list[list[str]]:
    """Return the distinct modules that Python code imports, each as a list of names."""
    names: dict[str, None] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names.update((one.name, None) for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            # The name may be a module if the package itself exports no names.
            within = node.module == "adcl" or node.module.removeprefix("adcl.") in WITH_SUBPACKAGES
            names.update((f"{node.module}.{one.name}" if within else node.module, None) for one in node.names)
    return [name.split(".") for name in names]


def _check_python(path: Path, parts: tuple[str, ...], text: str) -> list[str]:
    """Check the imports of a module; `parts` is its path below python/adcl."""
    found = []
    for target in imported(text):
        if target[0] in _NATIVE and parts[0] != "runtime":
            found.append(f"{path}: imports {target[0]}; only adcl.runtime may need MPI or the library")
        if target[0] in _SINGLE and parts != (_SINGLE[target[0]],):
            found.append(f"{path}: imports {target[0]}; use adcl/{_SINGLE[target[0]]}")
        if target[0] == "adcl" and len(target) > 1 and not target[1].startswith("_") and target[1] != "errors":
            found += _check_import(path, parts[:-1], target[1:])
    return found


def _check_import(path: Path, here: tuple[str, ...], target: list[str]) -> list[str]:
    """Check the direction of an import, and that the imported name is public.

    `here`: folders of the importing file below python/adcl. `target`: imported names below adcl.
    """
    name = ".".join(("adcl", *target))
    if not here:
        allowed = (path.name, target[0]) in {("__main__.py", "cli"), ("__init__.py", "runtime")}
        return (
            [] if allowed else [f"{path}: imports {name}; only __main__.py may import adcl.cli, and no other package"]
        )
    if here == (target[0],) and here[0] in _EXPORTING and path.name == "__init__.py":
        return []
    place = "/".join(here[:2]) if here[0] in WITH_SUBPACKAGES else here[0]
    if place not in PACKAGES:
        return [f"{path}: imports {name}; {place} has no row in the table of packages"]
    has_subpackages = target[0] in WITH_SUBPACKAGES
    same_package = target[0] == here[0]
    wanted = "/".join(target[:2]) if has_subpackages and same_package else target[0]
    found = []
    names = {wanted.split("/")[-1], "/".join(target[:2])}
    if wanted != place and not names & PACKAGES[place]:
        known = ", ".join(sorted(PACKAGES[place])) or "its own modules"
        found.append(f"{path}: imports {name}; {place} may use only {known}")
    inner = 2 if has_subpackages else 1
    if wanted != place and any(part.startswith("_") for part in target[inner : inner + 1]):
        found.append(f"{path}: imports {name}, which is private to adcl.{'.'.join(target[:inner])}")
    return found


def find_violations(root: Path) -> list[str]:
    """Return one line per violation below `root`."""
    found = []
    kinds = ("*.cpp", "*.hpp", "*.c", "*.h", "*.py", "*.f90", "*.F90", "*.cmake", "*.sh")
    top = (
        *("include", "src", "bindings", "programs", "python", "apps", "examples"),
        *("testbed", "tests", "bench", "studies", "tools", "cmake"),
    )
    for path in sorted(path for name in top for kind in kinds for path in (root / name).rglob(kind)):
        relative = path.relative_to(root)
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        if lines > _MAX_LINES and _GENERATED not in relative.parts:
            found.append(f"{relative}: {lines} lines; the limit is {_MAX_LINES}")
        if relative.parts[0] == "src":
            found += _check_source(relative, relative.parts[1], text)
        elif relative.parts[:2] == ("python", "adcl") and path.suffix == ".py":
            found += _check_python(relative, relative.parts[2:], text)
    return found


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    found = find_violations(root)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
