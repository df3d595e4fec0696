"""What a tuning file says, whichever of the two forms it is written in."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, TypeAlias

from adcl.tune._objective import Objective
from adcl.tune._source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from adcl.tune._space import Space

__all__ = ["FLAVOUR_NAMES", "Budget", "TuningFile", "load", "parse", "search_names", "search_option_names"]

FLAVOUR_NAMES = ("ibm", "intel", "openmpi", "openmpi4", "openmpi5", "mpich")
"""MPI libraries that a file can be for; `openmpi` is whichever version is used."""

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
    """One of `FLAVOUR_NAMES`."""

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


def parse(source: Source) -> TuningFile:
    """Read a tuning file in either form: what begins with ``MPI_PIPO`` is the paper's. Raises `SourceError`."""
    from adcl.tune import _pipo, _toml_form

    return _pipo.parse(source) if _pipo.looks_like(source.text) else _toml_form.parse(source)


def load(path: Path) -> TuningFile:
    """Read the file at `path`. Raises `UsageError`, for what is wrong inside with line and column."""
    return parse(Source.read(path))
