# set-up: build
# built first: solver3d lattice_boltzmann
# in make check
"""Which timing technique predicts a program's own time: ``make bench NAME=timing`` (thesis section 6.3).

The reference is verification runs: whole programs with one codelet preselected, three runs of each. A timing technique
measures the same codelets in a brute-force search inside the program, also three times. If a technique ranks two
codelets in the opposite order to the verification runs, this is an error, weighted by the difference of the
verification runs in percent of the fastest. Pairs whose verification runs overlap have no order and no error. Per
setting and technique, means over the three searches:

- ``largest_error``: largest error of all pairs by average verification runs (Fig. 6.7); its range uses the smallest and
  the largest difference between verification runs.
- ``sum_of_errors``: of all pairs (Fig. 6.8), with its range.
- ``loss_of_choice``: excess time of the program with the codelet that the technique ranks first over the program with
  the best codelet.

Techniques: ``arrival``, ``nobarrier``, ``barrier`` and ``interval`` of ADCL_TIMING, and ``timer``, an ADCL_Timer around
each iteration. The codelets of a setting are every second one of the fastest codelets of a first search, so that some
times are similar and others differ.
"""

from __future__ import annotations

import random
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcl.evaluate import Runs, instability, loss_percent, ranking_error
from bench._form import command_line, effort, write
from bench._programs import measured, run_solver

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["main"]

_RANKS = 2
_ENDS = ("_low", "", "_high")
_SECONDS = 120.0
"""Time limit of a run, which takes a few seconds at most."""
_COUNT = effort(6, 2)
"""Number of codelets of a setting."""
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


def _run(build: Path, setting: _Setting, exchange: list[str], **options: str) -> dict[str, Any]:
    return run_solver(
        build, setting.program, setting.size, setting.iterations, *exchange, options={"MONITOR": "0", **options}
    )


def _search(build: Path, setting: _Setting, technique: str, codelets: str) -> dict[str, float]:
    exchange = []
    options = {"SEARCH": "brute_force", "MEASUREMENTS": str(_MEASUREMENTS), "CODELETS": codelets}
    if technique != "timer":
        options["TIMING"] = technique
    elif setting.program == "solver3d":
        exchange = ["--exchange", "adcl-timer"]
    else:
        exchange = ["--timer"]
    return measured(_run(build, setting, exchange, **options))


def _codelets(build: Path, setting: _Setting) -> list[str]:
    ranked = measured(_run(build, setting, [], SEARCH="brute_force", MEASUREMENTS="5"))
    return list(ranked)[: 2 * _COUNT : 2]


def _measure(
    build: Path, setting: _Setting, runs: int, chance: random.Random
) -> tuple[dict[str, Runs], dict[str, list[dict[str, float]]]]:
    """Return the verification runs of each codelet, and the estimates of each technique."""
    names = _codelets(build, setting)
    both = "neighborhood:" + ",".join(names)
    work = [("verify", name) for name in names] + [("search", technique) for technique in _TECHNIQUES]
    verified: dict[str, list[float]] = {name: [] for name in names}
    searches: dict[str, list[dict[str, float]]] = {technique: [] for technique in _TECHNIQUES}
    for _ in range(runs):
        chance.shuffle(work)
        for kind, name in work:
            if kind == "verify":
                report = _run(build, setting, [], CODELETS=f"neighborhood:{name}")
                verified[name].append(float(report["seconds"]["total"]))
            else:
                searches[name].append(_search(build, setting, name, both))
    return {name: Runs(tuple(times)) for name, times in verified.items()}, searches


def _figures_of(
    setting: _Setting, verified: dict[str, Runs], searches: dict[str, list[dict[str, float]]]
) -> dict[str, dict[str, Any]]:
    figures: dict[str, dict[str, Any]] = {}
    for technique, found in searches.items():
        errors = [one for estimates in found if (one := ranking_error(verified, estimates)) is not None]
        for name, key in (("largest_error", "worst"), ("sum_of_errors", "sum")):
            low, mean, high = (statistics.mean(getattr(one, f"{key}{end}") for one in errors) for end in _ENDS)
            figures[f"{name}.{technique}.{setting.name}"] = {"value": mean, "interval": [low, high]}
        losses = [loss_percent(min(estimates, key=estimates.__getitem__), verified) for estimates in found]
        known = [loss for loss in losses if loss is not None]
        figures[f"loss_of_choice.{technique}.{setting.name}"] = {"value": statistics.mean(known)}
    return figures


def main() -> None:
    """Measure every setting and write the figures."""
    parser = command_line(__doc__)
    parser.add_argument("--runs", type=int, default=effort(3, 1), help="runs of each codelet and each search")
    parser.add_argument("--only", default="", help="settings whose names begin with this text")
    arguments = parser.parse_args()
    chance = random.Random(20130618)  # noqa: S311
    begun = time.monotonic()
    figures: dict[str, dict[str, Any]] = {}
    settings: dict[str, Any] = {}
    for setting in (one for one in effort(_SETTINGS, _SHORT) if one.name.startswith(arguments.only)):
        verified, searches = _measure(arguments.build, setting, arguments.runs, chance)
        mine = _figures_of(setting, verified, searches)
        unstable = statistics.mean(instability(verified).values())
        figures |= mine
        settings[setting.name] = {
            "instability": unstable,
            "verification_percent": {name: loss_percent(name, verified) for name in verified},
        }
        print(f"{setting.name}: instability {unstable:.2f}", flush=True)
        for technique in _TECHNIQUES:
            some = [one["value"] for name, one in mine.items() if f".{technique}." in name]
            print(f"  {technique:10} largest {some[0]:6.2f} %  sum {some[1]:6.2f} %  loss {some[2]:5.2f} %", flush=True)
    if not settings:
        parser.error(f"no setting's name begins with {arguments.only!r}")
    for technique in _TECHNIQUES:
        for name in ("largest_error", "sum_of_errors", "loss_of_choice"):
            some = [one["value"] for key, one in figures.items() if key.startswith(f"{name}.{technique}.")]
            figures[f"{name}.{technique}"] = {"value": statistics.mean(some)}
    context = {
        "ranks": _RANKS,
        "runs": arguments.runs,
        "measurements": _MEASUREMENTS,
        "seconds": time.monotonic() - begun,
        "settings": settings,
    }
    write(arguments.output, context, figures)


if __name__ == "__main__":
    main()
