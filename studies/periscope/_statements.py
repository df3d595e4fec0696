"""Statements of the paper, each decided by records. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies._catalog import Agreement
from studies._page import table
from studies._statements import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from studies.periscope._records import Profile, Search

__all__ = [
    "MEASURES",
    "Judgment",
    "agreements",
    "as_statements",
    "best_limit_above",
    "best_limit_near",
    "fewer_scenarios",
    "gain_at_least",
    "grows",
    "interval",
    "messages_up_to",
    "no_gain",
    "ranks",
    "reduced_limit",
    "same_best",
    "slowest_below",
    "statement_table",
    "within_of",
]

MEASURES = ("smallest time", "paired runs")
"""Ways to measure a gain: the smallest time of a search, as in the paper, or runs paired with the defaults."""

_KB = 1024
_SECTION = "6.2"
"""Section of the paper that has all statements."""


@dataclass(frozen=True)
class Judgment:
    """A statement of the paper, its published values, and the result of the records."""

    group: str
    text: str
    printed: str
    here: str
    holds: bool | None
    """Whether the statement holds; `None`: the records cannot decide this."""


def _missing(group: str, text: str, printed: str) -> Judgment:
    return Judgment(group, text, printed, "–", None)


def interval(search: Search) -> str:
    """Return the speedup in paired runs with its interval."""
    if search.compared is None:
        return "not compared"
    middle, low, high = search.compared
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def gain_at_least(text: str, printed: float, wanted: float, search: Search | None) -> list[Judgment]:
    """Judge whether a search gains at least a factor. In paired runs the gain must also be significantly above 1."""
    groups = [f"gains by the {MEASURES[0]}", f"gains by {MEASURES[1]}"]
    shown = f"{printed:.2f}"
    if search is None:
        return [_missing(group, text, shown) for group in groups]
    first = Judgment(groups[0], text, shown, f"{search.gain:.2f}", search.gain >= wanted)
    compared = search.compared
    paired = None if compared is None else compared[0] >= wanted and compared[1] > 1
    return [first, Judgment(groups[1], text, shown, interval(search), paired)]


def no_gain(text: str, printed: str, search: Search | None) -> list[Judgment]:
    """Judge whether the defaults are best: no smaller time, and no significant gain in paired runs."""
    groups = [f"gains by the {MEASURES[0]}", f"gains by {MEASURES[1]}"]
    if search is None:
        return [_missing(group, text, printed) for group in groups]
    paired = None if search.compared is None else search.compared[1] <= 1
    return [
        Judgment(groups[0], text, printed, f"{search.gain:.2f}", search.gain <= 1),
        Judgment(groups[1], text, printed, interval(search), paired),
    ]


def grows(text: str, printed: tuple[float, float], small: Search | None, large: Search | None) -> list[Judgment]:
    """Judge whether the larger input gains more. In paired runs the intervals must not overlap."""
    groups = [f"gains by the {MEASURES[0]}", f"gains by {MEASURES[1]}"]
    shown = f"{printed[0]:.2f}, {printed[1]:.2f}"
    if small is None or large is None:
        return [_missing(group, text, shown) for group in groups]
    pair = f"{small.gain:.2f}, {large.gain:.2f}"
    paired = None
    if small.compared is not None and large.compared is not None:
        paired = large.compared[1] > small.compared[2]
    return [
        Judgment(groups[0], text, shown, pair, large.gain > small.gain),
        Judgment(groups[1], text, shown, f"{interval(small)}, {interval(large)}", paired),
    ]


def within_of(text: str, printed: float, search: Search | None, reference: Search | None) -> Judgment:
    """Judge whether a search's best relative time is at most the published factor times another search's."""
    if search is None or reference is None:
        return _missing("searches", text, f"{printed:.3f}")
    ratio = reference.gain / search.gain
    return Judgment("searches", text, f"{printed:.3f}", f"{ratio:.3f}", ratio <= printed)


def same_best(text: str, printed: Sequence[float], digit: float, searches: Sequence[Search | None]) -> Judgment:
    """Judge whether best times differ at most as much as the published times, which are rounded to `digit`."""
    allowed = (max(printed) + digit / 2) / (min(printed) - digit / 2)
    there = [one.gain for one in searches if one is not None]
    if len(there) < len(searches):
        return _missing("searches", text, f"up to {allowed:.3f}")
    apart = max(there) / min(there)
    return Judgment("searches", text, f"up to {allowed:.3f}", f"{apart:.3f}", apart <= allowed)


def fewer_scenarios(text: str, printed: tuple[int, int], fewer: Search | None, more: Search | None) -> Judgment:
    """Judge whether a search runs fewer scenarios than another search."""
    shown = f"{printed[0]}, {printed[1]}"
    if fewer is None or more is None:
        return _missing("searches", text, shown)
    pair = f"{fewer.scenarios}, {more.scenarios}"
    return Judgment("searches", text, shown, pair, fewer.scenarios < more.scenarios)


def best_limit_near(text: str, near_kb: float, search: Search | None) -> Judgment:
    """Judge whether the fastest trial has the tried eager limit that is nearest to `near_kb` in ratio."""
    best = None if search is None else search.eager_limit(search.fastest())
    if search is None or best is None:
        return _missing("settings", text, f"about {near_kb:g} KB")
    tried = {limit for one in search.trials if (limit := search.eager_limit(one))}
    nearest = min(tried, key=lambda limit: abs(math.log(limit / (near_kb * _KB))))
    return Judgment("settings", text, f"about {near_kb:g} KB", f"{best / _KB:g} KB", best == nearest)


def best_limit_above(text: str, above_kb: float, search: Search | None) -> Judgment:
    """Judge whether the fastest trial has an eager limit above `above_kb`."""
    best = None if search is None else search.eager_limit(search.fastest())
    if best is None:
        return _missing("settings", text, f"above {above_kb:g} KB")
    return Judgment("settings", text, f"above {above_kb:g} KB", f"{best / _KB:g} KB", best > above_kb * _KB)


def reduced_limit(text: str, search: Search | None) -> Judgment:
    """Judge whether the fastest trial has at most half of the default eager limit."""
    best = None if search is None else search.eager_limit(search.fastest())
    if search is None or best is None or search.eager_default is None:
        return _missing("settings", text, "significantly reduced")
    here = f"{best / _KB:g} KB, default {search.eager_default / _KB:g} KB"
    return Judgment("settings", text, "significantly reduced", here, 2 * best <= search.eager_default)


def slowest_below(text: str, limit_kb: float, searches: Sequence[Search | None]) -> Judgment:
    """Judge whether the slowest tenth of the trials of each search has eager limits below `limit_kb`."""
    there = [one for one in searches if one is not None]
    limits = [one.eager_limit(trial) for one in there for trial in one.slowest()]
    known = [limit for limit in limits if limit is not None]
    printed = f"below {limit_kb:g} KB"
    if len(there) < len(searches) or not known or len(known) < len(limits):
        return _missing("settings", text, printed)
    below = sum(limit < limit_kb * _KB for limit in known)
    return Judgment("settings", text, printed, f"{below} of {len(known)}", below == len(known))


def messages_up_to(text: str, limit_kb: float, share: float, profile: Profile | None) -> Judgment:
    """Judge whether more than a share of the bytes is in messages up to a limit."""
    printed = f"above {share:.0%}"
    if profile is None:
        return _missing("settings", text, printed)
    here = profile.share_up_to(round(limit_kb * _KB))
    return Judgment("settings", text, printed, f"{here:.0%}", here > share)


def agreements(platform: str, statements: Sequence[Judgment]) -> tuple[Agreement, ...]:
    """Count, for each group, the decidable statements that hold."""
    found = []
    for group in dict.fromkeys(one.group for one in statements):
        decided = [one.holds for one in statements if one.group == group and one.holds is not None]
        if decided:
            found.append(Agreement(f"{platform}, {group}", sum(decided), len(decided)))
    return tuple(found)


def as_statements(judgments: Sequence[Judgment], rows: Callable[[Judgment], tuple[str, ...]]) -> list[Statement]:
    """Return the statements for the list of all studies; the group of a gain names its measure."""
    found = []
    for one in judgments:
        measure = f" ({one.group})" if one.group.startswith("gains") else ""
        text = f"{one.text}; published: {one.printed}{measure}."
        found.append(Statement(text, _SECTION, one.here, one.holds, rows(one)))
    return found


def statement_table(statements: Sequence[Judgment]) -> str:
    """Return a table with a row for each statement."""
    signs = {True: "yes", False: "no", None: "not decided"}
    rows = [(one.group, one.text, one.printed, one.here, signs[one.holds]) for one in statements]
    return table(("", "statement", "printed", "here", "holds"), rows)


def ranks(values: Sequence[float | None]) -> list[str]:
    """Return the rank of each value, the smallest first; equal values share a rank."""
    known = [one for one in values if one is not None]
    return ["–" if one is None else str(1 + sum(other < one for other in known)) for one in values]
