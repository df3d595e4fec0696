# set-up: build
# built first: ft
# in make check
"""NAS FT with ADCL, without ADCL, and with each codelet preselected: ``make bench NAME=ft``.

As in section 4.2 of the thesis, a search finds the winner. Then the program runs without ADCL (``mpi``), with ADCL and
the search in the run (``adcl``), and with each codelet of the all-to-all exchange preselected, in rounds of random
order. ``gain_over_native_percent`` compares the winner's total time with the native codelet's (Fig. 4.3),
``gain_over_mpi_percent`` with the total time of the program without ADCL (Fig. 4.4); both have the uncertainty that the
thesis defines. ``search_over_mpi`` is the time of longer runs with the search, ``long_total.SETTING.adcl``, divided by
the time of as many iterations without ADCL, ``long_total.SETTING.mpi``; these runs alternate, once per round. All runs
must be verified, with the same bits.
"""

from __future__ import annotations

import math
import os
import random
import statistics
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench._form import Figures, command_line, effort, write
from bench._programs import FILE, ProgramFailed, run

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["main"]

_NAMES = {"mpi": "(without ADCL)", "adcl": "(with ADCL, search included)"}

_SECONDS = 120.0
"""Time limit of a run in seconds; usual runs take a few."""


@dataclass(frozen=True)
class _Setting:
    problem: str
    ranks: int
    iterations: int
    """Iterations of each run except the search."""
    searching: int
    """Iterations of the run with the search."""

    @property
    def name(self) -> str:
        return f"{self.problem}.{self.ranks}"


_SETTINGS = (
    _Setting("S", 2, 200, 400),
    _Setting("W", 2, 40, 200),
    _Setting("A", 2, 6, 30),
    _Setting("A", 4, 6, 30),
)
_SHORT = (_Setting("S", 2, 4, 40),)


def _run(build: Path, setting: _Setting, exchange: str, iterations: int, codelet: str = "") -> dict[str, Any] | None:
    """Return the program's report; None if the codelet cannot be made because it needs too much shared memory."""
    words = ("--class", setting.problem, "--iterations", str(iterations), "--exchange", exchange, "--quiet")
    preselected = {"CODELETS": f"alltoall:{codelet}"} if codelet else {}
    try:
        return run(build, setting.ranks, "ft", (*words, "--json", FILE), preselected, limit_s=_SECONDS)
    except ProgramFailed as failed:
        if codelet and "no codelet is left" in str(failed):
            return None
        raise


@dataclass(frozen=True)
class _Times:
    """Times of repeated equal runs."""

    mean_s: float
    uncertainty_s: float

    @classmethod
    def of(cls, seconds: list[float]) -> _Times:
        spread = statistics.stdev(seconds) if len(seconds) > 1 else 0.0
        return cls(statistics.mean(seconds), spread / math.sqrt(len(seconds)))


def _gain_percent(other: _Times, winner: _Times) -> tuple[float, float]:
    """Return the winner's gain in percent, and its uncertainty."""
    gain = (other.mean_s - winner.mean_s) / other.mean_s
    uncertainty = math.hypot(winner.mean_s / other.mean_s**2 * other.uncertainty_s, winner.uncertainty_s / other.mean_s)
    return 100 * gain, 100 * uncertainty


