# set-up: build simulation openmpi4
# built first: live_decisions smpi/live_decisions
"""How good ADCL's decisions are on several machines: ``make bench NAME=decision_quality``.

Settings: halos of five sizes in shared memory (2 ranks) and on the emulated clusters `flat` and `hierarchical` (8
ranks, as root); an Alltoall of 4 KiB and of 64 KiB on `hierarchical`; halos and Alltoalls on the simulated clusters
`laki` and `shark` (32 ranks, 16 for the Alltoall), if SimGrid is installed. A note names the machines that are missing.
In each setting, verification runs measure every codelet, in three rounds and random order. Between them each search
decides with each statistical method and timing technique. The loss of a decision is the time of its codelet divided by
the time of the fastest codelet, from the verification runs.

In a round, slices of the verification runs of all codelets alternate. In shared memory a round is one program, and
its memory addresses determine which codelet is the fastest. There, a decision is compared with the verification runs of
the same round, by their medians, because other programs cause the stalls. On clusters codelets cause the stalls, so the
mean over all rounds counts, relative to all codelets of the round. Simulated clusters have the network of their
description; computing, packing and copying take as long as on this machine.

The quick form is the default and takes about a quarter of an hour; the runs of a setting share a program. It runs a
random selection of combinations, as many as fit into the time of a setting. ``BENCH_FORM=full`` measures longer, and
runs every combination three times.

- ``settings_within_2_percent``: settings in which the decision with the default search, method and technique has a loss
  of at most 2 %.
- ``settings_among_best_or_within_2_percent``: the same, or the verification runs of the chosen codelet overlap with
  those of the best codelet.
- ``worst_loss_vs_best_percent``: the largest loss with the defaults.
- ``worst_loss_vs_native_percent``: the largest loss relative to the native codelet.
- ``within_2_percent.SEARCH``, ``.METHOD``, ``.TECHNIQUE``: share of all decisions of a search, a method or a technique
  with a loss of at most 2 %.

``--only NAME`` selects the settings whose names start with NAME. Settings with results in the ``--state FOLDER`` are
not measured again.
"""

from __future__ import annotations

import contextlib
import functools
import os
import random
import shutil
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl.evaluate import Runs, loss_percent, winners
from adcl.launch import Placement
from adcl.testbed import on_cluster
from bench._clusters import measure_missing, results_of
from bench._form import FORM, TIE, Figures, effort
from bench._programs import FILE
from bench.decisions._runner import Judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["main"]

_TWO_SIDED = (
    "IsIr_aao,IsIr_pair,IsIr_aao_pack,IsIr_pair_pack,SIr_aao,SIr_pair,SIr_aao_pack,SIr_pair_pack,"
    "S_R_pair,Sr_pair,S_R_pair_pack,Sr_pair_pack"
)
"""Codelets of chapter 5 of the thesis. Between hosts, one-sided codelets are slow, and there is no shared memory."""

_SEARCHES = ("model", "brute_force", "hypothesis", "factorial")
_METHODS = ("none", "heuristic", "iqr", "cluster", "robust")
_TECHNIQUES = ("arrival", "nobarrier", "barrier")
_DEFAULT = ("model", "heuristic", "arrival")
_MEASUREMENTS = 10
_HOPELESS = 5.0
"""Ratio to the best codelet's time in a first measurement above which a codelet is excluded, in shared memory."""

_QUIETLY = ("--log=root.thres:warning", "--log=smpi_mpi.thres:error", "--log=smpi_pmpi.thres:error")
_SIMULATED = {
    "laki": ("--cfg=smpi/host-speed:11Gf", *_QUIETLY),
    "shark": ("--cfg=smpi/host-speed:4Gf", *_QUIETLY),
}
"""Options of smpirun: this machine is as fast as the hosts of the platform."""


@dataclass(frozen=True)
class _Setting:
    machine: str
    operation: str
    size: int
    ranks: int
    verify_s: float
    slices: int
    codelets: str

    @property
    def name(self) -> str:
        return f"{self.machine}.{self.operation}.{self.size}"


@dataclass(frozen=True)
class _Form:
    """Duration of the measurements."""

    rounds: int
    longest_s: float
    """Seconds of the tuned runs of a setting in all rounds."""

    scale: float
    """Factor for the duration of verification runs."""

    simulated: int
    """Number of tuned runs per round on simulated clusters, where one simulated second takes minutes of real time."""


_QUICK = _Form(rounds=3, longest_s=2.5, scale=1.0, simulated=3)
_FULL = _Form(rounds=3, longest_s=600.0, scale=10.0, simulated=25)
_SHORT = _Form(rounds=1, longest_s=0.0, scale=0.1, simulated=1)


