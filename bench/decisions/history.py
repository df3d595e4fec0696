# set-up: build
# built first: solver3d live_sizes
"""Gain of a program from the results of earlier programs: ``make bench NAME=history``.

``solver3d`` runs with an empty folder as ``ADCL_HISTORY``, which its search fills. Then the same program and one of a
similar size run, each with a copy of that folder. They alternate with programs that have one codelet preselected: the
winner, and the candidates with the most similar times.

- ``measurements_until_production``: of the run with the most measurements, from its trace; these are separate runs. The
  first three starts, and the starts until the ranks have agreed, are not measured and come in addition.
- ``over_best_preselected``: the program's time divided by the time with the best codelet preselected, median over the
  rounds.
- ``over_best_by_exchanges``: the same if the programs differ only in their medians of the time in exchanges. The
  computation is the same, and its time varies by some percent from run to run.

``live_sizes`` exchanges halos of six sizes in turns. The library's report has the cost of its searches: the additional
time of their starts, plans and agreements compared with the same number of starts of the winners.

- ``six_sizes_over_one``: that cost divided by the cost in a program of the largest size alone, medians over the rounds;
  and divided by the sum of six programs of one size each.
- ``six_sizes_without_history_over_one``: the same with ``ADCL_HISTORY=off``, so that searches are independent.
- ``six_sizes.plans_and_agreements``: the part of the time of the six searches outside operations, in milliseconds.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench._form import Figures, command_line, effort, write
from bench._programs import FILE, measured, run, run_solver

__all__ = ["main"]

_SIZES = effort(("8", "12", "16", "24", "32", "48"), ("8", "12"))
_SOLVERS = effort(
    (("second_run", "32x32x32", "32x32x32", 5000), ("neighboring_size", "32x32x32", "40x40x40", 3500)),
    (("second_run", "8x8x8", "8x8x8", 1000),),
)


def _solver(build: Path, size: str, iterations: int, **options: str) -> dict[str, Any]:
    return run_solver(build, "solver3d", size, iterations, "--exchange", "adcl", options=options)


def _measured(build: Path, size: str, history: Path, scratch: Path) -> int:
    """Return the measurements until the first decision; runs with more iterations follow until there is one."""
    for iterations in (50, 500, 5000):
        trace, folder = scratch / "trace", scratch / "measured"
        shutil.copytree(history, folder)
        _solver(build, size, iterations, HISTORY=str(folder), TRACE=str(trace))
        events = [json.loads(line) for line in min(trace.rglob("adcl.0.jsonl")).read_text().splitlines()]
        shutil.rmtree(trace)
        shutil.rmtree(folder)
        kinds = [event["event"] for event in events]
        if "decision" in kinds:
            until = events[: kinds.index("decision")]
            return sum(event["event"] == "measurement" and event["sample"] >= 0 for event in until)
    sys.exit(f"solver3d with {size} points came to no decision within {iterations} iterations")


def _nearest(report: dict[str, Any], count: int) -> list[str]:
    """Return the winner and the candidates with the most similar times."""
    return list(dict.fromkeys([report["tuning"]["winner"], *measured(report)]))[:count]


def _solvers(build: Path, runs: int, chance: random.Random) -> dict[str, dict[str, Any]]:
    """Return for the same and for a similar size: starts and measurements until production, and the rounds' seconds."""
    result = {}
    for what, learnt, size, iterations in _SOLVERS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "learnt"
            report = _solver(build, learnt, 1000, HISTORY=str(folder))
            first = report["tuning"]
            reference = report if learnt == size else _solver(build, size, iterations, HISTORY="off")
            kinds = {"history": "", **{name: name for name in _nearest(reference, 3)}}
            kinds.setdefault(first["winner"], first["winner"])
            rounds: list[dict[str, float]] = []
            exchanges: list[dict[str, float]] = []
            tunings = []
            measurements = []
            for number in range(runs):
                seconds = {}
                in_exchanges = {}
                for kind in chance.sample(sorted(kinds), len(kinds)):
                    if kind == "history":
                        copy = Path(scratch) / f"copy{number}"
                        shutil.copytree(folder, copy)
                        measurements.append(_measured(build, size, folder, Path(scratch)))
                        told = _solver(build, size, iterations, HISTORY=str(copy))
                        tunings.append(told["tuning"])
                    else:
                        told = _solver(build, size, iterations, HISTORY="off", CODELETS=f"neighborhood:{kind}")
                    seconds[kind] = float(told["seconds"]["total"])
                    in_exchanges[kind] = float(told["seconds"]["exchange"])
                rounds.append(seconds)
                exchanges.append(in_exchanges)
        starts = [int(one["searching_starts"]) for one in tunings]
        medians = {kind: statistics.median(one[kind] for one in rounds) for kind in kinds if kind != "history"}
        best = min(medians, key=lambda kind: medians[kind])
        ratio = statistics.median(one["history"] / one[best] for one in rounds)
        spent = {kind: statistics.median(one[kind] for one in exchanges) for kind in ("history", best)}
        by_exchanges = 1.0 + (spent["history"] - spent[best]) / medians[best]
        winners = Counter(one["winner"] for one in tunings)
        result[what] = {
            "learnt": first["winner"],
            "first_starts": first["searching_starts"],
            "starts": starts,
            "measured": measurements,
            "production": sum(one["state"] == "production" for one in tunings),
            "winners": dict(winners),
            "best": best,
            "over_best": ratio,
            "over_best_by_exchanges": by_exchanges,
            "rounds": rounds,
            "exchanges": exchanges,
        }
        print(f"{what}: first run {first['searching_starts']} starts, then {starts}", end="")
        print(f", {measurements} measured; {dict(winners)}", end="")
        print(f"; over {best} preselected {ratio:.3f}, by exchanges {by_exchanges:.3f}", flush=True)
    return result


