"""Table of searches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcl.errors import UsageError
from adcl.tune.search._exhaustive import Exhaustive
from adcl.tune.search._gde3 import Gde3
from adcl.tune.search._gp import Gp
from adcl.tune.search._individual import Individual
from adcl.tune.search._options import OptionRow, OptionValue, make_options, option_rows
from adcl.tune.search._random import RandomSearch
from adcl.tune.search._screening import Screened
from adcl.tune.search._tpe import Tpe

if TYPE_CHECKING:
    from adcl.tune.search._base import Search
    from adcl.tune.space import Space

__all__ = ["DEFAULT", "SEARCHES", "SearchOptions", "SearchRow", "make_search"]


@dataclass(frozen=True)
class SearchRow:
    """Description of a search for users."""

    name: str
    kind: type[Search]
    about: str
    """Description in `docs/tune-search.md`, in Markdown."""

    @property
    def most_objectives(self) -> int:
        """Maximum number of objectives."""
        return self.kind.most_objectives

    @property
    def runs_all(self) -> bool:
        """Whether the search runs every scenario, even without improvement."""
        return self.kind.runs_all

    @property
    def options(self) -> tuple[OptionRow, ...]:
        """Options of the search."""
        return option_rows(self.kind.options_kind)


SEARCHES: dict[str, SearchRow] = {
    name: SearchRow(name, kind, about)
    for name, kind, about in (
        (
            "exhaustive",
            Exhaustive,
            (
                "every scenario once, in random order, so that a drift of the machine does not look like the effect of "
                "a parameter; it ends early only if the budget ends"
            ),
        ),
        ("individual", Individual, "one parameter after the other, with the best values of the earlier parameters"),
        ("random", RandomSearch, "random scenarios"),
        (
            "gde3",
            Gde3,
            "generalized differential evolution for integers (Kukkonen and Lampinen, 2005), population 10",
        ),
        ("tpe", Tpe, "Optuna's tree-structured Parzen estimator; it skips scenarios that were already tried"),
        ("gp", Gp, "a Gaussian process selects the scenario with the largest expected improvement"),
    )
}

DEFAULT = "gp"


class SearchOptions(Mapping[str, OptionValue]):
    """Options of all searches; missing options have their defaults. Raises `UsageError`."""

    def __init__(self, **given: object) -> None:
        self._kinds = tuple(dict.fromkeys(row.kind.options_kind for row in SEARCHES.values()))
        self._parts = make_options(self._kinds, given)
        self._values: dict[str, OptionValue] = {
            name: value for part in self._parts for name, value in vars(part).items()
        }

    def part(self, kind: type[Search]) -> Any:  # noqa: ANN401 - of its `options_kind`
        """Return the options of one search."""
        return self._parts[self._kinds.index(kind.options_kind)]

    def __getitem__(self, name: str) -> OptionValue:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def make_search(
    name: str, space: Space, *, seed: int = 0, objectives: int = 1, options: SearchOptions | None = None
) -> Search:
    """Create a search by name. Raises `UsageError`."""
    if name not in SEARCHES:
        raise UsageError(f"unknown search {name}; searches: {', '.join(SEARCHES)}")
    kind = SEARCHES[name].kind
    if objectives > kind.most_objectives:
        able = ", ".join(row.name for row in SEARCHES.values() if row.kind.most_objectives >= objectives)
        raise UsageError(f"the search {name} supports one objective; for {objectives}, use {able}")
    chosen = (options or SearchOptions()).part(kind)
    most = kind.most_parameters(chosen)
    if most is None or most >= len(space.parameters):
        return kind(space, seed, objectives, chosen)

    def among(part: Space) -> Search:
        return kind(part, seed, objectives, chosen)

    return Screened(space, among, most=most, seed=seed, objectives=objectives)