def _settings() -> list[_Setting]:
    found = [_Setting("shared", "halo", size, 2, 0.06, 6, "all") for size in (8, 16, 32, 64, 96)]
    for machine in ("flat", "hierarchical"):
        seconds = 0.2 if machine == "flat" else 0.5
        found += [_Setting(machine, "halo", size, 8, seconds, 1, _TWO_SIDED) for size in (4, 8, 16, 32, 48)]
    found += [_Setting("hierarchical", "alltoall", size, 8, 0.4, 1, "all") for size in (4096, 65536)]
    for machine in _SIMULATED:
        found += [_Setting(machine, "halo", size, 32, 0.0005, 1, _TWO_SIDED) for size in (4, 8, 16, 32, 48)]
        found += [_Setting(machine, "alltoall", size, 16, 0.0005, 1, "all") for size in (4096, 65536)]
    return found


@contextlib.contextmanager
def _machine(name: str) -> Iterator[Placement]:
    if name == "shared":
        yield Placement()
        return
    options = _SIMULATED.get(name, ())
    with on_cluster(name, Placement(launcher_options=options), 8) as (placement, _):
        yield placement


def _program(build: Path, machine: str) -> Path:
    """Return the path of the program; for simulated clusters it is in the build of the preset smpi."""
    return (build.parent / "smpi" if machine in _SIMULATED else build) / "bin" / "live_decisions"


Call = Callable[[list[str], float, str], list[Any]]
"""Executes runs of `live_decisions` for the given seconds each, with the given codelets; returns their results."""


def _caller(build: Path, folder: Path, setting: _Setting, placement: Placement) -> Call:
    program = _program(build, setting.machine)
    library = "smpi" if setting.machine in _SIMULATED else "openmpi4"
    if environment := [name for name in os.environ if name.startswith("ADCL_")]:
        sys.exit(f"unset {', '.join(environment)}: the bench sets these options itself")

    def call(runs: list[str], seconds: float, codelets: str) -> list[Any]:
        times = (f"{seconds / setting.slices:g}", f"{seconds:g}")
        words = (setting.operation, str(setting.size), *times, codelets, FILE, *runs)
        return results_of(program, words, placement, library=library, ranks=setting.ranks, folder=folder, limit_s=900.0)

    return call


def _taking_part(looked: dict[str, Any]) -> list[str]:
    times = {one["codelet"]: one["seconds"] for one in looked["codelets"]}
    best = min(times.values())
    return [name for place, (name, time_s) in enumerate(times.items()) if place == 0 or time_s <= _HOPELESS * best]


def _measure(call: Call, setting: _Setting, form: _Form, chance: random.Random) -> dict[str, Any]:
    """Verify and decide in random order, and return the results."""
    names = setting.codelets.split(",")
    if setting.codelets == "all":
        names = _taking_part(call(["look"], 0.0, "all")[0])
    seconds, codelets = setting.verify_s * form.scale, ",".join(names)
    every = [
        f"tuned={search},{method},{technique},{_MEASUREMENTS}"
        for search in _SEARCHES
        for method in _METHODS
        for technique in _TECHNIQUES
    ]
    usual = f"tuned={','.join(_DEFAULT)},{_MEASUREMENTS}"
    verified: dict[str, list[float]] = {name: [] for name in names}
    decided: dict[str, list[dict[str, Any]]] = defaultdict(list)
    waiting: list[str] = []
    pace = max(seconds, 0.1) * 1.5
    for number in range(form.rounds):
        if not waiting:
            waiting = [one for one in every if one != usual]
            chance.shuffle(waiting)
        count = form.simulated if setting.machine in _SIMULATED else max(1, int(form.longest_s / form.rounds / pace))
        some, waiting = waiting[:count], waiting[count:]
        runs = [*(f"codelet={name}" for name in names for _ in range(setting.slices)), usual, *some]
        chance.shuffle(runs)
        begun = time.monotonic()
        results = call(runs, seconds, codelets)
        tuned = [one for one, what in zip(results, runs, strict=True) if what.startswith("tuned=")]
        pace = max(0.02, statistics.fmean(one["seconds"] for one in tuned))
        slices: dict[str, list[float]] = defaultdict(list)
        for what, one in zip(runs, results, strict=True):
            kind, _, value = what.partition("=")
            if kind == "codelet":
                slices[value].append(one["seconds"])
            else:
                decided[value].append(one | {"round": number})
        together = statistics.median if setting.machine == "shared" else statistics.fmean
        for name, times in slices.items():
            verified[name].append(together(times))
        print(f"  {setting.name}: {len(runs)} runs, {time.monotonic() - begun:.1f} s", flush=True)
    return {"native": names[0], "verified": verified, "decided": dict(decided), "combinations": len(every)}


@dataclass(frozen=True)
class _Decision:
    setting: str
    machine: str
    search: str
    method: str
    technique: str
    chosen: str
    settled: bool
    loss: float
    over_native: float
    among_best: bool

    @property
    def usual(self) -> bool:
        return (self.search, self.method, self.technique) == _DEFAULT


def _levelled(verified: dict[str, list[float]]) -> dict[str, Runs]:
    """Return the times, scaled so that the geometric mean of all codelets is the same in each round."""
    rounds = list(zip(*verified.values(), strict=True))
    levels = [statistics.geometric_mean(times) for times in rounds]
    usual = statistics.geometric_mean(levels)
    return {
        name: Runs(tuple(time_s * usual / level for time_s, level in zip(times, levels, strict=True)))
        for name, times in verified.items()
    }