_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_COST = re.compile(
    r"and ([0-9.]+) (ns|us|ms|s) in plans and agreements between them, on rank 0; "
    r"([0-9.]+) (ns|us|ms|s) (more|less) than the same number of starts of the winner"
)


def _costs(report: str) -> list[tuple[float, float]]:
    """Parse the library's report: cost of each search, and its plans and agreements, in seconds."""
    found = _COST.findall(" ".join(report.split()))
    return [
        (float(cost) * _UNITS[unit] * (1.0 if sign == "more" else -1.0), float(between) * _UNITS[unit_between])
        for between, unit_between, cost, unit, sign in found
    ]


def _sizes(build: Path, runs: int, cycles: int, chance: random.Random) -> dict[str, list[dict[str, Any]]]:
    """Return the results of the runs: all sizes in one program, and each size in a separate program."""
    kinds = {"six": _SIZES, "six_without_history": _SIZES, **{size: (size,) for size in _SIZES}}
    result: dict[str, list[dict[str, Any]]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report"
        for _ in range(runs):
            for kind in chance.sample(sorted(kinds), len(kinds)):
                options = {"HISTORY": "off"} if kind == "six_without_history" else {}
                words = (str(cycles), FILE, *kinds[kind])
                told = run(build, 2, "live_sizes", words, {"REPORT": str(report), **options})["context"]
                costs = _costs(report.read_text())
                if len(costs) != len(kinds[kind]):
                    sys.exit(f"the report of {len(kinds[kind])} sizes has the costs of {len(costs)}")
                told["cost_s"] = sum(cost for cost, _ in costs)
                told["between_s"] = sum(between for _, between in costs)
                report.unlink()
                result[kind].append(told)
    for kind, several in result.items():
        cost = statistics.median(one["cost_s"] for one in several)
        seconds = statistics.median(one["seconds"] for one in several)
        print(f"sizes {kind}: cost {1e3 * cost:.2f} ms, program {1e3 * seconds:.2f} ms", flush=True)
    return result


def main() -> None:
    """Run all programs and write the figures."""
    parser = command_line(__doc__)
    parser.add_argument("--runs", type=int, default=effort(10, 1))
    parser.add_argument("--cycles", type=int, default=2000, help="cycles of the program with several sizes")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    arguments = parser.parse_args()
    begun = time.monotonic()
    print(f"seed {arguments.seed}", flush=True)
    chance = random.Random(arguments.seed)  # noqa: S311
    sizes = _sizes(arguments.build, arguments.runs, arguments.cycles, chance)
    solvers = _solvers(arguments.build, arguments.runs, chance)
    figures: Figures = {}

    for what, told in solvers.items():
        figures[f"{what}.measurements_until_production"] = max(told["measured"])
        figures[f"{what}.starts_until_production"] = max(told["starts"])
        figures[f"{what}.over_best_preselected"] = told["over_best"]
        figures[f"{what}.over_best_by_exchanges"] = told["over_best_by_exchanges"]
    costs = {kind: statistics.median(one["cost_s"] for one in told) for kind, told in sizes.items()}
    singles = [costs[size] for size in _SIZES]
    figures["six_sizes_over_one"] = costs["six"] / costs[_SIZES[-1]]
    figures["six_sizes_over_six_programs"] = costs["six"] / sum(singles)
    figures["six_sizes_without_history_over_one"] = costs["six_without_history"] / costs[_SIZES[-1]]
    between = statistics.median(one["between_s"] for one in sizes["six"])
    figures["six_sizes.plans_and_agreements"] = 1e3 * between
    figures["six_sizes.cost"] = 1e3 * costs["six"]
    context = {
        "ranks": 2,
        "seed": arguments.seed,
        "seconds": time.monotonic() - begun,
        "solvers": solvers,
        "sizes": sizes,
    }
    write(arguments.output, context, figures)


if __name__ == "__main__":
    main()
