"""Optuna's tree-structured Parzen estimator, extended by conditions and constraints, without repeated trials."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from adcl.tune.search._base import Objectives, Search

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import Trial

    from adcl.tune.space import Coordinates

__all__ = ["Tpe"]

_ATTEMPTS = 20
_FAILED_FACTOR = 2.0


class Tpe(Search):
    """Search that delegates to Optuna.

    It reports known results of repeated scenarios without a trial, and treats forbidden scenarios as slow.
    """

    most_objectives = 2

    def __init__(self, *arguments: object, **settings: object) -> None:
        super().__init__(*arguments, **settings)  # type: ignore[arg-type]
        self._study = self._make_study()
        self._trials: dict[Coordinates, Trial] = {}

    def _make_study(self) -> Study:
        import optuna

        optuna.logging.disable_default_handler()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sampler = optuna.samplers.TPESampler(seed=self.generator.randrange(1 << 32), multivariate=True, group=True)
        return optuna.create_study(sampler=sampler, directions=["minimize"] * self.objectives)

    def propose(self) -> Coordinates | None:
        """Return Optuna's next proposal, or a random scenario if it only repeats proposals."""
        import optuna

        if not self.told and not self.pending and self.fresh(self.space.home()):
            return self.space.home()
        for _ in range(_ATTEMPTS):
            trial = self._study.ask()
            proposal = self._suggest(trial)
            if self.fresh(proposal):
                self._trials[proposal] = trial
                return proposal
            if proposal in self.pending:
                self._study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                self._study.tell(trial, self._values(self.told.get(proposal)))
        return self.draw()

    def _distribution(self, place: int) -> Any:  # noqa: ANN401 - Optuna's distributions have no common public type
        import optuna

        parameter = self.space.parameters[place]
        if parameter.ordered:
            return optuna.distributions.IntDistribution(0, len(parameter.values) - 1)
        return optuna.distributions.CategoricalDistribution(list(range(len(parameter.values))))

    def _suggest(self, trial: Trial) -> Coordinates:
        """Let Optuna choose values of active parameters; parameters in conditions of other parameters come first."""
        chosen = [parameter.home for parameter in self.space.parameters]
        for place in self.space.order:
            if self.space.active_mask(tuple(chosen))[place]:
                name = self.space.parameters[place].name
                if self.space.parameters[place].ordered:
                    chosen[place] = trial.suggest_int(name, 0, self.space.shape[place] - 1)
                else:
                    chosen[place] = trial.suggest_categorical(name, list(range(self.space.shape[place])))
        return self.space.canonical(tuple(chosen))

    def _values(self, objectives: Objectives | None) -> list[float]:
        """Return objectives for Optuna; failures are worse than all successes."""
        if objectives is not None:
            return list(objectives)
        known = [values for values in self.told.values() if values is not None]
        return [
            _FAILED_FACTOR * max((values[axis] for values in known), default=1.0) for axis in range(self.objectives)
        ]

    def learn(self, coordinates: Coordinates, objectives: Objectives | None) -> None:
        """Pass the result to Optuna."""
        import optuna

        trial = self._trials.pop(coordinates, None)
        if trial is not None:
            self._study.tell(trial, self._values(objectives))
            return
        mask = self.space.active_mask(coordinates)
        places = [place for place in self._places if mask[place]]
        self._study.add_trial(
            optuna.trial.create_trial(
                params={self.space.parameters[place].name: coordinates[place] for place in places},
                distributions={self.space.parameters[place].name: self._distribution(place) for place in places},
                values=self._values(objectives),
            )
        )
