# set-up: build
# built first: euler3d unstructured lattice_boltzmann solver3d
# in make check
"""Speedup of whole programs by ADCL, including the time of the search: ``make bench NAME=applications``.

Each application runs on two ranks with ADCL and as a version with plain MPI, in several sizes and lengths, with all
fields in one operation and with a separate operation for each. A round runs each program once; a figure is the median
of the ratios over the rounds. Short programs have more rounds. All runs must give the same answer, bit by bit.
``solver3d`` mostly computes: most of the time of an exchange may be waiting for the other rank, which still computes,
and a search that attributes this wait to the codelet would choose by chance.

``time_over_twin`` compares the times of the whole programs without set-up with the version of plain MPI,
``exchange_over_twin`` the times in exchanges. ``preselected_over_twin`` compares the whole time with the best codelet
preselected: the three codelets that are fastest in a brute-force search run once each, and the fastest of them takes
part in the rounds. ``time_over_twin.worst`` and ``exchange_over_twin.geometric_mean`` are over all settings without
``solver3d``.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench._form import Figures, effort
from bench._programs import FILE, measured, run
from bench.decisions._runner import Judge, geometric_mean, median_ratio, preselected, run_rounds

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["main"]

_SECONDS = 120.0
"""Time limit of a run in seconds; usual runs take a few seconds."""
_TRIED = effort(3, 1)
_SOLVER, _SOLVER_TWIN = "solver3d", "fcfs"


@dataclass(frozen=True)
class _Setting:
    program: str
    size: tuple[str, ...]
    iterations: int
    exchange: str

    @property
    def name(self) -> str:
        return f"{self.program}.{self.size[1]}.{self.iterations}.{self.exchange}"

    @property
    def twin(self) -> str:
        """Name of the exchange with plain MPI."""
        return _SOLVER_TWIN if self.program == _SOLVER else self.exchange.replace("adcl", "plain")


_SIZES: tuple[tuple[str, tuple[str, ...], tuple[int, ...]], ...] = (
    ("euler3d", ("--size", "4x8x8"), (200, 5000)),
    ("euler3d", ("--size", "12x24x24"), (200,)),
    ("unstructured", ("--points", "500"), (200, 5000)),
    ("unstructured", ("--points", "5000"), (200,)),
    ("lattice_boltzmann", ("--size", "4x8x8"), (200, 5000)),
    ("lattice_boltzmann", ("--size", "16x16x16"), (200,)),
    (_SOLVER, ("--size", "16x16x16"), (1000,)),
    (_SOLVER, ("--size", "32x32x32"), (1000,)),
    (_SOLVER, ("--size", "64x64x32"), (500,)),
    (_SOLVER, ("--size", "64x64x64"), (300,)),
)
_SETTINGS = [
    _Setting(program, size, iterations, exchange)
    for program, size, all_iterations in _SIZES
    for iterations in all_iterations
    for exchange in (("adcl",) if program == _SOLVER else ("adcl", "adcl-fields"))
]
_SHORT = [_SETTINGS[0], _Setting(_SOLVER, ("--size", "16x16x16"), 1000, "adcl")]


def _run(build: Path, setting: _Setting, exchange: str, **options: str) -> dict[str, Any]:
    words = (*setting.size, "--iterations", str(setting.iterations), "--exchange", exchange, "--quiet", "--json", FILE)
    return run(build, 2, setting.program, words, options, limit_s=_SECONDS)


def _best_codelet(build: Path, setting: _Setting) -> str:
    searched = _run(build, setting, setting.exchange, SEARCH="brute_force", MEASUREMENTS="3")
    totals: dict[str, float] = {
        name: _run(build, setting, setting.exchange, **preselected(name))["seconds"]["total"]
        for name in list(measured(searched))[:_TRIED]
    }
    return min(totals, key=totals.__getitem__)


def _measure(judge: Judge, setting: _Setting) -> dict[str, Any]:
    """Return the medians of the three ratios over the rounds, and the codelets that ADCL chose."""
    build, own = judge.arguments.build, setting.exchange
    best = _best_codelet(build, setting)
    kinds: dict[str, tuple[str, dict[str, str]]] = {
        "default": (own, {}),
        "twin": (setting.twin, {}),
        "preselected": (own, preselected(best)),
    }
    rounds = run_rounds(
        list(kinds),
        lambda kind: _run(build, setting, kinds[kind][0], **kinds[kind][1]),
        judge.arguments.pairs,
        judge.chance,
        seconds=judge.arguments.seconds,
    )
    if len({json.dumps(report["checksum"]) for one in rounds for report in one.values()}) != 1:
        sys.exit(f"{setting.name}: the runs have different checksums")

    def ratio(kind: str, part: str) -> float:
        return median_ratio(rounds, kind, "twin", lambda report: float(report["seconds"][part]))

    last = rounds[-1]["default"]["tuning"]
    return {
        "winner": last["winner"] if last["state"] == "production" else None,
        "best_codelet": best,
        "pairs": len(rounds),
        "time": ratio("default", "total"),
        "exchange": ratio("default", "exchange"),
        "preselected": ratio("preselected", "total"),
    }


def _figures(results: dict[str, dict[str, Any]]) -> Figures:
    figures: Figures = {
        f"{part}_over_twin.{name}": result[part]
        for name, result in results.items()
        for part in ("time", "exchange", "preselected")
    }
    if some := [result for name, result in results.items() if not name.startswith(f"{_SOLVER}.")]:
        figures["time_over_twin.worst"] = max(result["time"] for result in some)
        figures["exchange_over_twin.geometric_mean"] = geometric_mean(result["exchange"] for result in some)
    return figures


def main() -> None:
    """Measure every setting and write the figures."""
    judge = Judge(
        __doc__,
        seed=20111026,
        pairs=(effort(3, 1), "smallest number of rounds"),
        seconds=(effort(8.0, 0.0), "shortest time of a setting's rounds"),
        only=("", "settings whose names start with this"),
    )
    judge.begin()
    results = {}
    for setting in judge.chosen(effort(_SETTINGS, _SHORT)):
        result = results[setting.name] = _measure(judge, setting)
        ratios = "  ".join(f"{part} {result[part]:.3f}" for part in ("time", "exchange", "preselected"))
        chosen = f"({result['best_codelet']})  winner {result['winner'] or 'none yet'}"
        print(f"{setting.name:45} {ratios} {chosen}", flush=True)
    settings = {name: {key: one[key] for key in ("winner", "best_codelet", "pairs")} for name, one in results.items()}
    judge.write({"settings": settings}, _figures(results))


if __name__ == "__main__":
    main()
