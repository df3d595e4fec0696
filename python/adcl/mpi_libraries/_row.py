"""What the folder of an MPI library offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from adcl.jobs import Family, LauncherKind
    from adcl.knowledge import AlgorithmRules, KeptProblem
    from adcl.mpi_libraries._base import MpiLibrary

__all__ = ["LibraryRow", "RulesExport"]


@dataclass(frozen=True, slots=True)
class RulesExport:
    """A format in which an MPI library reads rules."""

    name: str
    """What users type."""

    title: str
    make: Callable[[Iterable[KeptProblem], Iterable[str], Path | None], tuple[str, AlgorithmRules]]
    """Makes the text of a file of these problems, with a heading of these lines, and says what is in it.

    The path is that of the library's shared library, where the format needs it.
    """

    use: str
    """How programs come to use a file {file}."""

    versions: str = ""
    """For which versions of the library it is, where the name does not tell."""

    needs: str = ""
    """Which file of the library its rules are added to; empty where the format needs none."""

    find_library: Callable[[], Path | None] | None = None
    """Looks for that file."""


@dataclass(frozen=True)
class LibraryRow:
    """Describes an MPI library, or several similar versions of it.

    `settings` and `rules` are functions, so that a command that only starts programs does not load them.
    """

    family: Family
    """Of its programs."""

    launchers: tuple[LauncherKind, ...]
    """Its own launchers."""

    settings: Callable[[], tuple[MpiLibrary, ...]] = tuple
    """Makes a description of its settings for each version; none where the library cannot be tuned."""

    rules: Callable[[], tuple[RulesExport, ...]] = tuple
    """Makes its formats for rules that choose algorithms of collectives; none where it reads no such rules."""
