"""Export a history as rules of an MPI library, for programs that do not use ADCL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl._suggest import suggestion
from adcl.errors import UsageError
from adcl.mpi_libraries._table import ROWS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from adcl.knowledge import AlgorithmRules, KeptProblem
    from adcl.mpi_libraries._row import RulesExport

__all__ = ["LibraryRules", "rules_for", "rules_formats"]


@dataclass(frozen=True, slots=True)
class LibraryRules:
    """Text of a rules file and a summary."""

    title: str
    text: str
    choices: AlgorithmRules
    use: str
    """Instructions for using the file."""


def rules_formats() -> dict[str, RulesExport]:
    """Return the targets of `rules_for` by name."""
    return {export.name: export for row in ROWS for export in row.rules()}


def rules_for(
    target: str, entries: Iterable[KeptProblem], *, file: str, source: str, library: Path | None = None
) -> LibraryRules:
    """Return the rules in one of the `rules_formats`.

    `file` is the destination, `source` the history; `library` is the file that the format `needs`. Raises `UsageError`
    for an unknown target, and `HistoryError` for a library without rules.
    """
    formats = rules_formats()
    known = formats.get(target)
    if known is None:
        raise UsageError(f"--for {target}: unknown target; {suggestion(target, formats)}")
    use = known.use.format(file=file)
    heading = [
        f"Written by adcl history export --for {target} from {source}. To use this file:",
        f"  {use}",
        "Do not use this file with programs that reduce with non-commutative operations.",
    ]
    text, choices = known.make(entries, heading, library)
    return LibraryRules(known.title, text, choices, use)
