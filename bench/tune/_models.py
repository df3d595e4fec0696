"""Run the search `gp` with one model, in a separate environment: ``_models.py MODEL SEED MOST FORM RESULTS``.

All searches measure the defaults first, screen spaces with many parameters, and treat failures as slow scenarios. They
differ in the model: that of `adcl tune`, scikit-learn's `GaussianProcessRegressor` with the candidates and the
acquisition function of `adcl tune`, and Optuna's `GPSampler` with its own candidates and acquisition function.
RESULTS contains, for each model and problem, the number of different scenarios up to the first good scenario, and the
processor seconds per proposal.
"""

from __future__ import annotations

import json
import math
import random
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from adcl.tune.search import SearchOptions
from adcl.tune.search._gp import Gp, GpOptions
from adcl.tune.search._gp_model import GaussianProcess
from adcl.tune.search._screening import Screened
from adcl.tune.search._tpe import Tpe
from bench.tune._problems import Problem, made_up, recorded

if TYPE_CHECKING:
    from optuna.study import Study

    from adcl.tune.search import Search
    from adcl.tune.space import Space

__all__ = ["main"]

warnings.filterwarnings("ignore")
_TORCH = "/usr/lib/python3/dist-packages"
"""Folder of Debian's PyTorch, which `GPSampler` requires. It is last in the search path, so only PyTorch is used."""

_NEVER = SearchOptions(tolerance=0.0)
_WIDE = 8.0


class _SklearnProcess(GaussianProcess):
    """scikit-learn's process: a Matern kernel with one length for each parameter, and white noise."""

    def __init__(self, space: Space) -> None:
        super().__init__(space)
        self._kernel_now: Any = None

    def _features(self, positions: Any) -> Any:
        """Scale numbers to 0 to 1, logarithmically if their range is wide, and encode categories as unit vectors."""
        columns = []
        for parameter, column in zip(self._space.parameters, positions.T, strict=True):
            count = len(parameter.values)
            if not parameter.ordered:
                columns += [(column == place).astype(float) for place in range(count)]
                continue
            numbers = np.array([float(int(value)) for value in parameter.values])
            if numbers[0] >= 0 and numbers[-1] >= _WIDE * max(numbers[0], 1.0):
                numbers = np.log2(np.maximum(numbers, 0.5 if numbers[0] < 1 else 1.0))
            scaled = (numbers - numbers[0]) / max(float(numbers[-1] - numbers[0]), 1e-9)
            columns.append(np.append(scaled, 0.5)[column])
            if parameter.when is not None:
                columns.append((column == count).astype(float))
        return np.stack(columns, axis=1)

    def fit(self, positions: Any, values: Any, *, learn: bool = True) -> None:
        from sklearn.gaussian_process import GaussianProcessRegressor  # type: ignore[import-not-found]
        from sklearn.gaussian_process.kernels import (  # type: ignore[import-not-found]
            ConstantKernel,
            Matern,
            WhiteKernel,
        )

        features = self._features(positions)
        lengths = np.ones(features.shape[1])
        start = ConstantKernel() * Matern(lengths, (1e-2, 1e2), nu=2.5) + WhiteKernel(1e-2, (1e-5, 1.0))
        optimizer = {} if learn else {"optimizer": None}
        kernel = start if learn or self._kernel_now is None else self._kernel_now
        self._regressor = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0, **optimizer)
        self._regressor.fit(features, np.asarray(values))
        self._kernel_now = self._regressor.kernel_

    def predict(self, positions: Any) -> tuple[Any, Any]:
        mean, deviation = self._regressor.predict(self._features(positions), return_std=True)
        return mean, np.maximum(deviation, 1e-9)


class _SklearnSearch(Gp):
    def __init__(self, *arguments: object, **settings: object) -> None:
        super().__init__(*arguments, **settings)
        self._model = _SklearnProcess(self.space)


class _OptunaSearch(Tpe):
    """The interface that `tpe` of `adcl tune` has to Optuna, with another sampler."""

    most_objectives = 1

    def _make_study(self) -> Study:
        import optuna

        if _TORCH not in sys.path:
            sys.path.append(_TORCH)
        optuna.logging.disable_default_handler()
        sampler = optuna.samplers.GPSampler(seed=self.generator.randrange(1 << 32))
        return optuna.create_study(sampler=sampler)


_MODELS: dict[str, type[Search]] = {"adcl": Gp, "sklearn": _SklearnSearch, "optuna": _OptunaSearch}


def _search(model: str, space: Space, seed: int) -> Search:
    kind = _MODELS[model]
    options = _NEVER.part(Gp)
    most = GpOptions().screening

    def among(part: Space) -> Search:
        return kind(part, seed, 1, options if issubclass(kind, Gp) else None)

    if len(space.parameters) <= most:
        return among(space)
    return Screened(space, among, most=most, seed=seed, objectives=1)


def _count(model: str, problem: Problem, seed: int, most: int) -> tuple[int, float]:
    """Return the number of scenarios up to the first good one, and the processor seconds per proposal."""
    search = _search(model, problem.space, seed)
    generator = random.Random(f"runs {seed}")  # noqa: S311
    started = time.process_time()

    def run(index: int) -> tuple[float] | None:
        drawn = generator.choice(problem.draws[index])
        return None if drawn is None else (drawn * math.exp(generator.gauss(0.0, problem.noise)),)

    if problem.home is not None:
        search.tell(problem.scenarios[problem.home], run(problem.home))
    for count in range(1, most):
        scenario = search.ask()
        if scenario is None:
            break
        index = problem.index[scenario]
        if index in problem.good:
            return count, (time.process_time() - started) / count
        search.tell(scenario, run(index))
    return most, (time.process_time() - started) / most


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code. The form is that of the bench; ``short`` has one problem."""
    model, seed, most, form, results = arguments
    problems = made_up()[:1] if form == "short" else [*recorded(), *made_up()]
    found = {model: {one.name: _count(model, one, int(seed), int(most)) for one in problems}}
    Path(results).write_text(json.dumps(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
