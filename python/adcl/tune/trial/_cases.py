"""Several programs, inputs or numbers of ranks, run with the same settings one after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.tune.trial._trial import TrialOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.launch import Stop
    from adcl.tune.space import Configuration
    from adcl.tune.trial._slots import Slot
    from adcl.tune.trial._trial import Trials

__all__ = ["TrialCase", "of_case", "run_cases"]

_LEAST_S = 0.1


@dataclass(frozen=True)
class TrialCase:
    """A case and its weight in the objective."""

    name: str
    trials: Trials
    weight: float = 1.0


def of_case(objective: str, case: str) -> str:
    """Return the name under which an objective of one case is stored."""
    return f"{objective} of {case}"


def run_cases(
    cases: Sequence[TrialCase],
    configuration: Configuration,
    *,
    timeout_s: float | None = None,
    slot: Slot | None = None,
    stop: Stop | None = None,
) -> TrialOutcome:
    """Run all cases with a configuration, for at most `limit_s` seconds in total.

    The combined objective is the weighted geometric mean, so that ratios count: a case that takes hours has no more
    influence than a case that takes seconds. The first failing case determines the outcome of the trial.
    """
    spent, outputs, tail = 0.0, [], ""
    costs: dict[str, float] = {}
    logs: dict[str, float] = {}
    weights = sum(case.weight for case in cases)
    for case in cases:
        left = None if timeout_s is None else max(timeout_s - spent, _LEAST_S)
        outcome = case.trials.run(configuration, timeout_s=left, slot=slot, stop=stop)
        spent += outcome.seconds or 0.0
        outputs.append(f"== {case.name}\n{outcome.output}")
        tail = outcome.tail
        if outcome.status != "ok":
            reason = f"{case.name}: {outcome.reason}"
            return TrialOutcome(outcome.status, spent, tail=tail, reason=reason, output="\n".join(outputs))
        for name, value in outcome.objectives.items():
            costs[of_case(name, case.name)] = value
            logs[name] = logs.get(name, 0.0) + case.weight / weights * math.log(value)
    together = {name: math.exp(value) for name, value in logs.items()}
    return TrialOutcome("ok", spent, {**together, **costs}, tail, output="\n".join(outputs))
