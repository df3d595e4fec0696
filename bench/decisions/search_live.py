# set-up: build
# built first: live_exchange
"""Cost and result of a search in real programs: ``make bench NAME=search_live``.

Two ranks exchange halos of blocks of 8 to 128 points per side, with contiguous and with strided faces, in programs of
200, 2000 and 20,000 exchanges. Each program does all exchanges in several ways, one after the other in random order:
with plain derived types, with the default search, with brute force, and with one codelet. That codelet was the fastest
in an earlier program that measured all codelets alternately. Times include creating and freeing what an exchange needs.

- ``time_over_plain``: time of the default search divided by the time of plain derived types; median over the programs
  of a setting.
- ``time_over_best``: time of the default search divided by the time of the best codelet.
- ``lost_over_brute_force``: time that the default search took in addition to the best codelet, divided by the same
  time of brute force; from the sums over all programs.
- ``regret``: time of the codelet that the search chose, divided by the time of the best codelet, from verification
  runs: the same number of exchanges with one codelet preselected, for up to three codelets that were fast before;
  median over the programs.
- ``winner_within_2_percent``: share of programs in which this regret is at most 2 %.
- ``same_winner_or_tie``: share of programs whose chosen codelet is the most frequent choice in the setting, or within
  2 % of it.
- ``….by_turns``: the same from the times when each program measures all codelets alternately: the geometric mean over
  the programs of a setting, because the memory addresses of a program determine which of two similar codelets is
  faster. Only programs whose codelets take the same time overall, within a quarter, are compared with each other: on a
  virtual machine the cores are sometimes farther apart, and then all times are two or three times as long.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench._form import TIE, Figures, effort
from bench.decisions._runner import Judge, exchange, geometric_mean, median_ratio

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["main"]

_SECONDS = 500.0
"""Time limit of a program, in seconds."""
_FAST, _VERIFIED = 1.15, 3
"""Codelets with verification runs: largest time relative to the fastest codelet, and largest number."""
_STATE = 1.25
"""A program whose codelets are slower than in other programs by more than this factor is assumed to have run in another
machine state."""
_DEFAULT = "search=model"
_BRUTE = "search=brute_force"
_FACES = effort(("contiguous", "strided"), ("contiguous",))


@dataclass
class _Setting:
    """Programs with the same block, faces and number of starts."""

    starts: int
    preselected: str
    runs: list[dict[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def codelets(self) -> list[dict[str, float]]:
        """For each program, the mean time of each codelet over the programs in the same machine state."""
        looks: list[dict[str, float]] = [run["codelets"] for run in self.runs]
        levels = [statistics.geometric_mean(look.values()) for look in looks]
        means = []
        for own in levels:
            alike = [look for look, level in zip(looks, levels, strict=True) if 1.0 / _STATE <= level / own <= _STATE]
            means.append({name: statistics.geometric_mean(look[name] for look in alike) for name in looks[0]})
        return means

    def ratio(self, ours: str, theirs: str) -> float:
        return median_ratio(self.runs, ours, theirs, lambda one: float(one["seconds"]))

    def lost(self, kind: str) -> float:
        return float(sum(run[kind]["seconds"] - run[f"codelet={self.preselected}"]["seconds"] for run in self.runs))

    @property
    def lasts(self) -> list[str]:
        return [run[_DEFAULT]["last"] for run in self.runs]

    @property
    def verified(self) -> list[dict[str, float]]:
        """For each program, the codelets' times relative to the preselected one, by verification runs if available."""
        kinds = [kind for kind in self.runs[0] if kind.startswith("codelet=")]
        known = {kind.removeprefix("codelet="): self.ratio(kind, f"codelet={self.preselected}") for kind in kinds}
        return [
            {name: known.get(name, took / times[self.preselected]) for name, took in times.items()}
            for times in self.codelets
        ]

    def decisions(self, codelets: list[dict[str, float]]) -> Iterator[tuple[float, float, float]]:
        """Yield each program's last codelet's time relative to the best, the first, and the usual last codelet."""
        usual = Counter(self.lasts).most_common(1)[0][0]
        for times, last in zip(codelets, self.lasts, strict=True):
            took = times[last]
            yield took / min(times.values()), took / next(iter(times.values())), took / times[usual]


def _measure(judge: Judge, points: int, faces: str, starts: int, codelets: dict[str, float]) -> _Setting:
    ordered = sorted(codelets, key=codelets.__getitem__)
    fast = [name for name in ordered if codelets[name] <= _FAST * codelets[ordered[0]]][:_VERIFIED]
    setting = _Setting(starts, ordered[0])
    kinds = ["plain", _DEFAULT, _BRUTE, *(f"codelet={name}" for name in fast), "codelets"]
    for _ in range(judge.arguments.runs):
        judge.chance.shuffle(kinds)
        setting.runs.append(exchange(judge.arguments.build, points, faces, starts, kinds, limit_s=_SECONDS))
    return setting


