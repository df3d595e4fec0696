"""Contents of a tuning file, independent of its form."""

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
    """Limits of a study; they can be changed when the study is continued. None: no limit."""

    trials: int | None = None
    seconds: float | None = None
    patience: int | None = None
    """Number of scenarios without an improvement after which the search ends; not part of tuning files."""


@dataclass(frozen=True)
class Case:
    """One of several programs, inputs or numbers of ranks to tune together."""

    name: str
    program: str | None = None
    """Program of the case; None: the study's program. For other members, None has the same meaning."""

    arguments: tuple[str, ...] | None = None
    ranks: int | None = None
    weight: float = 1.0
    """Weight of the logarithm of the case's cost."""


@dataclass(frozen=True)
class Preparation:
    """Steps for each run besides the program; they are not measured."""

    own_folder: bool = False
    """Whether each run uses a new folder, which is removed afterward."""

    files: tuple[str, ...] = ()
    """Files and folders to copy from the study's start folder into the run's folder."""

    setup: str | None = None
    """Shell command before the run, executed in the run's folder."""

    cleanup: str | None = None
    """Shell command after the run, whatever its outcome."""


@dataclass(frozen=True)
class Origin:
    """Text of the tuning file."""

    source: Source
    places: Mapping[str, int]
    """Place of each parameter's definition, by name."""

    fixed: str
    """Syntax of a parameter with one value; its name is ``{name}`` here, the value ``{value}``."""

    def error(self, parameter: str, message: str) -> SourceError:
        """Return the error about a parameter."""
        return self.source.error(self.places.get(parameter, 0), message)


NOWHERE = Origin(Source(""), {}, "")


@dataclass(frozen=True)
class TuningFile:
    """Parameters, search, and objectives of a study."""

    mpi: str
    """Name of the MPI library, one of `library_names()`."""

    space: Space
    search: str | None = None
    """Name of a search; None leaves the choice to the study. The paper's form defaults to `exhaustive`."""

    search_options: Mapping[str, SearchOption] = field(default_factory=dict)
    objectives: tuple[Objective, ...] = (Objective(),)
    expect: str | None = None
    """A regular expression that the output of a successful trial matches."""

    budget: Budget = Budget()
    preparation: Preparation = Preparation()
    cases: tuple[Case, ...] = ()
    """Cases to tune together; None: the single program of the study."""

    only_listed: bool = field(default=False, compare=False)
    """Whether scenarios include the library's defaults only if the file lists them, as in the paper's form."""

    origin: Origin = field(default=NOWHERE, compare=False, repr=False)
    """Source, for messages; the text is empty if the file was not parsed from text."""


def search_names() -> tuple[str, ...]:
    """Return the names of the searches."""
    from adcl.tune.search import SEARCHES

    return tuple(SEARCHES)


def paper_options(search: str) -> dict[str, SearchOption]:
    """Return the options that configure a search as in A. Sikora et al., section 4.1."""
    from adcl.tune.search import SEARCHES

    return dict(SEARCHES[search].kind.of_the_paper) if search in SEARCHES else {}


def search_option_names() -> tuple[str, ...]:
    """Return the names of the options of searches."""
    from adcl.tune.search import SearchOptions

    return tuple(SearchOptions())
