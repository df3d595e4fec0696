"""Tables 5.2 to 5.4 and Figures 5.4 to 5.9: codelets of Euler3D's exchanges, and methods that choose among them."""

from __future__ import annotations

import statistics
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl.evaluate import MEASUREMENTS, Runs
from studies._bars import Ranged, RangedPanel, ranged_panels
from studies._catalog import Place, Rendered
from studies._page import table
from studies._statements import counted, statement_table
from studies.thesis._evaluated import extent_of, runs_of, settings_of
from studies.thesis._resampled import METHODS, read_decided, run_recorded
from studies.thesis._timings import Case
from studies.thesis.euler3d import claims

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_MACHINES = ("shared", "shark")


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets, with Open MPI 4 for the emulated cluster: euler3d and the tools for replays."""
    return [("openmpi", "euler3d"), ("openmpi", "adcl-describe"), ("openmpi", "adcl-replay")]


def measure(place: Place) -> None:
    """Run all codelets and record searches, in full runs also on the cluster. Raises `StudyError`."""
    if place.quick:
        run_recorded(place, _HERE / "quick.toml", "shared")
        return
    run_recorded(place, _HERE / "shark.toml", "shark", on=str(_HERE.parent / "shark.toml"))
    run_recorded(place, _HERE / "shared.toml", "shared")


def _cases(place: Place) -> list[claims.EulerCase]:
    found = []
    for machine in _MACHINES:
        decided = read_decided(place, machine)
        for setting in settings_of(place, machine):
            own = tuple(one for one in decided if one.setting == setting.name)
            found.append(claims.EulerCase(Case(machine, setting), own))
    return found


def _best_and_worst(cases: Sequence[claims.EulerCase], printed: dict[str, Any]) -> str:
    names = list(dict.fromkeys(one.name for case in cases for one in case.setting.codelets))
    order = [name for name in claims.CODELETS if name in names]
    rows = []
    for case in cases:
        found = {one.name: one for one in case.setting.codelets}
        cells = []
        for name in order:
            one = found.get(name)
            cells.append("–" if one is None else ("w" if one.winner else "") + ("l" if one.loser else ""))
        rows.append((f"**{case.name}**", *cells))
    for setting, best in printed["best"].items():
        worst = printed["worst"][setting]
        rows.append((setting, *(("w" if name in best else "") + ("l" if name in worst else "") for name in order)))
    return table(("setting", *order), rows)


def _sums(cases: Sequence[claims.EulerCase], printed: dict[str, Any]) -> str:
    rows = []
    for name in claims.CODELETS:
        found = [one for case in cases for one in case.setting.codelets if one.name == name]
        ours = [sum(one.winner for one in found), sum(one.loser for one in found)]
        theirs = [sum(name in listed for listed in printed[which].values()) for which in ("best", "worst")]
        rows.append((name, *map(str, (*ours, *theirs))))
    return table(("codelet", "best here", "worst here", "best in the thesis", "worst in the thesis"), rows)


def _decisions(cases: Sequence[claims.EulerCase], count: int) -> str:
    rows = []
    for case in cases:
        for method in METHODS:
            chosen = [one.winners.get((method, count), "") for one in case.decided]
            losses = [case.loss(name) for name in chosen]
            rows.append((case.name, method, ", ".join(chosen), ", ".join(f"{loss:.1f}" for loss in losses)))
    return table(("setting", "method", f"chosen with n_m = {count}", "overhead [%]"), rows)


def _printed_decisions(printed: dict[str, Any]) -> str:
    rows = [
        (method, ", ".join(claims.CODELETS[place] for place in chosen), ", ".join(f"{loss:.1f}" for loss in losses))
        for method, (chosen, losses) in printed["wrong"].items()
    ]
    return table(("method", "chosen with n_m = 100", "overhead [%]"), rows)


def _overheads(cases: Sequence[claims.EulerCase]) -> str:
    rows = []
    for case in cases:
        for method in METHODS:
            means = [f"{case.overhead(method, count):.1f}" for count in reversed(MEASUREMENTS)]
            rows.append((case.name, method, *means))
    return table(("setting", "method", *(f"n_m = {count}" for count in reversed(MEASUREMENTS))), rows)


def _changes(cases: Sequence[claims.EulerCase], printed: dict[str, Any]) -> str:
    rows = []
    for case in cases:
        change, low, high = case.whole_change()
        rows.append((f"**{case.name}**", f"{change:.2f}", f"{change - low:.2f}", f"{high - change:.2f}"))
    rows += [
        (name, f"{change:.2f}", f"{down:.2f}", f"{up:.2f}") for name, (change, down, up) in printed["change"].items()
    ]
    return table(("setting", "change [%]", "error bar down", "error bar up"), rows)


def _forms(cases: Sequence[claims.EulerCase]) -> str:
    rows = []
    for case in cases:
        cells = [case.name, f"{statistics.fmean(case.setting.original):.3f}"]
        others = [("", case.separate())]
        others += [(f"{one.name} ", one.times) for one in (case.setting.codelets[0], case.setting.codelets[-1])]
        cells += [f"{name}{statistics.fmean(times):.3f} ({case.over_original(times):+.1f} %)" for name, times in others]
        rows.append(tuple(cells))
    return table(("setting", "`noadcl` [s]", "`noadcl-lr` [s]", "best codelet [s]", "worst codelet [s]"), rows)


def _triple(runs: Runs) -> tuple[float, float, float]:
    return runs.average, runs.low, runs.high


def _verification_picture(cases: Sequence[claims.EulerCase]) -> str:
    every = []
    for case in cases:
        names = [one.name for one in case.setting.codelets]
        runs = [_triple(runs_of(case.setting, name)) for name in names]
        others = [_triple(Runs(case.setting.original)), _triple(Runs(case.separate()))]
        series = [
            Ranged("codelet", [*runs, None, None]),
            Ranged("without ADCL", [*(None for _ in runs), *others]),
        ]
        title = f"5.4 and 5.6 {case.name}: whole runs, s"
        every.append(RangedPanel(title, [*names, "noadcl", claims.SEPARATE], series))
    return ranged_panels(every)


def _overhead_picture(cases: Sequence[claims.EulerCase]) -> str:
    counts = list(reversed(MEASUREMENTS))
    every = []
    for number, method in enumerate(METHODS):
        series = []
        for case in cases:
            values: list[tuple[float, float, float] | None] = []
            for count in counts:
                losses = case.losses(method, count)
                values.append((statistics.fmean(losses), min(losses), max(losses)) if losses else None)
            series.append(Ranged(case.name, values))
        title = f"5.7 and 5.8 ({'abcde'[number]}) {method}: overhead of the chosen codelet, %"
        every.append(RangedPanel(title, [f"n_m = {count}" for count in counts], series))
    return ranged_panels(every)


def _measured_picture(cases: Sequence[claims.EulerCase]) -> str:
    every = []
    for case in cases:
        verified = {one.name: one.loss_percent for one in case.setting.codelets}
        measured = case.measured_overheads()
        names = [name for name in verified if name in measured]
        series = [
            Ranged("measured", [measured[name] for name in names]),
            Ranged("verified", [(verified[name], verified[name], verified[name]) for name in names]),
        ]
        title = f"5.9 {case.name}: medians and quartiles of 100 measurements, and verification runs, % over the least"
        every.append(RangedPanel(title, names, series))
    return ranged_panels(every)


def render(place: Place) -> Rendered:
    """Return the tables, the statements, and the pictures."""
    printed = tomllib.loads((_HERE / "published.toml").read_text(encoding="utf-8"))
    cases = _cases(place)
    statements = claims.statements(cases, printed)
    values = {
        "statements": statement_table(statements),
        "Table 5.2": _best_and_worst(cases, printed),
        "Figure 5.5": _sums(cases, printed),
        "Table 5.3": _printed_decisions(printed),
        "decisions": _decisions(cases, max(MEASUREMENTS)),
        "overheads": _overheads(cases),
        "Table 5.4": _changes(cases, printed),
        "forms": _forms(cases),
    }
    pictures = {
        "verification.svg": _verification_picture(cases),
        "overhead.svg": _overhead_picture(cases),
        "measured.svg": _measured_picture(cases),
    }
    return Rendered(
        values, pictures, (counted(statements, place.study),), tuple(statements), extent_of(place, _MACHINES)
    )
