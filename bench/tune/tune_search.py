# set-up: tune_peers
# in make check
"""Number of trials until a search of `adcl tune` is within 2 % of the best: ``make bench NAME=tune_search``.

The problems are recorded tables of real programs and MPI libraries, and synthetic spaces with conditions, constraints
and noise. On each problem every search starts with each seed, and the different scenarios up to the first good scenario
are counted. The defaults run before any search, as in `adcl tune`, and are not counted. Peers are Optuna's TPE and
pymoode's GDE3, in a separate environment. The figures are ratios of mean counts, as geometric means over the problems;
a search that has not found a good scenario after 300 trials counts as 300.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small, and the processes already use all cores

import json
import math
import multiprocessing
import platform
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from adcl.tune.search import DEFAULT, SEARCHES, SearchOptions, make_search
from bench._form import ROOT, Figures, command_line, effort, write
from bench.tune._problems import Problem, made_up, recorded

__all__ = ["main"]

_MOST = 300
_NEVER = SearchOptions(tolerance=0.0)
_PROBLEMS: list[Problem] = []


def _count(task: tuple[str, int, int]) -> tuple[str, int, int]:
    """Count the different scenarios that a search of ADCL runs until the first good one."""
    name, place, seed = task
    problem = _PROBLEMS[place]
    search = make_search(name, problem.space, seed=seed, options=_NEVER)
    generator = random.Random(f"runs {seed}")  # noqa: S311

    def run(index: int) -> tuple[float] | None:
        drawn = generator.choice(problem.draws[index])
        return None if drawn is None else (drawn * math.exp(generator.gauss(0.0, problem.noise)),)

    if problem.home is not None:
        search.tell(problem.scenarios[problem.home], run(problem.home))
    for count in range(1, _MOST):
        scenario = search.ask()
        if scenario is None:
            break
        index = problem.index[scenario]
        if index in problem.good:
            return name, place, count
        search.tell(scenario, run(index))
    return name, place, _MOST


def _ours(names: list[str], seeds: int, jobs: int) -> dict[str, dict[str, list[int]]]:
    counts: dict[str, dict[str, list[int]]] = {name: {} for name in names}
    tasks = [(name, place, seed) for name in names for place in range(len(_PROBLEMS)) for seed in range(seeds)]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        for name, place, count in pool.imap(_count, tasks, chunksize=4):
            counts[name].setdefault(_PROBLEMS[place].name, []).append(count)
    return counts


def _peers(python: Path, seeds: int, jobs: int) -> dict[str, dict[str, list[int]]]:
    with tempfile.TemporaryDirectory() as folder:
        problems, results = Path(folder, "problems.json"), Path(folder, "results.json")
        document = {"seeds": seeds, "jobs": jobs, "problems": [one.document(_MOST) for one in _PROBLEMS]}
        problems.write_text(json.dumps(document), encoding="utf-8")
        script = Path(__file__).with_name("_peers.py")
        subprocess.run([python, script, problems, results], check=True, stderr=subprocess.DEVNULL)
        found: dict[str, dict[str, list[int]]] = json.loads(results.read_text(encoding="utf-8"))
        return found


def _ratio(counts: dict[str, dict[str, list[int]]], over: str) -> tuple[float, float, float]:
    """Return the geometric mean of ours / theirs over the problems, with its 95 % bootstrap interval over the seeds."""
    generator, ratios = random.Random(1), []  # noqa: S311
    names = [one.name for one in _PROBLEMS]

    def once(*, resample: bool) -> float:
        logs = []
        for name in names:
            ours, theirs = counts[DEFAULT][name], counts[over][name]
            if resample:
                ours, theirs = generator.choices(ours, k=len(ours)), generator.choices(theirs, k=len(theirs))
            logs.append(math.log(statistics.fmean(ours) / statistics.fmean(theirs)))
        return math.exp(statistics.fmean(logs))

    ratios = sorted(once(resample=True) for _ in range(1000))
    return once(resample=False), ratios[25], ratios[974]


def _report(counts: dict[str, dict[str, list[int]]], seeds: int) -> tuple[dict[str, Any], Figures]:
    figures: Figures = {}
    for name, over in (("evaluations_over_gde3", "pymoode_gde3"), ("evaluations_over_tpe", "optuna_tpe")):
        value, low, high = _ratio(counts, over)
        figures[name] = {"value": round(value, 4), "interval": [round(low, 3), round(high, 3)]}
    for problem in _PROBLEMS:
        for search, by_problem in counts.items():
            figures[f"{problem.name}: {search}"] = round(statistics.fmean(by_problem[problem.name]), 4)
    about = {
        one.name: {
            "scenarios": len(one.scenarios),
            "good": len(one.good),
            "optimum": one.optimum,
            "default_over_optimum": None if one.default is None else one.default / one.optimum[0],
        }
        for one in _PROBLEMS
    }
    context = {
        "python": platform.python_version(),
        "seeds": seeds,
        "most": _MOST,
        "search": DEFAULT,
        "problems": about,
    }
    return context, figures


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    parser = command_line(__doc__)
    parser.add_argument("--seeds", type=int, default=effort(100, 1))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--searches", default="gp,tpe,gde3,individual,random", help="searches of ADCL, separated by commas"
    )
    parser.add_argument("--peers", type=Path, help="the peers' Python; by default tools/setup.sh makes the environment")
    given = parser.parse_args(arguments)
    names = [name for name in given.searches.split(",") if name in SEARCHES]
    _PROBLEMS.extend(effort([*recorded(), *made_up()], made_up()[:1]))
    python = given.peers
    if python is None:
        subprocess.run([ROOT / "tools" / "setup.sh", "tune_peers"], check=True)
        python = ROOT / ".venvs" / "tune-peers" / "bin" / "python"
    counts = {**_ours(names, given.seeds, given.jobs), **_peers(python, given.seeds, given.jobs)}
    write(given.output, *_report(counts, given.seeds))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
