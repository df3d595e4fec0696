"""Tables of evaluations and replays, shared by the terminal and the page."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import TYPE_CHECKING

from adcl.evaluate._replay import mean_distance
from adcl.evaluate._statistics import STABILITY, WITHIN_PERCENT
from adcl.evaluate._text import change_text, runs_text, share_text, spread_text
from adcl.pages import Column, Table, percent, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from adcl.evaluate._analysis import Evaluated, SettingResult, Summary
    from adcl.evaluate._replay import Replay, ReplayedDecision, ReplayedSearch
    from adcl.pages import Cell

__all__ = [
    "QUALITY",
    "best_codelets",
    "comparison",
    "grid",
    "machines",
    "named_settings",
    "over_original",
    "quality",
    "selections",
    "stabilities",
    "standings",
    "troubles",
    "truth",
]

Named = list[tuple[str, "SettingResult"]]
"""Settings, each with its name in tables and figures."""

_LONGEST = 40
"""Maximum number of rows of a table on the page."""

_FAR = 9.99
"""Largest distance that tables show as a number."""

WITHIN = f"within {WITHIN_PERCENT:g} %"


def named_settings(results: Sequence[Evaluated]) -> Named:
    """Return all settings. With several machines, each name includes the machine."""
    return [
        (f"{one.machine}: {setting.name}" if len(results) > 1 else setting.name, setting)
        for one in results
        for setting in one.settings
    ]


def _table(columns: Sequence[Column | str], rows: Iterable[tuple[Cell, ...]], caption: str = "") -> Iterator[Table]:
    """Yield a table, truncated if it is long; nothing if it has no rows."""
    shown = tuple(rows)
    if len(shown) > _LONGEST:
        caption += (
            f" The table shows the first {_LONGEST} of {len(shown)} rows; 'adcl evaluate report --json' prints all."
        )
    if shown:
        yield Table(tuple(columns), shown[:_LONGEST], caption)


def best_codelets(settings: Named, *, worst: bool = False) -> Iterator[Table]:
    """Yield Table 5.2 of the thesis: the best, and on request the worst, codelets of each setting."""
    rows = []
    for name, setting in settings:
        best = ", ".join(one.name for one in setting.codelets if one.winner)
        fastest = seconds(setting.codelets[0].average_s) if setting.codelets else None
        losers = (", ".join(one.name for one in setting.codelets if one.loser),) if worst else ()
        rows.append((name, best or None, fastest, *losers, spread_text(setting.spread)))
    caption = (
        "Best codelets: the codelet with the shortest run, and all codelets whose range of run times overlaps with its "
        "range; worst codelets in the same way. Fastest: the shortest mean run time. Largest spread: the runs that "
        "should take the same time and differ most."
    )
    titles = ("setting", "best codelets", "fastest", *(("worst codelets",) if worst else ()), "largest spread")
    return _table(titles, rows, caption)


def machines(results: Sequence[Evaluated]) -> Iterator[Table]:
    """Yield the best codelets of each setting on each of several machines."""
    best = {
        (one.machine, setting.name): ", ".join(codelet.name for codelet in setting.codelets if codelet.winner)
        for one in results
        for setting in one.settings
    }
    names = dict.fromkeys(setting.name for one in results for setting in one.settings)
    rows = [(name, *(best.get((one.machine, name)) or None for one in results)) for name in names]
    return _table(("setting", *(one.machine for one in results)), rows, "Best codelets on each machine")


def comparison(settings: Named) -> Iterator[Table]:
    """Yield figures 4.3 and 4.4 of the thesis as a table."""
    rows = [
        (name, f"{setting.winner} over {reference}", change_text(change), runs_text(change))
        for name, setting in settings
        for reference, change in (
            (f"native {setting.native}", setting.over_native),
            ("original", setting.over_original),
        )
        if change is not None
    ]
    caption = (
        "Time of the fastest codelet relative to the native codelet and to the original program (the program "
        "without ADCL), with the number of runs of both. The thesis calls these g_n and g_o, with the opposite sign, "
        "and gives their uncertainty as u_tot, the combined standard deviation of both means; here the 95 % interval "
        "is in brackets instead."
    )
    return _table(("setting", "fastest codelet", "time", "runs"), rows, caption)


def _share(value: float | None) -> Cell:
    return None if value is None else f"{100 * value:.0f} %"


_BRIEF: dict[str, Callable[[Summary], Cell]] = {
    "decided by": lambda one: one.combination.name,
    WITHIN: lambda one: share_text(one.within, one.within_interval),
    "mean loss": lambda one: change_text(one.mean_loss),
    "worst loss": lambda one: change_text(one.worst_loss),
    "regret": lambda one: change_text(one.mean_regret),
    "undecided": lambda one: f"{one.undecided} of {one.runs}",
}
_WHOLE: dict[str, Callable[[Summary], Cell]] = {
    **_BRIEF,
    "among best": lambda one: _share(one.among_winners),
    "worst over native": lambda one: change_text(one.worst_over_native),
    "measured": lambda one: round(one.measurements),
}


QUALITY = (
    "Decided by: search, statistical method, timing technique and n_m, the number of measurements per codelet. "
    f"{WITHIN.capitalize()}: share of the decisions with at most this loss. Loss: time of the chosen codelet's "
    "verification runs relative to the best codelet's. Regret: time of the whole tuned run, search included, "
    "relative to the best codelet's verification runs. Undecided: runs that ended before the search. Among best: "
    "share of the decisions for one of the best codelets. Worst over native: the worst decision's time relative to "
    "the native codelet's time. Measured: measurements per run."
)
"""Explanation of the columns of `quality`."""


def quality(summaries: Sequence[Summary], caption: str = "", *, brief: bool = False) -> Iterator[Table]:
    """Yield loss and regret of each combination."""
    columns = _BRIEF if brief else _WHOLE
    return _table(list(columns), [tuple(cell(one) for cell in columns.values()) for one in summaries], caption)


def selections(settings: Named) -> Iterator[Table]:
    """Yield Table 5.3 of the thesis: the chosen codelets in settings where some of them are not among the best."""
    rows = [
        (
            name,
            tuned.combination.name,
            ", ".join(one or "undecided" for one in tuned.chosen),
            ", ".join(change_text(loss) or "–" for loss in tuned.losses),
        )
        for name, setting in settings
        for tuned in setting.tuned
        if not all(tuned.among_winners)
    ]
    caption = "Runs that chose a codelet that is not among the best."
    return _table(("setting", "decided by", "chosen in each run", "loss in each run"), rows, caption)


def over_original(settings: Named) -> Iterator[Table]:
    """Yield Table 5.4 of the thesis."""
    rows = [
        (name, tuned.combination.name, change_text(tuned.over_original), runs_text(tuned.over_original))
        for name, setting in settings
        for tuned in setting.tuned
        if tuned.over_original is not None
    ]
    return _table(
        ("setting", "decided by", "over original", "runs"),
        rows,
        "Time of whole tuned runs relative to the original program, with the number of runs of both programs.",
    )


def stabilities(settings: Named) -> Iterator[Table]:
    """Yield Table 6.1 of the thesis."""
    rows: list[tuple[Cell, ...]] = []
    for name, setting in settings:
        each = ", ".join(f"{one.name} {one.instability:.2f}" for one in setting.codelets)
        rows.append((name, len(setting.codelets), each, round(setting.instability, 2), setting.stability))
    classes = ", ".join(f"{sign} (below {limit:g}) {name}" for limit, sign, name in STABILITY)
    caption = (
        "n_c: number of verified codelets. Instability: share of the other codelets whose range of run times overlaps "
        f"with the codelet's range, so that their order is unknown. Class of the mean: {classes}, -- very unstable."
    )
    return _table(("setting", "n_c", "instability of each codelet", "mean", "class"), rows, caption)


def troubles(settings: Named) -> Iterator[Table]:
    """Yield the runs without a time."""
    rows: list[tuple[Cell, ...]] = []
    for name, setting in settings:
        rows += [(name, codelet, "stopped: many times slower than the best") for codelet in setting.too_slow]
        rows += [(name, key.split(" | ", 1)[-1], reason) for key, reason in setting.failed.items()]
    return _table(("setting", "run", "reason"), rows)


def _distance_text(replays: Sequence[ReplayedDecision]) -> str:
    mean = mean_distance(replays)
    if mean is None:
        return "–"
    reused = "*" if any(one.reused for one in replays) else ""
    return f"{100.0 * mean:.1f}{reused}" if mean < _FAR else f">{100.0 * _FAR:.0f}{reused}"


def grid(search: ReplayedSearch, *, chosen: bool = False) -> Table:
    """Return the distance of the decisions by search, method and measurements, optionally with the codelets."""
    counts = list(dict.fromkeys(one.measurements_per_codelet for one in search.decisions))
    rows = []
    for names, mine in search.groups().items():
        cells = [_distance_text([one for one in mine if one.measurements_per_codelet == count]) for count in counts]
        winners = Counter(one.winner or "undecided" for one in mine)
        codelets = (", ".join(name for name, _ in winners.most_common()),) if chosen else ()
        rows.append((*names, *cells, f"{statistics.fmean(one.measurements for one in mine):.0f}", *codelets))
    numbers = [Column(title, numeric=True) for title in (*map(str, counts), "measured")]
    columns = ("search", "outliers", *numbers, *(("chosen",) if chosen else ()))
    caption = (
        "Excess time of the chosen codelet over the best codelet in percent, by the number of measurements per "
        "codelet. Measured: mean number of measurements until the decision. Chosen: codelets, the most frequent first. "
        "A star marks replays that used recorded times twice because the trace has too few."
    )
    return Table(columns, tuple(rows), caption)


def truth(search: ReplayedSearch) -> Table:
    """Return the true time of each codelet, by which decisions are judged."""
    rows = tuple(
        (
            name,
            seconds(time),
            percent(search.distance(name) or 0.0),
            search.recorded[name],
            "verification runs" if name in search.verified else "the recording",
        )
        for name, time in sorted(search.truth.items(), key=lambda one: one[1])
    )
    numeric = (Column("time", numeric=True), Column("over the best", numeric=True), Column("recorded", numeric=True))
    caption = "The true time of each codelet, by which decisions are judged. Recorded: number of recorded starts."
    return Table(("codelet", *numeric, "source"), rows, caption, marked=(0,))


def standings(replay: Replay) -> Table:
    """Return how often each search and statistical method was right."""
    rows = tuple(
        (
            one.search,
            one.outliers,
            percent(one.right),
            percent(one.mean_distance),
            percent(one.worst_distance),
            f"{one.measurements:.0f}",
            str(one.replays),
        )
        for one in replay.standings
    )
    numbers = (Column(name, numeric=True) for name in (WITHIN, "mean", "worst", "measured", "replays"))
    caption = (
        f"{WITHIN.capitalize()}: share of the replays whose codelet is at most this much slower than the best "
        "codelet. Mean and worst: excess time over the best codelet in percent. Measured: measurements per replay."
    )
    return Table(("search", "outliers", *numbers), rows, caption, marked=(0,))