def _add_decisions(figures: Figures, which: str, some: list[tuple[_Setting, list[dict[str, float]]]]) -> None:
    """Add the figures on the quality of the decisions, judged by these times of the codelets of each setting."""
    over_best, over_first, over_usual = zip(
        *(one for setting, times in some for one in setting.decisions(times)), strict=True
    )
    figures[f"regret_percent.{which}"] = 100.0 * (statistics.mean(over_best) - 1.0)
    figures[f"winner_within_2_percent.{which}"] = statistics.mean(one - 1.0 <= TIE for one in over_best)
    figures[f"same_winner_or_tie.{which}"] = statistics.mean(
        1.0 / (1.0 + TIE) <= ratio <= 1.0 + TIE for ratio in over_usual
    )
    figures[f"worst_loss_vs_first_percent.{which}"] = 100.0 * (max(over_first) - 1.0)


def _figures(settings: dict[str, _Setting]) -> Figures:
    figures: Figures = {}
    for name, setting in settings.items():
        figures[f"time_over_plain.{name}"] = setting.ratio(_DEFAULT, "plain")
        figures[f"time_over_best.{name}"] = setting.ratio(_DEFAULT, f"codelet={setting.preselected}")
    for starts in sorted({setting.starts for setting in settings.values()}):
        some = [setting for setting in settings.values() if setting.starts == starts]
        ratios = [setting.ratio(_DEFAULT, "plain") for setting in some]
        figures[f"time_over_plain.geometric_mean.{starts}"] = geometric_mean(ratios)
        figures[f"time_over_plain.worst.{starts}"] = max(ratios)
        lost = sum(setting.lost(_DEFAULT) for setting in some)
        figures[f"lost_over_brute_force.{starts}"] = lost / sum(setting.lost(_BRUTE) for setting in some)
        _add_decisions(figures, str(starts), [(setting, setting.verified) for setting in some])
        _add_decisions(figures, f"{starts}.by_turns", [(setting, setting.codelets) for setting in some])
    return figures


def _exchanges(judge: Judge) -> tuple[dict[str, _Setting], list[str]]:
    """Measure all settings that are not stored; return them, and the names of the settings that would take too long."""
    arguments, state = judge.arguments, judge.arguments.state
    settings: dict[str, _Setting] = {}
    left_out: list[str] = []
    for points, faces in ((points, faces) for points in arguments.points for faces in _FACES):
        codelets: dict[str, float] = {}
        for starts in arguments.starts:
            name = f"{points}.{faces}.{starts}"
            file = None if state is None else state / f"{name}.json"
            if file is not None and file.exists():
                settings[name] = _Setting(**json.loads(file.read_text(encoding="utf-8")))
                continue
            if not codelets:
                looks = [
                    exchange(arguments.build, points, faces, 1, ["codelets"], limit_s=_SECONDS)["codelets"]
                    for _ in range(effort(3, 1))
                ]
                codelets = {one: statistics.median(look[one] for look in looks) for one in looks[0]}
            if 4.0 * starts * next(iter(codelets.values())) > arguments.longest:
                left_out.append(name)
                continue
            setting = settings[name] = _measure(judge, points, faces, starts, codelets)
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps(asdict(setting)), encoding="utf-8")
            ours, best = setting.ratio(_DEFAULT, "plain"), setting.ratio(_DEFAULT, f"codelet={setting.preselected}")
            print(f"{name:24} over plain {ours:.3f}  over {setting.preselected} {best:.3f}", flush=True)
    return settings, left_out


def main() -> None:
    """Run every setting and write the figures."""
    judge = Judge(
        __doc__,
        seed=20130910,
        runs=(effort(10, 1), ""),
        points=(effort([8, 16, 32, 64, 128], [8]), ""),
        starts=(effort([200, 2000, 20000], [200]), ""),
        longest=(60.0, "seconds of a program with plain exchanges"),
    )
    judge.add_argument("--state", type=Path, help="folder of results of earlier calls, which are not measured again")
    judge.begin()
    settings, left_out = _exchanges(judge)
    if not settings:
        judge.error("no setting is left")
    context = {
        "runs": min(len(setting.runs) for setting in settings.values()),
        "left_out_as_too_long": left_out,
        "settings": {
            name: {"best": one.preselected, "last": dict(Counter(one.lasts))} for name, one in settings.items()
        },
    }
    judge.write(context, _figures(settings))


if __name__ == "__main__":
    main()
