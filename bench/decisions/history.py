# set-up: build
# built first: solver3d live_exchange
"""What a program gains from the results of earlier programs: ``make bench NAME=history``.

``solver3d`` runs with an empty folder as ``ADCL_HISTORY``, which its search fills. Then the same program and one with a
similar mesh size run, each with a copy of that folder. Further runs have one codelet preselected: the winner, or one of
the codelets that the search found closest to the winner.

- ``measurements_until_production``: the largest number of measurements in a run, from the traces of separate runs. It
  excludes starts without a measurement: the first three, and those until the ranks have agreed.
- ``over_best_preselected``: the program's time divided by its time with the best codelet preselected; median over the
  rounds.
- ``over_best_by_exchanges``: the same if the programs differed only by the medians of their times in exchanges. Their
  computation is the same, but its time varies by some percent from run to run.

``live_exchange`` alternately exchanges halos of six sizes. The cost of its searches comes from the library's report:
the time of their starts, plans and agreements minus the time of the same number of starts of the winners.

- ``six_sizes_over_one``: this cost divided by the cost in a program with the largest size only, medians over the
  rounds; and divided by the sum of the costs in six programs with one size each.
- ``six_sizes_without_history_over_one``: the same with ``ADCL_HISTORY=off``, so that no search uses the results of
  another.
- ``six_sizes.plans_and_agreements``: time of the six searches outside operations, in milliseconds.
"""

from __future__ import annotations

import json
import re
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench._form import Figures, effort
from bench._programs import measured, run_solver
from bench.decisions._runner import Judge, Rounds, exchange, median_ratio, preselected, run_rounds

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_SIZES = effort(("8", "12", "16", "24", "32", "48"), ("8", "12"))
_SOLVERS = effort(
    (("second_run", "32x32x32", "32x32x32", 5000), ("neighboring_size", "32x32x32", "40x40x40", 3500)),
    (("second_run", "8x8x8", "8x8x8", 1000),),
)


def _solver(build: Path, size: str, iterations: int, **options: str) -> dict[str, Any]:
    return run_solver(build, "solver3d", size, iterations, "--exchange", "adcl", options=options)


def _measured(build: Path, size: str, history: Path) -> int:
    """Return the measurements until the first decision of a run. The run is extended until there is a decision."""
    for iterations in (50, 500, 5000):
        with tempfile.TemporaryDirectory() as scratch:
            trace, folder = Path(scratch) / "trace", Path(scratch) / "history"
            shutil.copytree(history, folder)
            _solver(build, size, iterations, HISTORY=str(folder), TRACE=str(trace))
            events = [json.loads(line) for line in min(trace.rglob("adcl.0.jsonl")).read_text().splitlines()]
        kinds = [event["event"] for event in events]
        if "decision" in kinds:
            until = events[: kinds.index("decision")]
            return sum(event["event"] == "measurement" and event["sample"] >= 0 for event in until)
    sys.exit(f"solver3d with {size} points came to no decision within {iterations} iterations")


def _solved(judge: Judge, what: str, learnt: str, size: str, iterations: int) -> dict[str, Any]:
    """Return starts and measurements until production, and the reports of the rounds."""
    build, runs = judge.arguments.build, judge.arguments.runs
    measurements = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "learnt"
        report = _solver(build, learnt, 1000, HISTORY=str(folder))
        first = report["tuning"]
        reference = report if learnt == size else _solver(build, size, iterations, HISTORY="off")
        nearest = list(dict.fromkeys([reference["tuning"]["winner"], *measured(reference)]))[:3]
        codelets = list(dict.fromkeys([*nearest, first["winner"]]))

        def measure(kind: str) -> dict[str, Any]:
            if kind != "history":
                return _solver(build, size, iterations, HISTORY="off", **preselected(kind))
            measurements.append(_measured(build, size, folder))
            with tempfile.TemporaryDirectory(dir=scratch) as copy:
                shutil.copytree(folder, copy, dirs_exist_ok=True)
                return _solver(build, size, iterations, HISTORY=copy)

        rounds = run_rounds(["history", *codelets], measure, runs, judge.chance)

    def times(kind: str, part: str) -> float:
        return statistics.median(float(one[kind]["seconds"][part]) for one in rounds)

    tunings = [one["history"]["tuning"] for one in rounds]
    medians = {kind: times(kind, "total") for kind in codelets}
    best = min(medians, key=medians.__getitem__)
    seconds = {part: [{k: one[k]["seconds"][part] for k in one} for one in rounds] for part in ("total", "exchange")}
    result = {
        "learnt": first["winner"],
        "first_starts": first["searching_starts"],
        "starts": [int(one["searching_starts"]) for one in tunings],
        "measured": measurements,
        "production": sum(one["state"] == "production" for one in tunings),
        "winners": dict(Counter(one["winner"] for one in tunings)),
        "best": best,
        "over_best": median_ratio(rounds, "history", best, lambda one: float(one["seconds"]["total"])),
        "over_best_by_exchanges": 1.0 + (times("history", "exchange") - times(best, "exchange")) / medians[best],
        "rounds": seconds["total"],
        "exchanges": seconds["exchange"],
    }
    print(f"{what}: first run {result['first_starts']} starts, then {result['starts']}", end="")
    print(f", {measurements} measured; {result['winners']}; over {best} preselected {result['over_best']:.3f}", end="")
    print(f", by exchanges {result['over_best_by_exchanges']:.3f}", flush=True)
    return result


