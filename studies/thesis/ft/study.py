"""Figures 3.1, 4.3, 4.4, and 6.6 to 6.8, and Table 6.1: codelets of NAS FT, and timings that find the best codelet."""

from __future__ import annotations

import statistics
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl.evaluate import Runs, stability
from studies._bars import Ranged, RangedPanel, ranged_panels
from studies._catalog import Place, Rendered
from studies._page import table
from studies._statements import Statement, counted, statement_table
from studies.thesis._evaluated import extent_of, runs_of, settings_of
from studies.thesis._gain import Gain, gain
from studies.thesis._resampled import run_recorded
from studies.thesis._timings import Case, ranking_picture, timing_statements, timing_table
from studies.thesis.ft.measured import MeanOfRanks, compared, compared_picture, compared_statement, compared_table

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_MACHINES = ("shared", "shark")
_SIGNS = ("++", "+", "o", "-", "--")
_LARGE_GAIN = 10.0


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets: ft, built with Open MPI 4 for the emulated cluster, and adcl-describe."""
    return [("openmpi", "ft"), ("openmpi", "adcl-describe")]


def measure(place: Place) -> None:
    """Run all codelets and timings, in full runs on the emulated cluster and in shared memory. Raises `StudyError`."""
    if place.quick:
        run_recorded(place, _HERE / "quick.toml", "shared", executor=MeanOfRanks)
        return
    run_recorded(place, _HERE / "shark.toml", "shark", on=str(_HERE.parent / "shark.toml"), executor=MeanOfRanks)
    run_recorded(place, _HERE / "shared.toml", "shared", executor=MeanOfRanks)


def _over_native(case: Case) -> Gain:
    """Return the winner's g_n."""
    return gain(runs_of(case.setting, case.setting.native), runs_of(case.setting, case.winner))


def _over_original(case: Case) -> Gain:
    """Return the winner's g_o."""
    return gain(Runs(case.setting.original), runs_of(case.setting, case.winner))


def _cases(place: Place) -> list[Case]:
    return [Case(machine, one) for machine in _MACHINES for one in settings_of(place, machine)]


def _about_codelets(cases: Sequence[Case], printed: dict[str, Any]) -> list[Statement]:
    others = [case for case in cases if case.winner != case.setting.native]
    best = Counter(case.winner for case in cases)
    large = [case for case in cases if _over_native(case).percent > _LARGE_GAIN]
    slower = [case for case in cases if (one := _over_original(case)).percent < 0 and one.significant]
    count = len(cases)
    found = [
        Statement(
            f"In more than half of the test cases ({printed['another_codelet']} of {printed['test_cases']}) the "
            "native MPI_Alltoall is not the best codelet.",
            "4.2.3",
            f"{len(others)} of {count}",
            2 * len(others) > count,
            ("Figure 4.3",),
        ),
        Statement(
            f"In some cases ({printed['large_gains']}) another codelet is more than 10 % faster than the native "
            "codelet.",
            "4.2.3",
            f"in {len(large)} of {count} cases; g_n is {', '.join(str(_over_native(case)) for case in cases)} %",
            bool(large),
            ("Figure 4.3",),
        ),
        Statement(
            f"In all but a few cases ({len(printed['losses'])} of {printed['test_cases']}) the winner is as fast as "
            "the program without ADCL, or faster, within the uncertainty.",
            "4.2.3",
            f"slower in {len(slower)} of {count} cases; g_o is "
            f"{', '.join(str(_over_original(case)) for case in cases)} %",
            10 * len(slower) <= count,
            ("Figure 4.4",),
        ),
    ]
    if count > 1:
        found.append(
            Statement(
                "No single codelet is the best in all cases.",
                "4.2.3",
                ", ".join(f"{name} in {times}" for name, times in best.most_common()),
                len(best) > 1,
                ("Figure 4.3",),
            )
        )
    return found


def _about_stability(cases: Sequence[Case]) -> list[Statement]:
    shown = ", ".join(f"{case.name} {case.setting.instability:.2f}" for case in cases)
    found = [
        Statement(
            "In no test case do the verification runs rank all codelets, because some of them overlap.",
            "6.3.1",
            shown,
            all(case.setting.instability > 0 for case in cases),
            ("Table 6.1", "Figure 6.6"),
        )
    ]
    by_machine = {m: {c.setting.parameters["class"]: c.setting for c in cases if c.machine == m} for m in _MACHINES}
    sizes = [(one["S"], one["W"]) for one in by_machine.values() if {"S", "W"} <= set(one)]
    if sizes:
        found.append(
            Statement(
                "Smaller test cases tend to be less stable than larger test cases.",
                "6.3.1",
                ", ".join(
                    f"instability S {small.instability:.2f}, W {large.instability:.2f}" for small, large in sizes
                ),
                all(small.instability > large.instability for small, large in sizes),
                ("Table 6.1",),
            )
        )
    same = [one["S"] for one in by_machine.values() if "S" in one]
    if len(same) > 1:
        found.append(
            Statement(
                "The stability of the same test case differs between systems.",
                "6.3.1",
                "signs of class S: " + " and ".join(one.stability for one in same),
                len({one.stability for one in same}) > 1,
                ("Table 6.1",),
            )
        )
    return found


