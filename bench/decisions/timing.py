# set-up: build
# built first: solver3d lattice_boltzmann
"""Which timing technique predicts a program's own time: ``make bench NAME=timing`` (thesis section 6.3).

The truth are verification runs: whole programs with one codelet preselected, three runs of each. A timing technique
measures the same codelets in a brute-force search inside of the program, also three times. Codelets that a technique
ranks the other way round than the verification runs do are an error of the weight by which these differ, in percent of
the fastest; pairs whose verification runs overlap have no order and no error. Per setting and technique, means over the
three searches:

- ``largest_error``: of the average verification runs, the largest of all pairs (Fig. 6.7), with the same for the
  least and the greatest difference between verification runs as its range.
- ``sum_of_errors``: of all pairs (Fig. 6.8), with its range.
- ``loss_of_choice``: how much longer than with the best codelet the program takes with the one that the technique ranks
  first.

Techniques: ``arrival``, ``nobarrier``, ``barrier`` and ``interval`` of ADCL_TIMING, and ``timer``, an ADCL_Timer
around each iteration.
The codelets of a setting are every other one of those that a first search finds to be the fastest, so that some are
close to each other and some are not.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

from bench._form import effort, write

__all__ = ["main"]

_RANKS = 2
_SECONDS = 120.0
"""For one run, which takes a few at most."""
_COUNT = effort(6, 2)
"""Codelets of a setting."""
_MEASUREMENTS = 20
_TECHNIQUES = ("arrival", "nobarrier", "barrier", "interval", "timer")


@dataclass(frozen=True)
class _Setting:
    program: str
    size: str
    iterations: int

    @property
    def name(self) -> str:
        return f"{self.program}.{self.size}"


_SETTINGS = (
    _Setting("solver3d", "8x8x8", 20000),
    _Setting("solver3d", "16x16x16", 6000),
    _Setting("solver3d", "32x32x32", 800),
    _Setting("lattice_boltzmann", "8x8x8", 6000),
    _Setting("lattice_boltzmann", "16x16x16", 1000),
)
_SHORT = (_Setting("solver3d", "8x8x8", 500),)


@dataclass
class _Truth:
    """Times of the verification runs, by codelet."""

    seconds: dict[str, list[float]] = field(default_factory=dict)

    def percent(self, codelet: str, of: Any) -> float:
        best = min(of(times) for times in self.seconds.values())
        return 100.0 * (float(of(self.seconds[codelet])) - float(best)) / float(best)

    def overlap(self, one: str, other: str) -> bool:
        a, b = self.seconds[one], self.seconds[other]
        return not (min(a) > max(b) or max(a) < min(b))

    def weights(self, slower: str, faster: str) -> tuple[float, float, float]:
        """Least, average and greatest difference, where it is one."""
        if self.overlap(slower, faster):
            return 0.0, 0.0, 0.0
        average = self.percent(slower, statistics.mean) - self.percent(faster, statistics.mean)
        ends = (
            self.percent(slower, min) - self.percent(faster, max),
            self.percent(slower, max) - self.percent(faster, min),
        )
        return max(0.0, min(ends)), max(0.0, average), max(0.0, *ends)

    def errors(self, estimates: dict[str, float]) -> list[tuple[float, float, float]]:
        """Of all pairs that the estimates have the other way round."""
        return [
            self.weights(slower, faster)
            for slower, faster in permutations(self.seconds, 2)
            if estimates[slower] <= estimates[faster]
            and statistics.mean(self.seconds[slower]) > statistics.mean(self.seconds[faster])
        ]

    def loss(self, estimates: dict[str, float]) -> float:
        return self.percent(min(estimates, key=estimates.__getitem__), statistics.mean)

    def instability(self) -> float:
        """The mean over the codelets of how many of the others each could change places with."""
        names = list(self.seconds)
        return statistics.mean(self.overlap(one, other) for one, other in permutations(names, 2))


def _run(build: Path, setting: _Setting, exchange: list[str], **options: str) -> dict[str, Any]:
    """The program's report; the options are ADCL's, without their prefix."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ADCL_")}
    environment |= {f"ADCL_{name}": value for name, value in options.items()} | {"ADCL_MONITOR": "0"}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [str(build / "launch"), str(_RANKS), str(build / "bin" / setting.program), "--size", setting.size]
        command += ["--iterations", str(setting.iterations), *exchange, "--quiet", "--json", str(report)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} with {options} failed: {done.stderr.strip()}")
        return dict(json.loads(report.read_text()))


def _estimates(report: dict[str, Any]) -> dict[str, float]:
    return {
        one["name"]: float(one["filtered_mean_s"]) for one in report["tuning"]["candidates"] if one["measurements"] > 0
    }


