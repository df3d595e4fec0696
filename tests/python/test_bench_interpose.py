"""Pairs of runs with and without the interposer: ratios, intervals, verdicts, and results that must be the same."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support import bench_module

from adcl.launch import NO_MPI, Launcher, Placement

if TYPE_CHECKING:
    from types import ModuleType

NO_LAUNCHER = Launcher(NO_MPI, Path("/usr/bin/env"), "0")


@pytest.fixture
def paired() -> ModuleType:
    """Import bench/interpose/_paired.py."""
    return bench_module("interpose._paired")


# The largest critical values of Wilcoxon's signed ranks at 5 %, two-sided, from published tables.
@pytest.mark.parametrize(("pairs", "critical"), [(6, 0), (8, 3), (10, 8), (15, 25), (20, 52), (30, 137)])
def test_the_interval_has_the_published_order(paired: ModuleType, pairs: int, critical: int) -> None:
    assert paired._order_of_interval(pairs) == critical + 1


def test_the_estimate_is_the_median_of_means_of_two(paired: ModuleType) -> None:
    ratios = [1.0, 1.1, 1.2, 1.3, 1.4, 20.0]
    found = paired.ratio_of(ratios, [1.0] * 6)
    logs = [math.log(one) for one in ratios]
    means = sorted((logs[i] + logs[j]) / 2 for i in range(6) for j in range(i, 6))
    assert found.value == pytest.approx(math.exp(means[10]))
    assert (found.low, found.high) == pytest.approx((1.0, 20.0))


def test_too_few_pairs_have_no_interval(paired: ModuleType) -> None:
    with pytest.raises(ValueError, match="5 pairs"):
        paired.ratio_of([1.0] * 5, [1.0] * 5)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.8, 0.9, "faster"),
        (0.99, 1.005, "not slower"),
        (0.99, 1.02, "undecided"),
        (0.8, 1.5, "undecided"),
        (1.02, 1.1, "slower"),
    ],
)
def test_the_verdict_follows_from_the_interval(paired: ModuleType, low: float, high: float, verdict: str) -> None:
    assert paired.Ratio(math.sqrt(low * high), low, high).verdict == verdict


def _program(paired: ModuleType, text: str, tmp_path: Path, **more: Any) -> Any:
    script = tmp_path / "program"
    script.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    script.chmod(0o755)
    return paired.Program("shared", "program", script, (), 1, 6, **more)


_REPORTS = """
import json, os, time
tuned = "ADCL_INTERPOSE_REPORT" in os.environ
with open({log!r}, "a") as log:
    log.write("tuned " if tuned else "plain ")
if tuned:
    with open(os.environ["ADCL_INTERPOSE_REPORT"], "w") as file:
        json.dump({{"searched": []}}, file)
print("took", time.time(), "seconds")
"""


@pytest.fixture
def measure(paired: ModuleType, tmp_path: Path) -> Any:
    """Return a function that measures the pairs of a program, which this machine runs without MPI."""

    def pairs_of(program: Any) -> Any:
        return paired.measure_pairs(program, Placement(), NO_LAUNCHER, tmp_path / "none.so", tmp_path / "runs")

    return pairs_of


def test_pairs_begin_with_alternating_sides(paired: ModuleType, measure: Any, tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = _REPORTS.format(log=str(log)) + 'print("energy 1.5")\n'
    pairs = measure(_program(paired, text, tmp_path))
    kinds = log.read_text(encoding="utf-8").split()
    assert kinds == ["tuned", "plain"] + ["plain", "tuned", "tuned", "plain"] * 3
    assert len(pairs.plain_s) == len(pairs.tuned_s) == 6
    assert pairs.second_s == []
    assert pairs.report == {"searched": []}
    json.dumps(vars(pairs))


def test_a_second_run_follows_the_first_in_each_pair(paired: ModuleType, measure: Any, tmp_path: Path) -> None:
    log = tmp_path / "log"
    pairs = measure(_program(paired, _REPORTS.format(log=str(log)) + 'print("x")', tmp_path, history=True))
    assert len(pairs.second_s) == 6
    assert log.read_text(encoding="utf-8").split().count("tuned") == 2 * 7


def test_a_different_result_ends_the_bench(paired: ModuleType, measure: Any, tmp_path: Path) -> None:
    text = _REPORTS.format(log=str(tmp_path / "log")) + 'print("energy", 1.5 + tuned * 1e-15)\n'
    with pytest.raises(SystemExit, match="results differ"):
        measure(_program(paired, text, tmp_path))


def test_a_program_without_results_ends_the_bench(paired: ModuleType, measure: Any, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no results"):
        measure(_program(paired, _REPORTS.format(log=str(tmp_path / "log")), tmp_path))


def test_figures_name_the_worst_program_and_count_verdicts(paired: ModuleType, tmp_path: Path) -> None:
    program = _program(paired, "", tmp_path)
    slow = paired.Program("shared", "slow", program.file, (), 1, 6)
    plain = [1.0, 1.1, 0.9, 1.0, 1.2, 0.8]
    results = {
        program: {"plain_s": plain, "tuned_s": [0.5 * one for one in plain]},
        slow: {"plain_s": plain, "tuned_s": [1.1 * one for one in plain]},
    }
    figures = paired.figures_of_pairs(results)
    assert figures["program_over_plain.shared.program"]["verdict"] == "faster"
    assert figures["worst_program_over_plain"]["value"] == pytest.approx(1.1)
    assert figures["geometric_mean_over_plain"] == pytest.approx(math.sqrt(0.55))
    assert (figures["programs_slower"], figures["programs_undecided"]) == (1, 0)


def test_results_of_packages_have_no_times() -> None:
    bench = bench_module("interpose.interpose_packages")
    lammps = "Step Temp\n 50 1.65\nLoop time of 1.2 on 2 procs\nPair    | 0.4 | 0.4\nTotal wall time: 0:00:01\n"
    assert bench.results_of_lammps(None, lammps) == "Step Temp\n 50 1.65"
    espresso = "  total energy = -62.1 Ry\n  total cpu time spent up to now is 0.5 secs\n  fft : 0.01s CPU\n"
    assert bench.results_of_espresso(None, espresso) == "  total energy = -62.1 Ry"


def test_results_of_hpcc_are_residuals_and_verdicts(tmp_path: Path) -> None:
    bench = bench_module("interpose.interpose_packages")
    lines = ["HPL_Tflops=0.006", "HPL_XnormI=67.9", "MPIRandomAccess_Errors=7", "PTRANS_time=0.1", "PTRANS_residual=0"]
    lines.append("Found 7 errors in 131072 locations (passed).")
    (tmp_path / "hpccoutf.txt").write_text("\n".join(lines), encoding="utf-8")
    assert bench.results_of_hpcc(tmp_path, "") == (
        "HPL_XnormI=67.9\nPTRANS_residual=0\nErrors in 131072 locations (passed)."
    )