def _gains(cases: Sequence[Case], printed: dict[str, Any]) -> str:
    names: dict[str, str] = printed["codelets"]
    rows = [(f"**{case.name}**", case.winner, str(_over_native(case)), str(_over_original(case))) for case in cases]
    rows += [
        (name, f"{codelet} {names.get(codelet, 'Bruck with larger blocks')}", f"{percent:.2f} ± {uncertainty:.2f}", "–")
        for name, (codelet, percent, uncertainty) in printed["gains"].items()
    ]
    return table(("test case", "best codelet", "g_n ± utot_n [%]", "g_o ± utot_o [%]"), rows)


def _stabilities(cases: Sequence[Case], printed: dict[str, Any]) -> dict[str, str]:
    theirs = Counter(sign for _, sign in printed["instability"].values())
    ours = Counter(case.setting.stability for case in cases)
    codelets = list(printed["codelets"].values())
    rows = []
    for case in cases:
        found = {one.name: one.instability for one in case.setting.codelets}
        cells = [f"{found[name]:.2f}" if name in found else "–" for name in codelets]
        rows.append((f"**{case.name}**", *cells, f"{case.setting.instability:.2f}", case.setting.stability))
    systems: dict[str, list[float]] = {}
    for name, (mean, _) in printed["instability"].items():
        systems.setdefault(name.rpartition("_")[0], []).append(mean)
    by_system = [
        (name, str(len(values)), f"{statistics.fmean(values):.2f}", stability(statistics.fmean(values)))
        for name, values in systems.items()
    ]
    return {
        "Table 6.1": table(("test case", *codelets, "mean", "class"), rows),
        "classes": table(
            ("", *_SIGNS),
            [
                ("thesis", *(str(theirs[sign]) for sign in _SIGNS)),
                ("here", *(str(ours[sign]) for sign in _SIGNS)),
            ],
        ),
        "systems": table(("system of the thesis", "test cases", "mean of their instabilities", "class"), by_system),
    }


def _verification_picture(cases: Sequence[Case]) -> str:
    every = []
    for case in cases:
        names = [one.name for one in case.setting.codelets]
        runs = [runs_of(case.setting, name) for name in names]
        values = [(one.average, one.low, one.high) for one in runs]
        original = Runs(case.setting.original)
        series = [
            Ranged("codelet", [*values, None]),
            Ranged("without ADCL", [*(None for _ in values), (original.average, original.low, original.high)]),
        ]
        every.append(RangedPanel(f"6.6 {case.name}: verification runs, s", [*names, "original"], series))
    return ranged_panels(every)


def _gains_picture(cases: Sequence[Case], printed: dict[str, Any]) -> str:
    names = [case.name for case in cases]
    series = []
    for title, each in (("g_n", _over_native), ("g_o", _over_original)):
        found = [each(case) for case in cases]
        series.append(Ranged(title, [(o.percent, o.percent - o.uncertainty, o.percent + o.uncertainty) for o in found]))
    theirs = printed["gains"]
    values = [(percent, percent - u, percent + u) for _, percent, u in theirs.values()]
    return ranged_panels(
        [
            RangedPanel("4.3 and 4.4 here: gain of the winner, %", names, series),
            RangedPanel("4.3 in the thesis: g_n, %", list(theirs), [Ranged("thesis", values)]),
        ]
    )


def render(place: Place) -> Rendered:
    """Return the tables, the statements, and the pictures."""
    printed = tomllib.loads((_HERE / "published.toml").read_text(encoding="utf-8"))
    cases = _cases(place)
    both = [one for case in cases for one in compared(place, case)]
    statements = [
        compared_statement(both),
        *_about_codelets(cases, printed),
        *_about_stability(cases),
        *timing_statements(cases),
    ]
    values = {
        "statements": statement_table(statements),
        "gains": _gains(cases, printed),
        **_stabilities(cases, printed),
        "timings": timing_table(cases),
        "measured": compared_table(both),
    }
    for case in cases:
        values[f"winner {case.name}"] = case.winner
        values[f"instability {case.name}"] = case.setting.stability
    pictures = {
        "gains.svg": _gains_picture(cases, printed),
        "measured.svg": compared_picture(both),
        "verification.svg": _verification_picture(cases),
        "ranking.svg": ranking_picture(cases),
    }
    return Rendered(
        values, pictures, (counted(statements, place.study),), tuple(statements), extent_of(place, _MACHINES)
    )
