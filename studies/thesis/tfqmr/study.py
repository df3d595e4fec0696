"""Section 6.2.2: one timer tunes exchanges and scalar products of TFQMR; corresponding Figures 6.7 and 6.8."""

from __future__ import annotations

import statistics
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.evaluate import Runs
from studies._bars import Ranged, RangedPanel, ranged_panels
from studies._catalog import Place, Rendered
from studies._page import table
from studies._statements import Statement, counted, of, statement_table
from studies.thesis._evaluated import extent_of, run_evaluation, runs_of, settings_of
from studies.thesis._gain import Gain, gain
from studies.thesis._timings import TIMINGS, Case, ranking_picture, timing_statements, timing_table
from studies.thesis.tfqmr.pairs import PairExecutor

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_MACHINES = ("shared", "shark")
_ALONE = ("nobarrier", "barrier")
_TIMERS = ("timer", "timer_multistep")
_CLEARLY = 1.0
"""Percentage points."""

_EXAMPLE = ("Example of section 6.2.2",)
_RANKING = ("Figures 6.7 and 6.8 for the example",)


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets: the solver, built with Open MPI 4 for the emulated cluster, and adcl-describe."""
    return [("openmpi", "solver3d"), ("openmpi", "adcl-describe")]


def measure(place: Place) -> None:
    """Run all pairs and timings, in full runs on the emulated cluster and in shared memory. Raises `StudyError`."""
    if place.quick:
        run_evaluation(place, _HERE / "quick.toml", "shared", executor=PairExecutor)
        return
    run_evaluation(place, _HERE / "shark.toml", "shark", on=str(_HERE.parent / "shark.toml"), executor=PairExecutor)
    run_evaluation(place, _HERE / "shared.toml", "shared", executor=PairExecutor)


def _cases(place: Place) -> list[Case]:
    return [Case(machine, one) for machine in _MACHINES for one in settings_of(place, machine)]


def _over_original(case: Case) -> Gain:
    return gain(Runs(case.setting.original), runs_of(case.setting, case.winner))


def _alone(case: Case) -> str:
    """Return the pair of codelets that are best in combination with the first codelet of the other set."""
    average = {one.name: one.average_s for one in case.setting.codelets}
    firsts = list(dict.fromkeys(name.partition("+")[0] for name in average))
    exchange, reduction = case.setting.native.split("+")
    others = [name.partition("+")[2] for name in average if name.startswith(f"{exchange}+")]
    best = min(firsts, key=lambda name: average[f"{name}+{reduction}"])
    return f"{best}+{min(others, key=lambda name: average[f'{exchange}+{name}'])}"


def _loss(cases: Sequence[Case], timings: Sequence[str]) -> float:
    known = [loss for case in cases for timing in timings for loss in case.tuned(timing).losses_percent]
    return statistics.fmean(loss for loss in known if loss is not None)


def _statements(cases: Sequence[Case]) -> list[Statement]:
    influenced = [case for case in cases if _alone(case) != case.winner]
    decided = [name for case in cases for timing in _TIMERS for name in case.tuned(timing).chosen]
    faster = [case for case in cases if (one := _over_original(case)).percent > 0 or not one.significant]
    joint, alone = _loss(cases, _TIMERS), _loss(cases, _ALONE)
    single, multistep = (_loss(cases, [timing]) for timing in _TIMERS)
    return [
        Statement(
            "A timer tunes exchanges and allreduces at the same time: all combinations are evaluated.",
            "6.2.2",
            f"{sum(name is not None for name in decided)} of {len(decided)} runs with a timer chose a pair",
            all(name is not None for name in decided),
            _EXAMPLE,
        ),
        Statement(
            "The codelet of the exchange may influence the performance of the allreduce, and vice versa.",
            "6.2.2",
            f"in {len(influenced)} of {len(cases)} cases, the best pair differs from the pair *best by themselves*",
            bool(influenced),
            _EXAMPLE,
        ),
        Statement(
            "The winner is as fast as the program without ADCL, or faster, in nearly all cases.",
            "4.2.3",
            f"{len(faster)} of {len(cases)}",
            10 * len(faster) >= 9 * len(cases),
            _EXAMPLE,
        ),
        Statement(
            "The timer object makes decisions clearly more accurate than timings without it.",
            "6.4",
            f"mean loss of the chosen pair {joint:.1f} % with a timer, {alone:.1f} % without",
            joint < alone - _CLEARLY,
            _EXAMPLE,
        ),
        Statement(
            "The multi-step timer decides at least as well as the timer that synchronizes every iteration.",
            "6.4",
            f"mean loss of the chosen pair {multistep:.1f} and {single:.1f} %",
            multistep <= single,
            _EXAMPLE,
        ),
        *of(_RANKING, timing_statements(cases)),
    ]


def _pairs(cases: Sequence[Case]) -> str:
    names = list(dict.fromkeys(one.name for case in cases for one in case.setting.codelets))
    rows = []
    for name in sorted(names):
        cells = []
        for case in cases:
            one = next((one for one in case.setting.codelets if one.name == name), None)
            cells.append("–" if one is None else f"{one.loss_percent:.1f}" + (" w" if one.winner else ""))
        rows.append((name, *cells))
    return table(("pair", *(f"{case.name} [%]" for case in cases)), rows)


def _winners(cases: Sequence[Case]) -> str:
    rows = [
        (case.name, case.winner, _alone(case), str(_over_original(case)), f"{case.setting.instability:.2f}")
        for case in cases
    ]
    return table(("test case", "best pair", "best by themselves", "g_o ± utot_o [%]", "instability"), rows)


def _picture(cases: Sequence[Case]) -> str:
    every = []
    for case in cases:
        names = [one.name for one in case.setting.codelets]
        runs = [runs_of(case.setting, name) for name in names]
        values = [(one.average, one.low, one.high) for one in runs]
        original = Runs(case.setting.original)
        series = [
            Ranged("pair", [*values, None]),
            Ranged("without ADCL", [*(None for _ in values), (original.average, original.low, original.high)]),
        ]
        every.append(RangedPanel(f"{case.name}: verification runs, s", [*names, "original"], series))
    return ranged_panels(every)


def render(place: Place) -> Rendered:
    """Return the tables, the statements, and the pictures."""
    printed = tomllib.loads((_HERE / "published.toml").read_text(encoding="utf-8"))
    cases = _cases(place)
    statements = _statements(cases)
    rows = [(name, str(printed["codelets"][name]), str(printed["here"][name])) for name in printed["codelets"]]
    values = {
        "statements": statement_table(statements),
        "sizes": table(("", "thesis", "here"), rows),
        "winners": _winners(cases),
        "pairs": _pairs(cases),
        "timings": timing_table(cases),
    }
    for case in cases:
        for timing in TIMINGS:
            values[f"{case.name} {timing}"] = f"{case.sum_of_errors(timing):.2f}"
    pictures = {"verification.svg": _picture(cases), "ranking.svg": ranking_picture(cases)}
    return Rendered(
        values, pictures, (counted(statements, place.study),), tuple(statements), extent_of(place, _MACHINES)
    )
