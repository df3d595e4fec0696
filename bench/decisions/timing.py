# set-up: build
# built first: solver3d lattice_boltzmann
# in make check
"""Which timing technique predicts a program's own time: ``make bench NAME=timing`` (thesis section 6.3).

Verification runs give the true times: whole programs with one codelet preselected, three runs of each. A timing
technique measures the same codelets in a brute-force search in the program, also three times. An error is a pair of
codelets that the technique ranks in the opposite order to the verification runs. Its size is the difference between the
verification runs of the two codelets, in percent of the fastest run. Pairs with overlapping verification runs have no
order and no error. The figures of a setting and a technique are means over the three searches:

- ``largest_error``: size of the largest error of all pairs, from the mean verification runs (Fig. 6.7); its range comes
  from the smallest and the largest difference between two verification runs.
- ``sum_of_errors``: sum of the sizes over all pairs (Fig. 6.8), with its range.
- ``loss_of_choice``: time of the program with the codelet that the technique ranks first, divided by its time with the
  best codelet.

The techniques are ``arrival``, ``nobarrier``, ``barrier`` and ``interval`` of ADCL_TIMING, and ``timer``, an ADCL_Timer
around each iteration. The codelets of a setting are every second codelet in the order of a first search, from the
fastest on, so that some have similar times and others do not.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

from adcl.evaluate import Runs, instability, loss_percent, ranking_error
from bench._form import Figures, effort
from bench._programs import measured, run_solver
from bench.decisions._runner import Judge, preselected, run_rounds

__all__ = ["main"]

_FIGURES = ("largest_error", "sum_of_errors", "loss_of_choice")
_ENDS = ("_low", "", "_high")
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


def _run(judge: Judge, setting: _Setting, *words: str, **options: str) -> dict[str, Any]:
    given = {"MONITOR": "0", **options}
    return run_solver(judge.arguments.build, setting.program, setting.size, setting.iterations, *words, options=given)


def _search(judge: Judge, setting: _Setting, technique: str, codelets: str) -> dict[str, float]:
    words: tuple[str, ...] = ()
    options = {"SEARCH": "brute_force", "MEASUREMENTS": str(_MEASUREMENTS), **preselected(codelets)}
    if technique != "timer":
        options["TIMING"] = technique
    else:
        words = ("--exchange", "adcl-timer") if setting.program == "solver3d" else ("--timer",)
    return measured(_run(judge, setting, *words, **options))


def _measure(judge: Judge, setting: _Setting) -> tuple[dict[str, Runs], dict[str, list[dict[str, float]]]]:
    """Return the verification runs of each codelet, and the estimates of each technique."""
    ranked = measured(_run(judge, setting, SEARCH="brute_force", MEASUREMENTS="5"))
    names = list(ranked)[: 2 * _COUNT : 2]

    def measure(kind: str) -> Any:
        if kind in _TECHNIQUES:
            return _search(judge, setting, kind, ",".join(names))
        return float(_run(judge, setting, **preselected(kind))["seconds"]["total"])

    rounds = run_rounds([*names, *_TECHNIQUES], measure, judge.arguments.runs, judge.chance)
    verified = {name: Runs(tuple(one[name] for one in rounds)) for name in names}
    return verified, {technique: [one[technique] for one in rounds] for technique in _TECHNIQUES}


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
    judge = Judge(
        __doc__,
        seed=20130618,
        runs=(effort(3, 1), "of each codelet and each search"),
        only=("", "settings whose names start with this"),
    )
    judge.begin()
    found: dict[str, dict[str, Any]] = {}
    settings: dict[str, Any] = {}
    for setting in judge.chosen(effort(_SETTINGS, _SHORT)):
        verified, searches = _measure(judge, setting)
        found |= _figures_of(setting, verified, searches)
        unstable = statistics.mean(instability(verified).values())
        losses = {name: loss_percent(name, verified) for name in verified}
        settings[setting.name] = {"instability": unstable, "verification_percent": losses}
        print(f"{setting.name}: instability {unstable:.2f}", flush=True)
        for technique in _TECHNIQUES:
            values = [f"{name} {found[f'{name}.{technique}.{setting.name}']['value']:6.2f} %" for name in _FIGURES]
            print(f"  {technique:10} {'  '.join(values)}", flush=True)
    figures: Figures = dict(found)
    for technique in _TECHNIQUES:
        for name in _FIGURES:
            some = [one["value"] for key, one in found.items() if key.startswith(f"{name}.{technique}.")]
            figures[f"{name}.{technique}"] = {"value": statistics.mean(some)}
    judge.write({"runs": judge.arguments.runs, "measurements": _MEASUREMENTS, "settings": settings}, figures)


if __name__ == "__main__":
    main()
