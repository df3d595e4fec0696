"""Tables and pictures that compare our searches with the published searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studies._page import table
from studies._picture import Curve, Panel, panels
from studies.periscope._statements import interval, ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.periscope._records import Records, Search

__all__ = ["HERE", "NAMES", "all_searches", "beside", "find", "ranking", "trials", "values_of"]

NAMES = {
    "exhaustive": "exhaustive",
    "gde3": "GDE3",
    "individual": "individual",
    "random": "random",
    "other_gde3": "GDE3, Intel MPI",
}
"""Searches of the paper by their keys in ``published.toml``."""

HERE = {"gp": "gp (ADCL's default)"}
"""Searches that are not in the paper."""

_NONE = "–"


def find(records: Records, platform: str, size: str, key: str) -> Search | None:
    """Return our search for a key of ``published.toml``."""
    return records.search(platform, size, key.removeprefix("other_"), other=key.startswith("other_"))


def _ours(search: Search | None) -> tuple[str, ...]:
    if search is None:
        return (_NONE,) * 4
    return (f"{search.default_s:#.3g}", f"{search.best_s:#.3g}", f"{search.gain:.2f}", interval(search))


def beside(records: Records, document: dict[str, Any], platform: str, size: str) -> str:
    """Return Table 1 for one size: defaults, best time, and their ratio, as published and as measured here."""
    printed = document["seconds"][size]
    rows = []
    for key, name in {**NAMES, **HERE}.items():
        search = find(records, platform, size, key)
        if key not in printed and search is None:
            continue
        theirs = (_NONE,) * 3
        if key in printed:
            defaults, best = printed["defaults"], printed[key]
            theirs = (f"{defaults:.2f}", f"{best:.2f}", f"{defaults / best:.2f}")
        rows.append((name, *theirs, *_ours(search)))
    headers = (
        "search",
        "printed: defaults, s",
        "best, s",
        "ratio",
        "here: defaults, s",
        "best, s",
        "ratio",
        "paired runs",
    )
    return table(headers, rows)


def _places(numbers: Sequence[float | None], texts: Sequence[str]) -> list[str]:
    places = ranks(numbers)
    return [text if place == _NONE else f"{text} ({place})" for text, place in zip(texts, places, strict=True)]


def ranking(records: Records, document: dict[str, Any], platform: str, size: str) -> str:
    """Return the searches by best time and by number of scenarios, with their ranks in parentheses."""
    printed, scenarios = document["seconds"][size], document["scenarios"] if size == "64K" else {}
    keys = [key for key in NAMES if key in printed and not key.startswith("other_")]
    ours = [find(records, platform, size, key) for key in keys]
    theirs = [printed["defaults"] / printed[key] for key in keys]
    counts = [one.scenarios if one else None for one in ours]
    columns = [
        _places([-one for one in theirs], [f"{one:.2f}" for one in theirs]),
        _places([-one.gain if one else None for one in ours], [f"{one.gain:.2f}" if one else _NONE for one in ours]),
        _places([scenarios.get(key) for key in keys], [str(scenarios.get(key, _NONE)) for key in keys]),
        _places(counts, [_NONE if count is None else str(count) for count in counts]),
    ]
    rows = [(NAMES[key], *cells) for key, cells in zip(keys, zip(*columns, strict=True), strict=True)]
    return table(("search", "ratio, printed", "ratio here", "scenarios, printed", "scenarios here"), rows)


def all_searches(records: Records) -> str:
    """Return a table with every search of the records."""
    rows = []
    for one in records.searches:
        place = f"{one.library}, {one.platform}, {one.ranks} ranks"
        numbers = (str(one.scenarios), str(one.runs), f"{one.tuning_s:.0f}")
        limit = one.eager_limit(one.fastest())
        fastest = _NONE if limit is None else str(limit)
        rows.append((f"`{one.program}`", place, f"`{one.search}`", one.method, *_ours(one), *numbers, fastest))
    headers = (
        "program",
        "MPI library and platform",
        "search",
        "method",
        "defaults, s",
        "best, s",
        "ratio",
        "paired runs",
    )
    return table((*headers, "scenarios", "runs", "tuning, s", "eager limit of the fastest trial"), rows)


def values_of(records: Records) -> dict[str, str]:
    """Return the values of each search and profile for the paragraphs, by names such as ``flat/64K/gde3/gain``."""
    found = {}
    for one in records.searches:
        name = f"{one.platform}/{one.size}/{'other_' if one.other else ''}{one.search}"
        found[f"{name}/gain"] = f"{one.gain:.2f}"
        found[f"{name}/paired"] = interval(one)
        found[f"{name}/scenarios"] = str(one.scenarios)
        found[f"{name}/fastest"] = f"{1 / one.fastest().time:.2f}"
    for profile in records.profiles:
        found[f"{profile.size}/messages"] = "; ".join(
            f"{share:.0%} up to {up_to // 1024} KB" for up_to, share in profile.shares()
        )
    return found


def trials(every: Sequence[tuple[str, Sequence[tuple[str, Search]]]], columns: int = 2) -> str:
    """Return a picture: times of all trials relative to the defaults, in the order in which they ran."""
    found = []
    for title, named in every:
        curves = []
        for name, search in named:
            points = [(float(number), trial.time) for number, trial in enumerate(search.trials, 1)]
            labels = [", ".join(f"{key}={value}" for key, value in one.settings.items()) for one in search.trials]
            curves.append(Curve(name, points, labels=labels))
        longest = max(len(search.trials) for _, search in named)
        curves.append(Curve("defaults", (), line=[(1.0, 1.0), (float(max(longest, 2)), 1.0)]))
        found.append(Panel(title, curves, linear=True))
    return panels(found, columns=columns)
