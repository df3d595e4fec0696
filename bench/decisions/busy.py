# set-up: build
# built first: live_exchange
"""Exchanges on cores that other programs also use: ``make bench NAME=busy``.

Two ranks on two cores exchange the halo of a cube. At the same time 0, 1, 2 or 4 other processes compute without ever
waiting, like another job or an analysis. Programs with exchanges of plain derived types, with one codelet preselected,
and with the default search, take turns in random order.

- ``KIND.over_plain.N``: time of the program divided by the time of plain exchanges in the same round, with N computing
  processes; median of the rounds. Target 1: a codelet that waits without MPI must not lose the core more often than MPI
  does.
- ``plain_s.N``: seconds of the plain exchanges.
"""

from __future__ import annotations

import random
import statistics
import subprocess
from typing import TYPE_CHECKING

from bench._form import Figures, command_line, effort, write
from bench.decisions._live_exchange import busy, exchange

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["main"]

_KINDS = ("plain", "codelet=Shm_window", "codelet=Shm_joined", "search=model")
_BUSY = effort((0, 1, 2, 4), (1,))
_LIMIT_S = 60.0
"""Time limit; a program that exceeds it counts as this long."""


def _seconds(build: Path, points: int, starts: int, kind: str) -> float:
    """Return the seconds of one program's exchanges."""
    try:
        seconds: float = exchange(build, points, "contiguous", starts, [kind], limit_s=_LIMIT_S)[kind]["seconds"]
    except subprocess.TimeoutExpired:
        return _LIMIT_S
    return seconds


def main() -> None:
    """Run all programs and write the figures."""
    parser = command_line(__doc__)
    parser.add_argument("--points", type=int, default=16)
    parser.add_argument("--starts", type=int, default=effort(5000, 50))
    parser.add_argument("--rounds", type=int, default=effort(7, 1))
    parser.add_argument("--seed", type=int, default=20261127)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)  # noqa: S311
    print(f"seed {arguments.seed}")
    figures: Figures = {}
    for count in _BUSY:
        times: dict[str, list[float]] = {kind: [] for kind in _KINDS}
        with busy(count):
            for _ in range(arguments.rounds):
                for kind in rng.sample(_KINDS, len(_KINDS)):
                    times[kind].append(_seconds(arguments.build, arguments.points, arguments.starts, kind))
        print(
            f"{count} computing processes: " + ", ".join(f"{k} {statistics.median(t):.3f} s" for k, t in times.items())
        )
        plain = times["plain"]
        figures[f"plain_s.{count}"] = statistics.median(plain)
        for kind in _KINDS[1:]:
            ratio = statistics.median(one / other for one, other in zip(times[kind], plain, strict=True))
            name = kind.split("=")[1] if kind.startswith("codelet") else "search"
            figures[f"{name}.over_plain.{count}"] = ratio
    context = {
        "ranks": 2,
        "points": arguments.points,
        "starts": arguments.starts,
        "rounds": arguments.rounds,
        "seed": arguments.seed,
    }
    write(arguments.output, context, figures)


if __name__ == "__main__":
    main()
