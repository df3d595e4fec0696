"""Common parts of the benches of decisions: command line, rounds of programs in random order, ratios, and document."""

from __future__ import annotations

import contextlib
import math
import random
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, TypeVar

from bench._form import Figures, command_line, write
from bench._programs import FILE, run

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from bench._clusters import Named

    _N = TypeVar("_N", bound=Named)

__all__ = ["Judge", "Rounds", "busy", "exchange", "geometric_mean", "median_ratio", "preselected", "run_rounds"]

_T = TypeVar("_T")
Rounds = list[dict[str, _T]]
"""For each round, the result of each kind of program."""

_COMPUTES = """
import os, sys, time
if sys.argv[1] == "first":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    pass
"""


class Judge:
    """Runs a bench from its command line to its document. Options have the type of their default."""

    arguments: argparse.Namespace

    def __init__(self, about: str | None, *, seed: int | None = None, **options: tuple[Any, str]) -> None:
        """Read the command line. `options` are defaults and help texts; `only` adds the choice of settings."""
        self._parser = command_line(about)
        for name, (default, text) in options.items():
            kind = type(default[0] if isinstance(default, list) else default)
            count = "*" if isinstance(default, list) else None
            words = f"{text} (default: %(default)s)" if text else None
            self._parser.add_argument(f"--{name}", type=kind, nargs=count, default=default, help=words)
        fixed = random.SystemRandom().randrange(2**32) if seed is None else seed
        self._parser.add_argument("--seed", type=int, default=fixed, help="seed of the order of programs")
        self.add_argument, self.error = self._parser.add_argument, self._parser.error

    def begin(self) -> argparse.Namespace:
        """Return the arguments, and start the clock and the random numbers."""
        self.arguments = self._parser.parse_args()
        self.chance = random.Random(self.arguments.seed)  # noqa: S311
        self._begun = time.monotonic()
        print(f"seed {self.arguments.seed}", flush=True)
        return self.arguments

    def chosen(self, settings: Iterable[_N]) -> list[_N]:
        """Return the settings whose names start with the value of ``--only``. Ends the program if there are none."""
        found = [one for one in settings if one.name.startswith(self.arguments.only)]
        if not found:
            self.error(f"no setting's name starts with {self.arguments.only!r}")
        return found

    def write(self, context: Mapping[str, Any], figures: Figures) -> None:
        """Write the document."""
        seconds = time.monotonic() - self._begun
        own = {"ranks": 2, "seed": self.arguments.seed, "seconds": seconds}
        write(self.arguments.output, {**own, **context}, figures)


def run_rounds(
    kinds: Sequence[str], measure: Callable[[str], _T], count: int, chance: random.Random, *, seconds: float = 0.0
) -> Rounds[_T]:
    """Measure every kind once per round, in random order: at least `count` rounds, for at least `seconds` seconds."""
    begun = time.monotonic()
    rounds: Rounds[_T] = []
    while len(rounds) < count or time.monotonic() < begun + seconds:
        rounds.append({kind: measure(kind) for kind in chance.sample(kinds, len(kinds))})
    return rounds


def median_ratio(rounds: Rounds[_T], ours: str, theirs: str, number: Callable[[_T], float]) -> float:
    """Return the median over the rounds of the ratio of two kinds."""
    return float(statistics.median(number(one[ours]) / number(one[theirs]) for one in rounds))


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean."""
    return math.exp(statistics.fmean(map(math.log, values)))


def preselected(codelet: str) -> dict[str, str]:
    """Return the options that preselect a codelet of the halo exchange."""
    return {"CODELETS": f"neighborhood:{codelet}"}


def exchange(
    build: Path,
    points: int,
    faces: str,
    starts: int,
    kinds: Sequence[str],
    *,
    limit_s: float,
    options: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Run `live_exchange` on two ranks with each of the `kinds`. For options and errors, see `run`."""
    words = (str(points), faces, str(starts), FILE, *kinds)
    document = run(build, 2, "live_exchange", words, options, limit_s=limit_s)
    return dict(document["context"]["results"])


@contextlib.contextmanager
def busy(count: int = 1, *, seconds: float = 600.0, on_first_core: bool = False) -> Iterator[None]:
    """Run this number of computing processes in the background, for at most `seconds` seconds."""
    arguments = ["first" if on_first_core else "any", str(seconds)]
    processes = [subprocess.Popen([sys.executable, "-c", _COMPUTES, *arguments]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()
