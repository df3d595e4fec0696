"""Time-outs of tests use processor time."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest
from support import PROJECT, listed_tests, property_of


@pytest.mark.parametrize("preset", ["openmpi", "mpich"])
def test_time_outs_of_mpi_tests_count_processor_time(preset: str) -> None:
    labels = [(test, property_of(test, "LABELS") or []) for test in listed_tests(preset)]
    tests = [test for test, own in labels if "mpi" in own and "mpi_defects" not in own]  # ended by an alarm

    assert len(tests) > 100
    for test in tests:
        program, seconds, *_ = test["command"]
        assert program.endswith("tests/support/processor_time.sh"), test["name"]
        assert property_of(test, "TIMEOUT") >= 5 * float(seconds), test["name"]


def test_processor_time_limit_ends_computing_but_not_waiting_programs() -> None:
    limit = PROJECT / "tests/support/processor_time.sh"
    begun = time.monotonic()
    computes = subprocess.run([limit, "1", sys.executable, "-c", "while True: pass"], check=False)
    assert computes.returncode == -signal.SIGXCPU
    assert time.monotonic() - begun >= 0.9
    assert subprocess.run([limit, "1", "sleep", "2"], check=False).returncode == 0