def _truth(setting: _Setting, verified: dict[str, list[float]], number: int) -> dict[str, Runs]:
    """Return the verification runs to compare a decision with: all, or in shared memory the runs of its round."""
    if setting.machine == "shared":
        return {name: Runs((times[number],)) for name, times in verified.items()}
    return _levelled(verified)


def _decisions(setting: _Setting, result: dict[str, Any]) -> Iterator[_Decision]:
    best = winners(_levelled(result["verified"]))
    for how, several in result["decided"].items():
        search, method, technique, _ = how.split(",")
        for one in several:
            chosen = one["winner"] or one["last"]
            verified = _truth(setting, result["verified"], one["round"])
            native = verified[result["native"]].average
            loss = loss_percent(chosen, verified)
            if loss is not None:
                over = 100.0 * (verified[chosen].average / native - 1.0)
                named = (setting.name, setting.machine, search, method, technique, chosen, bool(one["settled"]))
                yield _Decision(*named, loss, over, chosen in best)


def _within(decisions: Iterable[_Decision], *, overlap: bool = False) -> float:
    return statistics.fmean(one.loss <= 100.0 * TIE or (overlap and one.among_best) for one in decisions)


def _figures(decisions: list[_Decision]) -> Figures:
    figures: Figures = {}

    usual = [one for one in decisions if one.usual]
    figures["settings_within_2_percent"] = _within(usual)
    figures["settings_among_best_or_within_2_percent"] = _within(usual, overlap=True)
    figures["worst_loss_vs_best_percent"] = max(one.loss for one in usual)
    figures["worst_loss_vs_native_percent"] = max(one.over_native for one in usual)
    for key in ("machine", "search", "method", "technique"):
        for value in dict.fromkeys(getattr(one, key) for one in decisions):
            some = [one for one in decisions if getattr(one, key) == value]
            figures[f"within_2_percent.{value}"] = _within(some)
            figures[f"among_best_or_within_2_percent.{value}"] = _within(some, overlap=True)
            figures[f"mean_loss_percent.{value}"] = statistics.fmean(one.loss for one in some)
    return figures


def _describe(setting: _Setting, result: dict[str, Any], decisions: list[_Decision]) -> dict[str, Any]:
    """Return the context of a setting."""
    verified = _levelled(result["verified"])
    ranked = sorted(verified, key=lambda name: verified[name].average)
    own = [one for one in decisions if one.setting == setting.name]
    return {
        "best": ranked[0],
        "best_s": verified[ranked[0]].average,
        "among_best": winners(verified),
        "native_over_best": verified[result["native"]].average / verified[ranked[0]].average,
        "chosen_by_default": [one.chosen for one in own if one.usual],
        "decisions": len(own),
        "combinations_run": f"{len(result['decided'])} of {result['combinations']}",
        "undecided": sum(not one.settled for one in own),
        "verified_s": {name: list(verified[name].times) for name in ranked},
    }


def _obstacle(machine: str, build: Path) -> str:
    """Return why a machine cannot be measured, or an empty text."""
    if machine in _SIMULATED:
        there = shutil.which("smpirun") is not None and _program(build, machine).exists()
        return "" if there else "needs SimGrid and the preset smpi"
    return "" if machine == "shared" or os.geteuid() == 0 else "needs root"


def main() -> None:
    """Measure every setting and write the figures."""
    judge = Judge(__doc__, only=("", "settings whose names start with this"))
    judge.add_argument("--state", type=Path, help="folder of results of earlier calls, which are not measured again")
    arguments = judge.begin()
    form = {"full": _FULL, "short": _SHORT}.get(FORM, _QUICK)
    settings = effort(_settings(), _settings()[:1])
    folder = (arguments.state or arguments.output.parent / "decision_quality").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    build = arguments.build.absolute()
    left_out = {one.machine: why for one in settings if (why := _obstacle(one.machine, build))}

    def measure(setting: _Setting, placement: Placement) -> dict[str, Any]:
        chance = random.Random(f"{arguments.seed} {setting.name}")  # noqa: S311
        return _measure(_caller(build, folder, setting, placement), setting, form, chance)

    results: dict[_Setting, dict[str, Any]] = {}
    for machine in dict.fromkeys(one.machine for one in settings if one.machine not in left_out):
        own = (one for one in settings if one.machine == machine)
        enter = functools.partial(_machine, machine)
        keep = arguments.state is not None
        results |= measure_missing(own, folder, enter, measure, only=arguments.only, keep=keep)
    if not results:
        judge.error(f"no setting that can be measured here starts with {arguments.only!r}")
    decisions = [one for setting, result in results.items() for one in _decisions(setting, result)]
    described = {one.name: _describe(one, result, decisions) for one, result in results.items()}
    for name, told in described.items():
        print(f"{name:28} best {told['best']}, chosen {', '.join(told['chosen_by_default'])}", flush=True)
    ranks = {one.machine: one.ranks for one in settings}
    judge.write({"ranks": ranks, "left_out": left_out, "default": _DEFAULT, "settings": described}, _figures(decisions))


if __name__ == "__main__":
    main()
