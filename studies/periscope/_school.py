"""Tables, statements and pictures of the searches on a fish school: Table 1 and Figures 4, 5, and 6."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studies._catalog import Agreement, Place, Rendered
from studies._verdicts import published
from studies.periscope._records import Records, Search, read
from studies.periscope._statements import (
    Judgment,
    agreements,
    as_statements,
    best_limit_above,
    best_limit_near,
    fewer_scenarios,
    gain_at_least,
    grows,
    messages_up_to,
    same_best,
    slowest_below,
    statement_table,
    within_of,
)
from studies.periscope._tables import HERE, NAMES, all_searches, beside, find, ranking, trials, values_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["SEARCHES", "render_school", "source_of"]

SEARCHES = ("exhaustive", "gde3", "individual", "random")
"""Searches of the paper."""

_NOUNS = {
    "exhaustive": "the exhaustive search",
    "gde3": "GDE3",
    "individual": "the individual search",
    "random": "the random search",
    "other_gde3": "GDE3 with Intel MPI",
}
"""Names of the searches in sentences."""


def _with(size: str) -> str:
    return f"With {size} individuals, "


def _several(keys: tuple[str, ...]) -> str:
    names = [_NOUNS[key] for key in keys]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, and {names[-1]}"


def _gains(records: Records, document: dict[str, Any], platform: str) -> list[Judgment]:
    found = []
    for size, factor in document["gain"].items():
        printed = document["seconds"][size]
        for key in NAMES:
            if key in printed and not key.startswith("other_"):
                text = f"{_with(size)}{_NOUNS[key]} finds a speedup of at least {factor:g}"
                ratio = printed["defaults"] / printed[key]
                found += gain_at_least(text, ratio, factor, find(records, platform, size, key))
    small, large = (document["seconds"][size] for size in ("64K", "256K"))
    for key in SEARCHES[1:]:
        name = _NOUNS[key][0].upper() + _NOUNS[key][1:]
        text = f"{name} finds a larger speedup with 256K than with 64K individuals"
        ratios = (small["defaults"] / small[key], large["defaults"] / large[key])
        found += grows(text, ratios, find(records, platform, "64K", key), find(records, platform, "256K", key))
    return found


def _searches(records: Records, document: dict[str, Any], platform: str) -> list[Judgment]:
    found, printed = [], document["seconds"]["64K"]
    every = {key: find(records, platform, "64K", key) for key in NAMES}
    for key in SEARCHES[1:]:
        names = f"{_NOUNS[key]} and of the exhaustive search"
        text = f"{_with('64K')}the ratio of the best times of {names} is at most the published ratio"
        found.append(within_of(text, printed[key] / printed["exhaustive"], every[key], every["exhaustive"]))
    for size, seconds in document["seconds"].items():
        text = f"{_with(size)}{_several(SEARCHES[1:])} find the same best time"
        own = [find(records, platform, size, key) for key in SEARCHES[1:]]
        found.append(same_best(text, [seconds[key] for key in SEARCHES[1:]], 0.01, own))
    names = "GDE3 with Intel MPI and with the other library"
    text = f"{_with('64K')}the ratio of the best times of {names} is at most the published ratio"
    found.append(within_of(text, printed["other_gde3"] / printed["gde3"], every["other_gde3"], every["gde3"]))
    counts = document["scenarios"]
    pairs = [("gde3", "exhaustive"), ("individual", "gde3"), ("random", "individual"), ("other_gde3", "gde3")]
    for fewer, more in pairs:
        text = f"{_with('64K')}{_NOUNS[fewer]} runs fewer scenarios than {_NOUNS[more]}"
        found.append(fewer_scenarios(text, (counts[fewer], counts[more]), every[fewer], every[more]))
    return found


def _settings(records: Records, document: dict[str, Any], platform: str) -> list[Judgment]:
    limits, messages = document["eager_kb"], document["messages"]
    found = []
    for key in (*SEARCHES[1:], "other_gde3"):
        text = f"{_with('64K')}the best eager limit of {_NOUNS[key]} is near the published limit"
        found.append(best_limit_near(text, limits["64K"], find(records, platform, "64K", key)))
    for key in SEARCHES[1:]:
        text = f"{_with('256K')}the best eager limit of {_NOUNS[key]} is above the published limit"
        found.append(best_limit_above(text, limits["256K"], find(records, platform, "256K", key)))
    for size, keys in (("64K", SEARCHES[:1]), ("64K", SEARCHES[1:]), ("256K", SEARCHES[1:])):
        text = f"{_with(size)}the slowest trials of {_several(keys)} have eager limits below the published limit"
        own = [find(records, platform, size, key) for key in keys]
        found.append(slowest_below(text, limits["slowest"], own))
    text = f"{_with('64K')}most bytes are in messages of up to {messages['limit_kb']} KB"
    found.append(messages_up_to(text, messages["limit_kb"], messages["share"], records.profile("64K")))
    return found


def source_of(judgment: Judgment) -> tuple[str, ...]:
    """Return a statement's source: Table 1 for times and gains, the trials' figure for scenarios and eager limits."""
    compares_times = judgment.group == "searches" and "scenarios" not in judgment.text
    if judgment.group.startswith("gains") or compares_times:
        return ("Table 1",)
    if "bytes are in messages" in judgment.text:
        return ()
    if "Intel" in judgment.text:
        return ("Figure 6",)
    return ("Figure 4",) if f"trials of {_NOUNS['exhaustive']}" in judgment.text else ("Figure 5",)


def _pictures(records: Records) -> dict[str, str]:
    """Return Figures 4, 5, and 6, each with a panel for each platform and size."""
    panels: dict[str, list[tuple[str, list[tuple[str, Search]]]]] = {"4": [], "5": [], "6": []}
    for size in ("64K", "256K"):
        for platform in records.platforms(size):
            keys = ("exhaustive", *SEARCHES[1:], *HERE)
            own = [(key, found) for key in keys if (found := records.search(platform, size, key)) is not None]
            one = [pair for pair in own if pair[0] == "exhaustive"]
            rest = [pair for pair in own if pair[0] != "exhaustive"]
            panels["4"] += [(f"{size}, {platform}", one)] if one else []
            panels["5"] += [(f"{size}, {platform}", rest)] if rest else []
    panels["6"] = [(f"{one.size}, {one.library}", [(one.search, one)]) for one in records.searches if one.other]
    return {f"figure{name}.svg": trials(every) for name, every in panels.items() if every}


def _compared(records: Records) -> list[str]:
    """Return the platforms with an exhaustive search, which the statements require."""
    every = records.platforms("64K")
    return [one for one in every if records.search(one, "64K", "exhaustive") is not None]


def render_school(place: Place, numbers: Path, rows: Callable[[Judgment], tuple[str, ...]] = source_of) -> Rendered:
    """Return Table 1 compared with ours, the statements, and Figures 4, 5, and 6.

    `numbers`: the published numbers. `rows` returns the names of the rows that show a statement.
    """
    document, records = published(numbers), read(place.records)
    values, agreement = {"searches": all_searches(records), **values_of(records)}, list[Agreement]()
    every = list[Judgment]()
    for part in ("Table 1", "ranking", "statements"):
        values[part] = ""
    for platform in _compared(records):
        statements = [
            *_gains(records, document, platform),
            *_searches(records, document, platform),
            *_settings(records, document, platform),
        ]
        statements.sort(key=lambda one: one.group)
        agreement += agreements(platform, statements)
        every += statements
        values["statements"] += f"On {platform}:\n\n{statement_table(statements)}\n\n"
        for size in ("64K", "256K"):
            if platform in records.platforms(size):
                title = f"{size} individuals, {platform}:"
                values["Table 1"] += f"{title}\n\n{beside(records, document, platform, size)}\n\n"
                values["ranking"] += f"{title}\n\n{ranking(records, document, platform, size)}\n\n"
    values = {name: value.rstrip("\n") for name, value in values.items()}
    return Rendered(values, _pictures(records), tuple(agreement), tuple(as_statements(every, rows)))
