"""What a tuning file says, whichever of the two forms it is written in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from adcl._source import Source
from adcl.tune.file._objective import Objective

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl._source import SourceError
    from adcl.tune.space import Space

__all__ = [
    "Budget",
    "Case",
    "Origin",
    "Preparation",
    "TuningFile",
    "paper_options",
    "search_names",
    "search_option_names",
]

SearchOption: TypeAlias = str | int | float | bool


@dataclass(frozen=True)
class Budget:
    """When a study ends at the latest; it may be changed when the study is continued. None is no limit."""

    trials: int | None = None
    seconds: float | None = None
    patience: int | None = None
    """Scenarios without an improvement; a tuning file does not say it."""


@dataclass(frozen=True)
class Case:
    """One of several programs, inputs or numbers of ranks for which settings are to be good together."""

    name: str
    program: str | None = None
    """None: the one that the study is asked to run; and so on."""

    arguments: tuple[str, ...] | None = None
    ranks: int | None = None
    weight: float = 1.0
    """Of the logarithm of what it takes, among the others."""


@dataclass(frozen=True)
class Preparation:
    """What is done for each run besides running the program; nothing of it is measured."""

    own_folder: bool = False
    """The run is in a new folder of its own, which is removed afterward."""

    files: tuple[str, ...] = ()
    """Files and folders that are copied there, from the folder in which the study was begun."""

    setup: str | None = None
    """What a shell is given before the run, in its folder."""

    cleanup: str | None = None
    """The same afterward, however the run has ended."""


@dataclass(frozen=True)
class Origin:
    """The text that a tuning file was read from."""

    source: Source
    places: Mapping[str, int]
    """Where each parameter is defined, by its name."""

    fixed: str
    """How the form writes a parameter with one value: its name is ``{name}`` here, the value ``{value}``."""

    def error(self, parameter: str, message: str) -> SourceError:
        """Make the error for something that is wrong with a parameter."""
        return self.source.error(self.places.get(parameter, 0), message)


NOWHERE = Origin(Source(""), {}, "")


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
    preparation: Preparation = Preparation()
    cases: tuple[Case, ...] = ()
    """None: one program, as the study is asked to run it."""

    only_listed: bool = field(default=False, compare=False)
    """Whether the library's defaults are tried in scenarios only where the file lists them, as in the paper's form."""

    origin: Origin = field(default=NOWHERE, compare=False, repr=False)
    """For messages; what was not read from a text has an empty one."""


def search_names() -> tuple[str, ...]:
    """Names of the searches."""
    from adcl.tune.search import SEARCHES

    return tuple(SEARCHES)


def paper_options(search: str) -> dict[str, SearchOption]:
    """Options with which a search is that of A. Sikora et al., section 4.1."""
    from adcl.tune.search import SEARCHES

    return dict(SEARCHES[search].kind.of_the_paper) if search in SEARCHES else {}


def search_option_names() -> tuple[str, ...]:
    """Names of the options of searches."""
    from adcl.tune.search import SearchOptions

    return tuple(SearchOptions())
