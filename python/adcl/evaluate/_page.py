"""The page of an evaluation: the thesis's tables and figures, of one or of several machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl import report
from adcl.evaluate import _figures as figures
from adcl.evaluate._analysis import WITHIN_PERCENT
from adcl.evaluate._statistics import STABILITY
from adcl.evaluate._text import SIGN, change_text, runs_text, share_text, spread_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adcl.evaluate._analysis import Evaluated, SettingResult, Summary
    from adcl.report import Block, Cell

__all__ = ["make_page"]

_SHOWN_COMBINATIONS = 40


def _share(value: float | None) -> Cell:
    return None if value is None else f"{100 * value:.0f} %"


def _several(results: Sequence[Evaluated]) -> Iterator[tuple[str, SettingResult]]:
    """Go through all settings; their names say which machine they are of where there are several."""
    for one in results:
        for setting in one.settings:
            yield (f"{one.machine}: {setting.name}" if len(results) > 1 else setting.name), setting


def _headline(results: Sequence[Evaluated]) -> report.Headline:
    summaries = [one for result in results for one in result.summaries]
    settings = sum(len(result.settings) for result in results)
    if not summaries:
        return report.Headline(f"{settings} settings verified; no tuned run")
    best = max(summaries, key=lambda one: (one.within or 0.0, -(one.mean_loss.percent if one.mean_loss else 0.0)))
    share = share_text(best.within, best.within_interval) or "none"
    text = f"{best.combination.name}: {share} of {best.runs} decisions within {WITHIN_PERCENT:g} % of the best codelet"
    worst = "" if best.worst_loss is None else f"worst loss {change_text(best.worst_loss)}"
    return report.Headline(text, "good" if (best.within or 0.0) >= 0.95 else "neutral", worst)  # noqa: PLR2004


def _winners(results: Sequence[Evaluated]) -> report.Table:
    """Table 5.2: w and l for each codelet that won or lost somewhere."""
    settings = list(_several(results))
    names = dict.fromkeys(one.name for _, setting in settings for one in setting.codelets if one.winner or one.loser)
    rows = []
    for name, setting in settings:
        marks = {
            one.name: "w l" if one.winner and one.loser else "w" * one.winner or "l" * one.loser
            for one in setting.codelets
        }
        rows.append((name, *(marks.get(codelet, "") for codelet in names)))
    return report.Table(
        ("setting", *names),
        tuple(rows),
        "Best (w) and worst codelets (l): those with the shortest and the longest run, and all that overlap with one",
    )


def _comparison(results: Sequence[Evaluated]) -> report.Table:
    """Figures 4.3 and 4.4 as a table."""
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            setting.winner,
            report.seconds(setting.codelets[0].average_s) if setting.codelets else None,
            change_text(setting.over_native),
            runs_text(setting.over_native),
            change_text(setting.over_original),
            runs_text(setting.over_original),
            spread_text(setting.spread),
        )
        for name, setting in _several(results)
    ]
    columns = ("setting", "winner", "its time", "over native", "runs", "over original", "runs", "largest spread")
    caption = (
        "The winner's time over the native codelet's and the original program's: g_n and g_o of the thesis with the "
        "other sign. The last column has the runs of the same that differ most"
    )
    return report.Table(columns, tuple(rows), caption)


def _stability(results: Sequence[Evaluated]) -> report.Table:
    """Table 6.1."""
    rows: list[tuple[Cell, ...]] = []
    for name, setting in _several(results):
        each = ", ".join(f"{one.name} {one.instability:.2f}" for one in setting.codelets)
        rows.append((name, len(setting.codelets), each, round(setting.instability, 2), setting.stability))
    words = ", ".join(f"{sign} below {limit:g} {name}" for limit, sign, name in STABILITY)
    return report.Table(
        ("setting", "n_c", "instability of each codelet", "mean", ""),
        tuple(rows),
        f"The share of other codelets with which one could change places ({words}, -- very unstable)",
    )


def _quality(summaries: Sequence[Summary]) -> report.Table:
    """Loss and regret of each combination."""
    rows: list[tuple[Cell, ...]] = [
        (
            one.combination.search,
            one.combination.outliers,
            one.combination.timing,
            one.combination.measurements,
            one.runs,
            one.undecided,
            share_text(one.within, one.within_interval),
            _share(one.among_winners),
            change_text(one.mean_loss),
            change_text(one.worst_loss),
            change_text(one.worst_over_native),
            change_text(one.mean_regret),
            round(one.measurements),
        )
        for one in summaries
    ]
    columns = (
        *("search", "outliers", "timing", "n_m", "runs", "undecided", f"within {WITHIN_PERCENT:g} %", "among winners"),
        *("mean loss", "worst loss", "worst over native", "regret", "measurements"),
    )
    caption = (
        "Loss: how much longer the chosen codelet's verification runs take than those of the best. Regret: the whole "
        "tuned run, its search included, over the best codelet's verification runs"
    )
    return report.Table(columns, tuple(rows), caption)


def _selections(results: Sequence[Evaluated]) -> Iterator[Block]:
    """Table 5.3: what each run has chosen where some choice was not among the winners."""
    rows: list[tuple[Cell, ...]] = []
    for name, setting in _several(results):
        for tuned in setting.tuned:
            if all(tuned.among_winners):
                continue
            losses = ", ".join(change_text(loss) or "–" for loss in tuned.losses)
            chosen = ", ".join(one or "none yet" for one in tuned.chosen)
            rows.append((name, tuned.combination.name, chosen, losses))
    if rows:
        caption = "Runs whose choice is not among the winners"
        if len(rows) > _SHOWN_COMBINATIONS:
            caption += f": the first {_SHOWN_COMBINATIONS} of {len(rows)}, the JSON has all"
        shown = tuple(rows[:_SHOWN_COMBINATIONS])
        yield report.Table(("setting", "how", "chosen in each run", "loss in each run"), shown, caption)
    else:
        yield report.Text(("Every run chose one of the winners.",))


def _over_original(results: Sequence[Evaluated]) -> Iterator[Block]:
    """Table 5.4."""
    rows: list[tuple[Cell, ...]] = [
        (name, tuned.combination.name, change_text(tuned.over_original), runs_text(tuned.over_original))
        for name, setting in _several(results)
        for tuned in setting.tuned
        if tuned.over_original is not None
    ]
    if rows:
        caption = "Times of whole tuned runs over those of the original program: negative is faster"
        if len(rows) > _SHOWN_COMBINATIONS:
            caption += f"; the first {_SHOWN_COMBINATIONS} of {len(rows)}, the JSON has all"
        columns = ("setting", "how", "over original", "runs")
        yield report.Table(columns, tuple(rows[:_SHOWN_COMBINATIONS]), caption)


def _troubles(results: Sequence[Evaluated]) -> Iterator[Block]:
    rows: list[tuple[Cell, ...]] = []
    for name, setting in _several(results):
        rows += [(name, codelet, "stopped: many times slower than the best") for codelet in setting.too_slow]
        rows += [(name, key.split(" | ", 1)[-1], reason) for key, reason in setting.failed.items()]
    if rows:
        yield report.Table(("setting", "run", "what happened"), tuple(rows), "Runs that did not end well")


def _side_by_side(results: Sequence[Evaluated]) -> Iterator[report.Section]:
    """Settings by machines: who wins where."""
    if len(results) < 2:  # noqa: PLR2004
        return
    names = dict.fromkeys(setting.name for one in results for setting in one.settings)
    rows = []
    for name in names:
        cells: list[Cell] = [name]
        for one in results:
            found = next((setting for setting in one.settings if setting.name == name), None)
            best = [codelet.name for codelet in found.codelets if codelet.winner] if found else []
            cells.append(", ".join(best) or None)
        rows.append(tuple(cells))
    table = report.Table(("setting", *(one.machine for one in results)), tuple(rows), "Best codelets on each machine")
    yield report.Section("Side by side", (table,))


def make_page(results: Sequence[Evaluated]) -> report.Page:
    """Make the page of one or several machines."""
    facts = {
        one.machine: f"seed {one.seed}; " + ", ".join(f"{k} {v}" for k, v in one.context.items()) for one in results
    }
    settings = list(_several(results))
    quality = [_quality(one.summaries) for one in results if one.summaries]
    tuned: list[report.Section] = []
    if quality:
        tuned = [
            report.Section("Loss and regret of the searches", tuple(quality)),
            report.Section("Selection errors", (*_selections(results), *figures.selection(settings))),
            report.Section("Ranking errors of the timing techniques", tuple(figures.ranking(settings))),
        ]
    against: tuple[Block, ...] = (*_over_original(results), *figures.changes(settings))
    sections = [
        *_side_by_side(results),
        report.Section("Best and worst codelets", (_winners(results), *figures.wins(settings))),
        report.Section("The winner against others", (_comparison(results), *figures.winner_changes(settings))),
        *tuned,
        *([report.Section("Against the original program", against)] if against else []),
        report.Section("Stability of the verification runs", (_stability(results), *figures.times(settings))),
    ]
    troubles = tuple(_troubles(results))
    if troubles:
        sections.append(report.Section("Runs that did not end well", troubles))
    title = results[0].name if results else "nothing"
    return report.Page(
        f"{title}: evaluation",
        (_headline(results), report.Text((SIGN,)), report.Facts(facts)),
        tuple(sections),
        "adcl evaluate",
    )
