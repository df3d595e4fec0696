# set-up: build
# built first: live_exchange
"""Exchanges on cores that other programs also use: ``make bench NAME=busy``.

Two ranks on two cores exchange the halo of a cube, while 0, 1, 2 or 4 other processes compute and never wait. Programs
with exchanges of plain derived types, with one codelet preselected, and with the default search run in random order.

- ``KIND.over_plain.N``: time of the program divided by the time of plain exchanges in the same round, with N computing
  processes; median over the rounds. The target is 1: a codelet that waits without MPI must not lose the core more often
  than MPI does.
- ``plain_s.N``: time of the plain exchanges in seconds.
"""

from __future__ import annotations

import statistics
import subprocess

from bench._form import Figures, effort
from bench.decisions._runner import Judge, busy, exchange, median_ratio, run_rounds

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
"""Time limit in seconds; a program that exceeds it counts with this time."""


def main() -> None:
    """Run all programs and write the figures."""
    judge = Judge(__doc__, seed=20261127, points=(16, ""), starts=(effort(5000, 50), ""), rounds=(effort(7, 1), ""))
    arguments = judge.begin()

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
    context = {name: getattr(arguments, name) for name in ("points", "starts", "rounds")}
    judge.write(context, figures)


if __name__ == "__main__":
    main()
