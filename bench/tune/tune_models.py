# set-up: tune_models
"""Compare the Gaussian process of `adcl tune` with scikit-learn's and Optuna's: ``make bench NAME=tune_models``.

Each model runs in the search `gp`, on the problems of the bench tune_search, and the different scenarios up to the
first good scenario are counted. The figures are ratios of mean counts, as geometric means over the problems, over the
recorded tables alone (``recorded``) and over the synthetic spaces alone (``made_up``), and ratios of processor times
per proposal. A search without a good scenario after 100 trials counts as 100.

A seed of Optuna's model takes minutes. The bench stores the counts of each seed in the folder ``--seeds-in``, and
continues there after an interruption.
"""

from __future__ import annotations

import json
import math
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench._form import FORM, ROOT, Figures, command_line, effort, write

__all__ = ["main"]

_MOST = 100
_OURS = "adcl"
_PEERS = ("sklearn", "optuna")
_MADE_UP = "made_up"

Counts = dict[str, dict[str, list[tuple[float, float | None]]]]
"""Counts and processor seconds per proposal of each seed, by model and problem."""


def _run(python: Path, model: str, seed: int, results: Path) -> None:
    """Run one seed of a model in its environment, unless its results are stored."""
    if results.exists():
        return
    paths = {"PYTHONPATH": f"{ROOT / 'python'}:{ROOT}", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command: list[str | Path] = [python, "-m", "bench.tune._models", model, str(seed), str(_MOST), FORM, results]
    subprocess.run(command, check=True, env={**os.environ, **paths}, stderr=subprocess.DEVNULL)


def _counts(python: Path, seeds: dict[str, int], folder: Path) -> Counts:
    counts: Counts = {}
    for model, number in seeds.items():
        for seed in range(number):
            results = folder / f"{model}-{seed}.json"
            _run(python, model, seed, results)
            for problem, pair in json.loads(results.read_text(encoding="utf-8"))[model].items():
                counts.setdefault(model, {}).setdefault(problem, []).append(tuple(pair))
    return counts


def _ratio(counts: Counts, peer: str, problems: list[str]) -> dict[str, Any]:
    """Return the geometric mean of ours / theirs over the problems, with its 95 % bootstrap interval over the seeds."""
    generator = random.Random(1)  # noqa: S311

    def once(*, resample: bool) -> float:
        logs = []
        for problem in problems:
            sides = [[one[0] for one in counts[model][problem]] for model in (_OURS, peer)]
            means = [statistics.fmean(generator.choices(side, k=len(side)) if resample else side) for side in sides]
            logs.append(math.log(means[0] / means[1]))
        return math.exp(statistics.fmean(logs))

    drawn = sorted(once(resample=True) for _ in range(1000))
    return {"value": round(once(resample=False), 3), "interval": [round(drawn[25], 3), round(drawn[974], 3)]}


def _time_ratio(counts: Counts, peer: str) -> float:
    """Return the geometric mean over the problems of ours / theirs in median processor time per proposal."""
    logs = []
    for problem, ours in counts[_OURS].items():
        sides = [[one[1] for one in side if one[1] is not None] for side in (ours, counts[peer][problem])]
        logs.append(math.log(statistics.median(sides[0]) / statistics.median(sides[1])))
    return math.exp(statistics.fmean(logs))


def _figures(counts: Counts) -> Figures:
    names = list(counts[_OURS])
    groups = {
        "recorded": [name for name in names if not name.startswith(_MADE_UP)],
        _MADE_UP: [name for name in names if name.startswith(_MADE_UP)],
    }
    figures: Figures = {}
    for peer in _PEERS:
        figures[f"trials_over.{peer}"] = _ratio(counts, peer, names)
        figures |= {f"trials_over.{peer}.{kind}": _ratio(counts, peer, some) for kind, some in groups.items() if some}
        figures[f"processor_time_over.{peer}"] = round(_time_ratio(counts, peer), 3)
    for model, by_problem in counts.items():
        for problem, pairs in by_problem.items():
            figures[f"{problem}: {model}"] = round(statistics.fmean(one[0] for one in pairs), 2)
    return figures


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    parser = command_line(__doc__)
    parser.add_argument("--seeds", type=int, default=effort(10, 1), help="seeds of each model but Optuna's")
    parser.add_argument("--optuna-seeds", type=int, default=effort(4, 1), help="seeds of Optuna's model")
    parser.add_argument("--seeds-in", type=Path, help="folder of the results of each seed")
    parser.add_argument("--peers", type=Path, help="Python of the models; by default tools/setup.sh makes it")
    given = parser.parse_args(arguments)
    python = given.peers
    if python is None:
        subprocess.run([ROOT / "tools" / "setup.sh", "tune_models"], check=True)
        python = ROOT / ".venvs" / "tune-models" / "bin" / "python"
    folder = given.seeds_in or given.output.parent / f"tune_models-{FORM}"
    folder.mkdir(parents=True, exist_ok=True)
    seeds = {_OURS: given.seeds, "sklearn": given.seeds, "optuna": given.optuna_seeds}
    counts = _counts(python, seeds, folder)
    write(given.output, {"seeds": seeds, "most": _MOST}, _figures(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
