"""Plan the runs of an evaluation and their order. Pure."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from adcl.evaluate._config import Combination, Evaluation, EvaluationSetting
    from adcl.evaluate._records import Done, Scouted

__all__ = ["EvaluationRun", "Kind", "chosen_besides", "codelets_of", "planned"]

Kind: TypeAlias = Literal["verification", "original", "tuned"]


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """One run of the program."""

    setting: EvaluationSetting
    kind: Kind
    number: int
    """Number of the set of runs that the run belongs to, from 1."""

    codelet: str | None = None
    combination: Combination | None = None

    @property
    def what(self) -> str:
        """Description of the kind of run."""
        if self.combination is not None:
            return f"tuned {self.combination.name}"
        return f"codelet {self.codelet}" if self.codelet is not None else self.kind

    @property
    def key(self) -> str:
        """Key in the journal."""
        return f"{self.setting.name} | {self.what} | {self.number}"


def codelets_of(evaluation: Evaluation, scouted: Scouted) -> tuple[str, ...]:
    """Return the codelets to verify in a setting, in the order of the table."""
    native = evaluation.native or scouted.candidates[0]
    if evaluation.codelets:
        return tuple(name for name in scouted.candidates if name in evaluation.codelets)
    if evaluation.fastest is None:
        return scouted.candidates
    ranked = sorted(scouted.seconds, key=lambda name: scouted.seconds[name])[: evaluation.fastest]
    return tuple(name for name in scouted.candidates if name == native or name in ranked)


def planned(
    evaluation: Evaluation, scouted: Mapping[str, Scouted], seed: int, settings: Sequence[EvaluationSetting]
) -> list[EvaluationRun]:
    """Return all runs as sets: each set contains every run once, in a random order that depends on the seed.

    The order spreads the runs of each codelet and search over time. Adding sets does not change the earlier ones.
    """
    runs = []
    for number in range(1, evaluation.runs + 1):
        one_set = []
        for setting in settings:
            names = codelets_of(evaluation, scouted[setting.name])
            one_set += [EvaluationRun(setting, "verification", number, codelet=name) for name in names]
            one_set += [EvaluationRun(setting, "tuned", number, combination=how) for how in evaluation.combinations]
            if evaluation.original is not None:
                one_set.append(EvaluationRun(setting, "original", number))
        random.Random(f"{seed} {number}").shuffle(one_set)  # noqa: S311 - an order of runs is no secret
        runs += one_set
    return runs


def chosen_besides(
    evaluation: Evaluation, scouted: Mapping[str, Scouted], seed: int, done: Iterable[Done]
) -> list[EvaluationRun]:
    """Return verification runs of codelets that a tuned run chose and that have no such runs yet."""
    chosen = {(one.setting, choice.winner) for one in done for choice in one.choices if choice.winner}
    settings = {setting.name: setting for setting in evaluation.settings}
    runs = [
        EvaluationRun(settings[name], "verification", number, codelet=winner)
        for name, winner in sorted(chosen)
        if name in settings and winner not in codelets_of(evaluation, scouted[name])
        for number in range(1, evaluation.runs + 1)
    ]
    random.Random(seed).shuffle(runs)  # noqa: S311 - an order of runs is no secret
    return runs
