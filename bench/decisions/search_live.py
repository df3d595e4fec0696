# set-up: build
# built first: live_exchange solver3d
"""Cost and result of a search in real programs: ``make bench NAME=search_live``.

Halos of blocks of 8 to 128 points per side on two ranks, with contiguous and with strided faces, in programs of 200,
2000 and 20,000 exchanges. Each run is a separate program, which does all exchanges in several ways, one after the other
in random order: plain derived types, the default search, brute force, and the codelet that was the fastest in an
earlier measurement of all codelets in turns. The time includes creation and destruction of the objects of an exchange.

- ``time_over_plain``: the default search's time divided by the plain one's; the median of the runs of a setting.
- ``time_over_best``: divided by the best codelet's time.
- ``lost_over_brute_force``: time that the default search lost to the best codelet, divided by the time that brute force
  lost; sums over all runs.
- ``regret``: excess time of the codelet that runs at the end over the best codelet, by verification runs: as many
  exchanges with one codelet preselected, for up to three codelets that were fast in the earlier measurement; the median
  of the runs' ratios.
- ``winner_within_2_percent``: runs with a regret of at most 2 %.
- ``same_winner_or_tie``: runs of a setting whose last codelet is that of most runs, or within 2 % of it.
- ``….by_turns``: the same, but by the times of all codelets measured in turns, which each program does too: the
  geometric mean over the programs of a setting. The location of a program's memory changes the order of two similar
  codelets by more than 2 percent. Only programs with similar total times of the codelets, within a quarter, are
  combined: on a virtual machine the cores sometimes move apart, all calls take two or three times as long, and the
  order changes.
- ``solver3d.*``: the same in a program with computation (``_search_live_solver.py``).
"""

from __future__ import annotations

import json
import math
import random
import statistics
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench._form import TIE, Figures, command_line, effort, write
from bench.decisions import _search_live_solver as solver
from bench.decisions._live_exchange import exchange

__all__ = ["main"]

