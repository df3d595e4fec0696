"""A program with computation, for ``bench/search_live.py``: solver3d, in which exchanges are a small part.

Most of the time of an exchange may be spent waiting for the other rank, which still computes. A search that treats this
time as a property of the codelet chooses by chance. Each run is a round of three programs in random order: with plain
derived types, with the default search, and with a preselected codelet, the most frequent winner of three earlier
searches that are not counted.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from typing import TYPE_CHECKING, Any

from bench._form import Figures, effort
from bench._programs import run_solver

if TYPE_CHECKING:
    import random
    from pathlib import Path

__all__ = ["figures_of", "measure"]

_SIZES = effort((("16x16x16", 1000), ("32x32x32", 1000), ("64x64x32", 500), ("64x64x64", 300)), (("8x8x8", 100),))
"""Points of a process, and number of iterations with two exchanges each."""
_PLAIN = "fcfs"


def _run(build: Path, size: str, iterations: int, exchange: str, codelets: str = "") -> dict[str, Any]:
    preselected = {"CODELETS": f"neighborhood:{codelets}"} if codelets else {}
    return run_solver(build, "solver3d", size, iterations, "--exchange", exchange, options=preselected)


def measure(build: Path, runs: int, chance: random.Random) -> dict[str, dict[str, Any]]:
    """Return for each size the most frequent winner, and the seconds and winners of the runs."""
    settings = {}
    for size, iterations in _SIZES:
        before = [_run(build, size, iterations, "adcl")["tuning"]["winner"] for _ in range(effort(3, 1))]
        usual = Counter(before).most_common(1)[0][0]
        kinds = {"plain": (_PLAIN, ""), "search": ("adcl", ""), "preselected": ("adcl", usual)}
        rounds: list[dict[str, float]] = []
        winners = []
        for _ in range(runs):
            seconds = {}
            for kind in chance.sample(sorted(kinds), len(kinds)):
                told = _run(build, size, iterations, *kinds[kind])
                seconds[kind] = told["seconds"]["total"]
                if kind == "search":
                    winners.append(told["tuning"]["winner"])
            rounds.append(seconds)
        settings[size] = {"usual": usual, "rounds": rounds, "winners": winners}
        ours, best = (_ratio(rounds, other) for other in ("plain", "preselected"))
        print(f"solver3d {size:15} over plain {ours:.3f}  over {usual} {best:.3f}  {Counter(winners)}", flush=True)
    return settings


def _ratio(rounds: list[dict[str, float]], other: str) -> float:
    return float(statistics.median(seconds["search"] / seconds[other] for seconds in rounds))


def figures_of(settings: dict[str, dict[str, Any]]) -> Figures:
    """Return the figures for the bench's document."""
    figures: Figures = {}
    for size, setting in settings.items():
        figures[f"solver3d.time_over_plain.{size}"] = _ratio(setting["rounds"], "plain")
        figures[f"solver3d.time_over_preselected.{size}"] = _ratio(setting["rounds"], "preselected")
        count = Counter(setting["winners"]).most_common(1)[0][1]
        figures[f"solver3d.same_winner.{size}"] = count / len(setting["winners"])
    over_plain = [_ratio(setting["rounds"], "plain") for setting in settings.values()]
    figures["solver3d.time_over_plain.geometric_mean"] = math.exp(statistics.mean(map(math.log, over_plain)))
    return figures
