"""Interface of an MPI library's folder."""

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
    """A format of rules that an MPI library reads."""

    name: str
    """Name on the command line."""

    title: str
    make: Callable[[Iterable[KeptProblem], Iterable[str], Path | None], tuple[str, AlgorithmRules]]
    """Function that returns the text of a rules file for the given problems and heading lines, and a summary.

    Its path argument is the library's shared library, if the format requires that file.
    """

    use: str
    """Instructions for programs that use the file {file}."""

    versions: str = ""
    """Versions of the library that read the format, if the name does not imply them."""

    needs: str = ""
    """File of the library to which the rules are added; empty if the format requires none."""

    find_library: Callable[[], Path | None] | None = None
    """Function that finds the library's file if `--library` is not given."""


@dataclass(frozen=True)
class LibraryRow:
    """An MPI library, or several similar versions of it.

    `settings` and `rules` are functions, so that commands that only start programs do not import them.
    """

    family: Family
    """Family of programs that use the library."""

    launchers: tuple[LauncherKind, ...]
    """Launchers of the library itself."""

    settings: Callable[[], tuple[MpiLibrary, ...]] = tuple
    """Function that returns the descriptions of the library's settings; empty if the library cannot be tuned."""

    rules: Callable[[], tuple[RulesExport, ...]] = tuple
    """Function that returns the library's formats of rules for collective algorithms; empty if there is none."""