_SECONDS = 500.0
"""Time limit of a program."""
_FAST, _VERIFIED = 1.15, 3
"""Maximum ratio to the fastest time, and maximum number, of the codelets with verification runs."""
_STATE = 1.25
"""Programs whose codelets are slower by more than this factor ran in another state of the machine."""
_DEFAULT = "search=model"
_BRUTE = "search=brute_force"
_FACES = effort(("contiguous", "strided"), ("contiguous",))


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
    preselected: str
    runs: list[dict[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def codelets(self) -> list[dict[str, float]]:
        """Return the codelets' times of each run: means over the programs that ran in the same state of the machine."""
        looks: list[dict[str, float]] = [run["codelets"] for run in self.runs]
        levels = [statistics.geometric_mean(look.values()) for look in looks]
        means = []
        for own in levels:
            alike = [look for look, level in zip(looks, levels, strict=True) if 1.0 / _STATE <= level / own <= _STATE]
            means.append({name: statistics.geometric_mean(look[name] for look in alike) for name in looks[0]})
        return means

    def ratio(self, ours: str, theirs: str) -> float:
        return float(statistics.median(run[ours]["seconds"] / run[theirs]["seconds"] for run in self.runs))

    def lost(self, kind: str) -> float:
        return float(sum(run[kind]["seconds"] - run[f"codelet={self.preselected}"]["seconds"] for run in self.runs))

    @property
    def _lasts(self) -> list[str]:
        return [run[_DEFAULT]["last"] for run in self.runs]

    @property
    def verified(self) -> list[dict[str, float]]:
        """Return each codelet's time per run relative to the preselected one's, by verification runs if any."""
        own = f"codelet={self.preselected}"
        kinds = [kind for kind in self.runs[0] if kind.startswith("codelet=")]
        known = {
            kind.removeprefix("codelet="): statistics.median(
                run[kind]["seconds"] / run[own]["seconds"] for run in self.runs
            )
            for kind in kinds
        }
        return [
            {name: known.get(name, took / times[self.preselected]) for name, took in times.items()}
            for times in self.codelets
        ]

    def regrets(self, codelets: list[dict[str, float]]) -> list[float]:
        return [times[last] / min(times.values()) - 1.0 for times, last in zip(codelets, self._lasts, strict=True)]

    def losses_to_first(self, codelets: list[dict[str, float]]) -> list[float]:
        lasts = zip(codelets, self._lasts, strict=True)
        return [times[last] / next(iter(times.values())) - 1.0 for times, last in lasts]

    def alike(self, codelets: list[dict[str, float]]) -> list[bool]:
        usual = Counter(self._lasts).most_common(1)[0][0]
        ratios = [times[last] / times[usual] for times, last in zip(codelets, self._lasts, strict=True)]
        return [1.0 / (1.0 + TIE) <= ratio <= 1.0 + TIE for ratio in ratios]


def _run(build: Path, shape: _Shape, starts: int, kinds: list[str]) -> dict[str, Any]:
    return exchange(build, shape.points, shape.faces, starts, kinds, limit_s=_SECONDS)


def _codelets(build: Path, shape: _Shape, times: int) -> dict[str, float]:
    """Return the median over some programs of each codelet's time."""
    results = [_run(build, shape, 1, ["codelets"])["codelets"] for _ in range(times)]
    return {name: statistics.median(result[name] for result in results) for name in results[0]}


def _measure(
    build: Path, shape: _Shape, starts: int, codelets: dict[str, float], *, runs: int, chance: random.Random
) -> _Setting:
    ordered = sorted(codelets, key=codelets.__getitem__)
    fast = [name for name in ordered if codelets[name] <= _FAST * codelets[ordered[0]]][:_VERIFIED]
    setting = _Setting(starts, ordered[0])
    kinds = ["plain", _DEFAULT, _BRUTE, *(f"codelet={name}" for name in fast), "codelets"]
    for _ in range(runs):
        chance.shuffle(kinds)
        setting.runs.append(_run(build, shape, starts, kinds))
    return setting


def _stored(folder: Path | None, name: str) -> _Setting | None:
    """Return the result of an earlier call."""
    file = None if folder is None else folder / f"{name}.json"
    return None if file is None or not file.exists() else _Setting(**json.loads(file.read_text(encoding="utf-8")))


def _add_decisions(
    figures: Figures,
    which: str,
    some: list[tuple[_Setting, list[dict[str, float]]]],
) -> None:
    """Add the quality of the decisions, based on the codelets' times in each setting."""
    regrets = [regret for setting, times in some for regret in setting.regrets(times)]
    within = [regret <= TIE for regret in regrets]
    alike = [one for setting, times in some for one in setting.alike(times)]
    losses = [loss for setting, times in some for loss in setting.losses_to_first(times)]
    figures[f"regret_percent.{which}"] = 100.0 * statistics.mean(regrets)
    figures[f"winner_within_2_percent.{which}"] = statistics.mean(within)
    figures[f"same_winner_or_tie.{which}"] = statistics.mean(alike)
    figures[f"worst_loss_vs_first_percent.{which}"] = 100.0 * max(losses)


def _figures(settings: dict[str, _Setting]) -> Figures:
    figures: Figures = {}

    for name, setting in settings.items():
        figures[f"time_over_plain.{name}"] = setting.ratio(_DEFAULT, "plain")
        figures[f"time_over_best.{name}"] = setting.ratio(_DEFAULT, f"codelet={setting.preselected}")
    for starts in sorted({setting.starts for setting in settings.values()}):
        some = [setting for setting in settings.values() if setting.starts == starts]
        ratios = [setting.ratio(_DEFAULT, "plain") for setting in some]
        figures[f"time_over_plain.geometric_mean.{starts}"] = math.exp(statistics.mean(map(math.log, ratios)))
        figures[f"time_over_plain.worst.{starts}"] = max(ratios)
        lost = sum(setting.lost(_DEFAULT) for setting in some)
        figures[f"lost_over_brute_force.{starts}"] = lost / sum(setting.lost(_BRUTE) for setting in some)
        _add_decisions(figures, str(starts), [(setting, setting.verified) for setting in some])
        _add_decisions(figures, f"{starts}.by_turns", [(setting, setting.codelets) for setting in some])
    return figures


def main() -> None:
    """Run every setting and write the figures."""
    parser = command_line(__doc__)
    parser.add_argument("--runs", type=int, default=effort(10, 1))
    parser.add_argument("--points", type=int, nargs="*", default=effort([8, 16, 32, 64, 128], [8]))
    parser.add_argument("--starts", type=int, nargs="*", default=effort([200, 2000, 20000], [200]))
    parser.add_argument("--longest", type=float, default=60.0, help="seconds of a program with plain exchanges")
    parser.add_argument("--no-solver", action="store_true", help="leave solver3d out")
    parser.add_argument("--state", type=Path, help="a folder with results of earlier calls")
    arguments = parser.parse_args()
    chance = random.Random(20130910)  # noqa: S311
    begun = time.monotonic()
    settings: dict[str, _Setting] = {}
    left_out: list[str] = []
    for shape in (_Shape(points, faces) for points in arguments.points for faces in _FACES):
        stored = {starts: _stored(arguments.state, f"{shape.name}.{starts}") for starts in arguments.starts}
        codelets = {} if all(stored.values()) else _codelets(arguments.build, shape, effort(3, 1))
        for starts, known in stored.items():
            name = f"{shape.name}.{starts}"
            if known is not None:
                settings[name] = known
                continue
            if 4.0 * starts * next(iter(codelets.values())) > arguments.longest:
                left_out.append(name)
                continue
            setting = settings[name] = _measure(
                arguments.build, shape, starts, codelets, runs=arguments.runs, chance=chance
            )
            if arguments.state is not None:
                arguments.state.mkdir(parents=True, exist_ok=True)
                (arguments.state / f"{name}.json").write_text(json.dumps(asdict(setting)), encoding="utf-8")
            ours, theirs = (setting.ratio(_DEFAULT, other) for other in ("plain", f"codelet={setting.preselected}"))
            regret, in_turns = (
                100.0 * statistics.mean(setting.regrets(times)) for times in (setting.verified, setting.codelets)
            )
            print(
                f"{name:24} over plain {ours:.3f}  over {setting.preselected} {theirs:.3f}  regret {regret:.1f} %, by "
                f"turns {in_turns:.1f} %",
                flush=True,
            )
    computing = {} if arguments.no_solver else solver.measure(arguments.build, arguments.runs, chance)
    if not settings and not computing:
        parser.error("no setting is left")
    context = {
        "ranks": 2,
        "runs": min((len(setting.runs) for setting in settings.values()), default=arguments.runs),
        "seconds": time.monotonic() - begun,
        "left_out_as_too_long": left_out,
        "settings": {
            name: {"best": setting.preselected, "last": dict(Counter(run[_DEFAULT]["last"] for run in setting.runs))}
            for name, setting in settings.items()
        },
        "solver3d": {
            name: {"best": one["usual"], "last": dict(Counter(one["winners"]))} for name, one in computing.items()
        },
    }
    write(arguments.output, context, _figures(settings) | (solver.figures_of(computing) if computing else {}))


if __name__ == "__main__":
    main()
