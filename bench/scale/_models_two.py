"""Two parameters, for ``make bench NAME=models``: prediction of a measurement that was left out of the model.

Series over five by five settings, with 5 % noise. Each point is left out once. adcl scale (without an expectation) and
Extra-P make models of the other points; the error is the deviation of the prediction, relative to the exact value.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adcl.scale import Measurement, judge_series, parse_term, series_of

__all__ = ["left_out_errors"]

_FORMULAS = (("p n",), ("p", "n"), ("log p", "n^2"), ("n log p",), ("n log n", "p"), ("sqrt p", "n log p"))
"""Terms that are added to a constant."""

_P = (4.0, 8.0, 16.0, 32.0, 64.0)
_N = (10.0, 20.0, 30.0, 40.0, 50.0)
_NOISE = 0.05


@dataclass(frozen=True)
class _Grid:
    name: str
    points: list[tuple[float, float]]
    truth: np.ndarray
    values: np.ndarray


def _grids(count: int, seed: int) -> list[_Grid]:
    points = list(itertools.product(_P, _N))
    columns = {"p": np.array([p for p, _ in points]), "n": np.array([n for _, n in points])}
    found = []
    for number, texts in enumerate(_FORMULAS):
        rng = np.random.default_rng([seed, number])
        for _ in range(count):
            terms = [parse_term(text).evaluate(columns) for text in texts]
            truth = 10 ** rng.uniform(0, 2) + sum(10 ** rng.uniform(1, 3) * one / one.max() for one in terms)
            noise = np.maximum(1 + _NOISE * rng.standard_normal(len(points)), 0.05)
            found.append(_Grid(" + ".join(texts), points, np.asarray(truth), truth * noise))
    return found


def _ours(grid: _Grid) -> list[float]:
    rows = [
        Measurement("f", "time_s", {"p": p, "n": n}, (float(value),))
        for (p, n), value in zip(grid.points, grid.values, strict=True)
    ]
    found = []
    for out, (p, n) in enumerate(grid.points):
        verdict = judge_series(series_of(rows[:out] + rows[out + 1 :], "f", "time_s"))
        found.append(verdict.model.predict(p=p, n=n).value)
    return found


def _theirs(grids: list[_Grid], python: Path) -> list[list[float]]:
    program = Path(__file__).with_name("_models_extrap.py")
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "in.json", Path(name) / "out.json"
        rows = [{"points": one.points, "values": one.values.tolist()} for one in grids]
        source.write_text(json.dumps(rows), encoding="utf-8")
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ""}
        subprocess.run([python, program, source, target, "--left-out"], env=environment, check=True)
        answers: list[list[float]] = json.loads(target.read_text(encoding="utf-8"))
    return answers


def left_out_errors(count: int, seed: int, python: Path) -> dict[str, Any]:
    """Return the mean error of predictions of left-out points in percent: over all formulas, and for each formula."""
    grids = _grids(count, seed)
    answers = {"ours": [_ours(one) for one in grids], "extrap": _theirs(grids, python)}
    found: dict[str, Any] = {"series": len(grids), "formulas": {}}
    for name, predictions in answers.items():
        off = [
            100 * np.abs(np.array(one) - grid.truth) / grid.truth for one, grid in zip(predictions, grids, strict=True)
        ]
        found[name] = float(np.mean(np.concatenate(off)))
        found[f"{name}_median"] = float(np.median(np.concatenate(off)))
        for formula in dict.fromkeys(one.name for one in grids):
            own = np.concatenate([one for one, grid in zip(off, grids, strict=True) if grid.name == formula])
            found["formulas"].setdefault(formula, {})[name] = round(float(np.mean(own)), 2)
    return found
