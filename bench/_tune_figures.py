"""What figures 4 to 7 of the paper show, for the studies of `tune_table1`: the time of every trial, as SVG."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from adcl.report import PlotSeries, picture, write_text, xy_figure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["draw"]

_FIGURES: dict[str, tuple[tuple[str, str], ...]] = {
    "figure4": (("fish_1000", "exhaustive"),),
    "figure5-1000": tuple(("fish_1000", search) for search in ("gde3", "individual", "random", "gp")),
    "figure5-4000": tuple(("fish_4000", search) for search in ("gde3", "individual", "random", "gp")),
    "figure6": (("fish_1000_intel", "gde3"),),
    "figure7": (("cg_W", "random"), ("is_A", "random")),
    "clusters": (("fish_1000_flat", "gde3"), ("fish_1000_hierarchical", "gde3")),
}


def _series(name: str, document: Mapping[str, Any]) -> PlotSeries:
    """Times of the trials over the mean time with the defaults, in the order in which they were run."""
    objective = document["objectives"][0]
    ok = [run for run in document["runs"] if run["status"] == "ok"]
    usual = statistics.geometric_mean(run["objectives"][objective] for run in ok if run["kind"] == "default")
    trials = [run for run in ok if run["kind"] in ("trial", "screening")]
    labels = [", ".join(f"{key}={value}" for key, value in run["configuration"].items()) for run in trials]
    times = [run["objectives"][objective] / usual for run in trials]
    return PlotSeries(name, list(range(1, len(times) + 1)), times, kind="points", labels=labels)


def draw(documents: Mapping[tuple[str, str], Mapping[str, Any]], folder: Path) -> None:
    """Draw each figure whose studies are there into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, wanted in _FIGURES.items():
        there = [key for key in wanted if key in documents]
        if not there:
            continue
        words = {key: key[0] if len({one[1] for one in there}) == 1 else key[1] for key in there}
        series = [_series(words[key], documents[key]) for key in there]
        longest = max(max(one.x, default=1) for one in series)
        series.append(PlotSeries("defaults", [1, longest], [1.0, 1.0], dashed=True, colour="#888888"))
        figure = xy_figure(series, x_title="trial", y_title="time over that of the defaults")
        svg = picture(figure, 0)
        end = svg.index(">") + 1
        write_text(f'{svg[:end]}<rect width="100%" height="100%" fill="white"/>{svg[end:]}\n', folder / f"{name}.svg")
