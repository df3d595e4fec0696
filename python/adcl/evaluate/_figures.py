"""Figures of evaluations and replays. Figures without data are omitted.

The functions receive each setting with its name in the figures.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from adcl import pages
from adcl.evaluate._replay import mean_distance
from adcl.evaluate._statistics import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from adcl.evaluate._analysis import SettingResult
    from adcl.evaluate._replay import ReplayedDecision, ReplayedSearch
    from adcl.evaluate._statistics import RankingError, TimeChange

__all__ = ["changes", "ranking", "replayed", "selection", "times", "winner_changes", "wins"]

_MOST_LINES = 8
_MOST_PICTURES = 12
_INTERVAL = f"negative is faster; lines show the {CONFIDENCE:.0%} interval"


def wins(settings: Sequence[tuple[str, SettingResult]]) -> Iterator[pages.Figure]:
    """Yield Fig. 5.5: number of settings in which a codelet is among the best, and among the worst."""
    best = Counter(one.name for _, setting in settings for one in setting.codelets if one.winner)
    worst = Counter(one.name for _, setting in settings for one in setting.codelets if one.loser)
    names = sorted(set(best) | set(worst), key=lambda name: (-best[name], worst[name]))
    if len(settings) > 1 and names:
        bars = [pages.Bars("best", [best[one] for one in names]), pages.Bars("worst", [worst[one] for one in names])]
        caption = "Number of settings in which a codelet is among the best and among the worst"
        yield pages.bar_figure(names, bars, value_title="settings", caption=caption)


def _compared(
    rows: Iterable[tuple[str, Sequence[TimeChange | None]]], names: Sequence[str], reference: str, caption: str
) -> Iterator[pages.Figure]:
    """Yield bars with intervals for the rows without missing changes."""
    known = []
    for name, several in rows:
        determined = [one for one in several if one is not None and one.determined]
        if len(determined) == len(names):
            known.append((name, determined))
    if not known:
        return
    groups = []
    for place, name in enumerate(names):
        ours = [several[place] for _, several in known]
        ends = [one.low for one in ours], [one.high for one in ours]
        groups.append(pages.Bars(name, [one.percent for one in ours], *ends))
    title = f"change of the time relative to {reference} [%]"
    yield pages.bar_figure([name for name, _ in known], groups, value_title=title, caption=f"{caption}: {_INTERVAL}")


def winner_changes(settings: Sequence[tuple[str, SettingResult]]) -> Iterator[pages.Figure]:
    """Yield Fig. 4.3 and 4.4, with the opposite sign."""
    for reference, rows in (
        ("the native codelet", [(name, [one.over_native]) for name, one in settings]),
        ("the original program", [(name, [one.over_original]) for name, one in settings]),
    ):
        yield from _compared(rows, ["fastest codelet"], reference, f"Fastest codelet relative to {reference}")


def changes(settings: Sequence[tuple[str, SettingResult]]) -> Iterator[pages.Figure]:
    """Yield Fig. 5.6: gain of the best codelets, and loss of the worst codelets."""
    rows = [(name, [one.best_over_original, one.worst_over_original]) for name, one in settings]
    names = ["best codelets", "worst codelets"]
    yield from _compared(rows, names, "the original program", "Verification runs relative to the original program")


def selection(settings: Sequence[tuple[str, SettingResult]]) -> Iterator[pages.Figure]:
    """Yield Fig. 5.7 and 5.8: loss of the chosen codelet by number of measurements, for each statistical method."""
    losses: dict[str, dict[str, dict[int, list[float]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for name, setting in settings:
        for tuned in setting.tuned:
            how = tuned.combination
            if how.measurements is not None:
                known = [loss for loss in tuned.losses_percent if loss is not None]
                losses[how.outliers][name][how.measurements] += known
    for method, by_setting in losses.items():
        lines = []
        for name, by_count in sorted(
            by_setting.items(), key=lambda one: -max(map(max, filter(None, one[1].values())), default=0.0)
        ):
            counts = sorted(count for count, known in by_count.items() if known)
            means = [statistics.fmean(by_count[count]) for count in counts]
            lines.append(pages.PlotSeries(name, counts, means, "line+points"))
        if any(len(line.x) > 1 for line in lines):
            more = len(lines) - _MOST_LINES
            caption = f"Loss of the chosen codelet with statistical method {method}" + (
                f"; {more} settings with smaller losses are omitted" if more > 0 else ""
            )
            yield pages.xy_figure(
                lines[:_MOST_LINES], x_title="measurements per codelet, n_m", y_title="loss [%]", caption=caption
            )


def ranking(settings: Sequence[tuple[str, SettingResult]]) -> Iterator[pages.Figure | pages.Text]:
    """Yield Fig. 6.7 and 6.8: ranking errors of each timing technique, with the search that measures all codelets."""
    searches = {tuned.combination.search for _, setting in settings for tuned in setting.tuned if tuned.ranking}
    if not searches:
        yield pages.Text(("No tuned run has estimates of two verified codelets.",))
        return
    search = "brute_force" if "brute_force" in searches else min(searches)
    found: dict[str, dict[str, list[RankingError]]] = defaultdict(dict)
    for name, setting in settings:
        for tuned in setting.tuned:
            if tuned.combination.search == search:
                found[tuned.combination.timing].setdefault(name, []).extend(tuned.ranking)
    names = [name for name, _ in settings if all(of_one.get(name) for of_one in found.values())]
    if not any(error.sum_high for of_one in found.values() for name in names for error in of_one[name]):
        yield pages.Text((f"The estimates of {search} rank all pairs of codelets as the verification runs do.",))
        return
    legend = (
        "An error is a pair of codelets that a timing technique ranks in the opposite order to the verification "
        "runs. Its size is the difference of their times in the verification runs, in percent of the best codelet's "
        f"time. Bars show e_avg, from the mean run times; lines reach from e_min to e_max, the smallest and the "
        f"largest difference between two runs. Mean over the runs of {search}."
    )
    yield pages.Text((legend,))
    for title, caption, members in (
        ("largest error of a pair [%]", "Largest error of the ranking", ("worst_low", "worst", "worst_high")),
        ("sum of the errors [%]", "Sum of all errors of the ranking", ("sum_low", "sum", "sum_high")),
    ):
        groups = []
        for timing, of_one in found.items():
            low, value, high = (
                [statistics.fmean(getattr(one, member) for one in of_one[name]) for name in names] for member in members
            )
            groups.append(pages.Bars(timing, value, low, high))
        yield pages.bar_figure(names, groups, value_title=title, caption=caption)


def times(settings: Sequence[tuple[str, SettingResult]]) -> Iterator[pages.Figure]:
    """Yield Fig. 5.4 and 6.6: verification runs of each codelet."""
    for name, setting in settings[:_MOST_PICTURES]:
        if not setting.codelets:
            continue
        values = [one.average_s for one in setting.codelets]
        ends = [min(one.times) for one in setting.codelets], [max(one.times) for one in setting.codelets]
        yield pages.bar_figure(
            [one.name for one in setting.codelets],
            [pages.Bars("runs", values, *ends)],
            value_title="seconds",
            caption=f"{name}: mean of the verification runs; lines reach from the shortest run to the longest",
        )


def _mean_percent(decisions: Sequence[ReplayedDecision]) -> float | None:
    mean = mean_distance(decisions)
    return None if mean is None else 100.0 * mean


def _by_measurements(search: ReplayedSearch, name: str) -> Iterator[pages.Figure]:
    series = []
    for (own, outliers), mine in search.groups().items():
        if own != name:
            continue
        counts = sorted({one.measurements_per_codelet for one in mine})
        means = [(n, _mean_percent([one for one in mine if one.measurements_per_codelet == n])) for n in counts]
        known = [(count, value) for count, value in means if value is not None]
        labels = [f"{outliers}, {count} measurements: {value:.2f} %" for count, value in known]
        xs, ys = [count for count, _ in known], [value for _, value in known]
        series.append(pages.PlotSeries(outliers, xs, ys, "line+points", labels=labels))
    if any(len(one.x) > 1 for one in series):
        yield pages.xy_figure(
            series,
            x_title="measurements per codelet",
            y_title="% more time than the best",
            caption=f"{name}: excess time of the chosen codelet over the best codelet, by statistical method",
            height=300,
        )


def replayed(search: ReplayedSearch) -> Iterator[pages.Figure]:
    """Yield the distance by search and method, and by number of measurements."""
    groups = {names: _mean_percent(mine) for names, mine in search.groups().items()}
    names, methods = (list(dict.fromkeys(one[place] for one in groups)) for place in (0, 1))
    if len(groups) > 1 and any(value is not None for value in groups.values()):
        yield pages.heatmap(
            methods,
            names,
            [[groups.get((name, method)) for method in methods] for name in names],
            value_title="% more time",
            caption="Excess time of the chosen codelet over the best codelet, mean over all replays",
            height=90 + 44 * len(names),
        )
    yield from _by_measurements(search, "brute_force" if "brute_force" in names else names[0])
