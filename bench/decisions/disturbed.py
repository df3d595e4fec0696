# set-up: build
# built first: live_exchange
"""Searches and production on a machine that is disturbed for five seconds: ``make bench NAME=disturbed``.

A halo exchange of two ranks runs for some seconds with the default options. A process that only computes keeps one core
busy: from the start, so that the whole search is disturbed, or from the start of production. There are also many runs
on the quiet machine.

- ``winner_of_the_quiet_machine``: share of runs that end with the codelet with which most runs on the quiet machine
  end, or with one within 2 % of the fastest when the same program then measures all codelets in turns, undisturbed: the
  location of a program's memory can make another codelet the fastest.
- ``reopened_where_nothing_changes``: number of runs on the quiet machine that withdrew a decision.
"""

from __future__ import annotations

import re
import statistics
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench._form import TIE, Figures, command_line, effort, write
from bench.decisions._live_exchange import busy, exchange

__all__ = ["main"]

_LOAD = effort(5.0, 0.1)
_KINDS = effort({"search": (0.0, 10.0), "production": (4.0, 14.0)}, {"search": (0.0, 0.2)})
"""Begin of the load, and end of the program, in seconds."""


def _run(build: Path, points: int, kind: str, *, measures: bool = False) -> dict[str, Any]:
    """Return one program's result, its number of withdrawn decisions, and, with `measures`, all codelets' times."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.txt"
        kinds = [kind, *(["codelets"] if measures else [])]
        results = exchange(build, points, "contiguous", 1, kinds, limit_s=60.0, REPORT=str(report))
        found = dict(results[kind])
        if measures:
            found["codelets"] = results["codelets"]
        times = re.search(r"reopened (\d+)\s+times?", report.read_text()) if report.exists() else None
        found["reopened"] = int(times[1]) if times else 0
        return found


def _disturbed(build: Path, points: int, kind: str) -> dict[str, Any]:
    begins, ends = _KINDS[kind]
    over = threading.Event()

    def disturb() -> None:
        if not over.wait(begins):
            with busy(seconds=_LOAD, on_first_core=True):
                over.wait()

    disturber = threading.Thread(target=disturb)
    disturber.start()
    try:
        return _run(build, points, f"during={ends}", measures=True)
    finally:
        over.set()
        disturber.join()


def main() -> None:
    """Run all programs and write the figures."""
    parser = command_line(__doc__)
    parser.add_argument("--points", type=int, default=16)
    parser.add_argument("--runs", type=int, default=effort(10, 1), help="runs with each kind of disturbance")
    parser.add_argument("--quiet", type=int, default=effort(50, 1), help="runs without disturbance")
    parser.add_argument("--seconds", type=float, default=effort(2.0, 0.2), help="seconds of a run without disturbance")
    arguments = parser.parse_args()
    begun = time.monotonic()
    quiet = [_run(arguments.build, arguments.points, f"during={arguments.seconds}") for _ in range(arguments.quiet)]
    usual = Counter(one["last"] for one in quiet).most_common(1)[0][0]
    reopened = sum(one["reopened"] > 0 for one in quiet)
    print(f"quiet: {dict(Counter(one['last'] for one in quiet))}, reopened in {reopened} of {len(quiet)}", flush=True)
    figures: Figures = {"reopened_where_nothing_changes": reopened}
    results: dict[str, Any] = {"quiet": quiet}
    for kind in _KINDS:
        runs = results[kind] = [_disturbed(arguments.build, arguments.points, kind) for _ in range(arguments.runs)]
        ratios = [run["codelets"][run["last"]] / min(run["codelets"].values()) for run in runs]
        same = [ratio <= 1.0 + TIE or run["last"] == usual for ratio, run in zip(ratios, runs, strict=True)]
        right = statistics.fmean(same)
        told = [(run["last"], f"{ratio:.2f}", run["reopened"]) for ratio, run in zip(ratios, runs, strict=True)]
        print(f"{kind}: {told}: {right:.2f}", flush=True)
        figures[f"winner_of_the_quiet_machine.{kind}"] = right
    context = {
        "ranks": 2,
        "points": arguments.points,
        "seconds": time.monotonic() - begun,
        "winner": usual,
        "results": results,
    }
    write(arguments.output, context, figures)


if __name__ == "__main__":
    main()
