"""Compute the results of an evaluation from its runs, as records for tables and figures. Pure."""

from __future__ import annotations

import dataclasses
import statistics
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcl.evaluate._statistics import (
    WITHIN_PERCENT,
    Average,
    RankingError,
    Runs,
    TimeChange,
    average,
    instability,
    losers,
    loss_percent,
    over,
    ranking_error,
    share_interval,
    stability,
    winners,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from adcl.evaluate._config import Combination
    from adcl.evaluate._records import Done, Recorded, Scouted

__all__ = [
    "CodeletResult",
    "Evaluated",
    "RunSpread",
    "SettingResult",
    "Summary",
    "TunedResult",
    "analyse",
    "as_document",
    "summaries",
]


@dataclass(frozen=True, slots=True)
class CodeletResult:
    """Results of the verification runs of a codelet."""

    name: str
    times: tuple[float, ...]
    average_s: float
    loss_percent: float
    """Excess of the codelet's mean time over the smallest mean time of all codelets, in percent."""

    loss: TimeChange | None
    """`loss_percent` with its interval; None with a single run."""

    instability: float
    stability: str
    winner: bool
    loser: bool


@dataclass(frozen=True, slots=True)
class TunedResult:
    """Results of all runs with one combination of search, statistical method, timing and number of measurements."""

    combination: Combination
    times: tuple[float, ...]
    chosen: tuple[str | None, ...]
    """Chosen codelet of each run; None if the program ended before the search, or its searches chose differently."""

    losses_percent: tuple[float | None, ...]
    """Loss of the chosen codelet in each run, from the verification runs."""

    losses: tuple[TimeChange | None, ...]
    """`losses_percent` with their intervals."""

    among_winners: tuple[bool, ...]
    over_native: TimeChange | None
    """Largest ratio of a chosen codelet's time to the native codelet's time, from the verification runs."""

    regret: TimeChange | None
    """Time of the whole run, search included, relative to the verification runs of the best codelet."""

    lost_s: float | None
    """Overhead of the search as estimated by the library; mean over the runs."""

    measurements: float
    ranking: tuple[RankingError, ...]
    over_original: TimeChange | None
    """Time of the whole run relative to the original program (Table 5.4)."""

    failures: int = 0


@dataclass(frozen=True, slots=True)
class RunSpread:
    """Shortest and longest time of equal runs."""

    what: str
    low_s: float
    high_s: float
    runs: int


@dataclass(frozen=True, slots=True)
class SettingResult:
    """All results of one setting."""

    name: str
    function_set: str
    ranks: int
    parameters: Mapping[str, str]
    codelets: tuple[CodeletResult, ...]
    """Results of the codelets, fastest first."""

    too_slow: tuple[str, ...]
    failed: Mapping[str, str]
    native: str
    winner: str | None
    """Codelet with the smallest mean."""

    over_native: TimeChange | None
    """Time of the winner relative to the native codelet (Fig. 4.3); None if the native codelet is the winner."""

    original: tuple[float, ...]
    over_original: TimeChange | None
    """Time of the winner relative to the original program (Fig. 4.4)."""

    best_over_original: TimeChange | None
    worst_over_original: TimeChange | None
    """Times of all winners, and of all losers, relative to the original program (Fig. 5.6)."""

    spread: RunSpread | None
    """Spread of the runs with the largest ratio of longest to shortest time."""

    instability: float
    stability: str
    tuned: tuple[TunedResult, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """Loss and regret of a combination over all settings."""

    combination: Combination
    settings: int
    runs: int
    undecided: int
    within: float | None
    """Share of the decisions within `WITHIN_PERCENT` of the best codelet."""

    within_interval: tuple[float, float] | None
    among_winners: float | None
    mean_loss: Average | None
    worst_loss: TimeChange | None
    worst_over_native: TimeChange | None
    mean_regret: Average | TimeChange | None
    """Mean over the settings; the regret itself if there is a single setting."""

    measurements: float


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Results of an evaluation on one machine."""

    name: str
    machine: str
    seed: int
    context: Mapping[str, Any]
    settings: tuple[SettingResult, ...]
    summaries: tuple[Summary, ...]


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def _chosen(run: Done) -> str | None:
    names = {choice.winner for choice in run.choices}
    return names.pop() if len(names) == 1 else None


def _tuned(
    how: Combination, runs: list[Done], verified: Mapping[str, Runs], native: str, original: Runs | None
) -> TunedResult:
    good = [run for run in runs if run.status == "ok" and run.seconds]
    times = tuple(run.seconds for run in good if run.seconds)
    chosen = tuple(_chosen(run) for run in good)
    losses = tuple(None if name is None else loss_percent(name, verified) for name in chosen)
    best = min(verified.values(), key=lambda one: one.average, default=None)
    known = [None if name is None else verified.get(name) for name in chosen]
    natives = [over(one, verified[native]) for one in known if one is not None and native in verified]
    errors = (ranking_error(verified, choice.estimates) for run in good for choice in run.choices)
    return TunedResult(
        combination=how,
        times=times,
        chosen=chosen,
        losses_percent=losses,
        losses=tuple(over(one, best) if best and one else None for one in known),
        among_winners=tuple(name in winners(verified) for name in chosen),
        over_native=_worst(natives),
        regret=over(Runs(times), best) if times and best else None,
        lost_s=_mean(choice.lost_s for run in good for choice in run.choices),
        measurements=_mean(sum(choice.measurements for choice in run.choices) for run in good) or 0.0,
        ranking=tuple(one for one in errors if one is not None),
        over_original=over(Runs(times), original) if times and original is not None else None,
        failures=len(runs) - len(good),
    )


def _worst(several: Iterable[TimeChange | None]) -> TimeChange | None:
    return max((one for one in several if one is not None), key=lambda one: one.percent, default=None)


def _spread(verified: Mapping[str, Runs], original: Runs | None) -> RunSpread | None:
    """Return the runs with the largest ratio of longest to shortest time."""
    named = {**verified, **({} if original is None else {"original": original})}
    several = {name: runs for name, runs in named.items() if len(runs.times) > 1}
    if not several:
        return None
    name = max(several, key=lambda one: several[one].high / several[one].low)
    return RunSpread(name, several[name].low, several[name].high, len(several[name].times))


def _verified(runs: list[Done], scouted: Scouted) -> dict[str, Runs]:
    times: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        if run.kind == "verification" and run.codelet and run.status == "ok" and run.seconds:
            times[run.codelet].append(run.seconds)
    slow = {run.codelet for run in runs if run.status == "slow"}
    return {name: Runs(tuple(times[name])) for name in scouted.candidates if times[name] and name not in slow}


def _codelets(verified: Mapping[str, Runs]) -> tuple[CodeletResult, ...]:
    unstable, best, worst = instability(verified), winners(verified), losers(verified)
    fastest = min(verified.values(), key=lambda one: one.average, default=None)
    found = [
        CodeletResult(
            name=name,
            times=runs.times,
            average_s=runs.average,
            loss_percent=loss_percent(name, verified) or 0.0,
            loss=over(runs, fastest) if fastest else None,
            instability=unstable[name],
            stability=stability(unstable[name]),
            winner=name in best,
            loser=name in worst,
        )
        for name, runs in verified.items()
    ]
    return tuple(sorted(found, key=lambda one: one.average_s))


def _setting(scouted: Scouted, runs: list[Done]) -> SettingResult:
    verified = _verified(runs, scouted)
    codelets = _codelets(verified)
    winner = codelets[0].name if codelets else None
    times = tuple(run.seconds for run in runs if run.kind == "original" and run.status == "ok" and run.seconds)
    original = Runs(times) if times else None
    native = verified.get(scouted.native)
    best = verified[winner] if winner else None
    combinations: dict[Combination, list[Done]] = defaultdict(list)
    for run in runs:
        if run.combination is not None:
            combinations[run.combination].append(run)
    overall = _mean(one.instability for one in codelets) or 0.0

    def together(names: tuple[str, ...]) -> TimeChange | None:
        return over(Runs.together(verified[name] for name in names), original) if names and original else None

    return SettingResult(
        name=scouted.setting,
        function_set=scouted.function_set,
        ranks=scouted.ranks,
        parameters=scouted.parameters,
        codelets=codelets,
        too_slow=tuple(run.codelet for run in runs if run.status == "slow" and run.codelet),
        failed={run.key: run.reason for run in runs if run.status == "failed"},
        native=scouted.native,
        winner=winner,
        over_native=over(best, native) if best and native and winner != scouted.native else None,
        original=times,
        over_original=over(best, original) if best and original else None,
        best_over_original=together(winners(verified)),
        worst_over_original=together(losers(verified)),
        spread=_spread(verified, original),
        instability=overall,
        stability=stability(overall),
        tuned=tuple(
            _tuned(how, of_one, verified, scouted.native, original)
            for how, of_one in sorted(combinations.items(), key=_order)
        ),
    )


def _order(item: tuple[Combination, list[Done]]) -> tuple[str, str, str, int]:
    how = item[0]
    return how.search, how.outliers, how.timing, how.measurements or 0


def summaries(settings: Iterable[SettingResult]) -> tuple[Summary, ...]:
    """Return the summary of each combination over these settings."""
    by_combination: dict[Combination, list[TunedResult]] = defaultdict(list)
    for setting in settings:
        for tuned in setting.tuned:
            by_combination[tuned.combination].append(tuned)
    return tuple(_summary(how, several) for how, several in by_combination.items())


def _summary(how: Combination, several: list[TunedResult]) -> Summary:
    losses = [loss for one in several for loss in one.losses_percent if loss is not None]
    known = [loss for one in several for loss in one.losses if loss is not None]
    among = [one for tuned in several for one, name in zip(tuned.among_winners, tuned.chosen, strict=True) if name]
    chosen = [name for one in several for name in one.chosen]
    good = sum(loss <= WITHIN_PERCENT for loss in losses)
    regrets = [one.regret for one in several if one.regret is not None]
    return Summary(
        combination=how,
        settings=len(several),
        runs=len(chosen),
        undecided=sum(name is None for name in chosen),
        within=good / len(losses) if losses else None,
        within_interval=share_interval(good, len(losses)) if losses else None,
        among_winners=_mean(float(one) for one in among),
        mean_loss=average(known),
        worst_loss=_worst(known),
        worst_over_native=_worst(one.over_native for one in several),
        mean_regret=regrets[0] if len(regrets) == 1 else average(regrets),
        measurements=_mean(one.measurements for one in several) or 0.0,
    )


def analyse(recorded: Recorded) -> Evaluated:
    """Return the results of a journal."""
    runs: dict[str, list[Done]] = defaultdict(list)
    for run in recorded.done.values():
        runs[run.setting].append(run)
    settings = tuple(_setting(scouted, runs[name]) for name, scouted in recorded.scouted.items())
    header = recorded.header
    return Evaluated(header.name, header.machine, header.seed, header.context, settings, summaries(settings))


def as_document(results: Iterable[Evaluated]) -> dict[str, Any]:
    """Return the results as a JSON document, for programs."""
    return {"schema": 2, "machines": [dataclasses.asdict(one) for one in results]}
