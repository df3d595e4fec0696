"""Pages of evaluations on one or several machines, and of replays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl import pages
from adcl.evaluate import _figures as figures
from adcl.evaluate import _tables as tables
from adcl.evaluate._statistics import WITHIN_PERCENT
from adcl.evaluate._text import SIGN, change_text, share_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from adcl.evaluate._analysis import Evaluated
    from adcl.evaluate._replay import Replay, ReplayedSearch
    from adcl.pages import Block

__all__ = ["make_page", "replay_page"]

_GOOD = 0.95
"""Share of correct decisions from which on the headline is marked as good."""

_SEARCHES = 6
"""Maximum number of replayed searches with a section of their own."""

_ALL_BEST = pages.Text(("All runs chose one of the best codelets.",))


def _headline(results: Sequence[Evaluated]) -> pages.Headline:
    summaries = [one for result in results for one in result.summaries]
    if not summaries:
        count = sum(len(result.settings) for result in results)
        return pages.Headline(f"settings verified: {count}; no tuned run")
    best = max(summaries, key=lambda one: (one.within or 0.0, -(one.mean_loss.percent if one.mean_loss else 0.0)))
    share = share_text(best.within, best.within_interval) or "none"
    text = f"{best.combination.name}: {share} of {best.runs} decisions within {WITHIN_PERCENT:g} % of the best codelet"
    worst = "" if best.worst_loss is None else f"worst loss {change_text(best.worst_loss)}"
    return pages.Headline(text, "good" if (best.within or 0.0) >= _GOOD else "neutral", worst)


def _sections(*titled: tuple[str, Iterable[Block]]) -> tuple[pages.Section, ...]:
    """Return a section for each title that has blocks."""
    return tuple(pages.Section(title, found) for title, blocks in titled if (found := tuple(blocks)))


def make_page(results: Sequence[Evaluated]) -> pages.Page:
    """Return the page of an evaluation on one or several machines."""
    facts = {
        one.machine: f"seed {one.seed}; " + ", ".join(f"{k} {v}" for k, v in one.context.items()) for one in results
    }
    settings = tables.named_settings(results)
    several = len(results) > 1
    qualities = [table for one in results for table in tables.quality(one.summaries, one.machine if several else "")]
    tuned = bool(qualities)
    sections = _sections(
        ("Side by side", tables.machines(results) if several else ()),
        ("Best and worst codelets", (*tables.best_codelets(settings, worst=True), *figures.wins(settings))),
        ("The fastest codelet against others", (*tables.comparison(settings), *figures.winner_changes(settings))),
        ("Loss and regret of the searches", (pages.Text((tables.QUALITY,)), *qualities) if qualities else ()),
        (
            "Decisions for slower codelets",
            (*(tuple(tables.selections(settings)) or (_ALL_BEST,)), *figures.selection(settings)) if tuned else (),
        ),
        ("Ranking errors of the timing techniques", figures.ranking(settings) if tuned else ()),
        ("Comparison with the original program", (*tables.over_original(settings), *figures.changes(settings))),
        ("Stability of the verification runs", (*tables.stabilities(settings), *figures.times(settings))),
        ("Runs without a time", tables.troubles(settings)),
    )
    title = results[0].name if results else "nothing"
    summary = (_headline(results), pages.Text((SIGN,)), pages.Facts(facts))
    return pages.Page(f"{title}: evaluation", summary, sections, "adcl evaluate")


def _replayed(search: ReplayedSearch) -> pages.Section:
    facts: dict[str, pages.Cell] = {
        "trace": search.trace,
        "ranks": search.ranks,
        "best": f"{search.best}, {pages.seconds(search.truth[search.best])}",
        "truth": f"{search.known_from}, statistical method {search.truth_by}",
    }
    distance = search.distance(search.decided)
    if distance is not None:
        facts["chosen in the run"] = f"{search.decided}, {pages.percent(distance)} over the best"
    if search.unmeasured:
        facts["not measured"] = ", ".join(search.unmeasured)
    if search.too_many:
        facts["not replayed"] = (
            f"{', '.join(map(str, search.too_many))} measurements per codelet, because the trace has too few"
        )
    blocks: list[Block] = [pages.Facts(facts), tables.grid(search, chosen=True), *figures.replayed(search)]
    return pages.Section(search.title, (*blocks, tables.truth(search)))


def replay_page(replay: Replay) -> pages.Page:
    """Return the page of replays: how often each search was right, and the number of measurements it took."""
    best = replay.standings[0]
    words = (
        f"{best.search} with statistical method {best.outliers} was right in {pages.percent(best.right)} of "
        f"{best.replays} replays, with {best.measurements:.0f} measurements on average"
    )
    others = sum(one.right == best.right for one in replay.standings) - 1
    detail = f"A decision is right if its codelet is at most {WITHIN_PERCENT:g} % slower than the best codelet."
    if others:
        detail += f" {others} other combination{'s were' if others > 1 else ' was'} right just as often."
    tone = pages.Headline(words, "good" if best.right >= 1.0 else "neutral", detail)
    notes = (
        [f"Not replayed because the trace has too few measurements: {', '.join(replay.too_few)}."]
        if replay.too_few
        else []
    )
    shown = replay.searches[:_SEARCHES]
    if len(shown) < len(replay.searches):
        notes.append(f"The page shows the first {len(shown)} of {len(replay.searches)} searches; --json prints all.")
    summary = (tone, tables.standings(replay), *((pages.Text(tuple(notes)),) if notes else ()))
    return pages.Page(
        "What other searches would have decided", summary, tuple(map(_replayed, shown)), "adcl evaluate replay"
    )
