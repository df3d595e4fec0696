"""Table 4: the kernels gen, dedup, pcount, and unjoin of MAFIA by the number of dimensions k."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from studies._catalog import ROOT, Place, Rendered, StudyError
from studies._picture import Curve, Panel, panels
from studies._verdicts import Judged, Printed, judge_records, published
from studies.exascaling._beside import beside, counts, verdict_statements

__all__ = ["measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_RUN = "both"
_PRESETS = ("openmpi", "openmpi5", "mpich", "mpi-abi")


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets: mafia, which calls no MPI, built with the first preset."""
    return [("first", "mafia")]


def _program() -> Path:
    found = [path for name in _PRESETS if (path := ROOT / "build" / name / "bin" / "mafia").exists()]
    if not found:
        raise StudyError("mafia is not built; make study builds it")
    return found[0]


def _done(part: Path) -> set[int]:
    text = part.read_text(encoding="utf-8") if part.exists() else ""
    return {json.loads(line)["parameters"]["k"] for line in text.splitlines()}


def measure(place: Place) -> None:
    """Run mafia for each k that is missing in `place.work`. Raises `StudyError` if it fails."""
    dimensions, repetitions = (range(3, 11), 3) if place.quick else (range(3, 17), 5)
    part = place.work / "mafia.jsonl"
    for k in dimensions:
        if k in _done(part):
            continue
        command = [str(_program()), "--kernels", "both", "--k", str(k), "--repetitions", str(repetitions)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise StudyError(f"{' '.join(command)} failed: {done.stderr.strip()[-400:]}")
        with part.open("a", encoding="utf-8") as file:
            file.write(done.stdout)
        print(f"k = {k}", flush=True)
    head = {"schema": 1, "run": _RUN, "job": "", "time_s": 0.0}
    records = [json.loads(line) for line in part.read_text(encoding="utf-8").splitlines()]
    lines = [json.dumps({**head, "measurement": record}, separators=(",", ":")) for record in records]
    place.records.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _figure(judged: Judged, document: dict[str, Any]) -> str:
    every = []
    for row in document["function"]:
        curves = []
        for kernels in ("bitmap", "set"):
            found = judged.row("paper", _RUN, f"{row['name']}:{kernels}")
            if found is not None:
                series, model = found.verdict.series, found.verdict.model
                points = [(x, y * 1e6) for (x,), y in zip(series.points, series.values, strict=True)]
                line = [(x, model.expression.value(k=x) * 1e6) for x, _ in points]
                curves.append(Curve(f"{kernels}: {model.growth}", points, [pair for pair in line if pair[1] > 0]))
        every.append(Panel(f"{row['name']}, µs by k", curves))
    return panels(every, columns=2)


def render(place: Place) -> Rendered:
    """Return Table 4 with both forms of the kernels."""
    document = published(_HERE / "published.toml")
    judged = judge_records(_HERE / "scale.toml", place.records)
    agreement, values, statements = [], judged.values(), []
    for kernels in ("bitmap", "set"):

        def pair(one: Printed, kernels: str = kernels) -> tuple[str, str]:
            return _RUN, f"{one.function}:{kernels}"

        counted, more = counts(f"Table 4, {kernels} kernels", document, judged, pair)
        agreement += counted
        values |= {f"{kernels}: {name}": value for name, value in more.items()}
        values[f"Table 4 {kernels}"] = beside(document, judged, pair)
        about = f" with {kernels} kernels"
        statements += verdict_statements(document, judged, pair, lambda _: ("Table 4",), about)
    return Rendered(values, {"kernels.svg": _figure(judged, document)}, tuple(agreement), tuple(statements))
