"""Run the peers of the bench tune_search in a separate environment: ``_peers.py PROBLEMS RESULTS``.

PROBLEMS is JSON: for each problem the shape of its space, its conditions, the values that a run may return, and the
good scenarios; see `tune_search.py`. RESULTS contains, for each peer and problem, the number of different scenarios
that each seed required. A repeated scenario is not counted: a tool that uses the peer would store it, and would measure
the defaults before the search begins.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import random
import sys
import warnings
from pathlib import Path
from typing import Any

__all__ = ["main"]

warnings.filterwarnings("ignore")


class _Found(Exception):  # noqa: N818 - the end of a search, and no error
    """A good scenario was run, or the budget is used up."""


class _Runs:
    """Returns the time of a scenario's run, and counts the runs."""

    def __init__(self, problem: dict[str, Any], seed: int) -> None:
        self.problem = problem
        self.generator = random.Random(f"runs {seed}")  # noqa: S311
        self.known: dict[tuple[int, ...], float | None] = {}
        self.counted = 0
        if problem["defaults_known"]:
            home = self.canonical(problem["home"])
            self.known[home] = self._drawn(problem["index"][",".join(map(str, home))])

    def _drawn(self, index: int) -> float | None:
        drawn: float | None = self.generator.choice(self.problem["draws"][index])
        noise = math.exp(self.generator.gauss(0.0, self.problem["noise"]))
        return None if drawn is None else drawn * noise

    def canonical(self, position: list[int]) -> tuple[int, ...]:
        """Set inactive parameters to their values in `home`."""
        active, found = [True] * len(position), list(position)
        for place in self.problem["order"]:
            master = self.problem["masters"][place]
            if master is not None:
                active[place] = active[master[0]] and found[master[0]] in master[1]
            if not active[place]:
                found[place] = self.problem["home"][place]
        return tuple(found)

    def active(self, position: list[int], place: int) -> bool:
        """Return True if a parameter is active, given the preceding parameters."""
        master = self.problem["masters"][place]
        return master is None or (self.active(position, master[0]) and position[master[0]] in master[1])

    def run(self, position: list[int]) -> float | None:
        """Return the seconds of a run; None if the scenario fails or is invalid."""
        key = self.canonical(position)
        if key in self.known:
            return self.known[key]
        index = self.problem["index"].get(",".join(map(str, key)))
        if index is None:
            return None
        self.known[key] = self._drawn(index)
        self.counted += 1
        if index in self.problem["good"] or self.counted >= self.problem["most"]:
            raise _Found
        return self.known[key]


def _tpe(runs: _Runs, seed: int) -> None:
    """Search with Optuna's TPE and its defaults: ordered parameters as integers, others as categories.

    A conditional parameter is suggested only if it is active.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    problem = runs.problem

    def objective(trial: Any) -> float:
        position = list(problem["home"])
        for place in problem["order"]:
            if runs.active(position, place):
                name, count = f"p{place}", problem["shape"][place]
                if problem["ordered"][place]:
                    position[place] = trial.suggest_int(name, 0, count - 1)
                else:
                    position[place] = trial.suggest_categorical(name, list(range(count)))
        value = runs.run(position)
        if value is None:
            raise optuna.TrialPruned
        return value

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=20 * problem["most"])


def _gde3(runs: _Runs, seed: int) -> None:
    """Search with pymoode's GDE3 and the PTF paper's population of 10; positions are rounded."""
    import numpy as np
    from pymoo.core.problem import ElementwiseProblem  # type: ignore[import-not-found]
    from pymoo.optimize import minimize  # type: ignore[import-not-found]
    from pymoode.algorithms import GDE3  # type: ignore[import-not-found]

    shape = np.array(runs.problem["shape"])

    class Positions(ElementwiseProblem):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(n_var=len(shape), n_obj=1, n_ieq_constr=1, xl=-0.499, xu=shape - 0.501)

        def _evaluate(self, x: Any, out: dict[str, Any], *_: Any, **__: Any) -> None:
            value = runs.run([int(one) for one in np.clip(np.rint(x), 0, shape - 1)])
            out["F"], out["G"] = [1e9 if value is None else value], [1.0 if value is None else -1.0]

    algorithm = GDE3(pop_size=10, variant="DE/rand/1/bin", CR=0.5, F=(0.3, 1.0))
    minimize(Positions(), algorithm, ("n_gen", 40 * runs.problem["most"]), seed=seed, verbose=False)


_PEERS = {"optuna_tpe": _tpe, "pymoode_gde3": _gde3}
_PROBLEMS: list[dict[str, Any]] = []


def _count(task: tuple[str, int, int]) -> tuple[str, int, int]:
    peer, place, seed = task
    runs = _Runs(_PROBLEMS[place], seed)
    try:
        _PEERS[peer](runs, seed)
    except _Found:
        return peer, place, runs.counted
    return peer, place, runs.problem["most"]


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    document = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    _PROBLEMS.extend(document["problems"])
    for problem in _PROBLEMS:
        problem["good"] = set(problem["good"])
    tasks = [
        (peer, place, seed) for peer in _PEERS for place in range(len(_PROBLEMS)) for seed in range(document["seeds"])
    ]
    counts: dict[str, dict[str, list[int]]] = {peer: {} for peer in _PEERS}
    with multiprocessing.get_context("fork").Pool(document["jobs"]) as pool:
        for peer, place, count in pool.imap(_count, tasks, chunksize=4):
            counts[peer].setdefault(_PROBLEMS[place]["name"], []).append(count)
    Path(arguments[1]).write_text(json.dumps(counts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
