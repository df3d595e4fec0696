"""Table 3 and Figure 2i: memory of communicators, windows, and MPI by the number of ranks.

The paper counts `malloc` and reads `/proc/self/smaps` (section 3.2); adcl-bench does both on this machine.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from adcl.scale import Expression
from studies._catalog import ROOT, Place, Rendered, StudyError
from studies._page import table
from studies._picture import Curve, Panel, panels
from studies._verdicts import METHODS, Judged, Printed, judge_records, printed_rows, published
from studies.exascaling._beside import counts, verdict_statements

__all__ = ["measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_FULL = ("openmpi", "mpich", "openmpi5", "mpi-abi", "impi")
_COMPARED = "openmpi"
"""Run whose agreement is reported: the only run with seven settings."""

_MEGABYTE = 1e6


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return pairs of preset and target: adcl-bench with two presets in quick runs, with five in full runs."""
    presets = ("first", "second") if quick else _FULL
    return [(preset, "adcl-bench") for preset in presets]


def _built() -> list[str]:
    return [name for name in _FULL if (ROOT / "build" / name / "bin" / "adcl-bench").exists()]


def measure(place: Place) -> None:
    """Run adcl-bench of each built preset on the missing numbers of ranks. Raises `StudyError`."""
    built = _built()
    wanted = built[:2] if place.quick else list(_FULL)
    missing = [name for name in wanted if name not in built]
    if missing or not wanted:
        raise StudyError(f"adcl-bench is not built with {', '.join(missing) or 'any preset'}; make study builds it")
    ranks = "2,3,4,6,8" if place.quick else "2,4,8,16,32,64"
    command = [sys.executable, str(_HERE / "measure.py"), str(place.work), *wanted, "--ranks", ranks]
    if subprocess.run(command, check=False).returncode != 0:
        raise StudyError("a measurement failed; the same command resumes the study")
    shutil.copy(place.work / "memory.jsonl", place.records)


def _model(judged: Judged, method: str, run: str, function: str) -> str:
    row = judged.row(method, run, function)
    if row is None or row.verdict.match is None:
        return "–"
    model = row.verdict.model.expression
    if function.startswith("MPI_memory"):
        model = Expression(tuple((factor / _MEGABYTE, term) for factor, term in model.parts))
    return f"{model} {row.verdict.match.sign}"


def _tables(judged: Judged, document: dict[str, Any]) -> dict[str, str]:
    values = {}
    for method in METHODS:
        rows = []
        for function in document["function"]:
            printed = [one for one in printed_rows(document) if one.function == function["name"]]
            unit = " [MB]" if function["name"] == "MPI_memory" else " [B]"
            theirs = [f"{one.model} {one.sign}" for one in printed]
            ours = [_model(judged, method, run, function["name"]) for run in judged.runs]
            rows.append((function["name"] + unit, function["expectation"], *theirs, *ours))
        resident = [_model(judged, method, run, "MPI_memory_resident") for run in judged.runs]
        rows.append(("MPI_memory_resident [MB]", "log p", "–", "–", "–", *resident))
        values[f"Table 3 {method}"] = table(("", "expected", *document["machines"], *judged.runs), rows)
    return values


def _same(judged: Judged, document: dict[str, Any]) -> str:
    """Count, for each library here and each machine, the functions with the same verdict by both methods."""
    rows, every = [], printed_rows(document)
    for run in judged.runs:
        cells = []
        for machine in document["machines"]:
            own = [one for one in every if one.machine == machine]
            same = [sum(judged.sign(method, run, one.function) == one.sign for one in own) for method in METHODS]
            cells.append(f"{same[0]} and {same[1]} of {len(own)}")
        rows.append((run, *cells))
    return table(("library here", *document["machines"]), rows)


def _figure(judged: Judged) -> str:
    every = []
    for name in ("MPI_memory", "MPI_memory_resident"):
        curves = []
        for run in judged.runs:
            found = judged.row("paper", run, name)
            if found is not None:
                series, model = found.verdict.series, found.verdict.model
                points = [(x, y / _MEGABYTE) for (x,), y in zip(series.points, series.values, strict=True)]
                line = [(x, model.expression.value(p=x) / _MEGABYTE) for x, _ in points]
                curves.append(Curve(f"{run}: {model.growth}", points, [pair for pair in line if pair[1] > 0]))
        every.append(Panel(f"2i {name}, MB by ranks", curves))
    return panels(every, columns=2)


def _rows(printed: Printed) -> tuple[str, ...]:
    return ("Table 3", "Figure 2i") if printed.function == "MPI_memory" else ("Table 3",)


def render(place: Place) -> Rendered:
    """Return Table 3 by both methods, and Figure 2i."""
    document = published(_HERE / "published.toml")
    judged = judge_records(_HERE / "scale.toml", place.records)
    compared = _COMPARED if _COMPARED in judged.runs else judged.runs[0]

    def pair(one: Printed) -> tuple[str, str]:
        return compared, one.function

    agreement, values = counts(f"Table 3, {compared}", document, judged, pair)
    values["same verdicts"] = _same(judged, document)
    values |= {**judged.values(), **_tables(judged, document)}
    statements = verdict_statements(document, judged, pair, _rows)
    return Rendered(values, {"figure2i.svg": _figure(judged)}, tuple(agreement), tuple(statements))
