"""Evaluate pairs of codelets, one of the exchange and one of the reduction: the meta-codelets of section 6.2.2."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from adcl.evaluate import Chosen, Done, Executor, Scouted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.evaluate import EvaluationRun, EvaluationSetting
    from adcl.trace import TracedSearch

__all__ = ["SETS", "PairExecutor", "chosen_pair", "pair_estimates", "pair_name"]

SETS = ("neighborhood", "allreduce")
_BETWEEN = "+"
"""Separator in the names of a timer's combinations."""

_EACH = (2, 2)
"""Number of exchanges and reductions in an iteration."""


def pair_name(codelets: Sequence[str]) -> str:
    """Return the name of a pair."""
    return _BETWEEN.join(codelets)


def pair_estimates(estimates: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the communication time of an iteration for each pair, from separate searches of each set."""
    exchanges, reductions = estimates
    return {
        pair_name((one, other)): _EACH[0] * exchanges[one] + _EACH[1] * reductions[other]
        for one in exchanges
        for other in reductions
    }


def chosen_pair(searches: Sequence[TracedSearch]) -> Chosen | None:
    """Return the choice of a run: by a timer of both sets if there is one, otherwise by separate searches.

    None if a set was not searched.
    """
    joint = [one for one in searches if all(_BETWEEN in name for name in one.candidates)]
    if joint:
        (search,) = joint
        winner = None if search.decision is None else search.decision.winner
        estimates = {row.codelet: row.judged_s for row in search.rows if row.judged_s}
        return Chosen(winner, estimates, search.measurements, None)
    own = [next((one for one in searches if one.function_set == name), None) for name in SETS]
    known = [one for one in own if one is not None]
    if len(known) < len(SETS):
        return None
    winners = [one.decision.winner for one in known if one.decision is not None]
    estimates = pair_estimates([{row.codelet: row.judged_s for row in one.rows if row.judged_s} for one in known])
    winner = pair_name(winners) if len(winners) == len(SETS) else None
    return Chosen(winner, estimates, sum(one.measurements for one in known), None)


class PairExecutor(Executor):
    """Like `Executor`, with pairs of the codelets that the evaluation's environment names."""

    def scout(self, setting: EvaluationSetting) -> Scouted:
        """Return all pairs without running anything."""
        names = dict(part.split(":") for part in dict(self.evaluation.environment)["ADCL_CODELETS"].split(";"))
        firsts, seconds = (names[one].split(",") for one in SETS)
        pairs = tuple(pair_name((one, other)) for one in firsts for other in seconds)
        return Scouted(setting.name, pair_name(SETS), pairs, {}, setting.ranks, dict(setting.parameters), pairs[0])

    def run(self, planned: EvaluationRun, function_set: str, limit_s: float | None) -> Done:  # noqa: ARG002
        """Run the planned evaluation run; a verification run has both codelets preselected."""
        wanted, how = self.evaluation, planned.combination
        arguments, variables, program = wanted.arguments, {}, wanted.program
        if planned.codelet is not None:
            chosen = zip(SETS, planned.codelet.split(_BETWEEN), strict=True)
            variables = {"ADCL_CODELETS": ";".join(f"{name}:{codelet}" for name, codelet in chosen)}
        elif how is not None:
            timing = wanted.timing(how.timing)
            arguments = (*arguments, *timing.arguments)
            variables = {"ADCL_SEARCH": how.search, "ADCL_OUTLIERS": how.outliers, **dict(timing.environment)}
        elif wanted.original is not None:
            program, arguments = wanted.original
        result, seconds, searches = self._run(
            planned.setting, program, arguments, variables, limit_s, traced=how is not None
        )
        good = result.ok and not isinstance(seconds, str)
        pair = chosen_pair(searches) if how is not None else None
        done = Done(
            key=planned.key,
            setting=planned.setting.name,
            kind=planned.kind,
            number=planned.number,
            status="ok" if good else "failed",
            wall_s=result.seconds,
            codelet=planned.codelet,
            combination=how,
            choices=() if pair is None else (pair,),
            reason="" if good else str(seconds),
        )
        return dataclasses.replace(done, seconds=seconds) if isinstance(seconds, float) else done
