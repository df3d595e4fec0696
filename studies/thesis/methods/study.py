"""Table 5.1: how the run time of each statistical method grows with the number of measurements."""

from __future__ import annotations

import json
import math
import random
import subprocess
from pathlib import Path

from studies._catalog import ROOT, Agreement, Place, Rendered, StudyError
from studies._page import table
from studies._picture import Curve, Panel, panels
from studies._statements import Statement, statement_table
from studies._verdicts import METHODS, Judged, judge_records, published

__all__ = ["measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_RUN = "here"
_PRESETS = ("openmpi", "openmpi5", "mpich", "mpi-abi")
_FRACTION = 0.2
"""Share of outliers that the heuristic accepts, n_o of the thesis."""

_SEED = 2011
_OUTLIER = 10
"""Distance between outliers: every tenth measurement is an outlier."""


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets: estimate_lines, which calls no MPI, built with the first preset."""
    return [("first", "estimate_lines")]


def _program() -> Path:
    found = [path for name in _PRESETS if (path := ROOT / "build" / name / "bin" / "estimate_lines").exists()]
    if not found:
        raise StudyError("estimate_lines is not built; make study builds it")
    return found[0]


def _samples(count: int) -> list[float]:
    """Return execution times in seconds: log-normal around 100 µs, multiplied by 20 for each outlier."""
    chance = random.Random(_SEED)
    return [
        1e-4 * math.exp(chance.gauss(0.0, 0.1)) * (20 if at % _OUTLIER == _OUTLIER - 1 else 1) for at in range(count)
    ]


def measure(place: Place) -> None:
    """Run each method on 16 to 1024 or 16384 measurements. Raises `StudyError` if the program fails."""
    most, repetitions = (10, 3) if place.quick else (14, 9)
    methods = list(published(_HERE / "published.toml")["complexity"])
    counts = [2**power for power in range(4, most + 1)]
    lines = [f"{name} {_FRACTION} {' '.join(map(repr, _samples(count)))}" for name in methods for count in counts]
    command = [str(_program()), "--times", str(repetitions)]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise StudyError(f"{' '.join(command)} failed: {done.stderr.strip()[-400:]}")
    records = []
    pairs = [(name, count) for name in methods for count in counts]
    for (name, count), line in zip(pairs, done.stdout.splitlines(), strict=True):
        seconds = [float(word) for word in line.split()[-repetitions:]]
        measurement = {
            "schema": 1,
            "context": {"program": "estimate_lines", "seed": _SEED},
            "function": name,
            "metric": "time_s",
            "parameters": {"n": count},
            "repetitions": seconds,
            "discarded": 0,
        }
        records.append({"schema": 1, "run": _RUN, "job": "", "time_s": 0.0, "measurement": measurement})
    text = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in records)
    place.records.write_text(text, encoding="utf-8")


def _growth(judged: Judged, name: str) -> str:
    row = judged.row("default", _RUN, name)
    return "–" if row is None else row.verdict.model.growth


def _series(judged: Judged, name: str) -> list[tuple[float, float]]:
    """Return pairs of n_m and microseconds."""
    row = judged.row("default", _RUN, name)
    if row is None:
        return []
    series = row.verdict.series
    return [(x, 1e6 * y) for (x,), y in zip(series.points, series.values, strict=True)]


def _statements(judged: Judged, printed: dict[str, str]) -> list[Statement]:
    found = []
    for name, complexity in printed.items():
        growth = _growth(judged, name)
        if name == "robust":
            pairs = _series(judged, name)
            slope = math.log(pairs[-1][1] / pairs[0][1]) / math.log(pairs[-1][0] / pairs[0][0])
            holds: bool | None = slope < 2.0
            text = "Robust statistics are exponential in the worst case, and a lot faster in most real scenarios."
            growth = f"{growth}; from the smallest to the largest n_m as n^{slope:.2f}"
        else:
            holds = judged.sign("default", _RUN, name) in "✓≈"
            text = f"The {name} method takes O({complexity})."
        found.append(Statement(text, "5.2.5", growth, holds, ("Table 5.1",)))
    return found


def render(place: Place) -> Rendered:
    """Return Table 5.1, the run times, and their models."""
    printed: dict[str, str] = published(_HERE / "published.toml")["complexity"]
    judged = judge_records(_HERE / "scale.toml", place.records)
    statements = _statements(judged, printed)
    rows = [(name, text, *(judged.cell(method, _RUN, name) for method in METHODS)) for name, text in printed.items()]
    curves = {name: _series(judged, name) for name in printed}
    counts = [f"{count:.0f}" for count, _ in curves["iqr"]]
    times = [(name, *(f"{value:.3g}" for _, value in pairs)) for name, pairs in curves.items()]
    holds = sum(one.holds is True for one in statements)
    values = {
        "Table 5.1": table(("method", "printed", "paper's method", "default method"), rows),
        "times": table(("µs for n_m", *counts), times),
        "statements": statement_table(statements),
        **judged.values(),
    }
    picture = panels([Panel("µs by n_m", [Curve(name, pairs) for name, pairs in curves.items()])])
    agreement = (Agreement("Table 5.1, same growth", holds, len(statements)),)
    return Rendered(values, {"times.svg": picture}, agreement, tuple(statements))
