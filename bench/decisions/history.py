# set-up: build
# built first: solver3d live_sizes
"""What a program gains from what earlier ones have learned: ``make bench NAME=history``.

``solver3d`` runs with an empty folder as ``ADCL_HISTORY``, which its search fills. Then, each with a copy of that
folder, the same program again and one of a neighboring size, in turns with programs that have one codelet preselected:
the winner, and those that the search found nearest to it.

- ``measurements_until_production``: of the run that took most, from its trace; runs of their own. Starts that are not
  measured come to these: the first three, and those until the ranks have agreed.
- ``over_best_preselected``: the program's time over that with the best codelet preselected, median over the rounds.
- ``over_best_by_exchanges``: the same with the medians of what the two spent in exchanges as the only difference. The
  programs are the same but for their exchanges, and what they compute takes some percent more or less from run to run.

``live_sizes`` exchanges halos of six sizes in turns. What its searches cost is what the library's report says: how much
more their starts, plans and agreements took than as many starts of the winners.

- ``six_sizes_over_one``: that cost over the cost in a program of the largest size alone, medians over the rounds; and
  over the sum of six programs of a size each.
- ``six_sizes_without_history_over_one``: the same with ``ADCL_HISTORY=off``, so that no search knows of another.
- ``six_sizes.plans_and_agreements``: what of the time of the six searches is neither operations of the winner nor of
  others, in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench._form import effort, write

__all__ = ["main"]

_SECONDS = 120.0
_SIZES = effort(("8", "12", "16", "24", "32", "48"), ("8", "12"))
_SOLVERS = effort(
    (("second_run", "32x32x32", "32x32x32", 5000), ("neighboring_size", "32x32x32", "40x40x40", 3500)),
    (("second_run", "8x8x8", "8x8x8", 1000),),
)


def _run(build: Path, command: list[str], **options: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ADCL_")}
    environment |= {f"ADCL_{name}": value for name, value in options.items()}
    full = [str(build / "launch"), "2", *command]
    done = subprocess.run(full, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(full)} failed: {done.stderr.strip()}")


def _solver(build: Path, size: str, iterations: int, **options: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [str(build / "bin" / "solver3d"), "--size", size, "--quiet", "--iterations", str(iterations)]
        _run(build, [*command, "--exchange", "adcl", "--json", str(report)], **options)
        return dict(json.loads(report.read_text()))


def _measured(build: Path, size: str, history: Path, scratch: Path) -> int:
    """Measurements until the first decision of a run, which is made longer until there is one."""
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


def _nearest(tuning: dict[str, Any], count: int) -> list[str]:
    """The winner and the candidates that the search found nearest to it."""
    known = [one for one in tuning["candidates"] if one["measurements"] and one["filtered_mean_s"] > 0]
    names = [one["name"] for one in sorted(known, key=lambda one: float(one["filtered_mean_s"]))]
    return list(dict.fromkeys([tuning["winner"], *names]))[:count]


def _solvers(build: Path, runs: int, chance: random.Random) -> dict[str, dict[str, Any]]:
    """Of the same and of a neighboring size: starts and measurements until production, and the rounds' seconds."""
    result = {}
    for what, learnt, size, iterations in _SOLVERS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "learnt"
            first = _solver(build, learnt, 1000, HISTORY=str(folder))["tuning"]
            reference = first if learnt == size else _solver(build, size, iterations, HISTORY="off")["tuning"]
            kinds = {"history": "", **{name: name for name in _nearest(reference, 3)}}
            kinds.setdefault(first["winner"], first["winner"])
            rounds: list[dict[str, float]] = []
            exchanges: list[dict[str, float]] = []
            tunings = []
            measured = []
            for number in range(runs):
                seconds = {}
                in_exchanges = {}
                for kind in chance.sample(sorted(kinds), len(kinds)):
                    if kind == "history":
                        copy = Path(scratch) / f"copy{number}"
                        shutil.copytree(folder, copy)
                        measured.append(_measured(build, size, folder, Path(scratch)))
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
            "measured": measured,
            "production": sum(one["state"] == "production" for one in tunings),
            "winners": dict(winners),
            "best": best,
            "over_best": ratio,
            "over_best_by_exchanges": by_exchanges,
            "rounds": rounds,
            "exchanges": exchanges,
        }
        print(f"{what}: first run {first['searching_starts']} starts, then {starts}", end="")
        print(f", {measured} measured; {dict(winners)}", end="")
        print(f"; over {best} preselected {ratio:.3f}, by exchanges {by_exchanges:.3f}", flush=True)
    return result


