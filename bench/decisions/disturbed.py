# set-up: build
# built first: live_exchange
"""Searches and production on a machine that is disturbed for five seconds: ``make bench NAME=disturbed``.

A halo exchange of two ranks runs for some seconds with the default options. Meanwhile a process that only computes
keeps one core busy for five seconds: from the start, which disturbs the whole search, or from the start of production.
The same program also runs many times without this process, on the quiet machine.

- ``winner_of_the_quiet_machine``: number of runs that end with the most frequent codelet of the quiet machine, or with
  a codelet that is within 2 % of the fastest when the same program then measures all codelets without the other
  process: the memory addresses of a program can make another codelet the fastest.
- ``reopened_where_nothing_changes``: number of runs on the quiet machine that withdrew a decision.
"""

from __future__ import annotations

import re
import statistics
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench._form import TIE, Figures, effort
from bench.decisions._runner import Judge, busy, exchange

if TYPE_CHECKING:
    import argparse

__all__ = ["main"]

_LOAD = effort(5.0, 0.1)
_KINDS = effort({"search": (0.0, 10.0), "production": (4.0, 14.0)}, {"search": (0.0, 0.2)})
"""Start of the load and end of the program, in seconds after the start of the program."""


def _run(arguments: argparse.Namespace, seconds: float, *, measures: bool = False) -> dict[str, Any]:
    """Return a program's result, its number of withdrawn decisions, and, with `measures`, the times of all codelets."""
    kind = f"during={seconds}"
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.txt"
        kinds = [kind, *(["codelets"] if measures else [])]
        options = {"REPORT": str(report)}
        results = exchange(arguments.build, arguments.points, "contiguous", 1, kinds, limit_s=60.0, options=options)
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


def main() -> None:
    """Run all programs and write the figures."""
    judge = Judge(
        __doc__,
        seed=0,
        points=(16, ""),
        runs=(effort(10, 1), "of each kind of disturbance"),
        quiet=(effort(50, 1), "runs without one"),
        seconds=(effort(2.0, 0.2), "of a run without one"),
    )
    arguments = judge.begin()
    quiet = [_run(arguments, arguments.seconds) for _ in range(arguments.quiet)]
    lasts = Counter(one["last"] for one in quiet)
    usual = lasts.most_common(1)[0][0]
    reopened = sum(one["reopened"] > 0 for one in quiet)
    print(f"quiet: {dict(lasts)}, reopened in {reopened} of {len(quiet)}", flush=True)
    figures: Figures = {"reopened_where_nothing_changes": reopened}
    results: dict[str, Any] = {"quiet": quiet}
    for kind, times in _KINDS.items():
        runs = results[kind] = [_disturbed(arguments, *times) for _ in range(arguments.runs)]
        ratios = [run["codelets"][run["last"]] / min(run["codelets"].values()) for run in runs]
        same = [ratio <= 1.0 + TIE or run["last"] == usual for ratio, run in zip(ratios, runs, strict=True)]
        figures[f"winner_of_the_quiet_machine.{kind}"] = statistics.fmean(same)
        told = [(run["last"], f"{ratio:.2f}", run["reopened"]) for ratio, run in zip(ratios, runs, strict=True)]
        print(f"{kind}: {told}: {statistics.fmean(same):.2f}", flush=True)
    judge.write({"points": arguments.points, "winner": usual, "results": results}, figures)


if __name__ == "__main__":
    main()
