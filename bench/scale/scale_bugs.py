# set-up: build
"""make bench NAME=scale_bugs: seeded bugs that adcl scale finds at 2 to 8 ranks, and its false alarms.

The measurements have three sources, all in this repository:

- ``synthetic``: a function that should be O(1), O(log p), or O(p) and has a part that is O(p^2), with three
  coefficients and three levels of noise, at 3, 4, 5, and 7 settings by three jobs each; and the same functions without
  the part of O(p^2). ``shared`` is the same on two cores: each rank does the work, and takes longer when ranks share a
  core.
- ``slowdowns``: a version that takes 40, 4, 1.5, or 1 times as long as the previous version.
- ``recorded``: tests/bench_mpi/quadratic.jsonl, a program with these defects and its correct version, measured at 2 to
  8 ranks on a machine with two cores, while other programs ran. Its nine jobs are judged in groups of three.

The verdict *found* corresponds to exit code 1 of ``adcl scale``, *undecided* to 3, and *right* to 0.
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from adcl.scale import (
    SLOWER,
    Expected,
    Match,
    Measurement,
    Slowdown,
    Store,
    StoreEntry,
    compare,
    judge_all,
    parse,
    percent,
    read_study,
    series_of,
    slowdown,
)
from bench._form import ROOT, Figures, command_line, effort, write

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adcl.scale import ScaleStudy, Series

RECORDED = ROOT / "tests" / "bench_mpi" / "quadratic.toml"
SEED = 44
SERIES = 40
POINTS = ((2, 4, 8), (2, 4, 6, 8), (2, 3, 4, 6, 8), (2, 3, 4, 5, 6, 7, 8))
NOISE = (0.02, 0.05, 0.20)
COEFFICIENTS = (0.2, 1.0, 25.0)
EXPECTED = ("1", "log p", "p")
CORES = 2
JOBS = 3
FACTORS = (40.0, 4.0, 1.5, 1.0)
WORDS = {Match.NONE: "found", Match.UNDECIDED: "undecided"}


@dataclass(frozen=True)
class Cell:
    """A function, its measurement settings, and its expectation. Without a coefficient, it has no bug."""

    expectation: str
    coefficient: float
    noise: float
    points: tuple[int, ...]
    shared: bool

    def measured(self, rng: np.random.Generator) -> Series:
        """Draw a series."""
        truth = parse(f"10 + 10 * {self.expectation} + {self.coefficient} * p^2")
        rows = []
        for p in self.points:
            sharing = max(p / CORES, 1.0) if self.shared else 1.0
            context = {"ranks": p, "cores": CORES} if self.shared else {}
            for factor in 1 + self.noise * rng.standard_normal(JOBS):
                value = truth.value(p=p) * sharing * max(float(factor), 0.05)
                rows.append(Measurement("f", "time_s", {"p": float(p)}, (value,), context=context))
        return series_of(rows, "f", "time_s")


def cells(*, shared: bool) -> Iterable[Cell]:
    """Yield all cells: correct functions, and functions with a bug."""
    for expectation, coefficient, noise, points in itertools.product(EXPECTED, (0.0, *COEFFICIENTS), NOISE, POINTS):
        yield Cell(expectation, coefficient, noise, points, shared)


def judged(series: list[Series], expectation: str) -> Counter[str]:
    """Count the verdicts: *found*, *undecided*, *right*."""
    verdicts = judge_all(series, Expected(parse(expectation)))
    return Counter(WORDS.get(one.match or Match.UNDECIDED, "right") for one in verdicts)


def synthetic(count: int, seed: int, *, shared: bool) -> list[dict[str, Any]]:
    """Judge `count` series of each cell; return the percentage of each verdict."""
    rows = []
    for number, cell in enumerate(cells(shared=shared)):
        rng = np.random.default_rng((seed, number))
        verdicts = judged([cell.measured(rng) for _ in range(count)], cell.expectation)
        row: dict[str, Any] = {"expected": cell.expectation, "coefficient": cell.coefficient, "noise": cell.noise}
        row |= {"settings": len(cell.points), "shared": shared}
        rows.append(row | {word: 100 * verdicts[word] / count for word in ("found", "undecided", "right")})
    return rows


def _entries(rows: Iterable[Measurement], run: str, at: float) -> list[StoreEntry]:
    return [StoreEntry(one, run=run, job=str(number), time_s=at) for number, one in enumerate(rows)]


def _compared(study: ScaleStudy, before: list[Measurement], after: list[Measurement]) -> list[Slowdown]:
    entries = [*_entries(before, "before", 1.0), *_entries(after, "after", 2.0)]
    changes = compare(study, entries, ("before", "after"), study.confidence).changes
    return [slowdown(change, percent(SLOWER), study.confidence) for change in changes]


def _times(
    factor: float, noise: float, points: tuple[int, ...], jobs: int, rng: np.random.Generator
) -> list[Measurement]:
    def one(p: int) -> tuple[float, ...]:
        values = factor * (10 + 5 * p) * (1 + noise * rng.standard_normal(10))
        return tuple(float(value) for value in np.maximum(values, 1e-3))

    return [Measurement("f", "time_s", {"p": float(p)}, one(p)) for p in points for _ in range(jobs)]


def slowdowns(count: int, seed: int, study: ScaleStudy) -> list[dict[str, Any]]:
    """Compare `count` pairs of versions for each factor, noise, settings and jobs; return the share of findings."""
    rows = []
    grid = itertools.product(FACTORS, NOISE, POINTS[::3], (1, JOBS))
    for number, (factor, noise, points, jobs) in enumerate(grid):
        rng = np.random.default_rng((seed, 7, number))
        found = 0
        for _ in range(count):
            (one,) = _compared(study, _times(1, noise, points, jobs, rng), _times(factor, noise, points, jobs, rng))
            found += one.slower or one.change.worse
        row = {"factor": factor, "noise": noise, "settings": len(points), "jobs": jobs}
        rows.append({**row, "found": 100 * found / count})
    return rows


def _thirds(rows: list[Measurement]) -> list[list[Measurement]]:
    """Divide the measurements of each setting, which are in the order of their jobs, into three parts."""
    parts: list[list[Measurement]] = [[], [], []]
    seen: Counter[tuple[str, tuple[float, ...]]] = Counter()
    for one in rows:
        key = (one.function, tuple(one.parameters.values()))
        parts[seen[key] // JOBS % 3].append(one)
        seen[key] += 1
    return parts


def recorded(study: ScaleStudy) -> dict[str, Any]:
    """Judge the measurements of a program with defects and of its correct version, and compare the verdicts."""
    entries = Store(study.store).entries()
    of_run = {run: _thirds([one.measurement for one in entries if one.run == run]) for run in ("seeded", "fixed")}
    rows = []
    for run, parts in of_run.items():
        for expectation, part in itertools.product(study.expectations, parts):
            mine = [one for one in part if one.function == expectation.function]
            for size in sorted({one.parameters["bytes"] for one in mine}):
                own = series_of(mine, expectation.function, "time_s", where={"bytes": size})
                growth = str(expectation.expected.growth) if expectation.expected else "1"
                (word,) = judged([own], growth)
                rows.append({"run": run, "function": expectation.function, "bytes": size, "verdict": word})
    pairs = [_compared(study, of_run["fixed"][at], of_run["seeded"][at]) for at in range(3)]
    same = [_compared(study, of_run["fixed"][at], of_run["fixed"][(at + 1) % 3]) for at in range(3)]
    return {
        "verdicts": rows,
        "slower": {"defects": _share(pairs), "same": _share(same), "of": sum(map(len, pairs))},
    }


def _share(rows: list[list[Slowdown]]) -> int:
    return sum(one.slower or one.change.worse for row in rows for one in row)


def _mean(rows: list[dict[str, Any]], word: str = "found", **where: Any) -> float:
    own = [row[word] for row in rows if all(row[name] == value for name, value in where.items())]
    return float(sum(own) / len(own))


def figures_of(details: dict[str, Any]) -> Figures:
    """Return the figures derived from the details."""
    found: dict[str, float] = {}
    for kind in ("synthetic", "shared"):
        rows = details[kind]
        bugs, right = [row for row in rows if row["coefficient"]], [row for row in rows if not row["coefficient"]]
        found[f"{kind}_false_alarm_percent"] = _mean(right)
        found[f"{kind}_bug_called_right_percent"] = _mean(bugs, "right")
        for expectation in EXPECTED:
            name = expectation.replace(" ", "_")
            found[f"{kind}_found_percent_for_{name}"] = _mean(bugs, expected=expectation)
        for value in COEFFICIENTS:
            found[f"{kind}_found_percent_coefficient_{value:g}"] = _mean(bugs, coefficient=value)
        for one in POINTS:
            found[f"{kind}_found_percent_{len(one)}_settings"] = _mean(bugs, settings=len(one))
    for factor in FACTORS:
        found[f"slower_{factor:g}_found_percent"] = _mean(details["slowdowns"], factor=factor)
    figures: Figures = {name: round(value, 2) for name, value in found.items()}
    for run in ("seeded", "fixed"):
        own = Counter(row["verdict"] for row in details["recorded"]["verdicts"] if row["run"] == run)
        for word in ("found", "undecided", "right"):
            figures[f"recorded_{run}_{word}"] = {"value": own[word], "of": sum(own.values())}
    slower = details["recorded"]["slower"]
    figures["recorded_slower_with_defects"] = {"value": slower["defects"], "of": slower["of"]}
    figures["recorded_slower_without"] = {"value": slower["same"], "of": slower["of"]}
    return figures


def measure(count: int, seed: int) -> dict[str, Any]:
    """Judge all sources."""
    study = read_study(RECORDED)
    plain = read_study(ROOT / "tests" / "bench_mpi" / "slower.toml")
    details = {
        "synthetic": synthetic(count, seed, shared=False),
        "shared": synthetic(count, seed + 1, shared=True),
        "slowdowns": slowdowns(count, seed + 2, plain),
        "recorded": recorded(study),
    }
    context = {"seed": seed, "series_per_cell": count, "numpy": np.__version__}
    return {"context": context, "figures": figures_of(details), "details": details}


def main() -> int:
    """Entry point; returns the exit code."""
    parser = command_line(__doc__)
    parser.add_argument("--series", type=int, default=effort(SERIES, 2), help="series for each cell")
    parser.add_argument("--seed", type=int, default=SEED, help="draw other series than those of the documentation")
    given = parser.parse_args()
    document = measure(given.series, given.seed)
    write(given.output, document["context"], document["figures"], details=document["details"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
