#!/usr/bin/env python3
"""Runs mpi4py's own tests under the interposer: ``mpi4py_tests.py BUILD [--ranks N] [--only REGEX] [--seconds S]``.

BUILD is a build folder, such as build/openmpi5. Each module of tests runs without and with the interposer. A test that
fails only with it, twice, is a failure. `tools/setup.sh mpi4py` installs the tests.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MPI4PY = ROOT / ".venvs/mpi4py"
TESTS = MPI4PY / "source/test"

_FAILED = re.compile(r"(?:FAIL|ERROR): (\w+ \([\w.]+\))")


def _run(build: Path, module: str, ranks: int, seconds: float, report: Path | None) -> set[str]:
    """Run a module of tests and return its failures; tests that end without a result count as one failure."""
    environment = dict(os.environ)
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    library = re.search(r"^MPI_mpi(?:_abi)?_LIBRARY:FILEPATH=(.+)$", cache, re.MULTILINE)
    if library is not None:
        # Packages of PyPI have linker scripts beside their shared libraries.
        path = Path(library[1])
        numbered = sorted(path.parent.glob(f"{path.name}.[0-9]*"))
        environment["MPI4PY_LIBMPI"] = str(numbered[0] if numbered else path)
    words = [str(build / "launch"), str(ranks)]
    if report is not None:
        environment |= {"ADCL_INTERPOSE_REPORT": str(report), "ADCL_INTERPOSE_BUDGET": "1000000"}
        words += ["env", f"LD_PRELOAD={build / 'lib/libadcl-interpose.so'}"]
    words += [str(MPI4PY / "bin/python"), str(TESTS / "main.py"), "--no-builddir", "-i", rf"^{module}\.py$"]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            words,
            cwd=TESTS,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code = None
        output.seek(0)
        text = output.read().decode(errors="replace")
    failures = set(_FAILED.findall(text))
    if code is None:
        failures.add(f"{module} took more than {seconds:g} s")
    elif code != 0 and not failures:
        failures.add(f"{module} ended with exit code {code}")
        print(text[-2000:])
    return failures


def _calls(report: Path) -> int:
    """Return the number of intercepted calls of rank 0."""
    if not report.is_file():
        return 0
    document = json.loads(report.read_text(encoding="utf-8"))
    report.unlink()
    return int(sum(row["calls"] for row in document["searched"]) + sum(document["passed"].values()))


def main() -> int:
    """Run the tests and print the failures that occur only under the interposer."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("build", type=Path, help="Build folder")
    parser.add_argument("--ranks", type=int, default=2, help="Number of ranks (default: 2)")
    parser.add_argument("--only", default="", help="Run only modules whose names match this regular expression")
    parser.add_argument("--seconds", type=float, default=120.0, help="Time limit of a module (default: 120)")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    if not TESTS.is_dir() or not (build / "lib/libadcl-interpose.so").is_file():
        print(f"tools/mpi4py_tests.py: needs tools/setup.sh mpi4py, and the interposer in {build}", file=sys.stderr)
        return 2
    modules = sorted(path.stem for path in TESTS.glob("test_*.py") if re.search(arguments.only, path.stem))
    calls = 0
    known = 0
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        for module in modules:
            limits = (arguments.ranks, arguments.seconds)
            tuned = _run(build, module, *limits, report)
            calls += _calls(report)
            if tuned:
                plain = _run(build, module, *limits, None)
                known += len(tuned & plain)
                new = tuned - plain
                # A test that depends on time may fail once.
                if new:
                    new &= _run(build, module, *limits, report)
                    report.unlink(missing_ok=True)
                wrong += sorted(new)
                for failure in sorted(new):
                    print(f"only under the interposer: {failure}", flush=True)
    print(f"{len(modules)} modules, {calls} intercepted calls on rank 0, {known} failures also without the interposer")
    if calls == 0:
        print("the interposer was not active", file=sys.stderr)
    return 1 if wrong or calls == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
