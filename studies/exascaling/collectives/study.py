"""Table 2 and Figure 2a to 2h: collectives on a torus, a fat tree, and a dragonfly.

The simulator runs adcl-bench with the collectives of MPICH, Open MPI, and MVAPICH2 (`simulate.py`). A quick run without
SimGrid judges synthetic times that follow the published models.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl.scale import Expression, parse
from studies._catalog import ROOT, Place, Rendered, StudyError
from studies._picture import Curve, Panel, panels
from studies._verdicts import Judged, Printed, judge_records, printed_rows, published
from studies.exascaling._beside import all_cells, beside, counts, verdict_statements

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_QUICK = ("--ranks", "2,4,8,16,32,64", "--selectors", "mpich")
_NOISE = 0.02
"""Relative noise of synthetic times."""

_SYNTHETIC_RANKS = tuple(2**at for at in range(1, 11))


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets: adcl-bench, built for SMPI, if SimGrid is installed."""
    return [("smpi", "adcl-bench")] if shutil.which("smpirun") or not quick else []


def _synthetic(document: dict[str, Any], target: Path) -> None:
    """Write synthetic times: the paper's models plus noise (fixed seed), labeled with the paper's machines."""
    noise, lines = random.Random(1), []
    for one in printed_rows(document):
        formula = parse(f"5 + {one.model}")
        for ranks in _SYNTHETIC_RANKS:
            value = 1e-6 * formula.value(p=float(ranks)) * (1 + noise.gauss(0, _NOISE))
            record = {
                "schema": 1,
                "context": {"synthetic": True, "ranks": ranks, "simulated": True},
                "function": one.function,
                "metric": "time_s",
                "parameters": {"p": ranks},
                "repetitions": [value],
            }
            head = {"schema": 1, "run": document["here"][one.machine], "job": "", "time_s": 0.0}
            lines.append(json.dumps({**head, "measurement": record}))
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def measure(place: Place) -> None:
    """Run the missing simulations; partial results remain in `place.work`. Raises `StudyError` if one fails."""
    if shutil.which("smpirun") is None:
        if not place.quick:
            raise StudyError("SimGrid's smpirun was not found (Debian: simgrid); QUICK=1 uses synthetic times")
        print("SimGrid was not found: the times are synthetic and follow the published models")
        _synthetic(published(_HERE / "published.toml"), place.records)
        return
    bench = ROOT / "build" / "smpi" / "bin" / "adcl-bench"
    command = [sys.executable, str(_HERE / "simulate.py"), str(bench), str(place.work), "--jobs", "2"]
    if subprocess.run([*command, *(_QUICK if place.quick else ())], check=False).returncode != 0:
        raise StudyError("a simulation failed; the same command resumes the study")
    shutil.copy(place.work / "collectives.jsonl", place.records)


def _growth(formula: Expression, points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the published growth, scaled to pass through the last measured point."""
    first = formula.value(p=points[-1][0])
    return [(x, points[-1][1] * formula.value(p=x) / first) for x, _ in points if formula.value(p=x) > 0]


def _curve(judged: Judged, printed: Printed, run: str) -> Curve | None:
    row = judged.row("paper", run, printed.function)
    if row is None:
        return None
    series, model = row.verdict.series, row.verdict.model
    points = [(x, y * 1e6) for (x,), y in zip(series.points, series.values, strict=True)]
    line = [(x, model.expression.value(p=x) * 1e6) for x, _ in points]
    name = f"{run}: {model.growth}; {printed.machine}: O({printed.model})"
    return Curve(name, points, [pair for pair in line if pair[1] > 0], _growth(parse(printed.model), points))


def _figure(document: dict[str, Any], judged: Judged, here: Mapping[str, str]) -> str:
    every = []
    for letter, row in zip("abcdefgh", document["function"], strict=True):
        printed = [one for one in printed_rows(document) if one.function == row["name"]]
        curves = [curve for one in printed if (curve := _curve(judged, one, here[one.machine])) is not None]
        if curves:
            every.append(Panel(f"2{letter} {row['name']}, µs by ranks", curves))
    return panels(every, columns=2)


def render(place: Place) -> Rendered:
    """Return the tables and Figure 2."""
    document = published(_HERE / "published.toml")
    judged = judge_records(_HERE / "scale.toml", place.records)
    here: Mapping[str, str] = document["here"]

    def pair(one: Printed) -> tuple[str, str]:
        return here[one.machine], one.function

    agreement, values = counts("Table 2", document, judged, pair)
    expected = {row["name"]: row["expectation"] for row in document["function"]}
    values |= judged.values()
    values["Table 2"] = beside(document, judged, pair)
    values["all paper"] = all_cells(judged, expected, expected, "paper")
    values["all default"] = all_cells(judged, expected, expected, "default")
    if '"synthetic": true' in place.records.read_text(encoding="utf-8"):
        values["record"] = "Nothing was measured: synthetic times follow the published models, with noise of 2 %."
    statements = verdict_statements(document, judged, pair, lambda _: ("Table 2", "Figure 2a to 2h"))
    return Rendered(values, {"figure2.svg": _figure(document, judged, here)}, tuple(agreement), tuple(statements))
