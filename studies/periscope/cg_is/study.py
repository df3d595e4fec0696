"""Figure 7: random search on CG and IS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from studies._catalog import Agreement, Place, Rendered
from studies._page import table
from studies._verdicts import published
from studies.periscope._measure import NETWORK, PROFILER, Workload
from studies.periscope._measure import measure as _measure
from studies.periscope._records import Records, Search, read
from studies.periscope._statements import (
    Judgment,
    agreements,
    as_statements,
    gain_at_least,
    interval,
    no_gain,
    reduced_limit,
    statement_table,
)
from studies.periscope._tables import all_searches, trials, values_of

__all__ = ["measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_SEARCH = "random"
_FULL = (
    Workload("CG", "cg", ("--class", "W"), (_SEARCH,), 125),
    Workload("IS", "is", ("--class", "A"), (_SEARCH,), 125),
    Workload("CG", "cg", ("--class", "W"), (_SEARCH,), 185, NETWORK, 8),
    Workload("IS", "is", ("--class", "W"), (_SEARCH,), 185, NETWORK, 8),
)
_QUICK = tuple(
    Workload(size, program, ("--class", "S"), (_SEARCH,), runs={_SEARCH: 40})
    for size, program in (("CG", "cg"), ("IS", "is"))
)
"""In shared memory: on a busy machine, ranks on emulated hosts wait for each other too long for a quick run. The number
of runs is limited instead of the time, so that a search has scenarios on a busy machine, too.
"""


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets: CG, IS, and the profiler, built with Open MPI 4."""
    return [("openmpi", "cg"), ("openmpi", "is"), PROFILER]


def measure(place: Place) -> None:
    """Run the missing searches. Raises `StudyError`."""
    _measure(place, _QUICK if place.quick else _FULL)


def _statements(records: Records, document: dict[str, Any], platform: str) -> list[Judgment]:
    conjugate, sort = (records.search(platform, size, _SEARCH) for size in ("CG", "IS"))
    factor = document["gain"]["IS"]
    found = [
        *no_gain("With CG, no setting is faster than the defaults", document["gain"]["CG"], conjugate),
        *gain_at_least(f"With IS, the search finds a speedup of at least {factor:g}", factor, factor, sort),
        reduced_limit("With IS, the best eager limit is at most half of the default", sort),
    ]
    return sorted(found, key=lambda one: one.group)


def _platforms(records: Records) -> list[str]:
    return list(dict.fromkeys(one.platform for one in records.searches))


def _row(document: dict[str, Any], search: Search) -> tuple[str, ...]:
    printed = document["gain"][search.size]
    theirs = printed if isinstance(printed, str) else f"more than {printed:g}"
    seconds = (f"{search.default_s:#.3g}", f"{search.best_s:#.3g}", f"{search.gain:.2f}")
    return search.size, search.platform, theirs, *seconds, interval(search), f"{1 / search.fastest().time:.2f}"


def render(place: Place) -> Rendered:
    """Return gains and statements compared with the published values, and Figure 7."""
    document, records = published(_HERE / "published.toml"), read(place.records)
    headers = ("", "platform", "printed gain", "here: defaults, s", "best, s", "ratio", "paired runs", "fastest trial")
    values = {
        "gains": table(headers, [_row(document, one) for one in records.searches]),
        "searches": all_searches(records),
        **values_of(records),
    }
    agreement, tables, pictures, every = list[Agreement](), [], [], list[Judgment]()
    for platform in _platforms(records):
        statements = _statements(records, document, platform)
        agreement += agreements(platform, statements)
        every += statements
        tables.append(f"On {platform}:\n\n{statement_table(statements)}")
        own = [(one.size, one) for one in records.searches if one.platform == platform]
        pictures.append((platform, own))
    values["statements"] = "\n\n".join(tables)
    listed = tuple(as_statements(every, lambda _: ("Figure 7",)))
    return Rendered(values, {"figure7.svg": trials(pictures)}, tuple(agreement), listed)
