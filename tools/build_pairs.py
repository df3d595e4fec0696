#!/usr/bin/env python3
"""Compares two builds of the library by a bench that both run in turns.

    git worktree add ../old COMMIT                      # and build it there: live_exchange, bench_…
    .venv/bin/python tools/build_pairs.py search_live ../old/build/openmpi build/openmpi -- --runs 1

Each pair runs the bench once with each build, in random order. The bench's own source is that of this folder; only the
programs that it starts belong to the builds. Options after ``--`` are passed to the bench; a bench written in C++ is
a program of the build and has none. Documents are kept in ``build/bench/pairs/NAME``: an interrupted comparison
continues, and ``--pairs 0`` only prints. Remove this folder after building again.

Each line shows a figure's median of the old and of the new build, and the new build relative to the old one: the
geometric mean of the pairs' ratios with Student's 95 % interval, or the mean difference if the figure has values
that are not positive. A star marks intervals that exclude 1, or 0 for differences. The last lines compare all figures
of a name up to its first dot.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shlex
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from scipy.stats import t as student  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[1]
_Pair = tuple[float, float]
"""Value of the old build and of the new build."""


def _command(name: str, build: Path, output: Path, options: Sequence[str]) -> list[str]:
    """Return the command that runs a bench."""
    sources = [path for path in ROOT.glob(f"bench/*/{name}.*") if path.suffix in {".py", ".cpp"}]
    if not sources:
        sys.exit(f"build_pairs.py: there is no bench '{name}' in bench/*/")
    if sources[0].suffix == ".py":
        module = f"bench.{sources[0].parent.name}.{name}"
        return [sys.executable, "-m", module, "--build", str(build), "--output", str(output), *options]
    if options:
        sys.exit(f"build_pairs.py: bench_{name} is a program without options; it cannot use {shlex.join(options)}")
    first = sources[0].read_text(encoding="utf-8").splitlines()[0]
    ranks = first.removeprefix("// ranks: ") if first.startswith("// ranks: ") else "2"
    return [str(build / "launch"), ranks, str(build / "bin" / f"bench_{name}"), str(output)]


def _measure(name: str, builds: dict[str, Path], folder: Path, pair: int, options: Sequence[str]) -> None:
    """Run the bench with each build that has no document for this pair yet."""
    for which in random.sample(sorted(builds), 2):
        output = folder / f"{which}-{pair}.json"
        if output.exists():
            continue
        part = output.with_suffix(".part")
        command = _command(name, builds[which], part, options)
        log = output.with_suffix(".log")
        with log.open("w", encoding="utf-8") as file:
            code = subprocess.run(command, cwd=ROOT, stdout=file, stderr=file, check=False).returncode
        if code != 0 or not part.exists():
            sys.exit(f"build_pairs.py: {shlex.join(command)} ended with code {code}; its output is in {log}")
        part.rename(output)


def _claim(folder: Path, name: str, builds: dict[str, Path], options: Sequence[str]) -> None:
    """Create the folder for this bench, these builds and options. Ends the program if it has documents of others."""
    folder.mkdir(parents=True, exist_ok=True)
    own = {"bench": name, **{which: str(build) for which, build in builds.items()}, "options": list(options)}
    record = folder / "compared.json"
    if record.exists() and json.loads(record.read_text(encoding="utf-8")) != own:
        sys.exit(f"build_pairs.py: {folder} has other benches, builds or options; remove it, or pass another one")
    record.write_text(json.dumps(own) + "\n", encoding="utf-8")


def _figures(path: Path) -> dict[str, float]:
    rows = json.loads(path.read_text(encoding="utf-8"))["figures"]
    return {row["name"]: float(row["value"]) for row in rows if isinstance(row["value"], int | float)}


def read_pairs(folder: Path) -> dict[str, list[_Pair]]:
    """Return the pairs of each figure that both builds of a pair report."""
    pairs = defaultdict(list)
    for path in sorted(folder.glob("old-*.json")):
        other = path.with_name(path.name.replace("old-", "new-"))
        if other.exists():
            old, new = _figures(path), _figures(other)
            for name in old.keys() & new.keys():
                pairs[name].append((old[name], new[name]))
    return dict(pairs)


def _interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and Student's 95 % interval, which is infinite for a single value."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, -math.inf, math.inf
    half = student.ppf(0.975, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def comparison(pairs: Sequence[_Pair]) -> tuple[float, float, float, bool]:
    """Return the new build relative to the old one with its interval, and whether it is a ratio."""
    if min(min(pair) for pair in pairs) > 0.0:
        mean, low, high = (math.exp(value) for value in _interval([math.log(new / old) for old, new in pairs]))
        return mean, low, high, True
    return (*_interval([new - old for old, new in pairs]), False)


def _line(name: str, pairs: Sequence[_Pair]) -> str:
    mean, low, high, is_ratio = comparison(pairs)
    same = 1.0 if is_ratio else 0.0
    star = "*" if low > same or high < same else " "
    sign = "" if is_ratio else "+"
    medians = [statistics.median(values) for values in zip(*pairs, strict=True)]
    return (
        f"{name:52} {medians[0]:>10.4g} {medians[1]:>10.4g}  "
        f"{mean:{sign}.3f} ({low:{sign}.3f} … {high:{sign}.3f}) {star} {len(pairs)} pairs"
    )


def _together(pairs: dict[str, list[_Pair]]) -> Iterator[str]:
    """For each first part of a name with several figures in all pairs: the geometric mean of their ratios."""
    groups = defaultdict(list)
    number = max(map(len, pairs.values()))
    for name, values in pairs.items():
        if len(values) == number and min(min(pair) for pair in values) > 0.0:
            groups[name.split(".")[0]].append(values)
    for name, members in sorted(groups.items()):
        if len(members) > 1:
            logs = [statistics.fmean(math.log(one[i][1] / one[i][0]) for one in members) for i in range(number)]
            mean, low, high = (math.exp(value) for value in _interval(logs))
            yield f"{name}, {len(members)} figures: {mean:.3f} ({low:.3f} … {high:.3f})"


def main() -> None:
    """Run the pairs and write the table to standard output."""
    parser = argparse.ArgumentParser(
        usage="%(prog)s NAME OLD NEW [--pairs N] [--folder FOLDER] [-- OPTIONS OF THE BENCH]",
        description="Compare two builds by a bench that both run in turns.",
    )
    parser.add_argument("name", help="the bench, as in make bench NAME=…")
    parser.add_argument("old", type=Path, help="folder of the old build")
    parser.add_argument("new", type=Path, help="folder of the new build")
    parser.add_argument("--pairs", type=int, default=10, help="(default: %(default)s)")
    parser.add_argument("--folder", type=Path, help="folder of the documents (default: build/bench/pairs/NAME)")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:end])
    options = words[end + 1 :]
    folder = (arguments.folder or ROOT / "build" / "bench" / "pairs" / arguments.name).absolute()
    builds = {"old": arguments.old.absolute(), "new": arguments.new.absolute()}
    if arguments.pairs > 0:
        _claim(folder, arguments.name, builds, options)
    for pair in range(arguments.pairs):
        _measure(arguments.name, builds, folder, pair, options)
        print(f"pair {pair + 1} of {arguments.pairs}", file=sys.stderr, flush=True)
    pairs = read_pairs(folder)
    if not pairs:
        sys.exit(f"build_pairs.py: {folder} has no complete pair")
    print(f"{'':52} {'old':>10} {'new':>10}  new relative to old")
    for name in sorted(pairs):
        print(_line(name, pairs[name]))
    for line in _together(pairs):
        print(line)


if __name__ == "__main__":
    main()
