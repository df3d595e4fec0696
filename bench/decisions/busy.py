# set-up: build
# built first: live_exchange
"""Exchanges, searches and production on cores that other programs also use: ``make bench NAME=busy``.

Two ranks on two cores exchange the halo of a cube. The other programs only compute and never wait.

Cost: 0, 1, 2 or 4 other processes run during the whole program. Programs with exchanges of plain derived types, with
one codelet preselected, and with the default search run in random order.

- ``KIND.over_plain.N``: time of the program divided by the time of plain exchanges in the same round, with N other
  processes; median over the rounds. The target is 1: a codelet that waits without MPI must not lose the core more often
  than MPI does.
- ``plain_s.N``: time of the plain exchanges in seconds.

Decision: the program runs for some seconds with the default options, and another process keeps one core busy for five
seconds: from the start, which disturbs the whole search, or from the start of production. The same program also runs
many times alone, on the quiet machine.

- ``winner_of_the_quiet_machine``: share of runs that end with the most frequent codelet of the quiet machine, or with
  a codelet that is within 2 % of the fastest when the same program then measures all codelets without the other
  process: the memory addresses of a program can make another codelet the fastest.
- ``reopened_where_nothing_changes``: number of runs on the quiet machine that withdrew a decision.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench._form import TIE, Figures, effort
from bench.decisions._runner import Judge, busy, exchange, median_ratio, run_rounds

if TYPE_CHECKING:
    import argparse

__all__ = ["main"]

_KINDS = {
    "plain": "plain",
    "codelet=Shm_window": "Shm_window",
    "codelet=Shm_joined": "Shm_joined",
    "search=model": "search",
}
"""Kinds of `live_exchange`, and their names in figures."""
_BUSY = effort((0, 1, 2, 4), (1,))
_LIMIT_S = 60.0
"""Time limit in seconds; in the rounds, a program that exceeds it counts with this time."""
_LOAD = effort(5.0, 0.1)
_DISTURBED = effort({"search": (0.0, 10.0), "production": (4.0, 14.0)}, {"search": (0.0, 0.2)})
"""Start of the load and end of the program, in seconds after the start of the program."""


def _costs(judge: Judge) -> Figures:
    """Compare the times of programs, for each number of other processes."""
    arguments = judge.arguments

    def seconds(kind: str) -> float:
        try:
            found = exchange(
                arguments.build, arguments.points, "contiguous", arguments.starts, [kind], limit_s=_LIMIT_S
            )
        except subprocess.TimeoutExpired:
            return _LIMIT_S
        return float(found[kind]["seconds"])

    figures: Figures = {}
    for count in _BUSY:
        with busy(count):
            rounds = run_rounds(list(_KINDS), seconds, arguments.rounds, judge.chance)
        medians = {kind: statistics.median(one[kind] for one in rounds) for kind in _KINDS}
        print(f"{count} busy processes: " + ", ".join(f"{kind} {time:.3f} s" for kind, time in medians.items()))
        figures[f"plain_s.{count}"] = medians["plain"]
        for kind, name in list(_KINDS.items())[1:]:
            figures[f"{name}.over_plain.{count}"] = median_ratio(rounds, kind, "plain", float)
    return figures


def _run(arguments: argparse.Namespace, seconds: float, *, measures: bool = False) -> dict[str, Any]:
    """Return a program's result, its number of withdrawn decisions, and, with `measures`, the times of all codelets."""
    kind = f"during={seconds}"
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.txt"
        kinds = [kind, *(["codelets"] if measures else [])]
        options = {"REPORT": str(report)}
        results = exchange(arguments.build, arguments.points, "contiguous", 1, kinds, limit_s=_LIMIT_S, options=options)
        found = {**results[kind], **{name: results[name] for name in kinds[1:]}}
        times = re.search(r"reopened (\d+)\s+times?", report.read_text()) if report.exists() else None
        return found | {"reopened": int(times[1]) if times else 0}


def _disturbed(arguments: argparse.Namespace, begins: float, ends: float) -> dict[str, Any]:
    over = threading.Event()

    def disturb() -> None:
        if not over.wait(begins):
            with busy(seconds=_LOAD, on_first_core=True):
                over.wait()

    disturber = threading.Thread(target=disturb)
    disturber.start()
    try:
        return _run(arguments, ends, measures=True)
    finally:
        over.set()
        disturber.join()


def _decisions(arguments: argparse.Namespace) -> tuple[Figures, dict[str, Any]]:
    """Compare the decisions of disturbed programs with those of the quiet machine; return figures and context."""
    quiet = [_run(arguments, arguments.seconds) for _ in range(arguments.quiet)]
    lasts = Counter(one["last"] for one in quiet)
    usual = lasts.most_common(1)[0][0]
    reopened = sum(one["reopened"] > 0 for one in quiet)
    print(f"quiet: {dict(lasts)}, reopened in {reopened} of {len(quiet)}", flush=True)
    figures: Figures = {"reopened_where_nothing_changes": reopened}
    results: dict[str, Any] = {"quiet": quiet}
    for kind, times in _DISTURBED.items():
        runs = results[kind] = [_disturbed(arguments, *times) for _ in range(arguments.runs)]
        ratios = [run["codelets"][run["last"]] / min(run["codelets"].values()) for run in runs]
        same = [ratio <= 1.0 + TIE or run["last"] == usual for ratio, run in zip(ratios, runs, strict=True)]
        figures[f"winner_of_the_quiet_machine.{kind}"] = statistics.fmean(same)
        told = [(run["last"], f"{ratio:.2f}", run["reopened"]) for ratio, run in zip(ratios, runs, strict=True)]
        print(f"{kind}: {told}: {statistics.fmean(same):.2f}", flush=True)
    return figures, {"winner": usual, "results": results}


def main() -> None:
    """Run all programs and write the figures."""
    judge = Judge(
        __doc__,
        seed=20261127,
        points=(16, "per side of the cube"),
        starts=(effort(5000, 50), "of a program whose time is compared"),
        rounds=(effort(7, 1), "for each number of other processes"),
        runs=(effort(10, 1), "of each kind of disturbance"),
        quiet=(effort(50, 1), "runs on the quiet machine"),
        seconds=(effort(2.0, 0.2), "of a run on the quiet machine"),
    )
    arguments = judge.begin()
    context = {name: getattr(arguments, name) for name in ("points", "starts", "rounds")}
    quiet, found = _decisions(arguments)
    judge.write(context | found, _costs(judge) | quiet)


if __name__ == "__main__":
    main()