_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_COST = re.compile(
    r"and ([0-9.]+) (ns|us|ms|s) in plans and agreements between them, on rank 0; "
    r"([0-9.]+) (ns|us|ms|s) (more|less) than the same number of starts of the winner"
)


def _costs(report: str) -> list[tuple[float, float]]:
    """Return the cost of each search, and of its plans and agreements, in seconds, from the library's report."""
    return [
        (float(cost) * _UNITS[unit] * (1.0 if sign == "more" else -1.0), float(between) * _UNITS[unit_between])
        for between, unit_between, cost, unit, sign in _COST.findall(" ".join(report.split()))
    ]


def _several_sizes(judge: Judge) -> Rounds[dict[str, Any]]:
    """Run all sizes in one program, and each size in a separate program."""
    kinds: dict[str, Sequence[str]] = {"six": _SIZES, "six_without_history": _SIZES, **{one: (one,) for one in _SIZES}}

    def measure(kind: str) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as scratch:
            options = {"REPORT": f"{scratch}/report", **({"HISTORY": "off"} if "without" in kind else {})}
            run = "sizes=" + ",".join(kinds[kind])
            build, cycles = judge.arguments.build, judge.arguments.cycles
            told: dict[str, Any] = exchange(build, 0, "strided", cycles, [run], limit_s=120.0, options=options)[run]
            costs = _costs(Path(options["REPORT"]).read_text())
        if len(costs) != len(kinds[kind]):
            sys.exit(f"the report of {len(kinds[kind])} sizes contains the costs of {len(costs)} searches")
        return told | {"cost_s": sum(cost for cost, _ in costs), "between_s": sum(between for _, between in costs)}

    return run_rounds(list(kinds), measure, judge.arguments.runs, judge.chance)


def main() -> None:
    """Run all programs and write the figures."""
    judge = Judge(__doc__, runs=(effort(10, 1), ""), cycles=(2000, "of the program with several sizes"))
    judge.begin()
    rounds = _several_sizes(judge)
    sizes = {kind: [one[kind] for one in rounds] for kind in sorted(rounds[0])}
    costs = {kind: statistics.median(one["cost_s"] for one in told) for kind, told in sizes.items()}
    for kind, told in sizes.items():
        seconds = statistics.median(one["seconds"] for one in told)
        print(f"sizes {kind}: cost {1e3 * costs[kind]:.2f} ms, program {1e3 * seconds:.2f} ms", flush=True)
    solvers = {how[0]: _solved(judge, *how) for how in _SOLVERS}
    figures: Figures = {}
    for what, one in solvers.items():
        figures[f"{what}.measurements_until_production"] = max(one["measured"])
        figures[f"{what}.starts_until_production"] = max(one["starts"])
        figures[f"{what}.over_best_preselected"] = one["over_best"]
        figures[f"{what}.over_best_by_exchanges"] = one["over_best_by_exchanges"]
    figures["six_sizes_over_one"] = costs["six"] / costs[_SIZES[-1]]
    figures["six_sizes_over_six_programs"] = costs["six"] / sum(costs[size] for size in _SIZES)
    figures["six_sizes_without_history_over_one"] = costs["six_without_history"] / costs[_SIZES[-1]]
    figures["six_sizes.plans_and_agreements"] = 1e3 * statistics.median(one["between_s"] for one in sizes["six"])
    figures["six_sizes.cost"] = 1e3 * costs["six"]
    judge.write({"solvers": solvers, "sizes": sizes}, figures)


if __name__ == "__main__":
    main()
