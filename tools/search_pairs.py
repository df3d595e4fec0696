#!/usr/bin/env python3
"""Compares two builds of the library's searches on the same replayed programs.

    build/openmpi/bin/bench_search old.json recorded network search=model seeds=20 programs   # with the old build
    build/openmpi/bin/bench_search new.json recorded network search=model seeds=20 programs   # with the new build
    .venv/bin/python tools/search_pairs.py old.json new.json

Each line shows a figure of the old build, of the new build, and the mean difference over the same programs with a 95 %
bootstrap interval over the tables. A star marks intervals that exclude 0.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_RESAMPLES = 2000
_FIGURES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "log time over best, %": ("over_best", lambda values: 100.0 * np.log(values)),
    "regret, %": ("regret", lambda values: 100.0 * values),
    "within 2 % of the best, %": ("regret", lambda values: 100.0 * (values <= 0.02)),
    "2 % slower than the first, %": ("over_first", lambda values: 100.0 * (values > 1.02)),
}


def _by_table(programs: dict[str, Any], name: str) -> Any:
    return np.array(programs[name]).reshape(-1, programs["seeds"])


def _lines(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    random = np.random.default_rng(1)
    for machine, searches in old.items():
        for search, by_starts in searches.items():
            for starts, programs in by_starts.items():
                others = new[machine][search][starts]
                for figure, (name, value) in _FIGURES.items():
                    before, after = value(_by_table(programs, name)), value(_by_table(others, name))
                    means = (after - before).mean(axis=1)
                    drawn = random.integers(0, len(means), size=(_RESAMPLES, len(means)))
                    low, high = np.percentile(means[drawn].mean(axis=1), [2.5, 97.5])
                    star = "*" if low > 0.0 or high < 0.0 else " "
                    yield (
                        f"{machine:12}{search:12}{starts:>7}  {figure:30}{before.mean():8.2f}{after.mean():8.2f}"
                        f"{means.mean():+8.2f} ({low:+.2f} … {high:+.2f}) {star}"
                    )
                before, after = (np.array(one["over_first"]).max() for one in (programs, others))
                yield f"{machine:12}{search:12}{starts:>7}  {'worst time over first':30}{before:8.2f}{after:8.2f}"


def main() -> None:
    """Write the table to standard output."""
    parser = argparse.ArgumentParser(description="Compare two builds of the searches on the same replayed programs.")
    parser.add_argument("old", type=Path, help="document of bench_search with the option 'programs' (old build)")
    parser.add_argument("new", type=Path, help="the same for the new build")
    arguments = parser.parse_args()
    old, new = (json.loads(path.read_text("utf-8"))["context"]["programs"] for path in (arguments.old, arguments.new))
    for line in _lines(old, new):
        print(line)


if __name__ == "__main__":
    main()
