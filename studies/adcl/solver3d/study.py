"""Strong scaling of solver3d on a simulated fat tree: times, verdicts, and efficiencies."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
import sys
from pathlib import Path

from adcl.scale import EfficiencyCheck, Results, Store, evaluate, read_study, runs_of
from studies._catalog import ROOT, Place, Rendered, StudyError
from studies._page import table
from studies._picture import Curve, Panel, panels
from studies._verdicts import cell

__all__ = ["measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_QUICK = ("--points", "32", "--ranks", "1,2,4,8,16,32", "--iterations", "20")


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets: solver3d, built for SMPI."""
    return [("smpi", "solver3d")]


def measure(place: Place) -> None:
    """Run the missing simulations. Raises `StudyError` if a simulation fails."""
    if shutil.which("smpirun") is None:
        raise StudyError("SimGrid's smpirun was not found; install it (Debian: simgrid)")
    solver = ROOT / "build" / "smpi" / "bin" / "solver3d"
    command = [sys.executable, str(_HERE / "measure.py"), str(solver), str(place.work)]
    if subprocess.run([*command, *(_QUICK if place.quick else ())], check=False).returncode != 0:
        raise StudyError("a simulation failed; the same command resumes the study")
    shutil.copy(place.work / "solver3d.jsonl", place.records)


def _labeled(results: Results) -> list[tuple[str, EfficiencyCheck]]:
    """Return the efficiencies with their grids."""
    grids = [row.verdict.series.label for row in results.rows if row.verdict.series.function == "iteration"]
    return list(zip(grids, results.efficiencies, strict=True))


def _times(results: Results) -> str:
    scales = sorted({x for row in results.rows for (x,) in row.verdict.series.points})
    rows = []
    for row in results.rows:
        series = row.verdict.series
        known = {x: f"{y * 1e6:.0f}" for (x,), y in zip(series.points, series.values, strict=True)}
        rows.append((f"{series.function}, {series.label}", *(known.get(x, "") for x in scales)))
    return table(("µs for an iteration, by ranks", *(f"{x:g}" for x in scales)), rows)


def _efficiencies(results: Results) -> str:
    rows = []
    for label, one in _labeled(results):
        ends = [
            "beyond the prediction" if x is None else f"{x:g}" for x in (one.ends_at, one.pays_until, one.fastest_at)
        ]
        rows.append((label, f"{one.measured[-1]:.0%} at {one.points[-1]:g}", *ends))
    return table(("grid", "efficiency measured", "below 50 % from", "pays until", "fastest at"), rows)


def render(place: Place) -> Rendered:
    """Return times, verdicts, and efficiencies, and the pictures of the efficiency."""
    entries = Store(place.records).entries()
    study = dataclasses.replace(read_study(_HERE / "scale.toml"), store=place.records)
    results = evaluate(study, entries, runs_of(entries)[-1])
    curves = [
        Curve(label, [(x, share) for x, share in zip(one.points, one.measured, strict=True)])
        for label, one in _labeled(results)
    ]
    verdicts = [
        (f"{row.verdict.series.function}, {row.verdict.series.label}", row.growth, cell(results, row))
        for row in results.rows
    ]
    values = {
        "times": _times(results),
        "verdicts": table(("part", "expected", "found"), verdicts),
        "efficiencies": _efficiencies(results),
        "undecided": f"{len(results.undecided)} of {len(results.rows)}",
    }
    for label, one in _labeled(results):
        values[f"pays until {label.removeprefix('points = ')}"] = (
            "beyond the prediction" if one.pays_until is None else f"{one.pays_until:g}"
        )
    return Rendered(values, {"efficiency.svg": panels([Panel("efficiency by ranks", curves)], columns=1)})
