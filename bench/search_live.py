# set-up: build
# built first: live_exchange
"""What a search costs and finds in programs that run: ``make bench NAME=search_live``.

Halos of blocks of 8 to 128 points per side on two ranks, with contiguous and with strided faces, in programs of 200,
2000 and 20,000 exchanges. Each run is a program of its own, which does all exchanges in several ways, one after the
other in a random order: plain derived types, the default search, brute force, and the codelet that was the fastest of
all when each was measured in turns before. Making and freeing what an exchange needs is counted.

- ``time_over_plain``: the default search's time over the plain one's; the median of the runs of a setting.
- ``time_over_best``: over the best codelet's.
- ``lost_over_brute_force``: what the default search lost to the best codelet, over what brute force lost; sums over
  all runs.
- ``regret``: how much longer than the best codelet the one takes that runs at the end, by the measurements in turns.
- ``same_winner_or_tie``: runs of a setting whose last codelet is the one of most runs, or within 2 % of it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["main"]

_SECONDS = 500.0
"""For one program."""
_TIE = 1.02
_DEFAULT = "search=model"
_BRUTE = "search=brute_force"


@dataclass(frozen=True)
class _Shape:
    points: int
    faces: str

    @property
    def name(self) -> str:
        return f"{self.points}.{self.faces}"


@dataclass
class _Setting:
    """The runs of a shape with a number of starts."""

    starts: int
    best: str
    codelets: dict[str, float]
    runs: list[dict[str, dict[str, Any]]] = field(default_factory=list)

    def ratio(self, ours: str, theirs: str) -> float:
        return float(statistics.median(run[ours]["seconds"] / run[theirs]["seconds"] for run in self.runs))

    def lost(self, kind: str) -> float:
        return float(sum(run[kind]["seconds"] - run[f"codelet={self.best}"]["seconds"] for run in self.runs))

    def regrets(self) -> list[float]:
        return [self.codelets[run[_DEFAULT]["last"]] / self.codelets[self.best] - 1.0 for run in self.runs]

    def losses_to_first(self) -> list[float]:
        first_s = next(iter(self.codelets.values()))
        return [self.codelets[run[_DEFAULT]["last"]] / first_s - 1.0 for run in self.runs]

    def alike(self) -> list[bool]:
        usual = Counter(run[_DEFAULT]["last"] for run in self.runs).most_common(1)[0][0]
        times = [self.codelets[run[_DEFAULT]["last"]] / self.codelets[usual] for run in self.runs]
        return [1.0 / _TIE <= ratio <= _TIE for ratio in times]


def _run(build: Path, shape: _Shape, starts: int, kinds: list[str]) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ADCL_")}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [str(build / "launch"), "2", str(build / "bin" / "live_exchange"), str(shape.points), shape.faces]
        command += [str(starts), str(report), *kinds]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} failed: {done.stderr.strip()}")
        return dict(json.loads(report.read_text())["context"]["results"])


def _codelets(build: Path, shape: _Shape, times: int) -> dict[str, float]:
    """The median over some programs of each codelet's time."""
    results = [_run(build, shape, 1, ["codelets"])["codelets"] for _ in range(times)]
    return {name: statistics.median(result[name] for result in results) for name in results[0]}


def _figures(settings: dict[str, _Setting]) -> list[dict[str, Any]]:
    figures: list[dict[str, Any]] = []

    def add(name: str, value: float, unit: str, target: float | None) -> None:
        figures.append({"name": name, "value": value, "unit": unit, "target": target})

    for name, setting in settings.items():
        target = 1.02 if setting.starts >= 2000 else None
        add(f"time_over_plain.{name}", setting.ratio(_DEFAULT, "plain"), "ratio", target)
        add(f"time_over_best.{name}", setting.ratio(_DEFAULT, f"codelet={setting.best}"), "ratio", None)
    for starts in sorted({setting.starts for setting in settings.values()}):
        some = [setting for setting in settings.values() if setting.starts == starts]
        ratios = [setting.ratio(_DEFAULT, "plain") for setting in some]
        add(f"time_over_plain.geometric_mean.{starts}", math.exp(statistics.mean(map(math.log, ratios))), "ratio", 0.7)
        add(f"time_over_plain.worst.{starts}", max(ratios), "ratio", 1.02 if starts >= 2000 else None)
        lost = sum(setting.lost(_DEFAULT) for setting in some)
        add(f"lost_over_brute_force.{starts}", lost / sum(setting.lost(_BRUTE) for setting in some), "ratio", 0.15)
        regrets = [regret for setting in some for regret in setting.regrets()]
        add(f"regret_percent.{starts}", 100.0 * statistics.mean(regrets), "percent", 2.0)
        within = [regret <= _TIE - 1.0 for regret in regrets]
        add(f"winner_within_2_percent.{starts}", statistics.mean(within), "ratio", 0.95)
        alike = [one for setting in some for one in setting.alike()]
        add(f"same_winner_or_tie.{starts}", statistics.mean(alike), "ratio", 0.95)
        losses = [loss for setting in some for loss in setting.losses_to_first()]
        add(f"worst_loss_vs_first_percent.{starts}", 100.0 * max(losses), "percent", 2.0)
    return figures


def main() -> None:
    """Runs every setting and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--points", type=int, nargs="*", default=[8, 16, 32, 64, 128])
    parser.add_argument("--starts", type=int, nargs="*", default=[200, 2000, 20000])
    parser.add_argument("--longest", type=float, default=60.0, help="seconds of a program with plain exchanges")
    arguments = parser.parse_args()
    chance = random.Random(20130910)  # noqa: S311
    begun = time.monotonic()
    settings: dict[str, _Setting] = {}
    left_out: list[str] = []
    for shape in (_Shape(points, faces) for points in arguments.points for faces in ("contiguous", "strided")):
        codelets = _codelets(arguments.build, shape, 3)
        best = min(codelets, key=codelets.__getitem__)
        for starts in arguments.starts:
            name = f"{shape.name}.{starts}"
            if 4.0 * starts * next(iter(codelets.values())) > arguments.longest:
                left_out.append(name)
                continue
            setting = settings[name] = _Setting(starts, best, codelets)
            kinds = ["plain", _DEFAULT, _BRUTE, f"codelet={best}"]
            for _ in range(arguments.runs):
                chance.shuffle(kinds)
                setting.runs.append(_run(arguments.build, shape, starts, kinds))
            ours, theirs = (setting.ratio(_DEFAULT, other) for other in ("plain", f"codelet={best}"))
            regret = 100.0 * statistics.mean(setting.regrets())
            print(f"{name:24} over plain {ours:.3f}  over {best} {theirs:.3f}  regret {regret:.1f} %", flush=True)
    if not settings:
        parser.error("no setting is left")
    context = {
        "ranks": 2,
        "runs": arguments.runs,
        "machine": platform.processor() or platform.machine(),
        "seconds": time.monotonic() - begun,
        "left_out_as_too_long": left_out,
        "settings": {
            name: {"best": setting.best, "last": dict(Counter(run[_DEFAULT]["last"] for run in setting.runs))}
            for name, setting in settings.items()
        },
    }
    arguments.output.write_text(json.dumps({"context": context, "figures": _figures(settings)}, indent=1) + "\n")


if __name__ == "__main__":
    main()
