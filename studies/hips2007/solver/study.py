"""Figures 1 to 6: hand-written exchanges of a solver, codelets by verification runs, winners of two searches."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studies._bars import Ranged, RangedPanel, ranged_panels
from studies._catalog import Place, Rendered
from studies._page import table
from studies._picture import Curve, Panel, panels
from studies._statements import counted, statement_table
from studies.hips2007.solver import claims
from studies.hips2007.solver.series import SeriesExecutor, read_series
from studies.thesis._evaluated import extent_of, runs_of, settings_of
from studies.thesis._resampled import run_recorded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.evaluate import Runs

__all__ = ["measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_MACHINES = ("shared", "gigabit")


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets: solver3d, built with Open MPI 4 for the emulated cluster, and adcl-describe."""
    return [("openmpi", "solver3d"), ("openmpi", "adcl-describe")]


def measure(place: Place) -> None:
    """Run hand-written exchanges, codelets, and searches, in full runs also on the cluster. Raises `StudyError`."""
    if place.quick:
        run_recorded(place, _HERE / "quick.toml", "shared", executor=SeriesExecutor)
        return
    on = str(_HERE.parent / "gigabit.toml")
    run_recorded(place, _HERE / "gigabit.toml", "gigabit", on=on, executor=SeriesExecutor)
    run_recorded(place, _HERE / "shared.toml", "shared", executor=SeriesExecutor)


def _triple(runs: Runs) -> tuple[float, float, float]:
    return runs.average, runs.low, runs.high


def _written_picture(cases: Sequence[claims.SolverCase]) -> str:
    series = [Ranged(name, [_triple(case.written(name)) for case in cases]) for name in claims.WRITTEN]
    return ranged_panels([RangedPanel("1: hand-written exchanges, s", [case.name for case in cases], series)])


def _verification_picture(cases: Sequence[claims.SolverCase]) -> str:
    every = []
    for case in cases:
        names = [one.name for one in case.setting.codelets]
        runs = [_triple(runs_of(case.setting, name)) for name in names]
        tuned = [_triple(case.tuned_runs(search, claims.DEFAULT)) for search in claims.SEARCHES]
        series = [
            Ranged("codelet", [*runs, *(None for _ in tuned)]),
            Ranged("with search", [*(None for _ in runs), *tuned]),
        ]
        title = f"2 to 4 {case.name}: whole runs, s"
        every.append(RangedPanel(title, [*names, *claims.SEARCHES], series))
    return ranged_panels(every)


def _limit_picture(cases: Sequence[claims.SolverCase]) -> str:
    every = []
    for case in cases:
        names = [one.name for one in case.setting.codelets]
        runs = [_triple(runs_of(case.setting, name)) for name in names]
        tuned = [_triple(case.tuned_runs("hypothesis", limit)) for limit in claims.LIMITS]
        series = [
            Ranged("codelet", [*runs, *(None for _ in tuned)]),
            Ranged("hypothesis", [*(None for _ in runs), *tuned]),
        ]
        every.append(RangedPanel(f"6 {case.name}: least, mean, and most, s", [*names, *claims.LIMITS], series))
    return ranged_panels(every)


def _series_picture(place: Place) -> str:
    found = []
    for machine in _MACHINES:
        for one in read_series(place, machine):
            curves = [Curve(name, points) for name, points in one.by_codelet().items()]
            found.append(Panel(f"5 {machine}_{one.size}: µs of each exchange, in order", curves, linear=True))
    return panels(found, columns=2)


def _decided(place: Place) -> str:
    """Return a table of the exchanges before and after the decision."""
    rows = []
    for machine in _MACHINES:
        for one in read_series(place, machine):
            if one.chosen:
                before, after = one.medians()
                counts = (str(one.searched), str(len(one.codelets) - one.searched))
                rows.append((f"{machine}_{one.size}", *counts, one.chosen, f"{before:.1f}", f"{after:.1f}"))
    headers = ("case", "exchanges before the decision", "after it", "chosen", "median before [µs]", "median after [µs]")
    return table(headers, rows)


def _written(cases: Sequence[claims.SolverCase], printed: dict[str, Any]) -> str:
    rows = []
    for case in cases:
        times = [f"{case.written(name).average:.3f}" for name in claims.WRITTEN]
        rows.append((case.name, *times, case.fastest_written(), printed["fastest"].get(case.printed_name, "–")))
    return table(("case", *(f"{name} [s]" for name in claims.WRITTEN), "fastest here", "fastest in the paper"), rows)


def _winners(cases: Sequence[claims.SolverCase], printed: dict[str, Any]) -> str:
    rows = []
    for case in cases:
        theirs = printed["winner"].get(case.printed_name)
        rows.append(
            (
                case.name,
                ", ".join(sorted(case.best())),
                f"{case.sensitivity():.1f}",
                "–" if theirs is None else f"{theirs[1]} ({theirs[0]})",
            )
        )
    return table(("case", "best here", "slowest over fastest [%]", "best in the paper"), rows)


def _searches(cases: Sequence[claims.SolverCase]) -> str:
    rows = []
    for case in cases:
        for search in claims.SEARCHES:
            for limit in claims.LIMITS:
                one = case.tuned(search, limit)
                losses = ", ".join("–" if loss is None else f"{loss:.1f}" for loss in one.losses_percent)
                chosen = ", ".join(name or "undecided" for name in one.chosen)
                rows.append((case.name, search, limit.removeprefix("limit_"), chosen, losses))
    return table(("case", "search", "outliers accepted [%]", "chosen", "overhead of the choice [%]"), rows)


def render(place: Place) -> Rendered:
    """Return the tables, the statements, and the pictures."""
    printed = tomllib.loads((_HERE / "published.toml").read_text(encoding="utf-8"))
    cases = [claims.SolverCase(machine, one) for machine in _MACHINES for one in settings_of(place, machine)]
    statements = claims.statements(cases, printed)
    values = {
        "statements": statement_table(statements),
        "Figure 1": _written(cases, printed),
        "winners": _winners(cases, printed),
        "searches": _searches(cases),
        "decided": _decided(place),
    }
    pictures = {
        "written.svg": _written_picture(cases),
        "verification.svg": _verification_picture(cases),
        "series.svg": _series_picture(place),
        "limits.svg": _limit_picture(cases),
    }
    return Rendered(
        values, pictures, (counted(statements, place.study),), tuple(statements), extent_of(place, _MACHINES)
    )
