"""What a tuning file says, whichever of the two forms it is written in."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, TypeAlias

from adcl.tune.file._objective import Objective

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.tune.space import Space

__all__ = ["Budget", "TuningFile", "search_names", "search_option_names"]

SearchOption: TypeAlias = str | int | float | bool


@dataclass(frozen=True)
class Budget:
    """When a search ends at the latest. None is no limit."""

    trials: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class TuningFile:
    """What is to be tuned, how it is searched and what trials are judged by."""

    mpi: str
    """One of `library_names()`."""

    space: Space
    search: str | None = None
    """Name of a search; None leaves the choice to the study. In the paper's form it is `exhaustive` by default."""

    search_options: Mapping[str, SearchOption] = field(default_factory=dict)
    objectives: tuple[Objective, ...] = (Objective(),)
    expect: str | None = None
    """A regular expression that the output of a good trial matches."""

    budget: Budget = Budget()


def search_names() -> tuple[str, ...]:
    """Names of the searches."""
    from adcl.tune.search import SEARCHES

    return tuple(SEARCHES)


def search_option_names() -> tuple[str, ...]:
    """Names of the options of searches."""
    from adcl.tune.search import SearchOptions

    return tuple(one.name for one in fields(SearchOptions))
