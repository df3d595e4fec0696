"""Compare the growth of each codelet on simulated clusters with the growth that its row states."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from studies._catalog import ROOT, Place, Rendered, StudyError
from studies._page import table
from studies._verdicts import Judged, judge_records

__all__ = ["measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_SIMULATE = ROOT / "studies" / "exascaling" / "collectives" / "simulate.py"
_SETS = "bcast,reduce,allreduce,scan,exscan,gather,scatter,allgather,alltoall,reduce_scatter_block,barrier"
_SLOW = "scan:Linear@192,exscan:Linear@192,allgather:Linear@128,alltoall:Linear@128,alltoall:Linear_sync@128"
_SLOW += ",reduce_scatter_block:Linear@128"
"""Codelets that take too long on more ranks of the dragonfly."""

_RANKS = "2,4,8,16,24,32,48,64,96,128,192,256,512"
_SIGNS = "✓≈▽?✗"
_CALLS: tuple[tuple[str, ...], ...] = (
    ("--platforms", "torus,fat_tree", "--codelets", _SETS, "--ranks", _RANKS),
    ("--platforms", "dragonfly", "--codelets", f"{_SETS},{_SLOW}", "--ranks", _RANKS),
    ("--codelets", _SETS, "--ranks", _RANKS),
)
_QUICK_CALLS: tuple[tuple[str, ...], ...] = (("--codelets", "bcast,allreduce", "--ranks", "2,4,8,12,16,24,32,64"),)


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets: adcl-bench, built for SMPI."""
    return [("smpi", "adcl-bench")]


def measure(place: Place) -> None:
    """Run the missing simulations; partial results remain in `place.work`. Raises `StudyError` if one fails."""
    if shutil.which("smpirun") is None:
        raise StudyError("SimGrid's smpirun was not found; install it (Debian: simgrid)")
    bench = ROOT / "build" / "smpi" / "bin" / "adcl-bench"
    for call in _QUICK_CALLS if place.quick else _CALLS:
        command = [sys.executable, str(_SIMULATE), str(bench), str(place.work), "--selectors", "mpich", "--jobs", "2"]
        if subprocess.run([*command, *call], check=False).returncode != 0:
            raise StudyError("a simulation failed; the same command resumes the study")
    shutil.copy(place.work / "codelets.jsonl", place.records if place.quick else _HERE / "codelets.jsonl")


def _counted(judged: Judged, run: str, functions: list[str]) -> str:
    signs = Counter(judged.sign("default", run, name) for name in functions)
    return ", ".join(f"{signs[sign]} {sign}" for sign in _SIGNS if signs[sign]) or "–"


def _sets(judged: Judged) -> dict[str, list[str]]:
    """Return the codelets by set; `all` is the last."""
    found: dict[str, list[str]] = {}
    names = [row.verdict.series.function for row in judged.results["default", judged.runs[0]].rows]
    for name in names:
        found.setdefault(name.partition(":")[0], []).append(name)
    return {**found, "all": names}


def _others(judged: Judged) -> str:
    """Return the codelets that are neither ✓ nor ≈ on some machine."""
    names = _sets(judged)["all"]
    rows = [
        (name, *(judged.cell("default", run, name) for run in judged.runs))
        for name in names
        if any(judged.sign("default", run, name) not in "✓≈–" for run in judged.runs)
    ]
    return table(("codelet", *judged.runs), rows)


def render(place: Place) -> Rendered:
    """Return counts by set, and the codelets outside their limits."""
    values = {}
    for name in ("codelets", "segmented"):
        records = place.records if place.quick else _HERE / f"{name}.jsonl"
        if place.quick and name == "segmented":
            continue
        judged = judge_records(_HERE / f"{name}.toml", records)
        rows = [
            (label, str(len(own)), *(_counted(judged, run, own) for run in judged.runs))
            for label, own in _sets(judged).items()
        ]
        values[name] = table(("set", "codelets", *judged.runs), rows)
        values[f"{name} others"] = _others(judged)
        for run in judged.runs:
            values[f"{name} {run}"] = _counted(judged, run, _sets(judged)["all"])
        values |= judged.values()
    return Rendered(values, {})
