"""The figures of an evaluation; all take the settings with the names that they are shown by."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from adcl import report
from adcl.evaluate._statistics import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adcl.evaluate._analysis import SettingResult
    from adcl.evaluate._statistics import RankingError, TimeChange

__all__ = ["changes", "ranking", "selection", "times", "winner_changes", "wins"]

_MOST_LINES = 8
_MOST_PICTURES = 12


def wins(settings: Sequence[tuple[str, SettingResult]]) -> Iterator[report.Figure]:
    """Fig. 5.5: in how many settings a codelet is among the best, and among the worst."""
    best = Counter(one.name for _, setting in settings for one in setting.codelets if one.winner)
    worst = Counter(one.name for _, setting in settings for one in setting.codelets if one.loser)
    names = sorted(set(best) | set(worst), key=lambda name: (-best[name], worst[name]))
    if len(settings) > 1 and names:
        bars = [report.Bars("best", [best[one] for one in names]), report.Bars("worst", [worst[one] for one in names])]
        yield report.bar_figure(
            names, bars, value_title="settings", caption="How often a codelet is among the best and the worst"
        )


def _bars(name: str, several: Sequence[TimeChange]) -> report.Bars:
    return report.Bars(
        name, [one.percent for one in several], [one.low for one in several], [one.high for one in several]
    )


def winner_changes(settings: Sequence[tuple[str, SettingResult]]) -> Iterator[report.Figure]:
    """Fig. 4.3 and 4.4, with the other sign."""
    against = (
        ("the native codelet", [(name, one.over_native) for name, one in settings]),
        ("the original program", [(name, one.over_original) for name, one in settings]),
    )
    for what, pairs in against:
        known = [(name, one) for name, one in pairs if one is not None and one.determined]
        if known:
            yield report.bar_figure(
                [name for name, _ in known],
                [_bars("winner", [one for _, one in known])],
                value_title=f"time over that of {what} [%]",
                caption=f"The winner over {what}: negative is faster; bars show the {CONFIDENCE:.0%} interval",
            )


def changes(settings: Sequence[tuple[str, SettingResult]]) -> Iterator[report.Figure]:
    """Fig. 5.6: what could be gained with the best codelet, and lost with the worst."""
    known = [(name, one.best_over_original, one.worst_over_original) for name, one in settings]
    complete = [
        (name, best, worst)
        for name, best, worst in known
        if best is not None and worst is not None and best.determined and worst.determined
    ]
    if not complete:
        return
    groups = [
        _bars("best codelet", [best for _, best, _ in complete]),
        _bars("worst codelet", [worst for _, _, worst in complete]),
    ]
    caption = (
        f"Verification runs over the original program: negative is faster; bars show the {CONFIDENCE:.0%} interval"
    )
    names = [name for name, _, _ in complete]
    yield report.bar_figure(names, groups, value_title="time over the original program's [%]", caption=caption)


def selection(settings: Sequence[tuple[str, SettingResult]]) -> Iterator[report.Figure]:
    """Fig. 5.7 and 5.8: the loss of what was chosen over the number of measurements, for each statistical method."""
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
            lines.append(report.PlotSeries(name, counts, means, "line+points"))
        if any(len(line.x) > 1 for line in lines):
            more = len(lines) - _MOST_LINES
            caption = f"Overhead of the selected codelet, {method}" + (
                f"; {more} settings with less are left out" if more > 0 else ""
            )
            yield report.xy_figure(
                lines[:_MOST_LINES], x_title="measurements per codelet, n_m", y_title="overhead [%]", caption=caption
            )


def ranking(settings: Sequence[tuple[str, SettingResult]]) -> Iterator[report.Figure | report.Text]:
    """Fig. 6.7 and 6.8: ranking errors for each timing technique, by the search that measures every codelet."""
    searches = {tuned.combination.search for _, setting in settings for tuned in setting.tuned if tuned.ranking}
    if not searches:
        yield report.Text(("No tuned run has estimates of two codelets that were verified.",))
        return
    search = "brute_force" if "brute_force" in searches else min(searches)
    found: dict[str, dict[str, list[RankingError]]] = defaultdict(dict)
    for name, setting in settings:
        for tuned in setting.tuned:
            if tuned.combination.search == search:
                found[tuned.combination.timing].setdefault(name, []).extend(tuned.ranking)
    names = [name for name, _ in settings if all(of_one.get(name) for of_one in found.values())]
    yield report.Text((f"By the estimates of {search}, averaged over its runs; bars reach from e_min to e_max.",))
    if not names:
        return
    for title, caption, members in (
        ("largest error of a pair [%]", "Maximum error of the ranking", ("worst_low", "worst", "worst_high")),
        ("sum of the errors [%]", "Sum of all errors of the ranking", ("sum_low", "sum", "sum_high")),
    ):
        groups = []
        for timing, of_one in found.items():
            low, value, high = (
                [statistics.fmean(getattr(one, member) for one in of_one[name]) for name in names] for member in members
            )
            groups.append(report.Bars(timing, value, low, high))
        yield report.bar_figure(names, groups, value_title=title, caption=caption)


def times(settings: Sequence[tuple[str, SettingResult]]) -> Iterator[report.Figure]:
    """Fig. 5.4 and 6.6: the verification runs of each codelet."""
    for name, setting in settings[:_MOST_PICTURES]:
        if not setting.codelets:
            continue
        values = [one.average_s for one in setting.codelets]
        bars = report.Bars(
            "runs", values, [min(one.times) for one in setting.codelets], [max(one.times) for one in setting.codelets]
        )
        codelets = [one.name for one in setting.codelets]
        yield report.bar_figure(
            codelets,
            [bars],
            value_title="seconds",
            caption=f"{name}: verification runs, from the shortest to the longest",
        )
