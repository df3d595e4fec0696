"""The searches: one row each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.errors import UsageError
from adcl.tune.search._base import Search, SearchOptions
from adcl.tune.search._exhaustive import Exhaustive
from adcl.tune.search._gde3 import Gde3
from adcl.tune.search._gp import Gp
from adcl.tune.search._individual import Individual
from adcl.tune.search._random import RandomSearch
from adcl.tune.search._screening import Screened
from adcl.tune.search._tpe import Tpe

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.tune.space import Space

__all__ = ["DEFAULT", "SEARCHES", "SearchRow", "make_search"]


@dataclass(frozen=True)
class SearchRow:
    """A search as users know it."""

    name: str
    make: Callable[[Space, int, int, SearchOptions], Search]
    about: str
    most_objectives: int
    runs_all: bool
    after_screening: bool


SEARCHES: dict[str, SearchRow] = {
    name: SearchRow(name, kind, about, kind.most_objectives, kind.runs_all, kind.after_screening)
    for name, kind, about in (
        ("exhaustive", Exhaustive, "every scenario once, in random order"),
        ("individual", Individual, "one parameter after the other, each with the best values of those before"),
        ("random", RandomSearch, "random scenarios; the distribution can be chosen"),
        ("gde3", Gde3, "generalized differential evolution for whole numbers, one or two objectives"),
        ("tpe", Tpe, "Optuna's tree-structured Parzen estimator, without trials that were made before"),
        ("gp", Gp, "a Gaussian process says which scenario promises most"),
    )
}

DEFAULT = "gp"


def make_search(
    name: str, space: Space, *, seed: int = 0, objectives: int = 1, options: SearchOptions | None = None
) -> Search:
    """Make the search of that name. Raises `UsageError`."""
    if name not in SEARCHES:
        raise UsageError(f"there is no search {name}; there are {', '.join(SEARCHES)}")
    row = SEARCHES[name]
    if objectives > row.most_objectives:
        able = ", ".join(row.name for row in SEARCHES.values() if row.most_objectives >= objectives)
        raise UsageError(f"the search {name} is for one objective; for {objectives} there are {able}")
    chosen = options or SearchOptions()
    if not row.after_screening or not 0 < chosen.screening < len(space.parameters):
        return row.make(space, seed, objectives, chosen)

    def among(part: Space) -> Search:
        return row.make(part, seed, objectives, chosen)

    return Screened(space, among, most=chosen.screening, seed=seed, objectives=objectives)
