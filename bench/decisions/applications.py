# set-up: build
# built first: euler3d unstructured lattice_boltzmann
# in make check
"""Gain of ADCL in whole programs, search included: ``make bench NAME=applications``.

Each application runs on two ranks, alternately with ADCL and with its twin of plain MPI, in several sizes and lengths,
with all fields in one operation and with one operation per field. Two consecutive runs are a pair; a figure is the
median of the ratios over the pairs. Short programs have more pairs. The answers of both must have the same bits.

``time_over_twin`` compares the total times of the programs without set-up, ``exchange_over_twin`` the times in
exchanges. ``preselected_over_twin`` compares the total time with the best codelet preselected: the three fastest
codelets of a brute-force search run once each, and the one with the shortest run takes part in the pairs. These pairs
are independent of the runs that selected it.
"""

from __future__ import annotations

import json
import math
import random
import statistics
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench._form import Figures, command_line, effort, write
from bench._programs import FILE, measured, run

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["main"]

_RANKS = 2
_SECONDS = 120.0
"""Time limit of a run, which takes a few seconds at most."""
_TRIED = effort(3, 1)


@dataclass(frozen=True)
class _Setting:
    program: str
    size: tuple[str, ...]
    iterations: int
    exchange: str

    @property
    def name(self) -> str:
        return f"{self.program}.{self.size[1]}.{self.iterations}.{self.exchange}"


_SIZES: tuple[tuple[str, tuple[str, ...], tuple[int, ...]], ...] = (
    ("euler3d", ("--size", "4x8x8"), (200, 5000)),
    ("euler3d", ("--size", "12x24x24"), (200,)),
    ("unstructured", ("--points", "500"), (200, 5000)),
    ("unstructured", ("--points", "5000"), (200,)),
    ("lattice_boltzmann", ("--size", "4x8x8"), (200, 5000)),
    ("lattice_boltzmann", ("--size", "16x16x16"), (200,)),
)


def _settings() -> list[_Setting]:
    return [
        _Setting(program, size, iterations, exchange)
        for program, size, all_iterations in _SIZES
        for iterations in all_iterations
        for exchange in ("adcl", "adcl-fields")
    ]


def _run(build: Path, setting: _Setting, exchange: str, **options: str) -> dict[str, Any]:
    words = (*setting.size, "--iterations", str(setting.iterations), "--exchange", exchange, "--quiet", "--json", FILE)
    return run(build, _RANKS, setting.program, words, options, limit_s=_SECONDS)


def _preselected(name: str) -> dict[str, str]:
    return {"CODELETS": f"neighborhood:{name}"}


def _best_codelet(build: Path, setting: _Setting) -> str:
    searched = _run(build, setting, setting.exchange, SEARCH="brute_force", MEASUREMENTS="3")
    names = list(measured(searched))[:_TRIED]
    totals: dict[str, float] = {
        name: _run(build, setting, setting.exchange, **_preselected(name))["seconds"]["total"] for name in names
    }
    return min(totals, key=totals.__getitem__)


def _median_ratio(ours: list[dict[str, Any]], twins: list[dict[str, Any]], key: str) -> float:
    return statistics.median(
        float(a["seconds"][key]) / float(b["seconds"][key]) for a, b in zip(ours, twins, strict=True)
    )


def _measure(build: Path, setting: _Setting, pairs: int, seconds: float, chance: random.Random) -> dict[str, Any]:
    """Return the medians of the three ratios over the pairs, and ADCL's winner.

    There are at least `pairs` pairs, and more until `seconds` are over.
    """
    twin = setting.exchange.replace("adcl", "plain")
    best = _best_codelet(build, setting)
    kinds: list[tuple[str, str, dict[str, str]]] = [
        ("default", setting.exchange, {}),
        ("twin", twin, {}),
        ("preselected", setting.exchange, _preselected(best)),
    ]
    reports: dict[str, list[dict[str, Any]]] = {kind: [] for kind, _, _ in kinds}
    begun = time.monotonic()
    while len(reports["twin"]) < pairs or time.monotonic() < begun + seconds:
        chance.shuffle(kinds)
        for kind, exchange, options in kinds:
            reports[kind].append(_run(build, setting, exchange, **options))
    answers = {json.dumps(report["checksum"]) for kind in reports.values() for report in kind}
    if len(answers) != 1:
        sys.exit(f"{setting.name}: not all runs give the same answer")
    last = reports["default"][-1]["tuning"]
    return {
        "winner": last["winner"] if last["state"] == "production" else None,
        "best_codelet": best,
        "pairs": len(reports["twin"]),
        "time": _median_ratio(reports["default"], reports["twin"], "total"),
        "exchange": _median_ratio(reports["default"], reports["twin"], "exchange"),
        "preselected": _median_ratio(reports["preselected"], reports["twin"], "total"),
    }


def _figures(results: dict[str, dict[str, Any]]) -> Figures:
    figures: Figures = {}

    for name, result in results.items():
        figures[f"time_over_twin.{name}"] = result["time"]
        figures[f"exchange_over_twin.{name}"] = result["exchange"]
        figures[f"preselected_over_twin.{name}"] = result["preselected"]
    figures["time_over_twin.worst"] = max(result["time"] for result in results.values())
    logarithms = [math.log(result["exchange"]) for result in results.values()]
    figures["exchange_over_twin.geometric_mean"] = math.exp(statistics.mean(logarithms))
    return figures


def main() -> None:
    """Measure every setting and write the figures."""
    parser = command_line(__doc__)
    parser.add_argument("--pairs", type=int, default=effort(3, 1), help="minimum number of pairs (%(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=effort(8.0, 0.0), help="minimum duration of a setting's pairs (%(default)s)"
    )
    parser.add_argument("--only", default="", help="settings whose names begin with this text")
    arguments = parser.parse_args()
    chance = random.Random(20111026)  # noqa: S311
    begun = time.monotonic()
    results = {}
    for setting in effort(_settings(), _settings()[:1]):
        if not setting.name.startswith(arguments.only):
            continue
        result = results[setting.name] = _measure(arguments.build, setting, arguments.pairs, arguments.seconds, chance)
        print(
            f"{setting.name:45} time {result['time']:.3f}  exchange {result['exchange']:.3f}  "
            f"preselected {result['preselected']:.3f} ({result['best_codelet']})  "
            f"winner {result['winner'] or 'none yet'}",
            flush=True,
        )
    if not results:
        parser.error(f"no setting's name begins with {arguments.only!r}")
    context = {
        "ranks": _RANKS,
        "seconds": time.monotonic() - begun,
        "settings": {
            name: {key: result[key] for key in ("winner", "best_codelet", "pairs")} for name, result in results.items()
        },
    }
    write(arguments.output, context, _figures(results))


if __name__ == "__main__":
    main()
