"""tools/build_pairs.py: pairs of a bench with two builds."""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING

import pytest
from support import script
from tools_support import PROJECT, TOOLS, run_tool

if TYPE_CHECKING:
    from pathlib import Path

TOOL = TOOLS / "build_pairs.py"


def _write(folder: Path, which: str, pair: int, **values: object) -> None:
    rows = [{"name": name.replace("_", "."), "value": value} for name, value in values.items()]
    (folder / f"{which}-{pair}.json").write_text(json.dumps({"context": {}, "figures": rows}), encoding="utf-8")


def test_ratio_with_the_interval_of_student() -> None:
    ratio, low, high, is_ratio = script("tools/build_pairs.py").comparison([(1.0, 2.0), (2.0, 2.0), (1.0, 4.0)])
    assert is_ratio
    assert ratio == pytest.approx(2.0)
    # the logarithms 1, 0 and 2 (base 2) have mean 1 and standard deviation 1
    half = 4.302653 / math.sqrt(3.0)
    assert (low, high) == (pytest.approx(2.0 ** (1.0 - half), rel=1e-5), pytest.approx(2.0 ** (1.0 + half), rel=1e-5))


def test_difference_of_values_that_are_not_positive() -> None:
    mean, low, high, is_ratio = script("tools/build_pairs.py").comparison([(0.0, 1.0), (-1.0, 0.0)])
    assert not is_ratio
    assert (mean, low, high) == (1.0, 1.0, 1.0)


def test_only_complete_pairs_count_and_order_does_not_matter(tmp_path: Path) -> None:
    for pair, (old, new) in enumerate([(1.0, 2.0), (2.0, 4.0)]):
        _write(tmp_path, "old", pair, time_a=old, time_b=1.0, words="no number")
        _write(tmp_path, "new", pair, time_a=new, time_b=1.0, words="no number")
    _write(tmp_path, "old", 2, time_a=9.0)
    _write(tmp_path, "old", 3, time_c=5.0)
    _write(tmp_path, "new", 3, time_c=1.0)
    done = run_tool(sys.executable, TOOL, "any", tmp_path, tmp_path, "--pairs", "0", "--folder", tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["time.a", "time.b"]
    assert "2.000 (2.000 … 2.000) *" in lines[1]
    assert "1.000 (1.000 … 1.000)   2 pairs" in lines[2]
    assert lines[3].split()[0] == "time.c"
    assert lines[4] == f"time, 2 figures: {math.sqrt(2.0):.3f} (1.414 … 1.414)"


def test_a_pair_of_a_real_bench_is_kept(tmp_path: Path) -> None:
    build = PROJECT / "build" / "openmpi"
    if not (build / "bin" / "bench_overhead").is_file():
        pytest.skip("bench_overhead is not built in build/openmpi")
    command = (sys.executable, TOOL, "overhead", build, build, "--pairs", "1", "--folder", tmp_path)
    done = run_tool(*command, BENCH_FORM="short")
    assert done.returncode == 0, done.stderr
    assert "request_start_added_ns" in done.stdout
    first = (tmp_path / "old-0.json").read_bytes()
    again = run_tool(*command, BENCH_FORM="short")
    assert again.stdout == done.stdout
    assert (tmp_path / "old-0.json").read_bytes() == first
    other = run_tool(sys.executable, TOOL, "overhead", build.parent, build, "--folder", tmp_path)
    assert other.returncode == 1
    assert "has other benches, builds or options; remove it, or pass another one" in other.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("no_such_bench",), "build_pairs.py: there is no bench 'no_such_bench' in bench/*/"),
        (("overhead", "--", "--runs"), "bench_overhead is a program without options; it cannot use --runs"),
    ],
)
def test_what_cannot_be_run(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    name, *options = words
    done = run_tool(sys.executable, TOOL, name, tmp_path, tmp_path, "--folder", tmp_path, *options)
    assert done.returncode == 1
    assert message in done.stderr


def test_a_bench_that_fails_names_its_output(tmp_path: Path) -> None:
    build = tmp_path / "build"
    done = run_tool(sys.executable, TOOL, "search_live", build, build, "--folder", tmp_path, "--", "--runs", "1")
    assert done.returncode == 1
    assert "ended with code 1; its output is in" in done.stderr