_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_COST = re.compile(
    r"and ([0-9.]+) (ns|us|ms|s) in plans and agreements between them, on rank 0; "
    r"([0-9.]+) (ns|us|ms|s) (more|less) than the same number of starts of the winner"
)


def _costs(report: str) -> list[tuple[float, float]]:
    """What each search cost, and its plans and agreements, in seconds, by the library's report."""
    found = _COST.findall(" ".join(report.split()))
    return [
        (float(cost) * _UNITS[unit] * (1.0 if sign == "more" else -1.0), float(between) * _UNITS[unit_between])
        for between, unit_between, cost, unit, sign in found
    ]


def _sizes(build: Path, runs: int, cycles: int, chance: random.Random) -> dict[str, list[dict[str, Any]]]:
    """Of all sizes in one program, and of each in a program of its own, what the runs took."""
    kinds = {"six": _SIZES, "six_without_history": _SIZES, **{size: (size,) for size in _SIZES}}
    result: dict[str, list[dict[str, Any]]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as scratch:
        document, report = Path(scratch) / "sizes.json", Path(scratch) / "report"
        for _ in range(runs):
            for kind in chance.sample(sorted(kinds), len(kinds)):
                command = [str(build / "bin" / "live_sizes"), str(cycles), str(document)]
                options = {"HISTORY": "off"} if kind == "six_without_history" else {}
                _run(build, [*command, *kinds[kind]], REPORT=str(report), **options)
                told = json.loads(document.read_text())["context"]
                costs = _costs(report.read_text())
                if len(costs) != len(kinds[kind]):
                    sys.exit(f"the report of {len(kinds[kind])} sizes tells the costs of {len(costs)}")
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
    """Runs all programs and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=effort(10, 1))
    parser.add_argument("--cycles", type=int, default=2000, help="of the program with several sizes")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    arguments = parser.parse_args()
    begun = time.monotonic()
    print(f"seed {arguments.seed}", flush=True)
    chance = random.Random(arguments.seed)  # noqa: S311
    sizes = _sizes(arguments.build, arguments.runs, arguments.cycles, chance)
    solvers = _solvers(arguments.build, arguments.runs, chance)
    figures: list[dict[str, Any]] = []

    def add(name: str, value: float, unit: str, target: float | None) -> None:
        figures.append({"name": name, "value": value, "unit": unit, "target": target})

    for what, told in solvers.items():
        add(f"{what}.measurements_until_production", max(told["measured"]), "measurements", 5)
        add(f"{what}.starts_until_production", max(told["starts"]), "starts", None)
        add(f"{what}.over_best_preselected", told["over_best"], "ratio", 1.01)
        add(f"{what}.over_best_by_exchanges", told["over_best_by_exchanges"], "ratio", 1.01)
    costs = {kind: statistics.median(one["cost_s"] for one in told) for kind, told in sizes.items()}
    singles = [costs[size] for size in _SIZES]
    add("six_sizes_over_one", costs["six"] / costs[_SIZES[-1]], "ratio", 1.5)
    add("six_sizes_over_six_programs", costs["six"] / sum(singles), "ratio", None)
    add("six_sizes_without_history_over_one", costs["six_without_history"] / costs[_SIZES[-1]], "ratio", None)
    between = statistics.median(one["between_s"] for one in sizes["six"])
    add("six_sizes.plans_and_agreements", 1e3 * between, "ms", None)
    add("six_sizes.cost", 1e3 * costs["six"], "ms", None)
    context = {
        "ranks": 2,
        "machine": platform.processor() or platform.machine(),
        "seed": arguments.seed,
        "seconds": time.monotonic() - begun,
        "solvers": solvers,
        "sizes": sizes,
    }
    write(arguments.output, context, figures)


if __name__ == "__main__":
    main()