def _measure(build: Path, setting: _Setting, rounds: int, chance: random.Random) -> dict[str, Any]:
    longer: dict[str, list[dict[str, Any]]] = {"mpi": [], "adcl": []}

    def run_longer(exchange: str) -> None:
        report = _run(build, setting, exchange, setting.searching)
        if report is None:
            sys.exit(f"{setting.name}: no report")
        longer[exchange].append(report)

    for exchange in longer:
        run_longer(exchange)
    tuning = longer["adcl"][0]["tuning"]
    codelets: list[str] = [candidate["name"] for candidate in tuning["candidates"]]
    # Without a verdict, ADCL would use the native codelet.
    winner = tuning["winner"] or codelets[0]
    kinds = ["mpi", "adcl", *effort(codelets, [*dict.fromkeys((codelets[0], winner))])]
    seconds: dict[str, list[float]] = {kind: [] for kind in kinds}
    answers = set()
    for turn in range(rounds):
        chance.shuffle(kinds)
        for kind in kinds:
            own = kind in longer
            report = _run(build, setting, kind if own else "adcl", setting.iterations, "" if own else kind)
            if report is None:
                continue
            seconds[kind].append(report["seconds"]["total"])
            answers.add(report["checksum"]["points"])
        if turn > 0:  # the runs that determined the codelets count as the first round
            for exchange in ("adcl", "mpi") if turn % 2 == 1 else ("mpi", "adcl"):
                run_longer(exchange)
    seconds = {kind: all_seconds for kind, all_seconds in seconds.items() if all_seconds}
    if len(answers) != 1:
        sys.exit(f"{setting.name}: the runs have different checksums")
    times = {kind: _Times.of(all_seconds) for kind, all_seconds in seconds.items()}
    return {
        "times": times,
        "winner": winner,
        "decided": tuning["state"] == "production",
        "search_starts": tuning["searching_starts"],
        "native": codelets[0],
        "long": {kind: _Times.of([one["seconds"]["total"] for one in runs]) for kind, runs in longer.items()},
        "exchange_share": statistics.mean(
            one["seconds"]["exchange"] / one["seconds"]["total"] for one in longer["mpi"]
        ),
    }


def _shown(times: _Times) -> str:
    return f"{times.mean_s:.4f} s +- {times.uncertainty_s:.4f}"


def _search_over_mpi(result: dict[str, Any]) -> float:
    longer: dict[str, _Times] = result["long"]
    return longer["adcl"].mean_s / longer["mpi"].mean_s


def _show(setting: _Setting, result: dict[str, Any]) -> None:
    times: dict[str, _Times] = result["times"]
    decided = "" if result["decided"] else " (no verdict yet)"
    print(f"class {setting.problem}, {setting.ranks} ranks, {setting.iterations} iterations")
    for kind, one in sorted(times.items(), key=lambda item: item[1].mean_s):
        note = f"  the winner{decided}" if kind == result["winner"] else ""
        print(f"  {_NAMES.get(kind, kind):28} {one.mean_s:8.4f} s +- {one.uncertainty_s:.4f}{note}")
    print(
        f"  with the search, {setting.searching} iterations: {_shown(result['long']['adcl'])}, "
        f"{_search_over_mpi(result):.3f} of the time without ADCL, {_shown(result['long']['mpi'])}; "
        f"{100 * result['exchange_share']:.0f} % of that in exchanges",
        flush=True,
    )


def _figures(results: dict[str, dict[str, Any]]) -> Figures:
    figures: Figures = {}

    for name, result in results.items():
        times: dict[str, _Times] = result["times"]
        winner = times[result["winner"]]
        for kind, one in times.items():
            figures[f"total.{name}.{kind}"] = one.mean_s
        for kind, one in result["long"].items():
            figures[f"long_total.{name}.{kind}"] = one.mean_s
        for other, key in ((result["native"], "native"), ("mpi", "mpi")):
            gain, uncertainty = _gain_percent(times[other], winner)
            figures[f"gain_over_{key}_percent.{name}"] = gain
            figures[f"uncertainty_over_{key}_percent.{name}"] = uncertainty
        figures[f"search_over_mpi.{name}"] = _search_over_mpi(result)
    return figures


def main() -> None:
    """Measure every setting and write the figures."""
    parser = command_line(__doc__)
    parser.add_argument("--rounds", type=int, default=effort(3, 1), help="for runs with all codelets")
    parser.add_argument("--only", default="", help="settings whose names, such as A.4, begin with this text")
    arguments = parser.parse_args()
    chance = random.Random(20111026)  # noqa: S311
    begun = time.monotonic()
    results = {}
    for setting in effort(_SETTINGS, _SHORT):
        if not setting.name.startswith(arguments.only):
            continue
        results[setting.name] = _measure(arguments.build, setting, arguments.rounds, chance)
        _show(setting, results[setting.name])
    if not results:
        parser.error(f"no setting's name begins with {arguments.only!r}")
    context = {
        "rounds": arguments.rounds,
        "cores": os.cpu_count(),
        "seconds": time.monotonic() - begun,
        "settings": {name: {"winner": r["winner"], "decided": r["decided"]} for name, r in results.items()},
    }
    write(arguments.output, context, _figures(results))


if __name__ == "__main__":
    main()