def _search(build: Path, setting: _Setting, technique: str, codelets: str) -> dict[str, float]:
    exchange = []
    options = {"SEARCH": "brute_force", "MEASUREMENTS": str(_MEASUREMENTS), "CODELETS": codelets}
    if technique != "timer":
        options["TIMING"] = technique
    elif setting.program == "solver3d":
        exchange = ["--exchange", "adcl-timer"]
    else:
        exchange = ["--timer"]
    return _estimates(_run(build, setting, exchange, **options))


def _codelets(build: Path, setting: _Setting) -> list[str]:
    measured = _estimates(_run(build, setting, [], SEARCH="brute_force", MEASUREMENTS="5"))
    ranked = sorted(measured, key=measured.__getitem__)
    return ranked[: 2 * _COUNT : 2]


def _measure(build: Path, setting: _Setting, runs: int, chance: random.Random) -> tuple[_Truth, dict[str, Any]]:
    """The truth, and the searches of each technique."""
    names = _codelets(build, setting)
    both = "neighborhood:" + ",".join(names)
    work = [("verify", name) for name in names] + [("search", technique) for technique in _TECHNIQUES]
    truth = _Truth({name: [] for name in names})
    searches: dict[str, list[dict[str, float]]] = {technique: [] for technique in _TECHNIQUES}
    for _ in range(runs):
        chance.shuffle(work)
        for kind, name in work:
            if kind == "verify":
                report = _run(build, setting, [], CODELETS=f"neighborhood:{name}")
                truth.seconds[name].append(float(report["seconds"]["total"]))
            else:
                searches[name].append(_search(build, setting, name, both))
    return truth, searches


def _figures_of(setting: _Setting, truth: _Truth, searches: dict[str, Any]) -> list[dict[str, Any]]:
    figures = []
    for technique, found in searches.items():
        errors = [truth.errors(estimates) or [(0.0, 0.0, 0.0)] for estimates in found]
        largest = [[max(one[i] for one in run) for run in errors] for i in range(3)]
        total = [[sum(one[i] for one in run) for run in errors] for i in range(3)]
        for name, values in (("largest_error", largest), ("sum_of_errors", total)):
            figures.append(
                {
                    "name": f"{name}.{technique}.{setting.name}",
                    "value": statistics.mean(values[1]),
                    "unit": "percent",
                    "target": None,
                    "interval": [statistics.mean(values[0]), statistics.mean(values[2])],
                }
            )
        loss = statistics.mean(truth.loss(estimates) for estimates in found)
        figures.append(
            {
                "name": f"loss_of_choice.{technique}.{setting.name}",
                "value": loss,
                "unit": "percent",
                "target": None,
            }
        )
    return figures


def main() -> None:
    """Measures every setting and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=effort(3, 1), help="of each codelet and each search")
    parser.add_argument("--only", default="", help="settings whose names begin so")
    arguments = parser.parse_args()
    chance = random.Random(20130618)  # noqa: S311
    begun = time.monotonic()
    figures: list[dict[str, Any]] = []
    settings: dict[str, Any] = {}
    for setting in (one for one in effort(_SETTINGS, _SHORT) if one.name.startswith(arguments.only)):
        truth, searches = _measure(arguments.build, setting, arguments.runs, chance)
        mine = _figures_of(setting, truth, searches)
        figures += mine
        settings[setting.name] = {
            "instability": truth.instability(),
            "verification_percent": {name: truth.percent(name, statistics.mean) for name in truth.seconds},
        }
        print(f"{setting.name}: instability {truth.instability():.2f}", flush=True)
        for technique in _TECHNIQUES:
            some = [one["value"] for one in mine if f".{technique}." in one["name"]]
            print(f"  {technique:10} largest {some[0]:6.2f} %  sum {some[1]:6.2f} %  loss {some[2]:5.2f} %", flush=True)
    if not settings:
        parser.error(f"no setting's name begins with {arguments.only!r}")
    for technique in _TECHNIQUES:
        for name in ("largest_error", "sum_of_errors", "loss_of_choice"):
            some = [one["value"] for one in figures if one["name"].startswith(f"{name}.{technique}.")]
            figures.append(
                {"name": f"{name}.{technique}", "value": statistics.mean(some), "unit": "percent", "target": None}
            )
    context = {
        "ranks": _RANKS,
        "runs": arguments.runs,
        "measurements": _MEASUREMENTS,
        "machine": platform.processor() or platform.machine(),
        "seconds": time.monotonic() - begun,
        "settings": settings,
    }
    write(arguments.output, context, figures)


if __name__ == "__main__":
    main()
