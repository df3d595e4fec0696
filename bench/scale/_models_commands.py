"""Compare the commands for ``make bench NAME=models``: adcl scale and extrap read, model and print a file.

Times are processor times from the start to the end of the interpreter. Both commands run as installed: a first run
compiles their modules.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["figures_of_commands"]

_SERIES = (500, 2000)
_ROWS = (1000, 10, 100)
"""Functions, settings and jobs of a million measurements in a store."""

_TIMES = 3
_SETTINGS = 2.0 ** np.arange(1, 11)


def _run(command: list[str], folder: Path) -> tuple[float, float, float]:
    """Run a command; return its processor seconds, its wall-clock seconds, and megabytes."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ""}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    measured = (
        "import json, resource, subprocess, sys, time; begin = time.perf_counter(); "
        "code = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, check=False).returncode; "
        "wall, use = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN); "
        "open(sys.argv[1], 'w').write(json.dumps([code, use.ru_utime + use.ru_stime, wall, use.ru_maxrss / 1024]))"
    )
    answer = folder / "answer.json"
    subprocess.run([sys.executable, "-c", measured, str(answer), *command], cwd=folder, env=environment, check=True)
    code, processor, wall, memory = json.loads(answer.read_text(encoding="utf-8"))
    if code not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with exit code {code}")
    return processor, wall, memory


def _write_study(folder: Path, functions: int) -> None:
    names = json.dumps([f"f{at}" for at in range(functions)])
    text = f'store = "store.jsonl"\n[[expect]]\nfunction = {names}\ngrowth = "p"\n'
    (folder / "study.toml").write_text(text, encoding="utf-8")


def _values(functions: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng([seed, functions])
    first, second = 10 ** rng.uniform(0, 2, (2, functions, 1))
    noise = np.maximum(1 + 0.05 * rng.standard_normal((functions, len(_SETTINGS))), 0.05)
    return np.asarray((first + second * _SETTINGS) * noise)


def _both(count: int, seed: int, python: Path) -> tuple[float, float]:
    """Return the processor seconds of ``adcl scale check`` and of ``extrap`` for `count` series of 10 points.

    The shorter command runs before and after the longer one, in case the state of the machine changes, and its median
    counts.
    """
    rows = [
        {"params": {"p": float(x)}, "callpath": f"f{at}", "metric": "time_s", "value": float(y)}
        for at, values in enumerate(_values(count, seed))
        for x, y in zip(_SETTINGS, values, strict=True)
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        _write_study(folder, count)
        ours = [sys.executable, "-m", "adcl", "scale"]
        _run([*ours, "add", "study.toml", "data.jsonl"], folder)
        _run([*ours, "check", "study.toml"], folder)
        mine = [_run([*ours, "check", "study.toml"], folder)[0] for _ in range(_TIMES)]
        theirs = _run([str(python.with_name("extrap")), "--disable-progress", "--json", "data.jsonl"], folder)[0]
        mine += [_run([*ours, "check", "study.toml"], folder)[0] for _ in range(_TIMES)]
    return statistics.median(mine), theirs


def _million(seed: int) -> dict[str, float]:
    """Write a million measurements to a store, and judge their thousand series."""
    functions, settings, jobs = _ROWS
    values = _values(functions, seed)[:, :settings]
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "data.jsonl").open("w", encoding="utf-8") as file:
            for job in range(jobs):
                noise = 1 + 0.02 * rng.standard_normal(values.shape)
                file.writelines(
                    f'{{"schema":1,"function":"f{at}","metric":"time_s","parameters":{{"p":{x:g}}},'
                    f'"repetitions":[{y:.9g}],"context":{{"job":{job}}}}}\n'
                    for at, row in enumerate((values * noise).tolist())
                    for x, y in zip(_SETTINGS, row, strict=False)
                )
        _write_study(folder, functions)
        ours = [sys.executable, "-m", "adcl", "scale"]
        add = _run([*ours, "add", "study.toml", "data.jsonl"], folder)
        check = _run([*ours, "check", "study.toml"], folder)
    return {
        **{f"add_{name}": value for name, value in zip(("s", "clock_s", "megabytes"), add, strict=True)},
        **{f"check_{name}": value for name, value in zip(("s", "clock_s", "megabytes"), check, strict=True)},
    }


def figures_of_commands(python: Path, seed: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Return the figures and the times on which they are based."""
    figures: dict[str, float] = {}
    times = {count: _both(count, seed, python) for count in _SERIES}
    for count, (mine, theirs) in times.items():
        figures[f"speed_over_extrap_through_commands_{count}_series"] = theirs / mine
    (first, last), (few, many) = _SERIES, (times[_SERIES[0]], times[_SERIES[-1]])
    further = [(many[side] - few[side]) / (last - first) * 1e3 for side in (0, 1)]
    figures["speed_over_extrap_through_commands_each_further_series"] = further[1] / further[0]
    million = _million(seed)
    for name in ("s", "megabytes"):
        figures[f"add_million_rows_{name}"] = million[f"add_{name}"]
        figures[f"check_thousand_series_of_million_rows_{name}"] = million[f"check_{name}"]
    details: dict[str, Any] = {f"{count}_series_s": {"ours": a, "extrap": b} for count, (a, b) in times.items()}
    return figures, {**details, "further_series_ms": {"ours": further[0], "extrap": further[1]}, "million": million}
