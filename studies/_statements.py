"""Statements of publications, which records decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies._catalog import Agreement
from studies._page import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies._catalog import Study

__all__ = ["Statement", "counted", "of", "statement_table"]


@dataclass(frozen=True)
class Statement:
    """A statement of a publication, and the result of the records."""

    text: str
    section: str
    """Section of the publication that makes the statement."""

    here: str
    """Measured values that decide whether the statement holds."""

    holds: bool | None
    """Whether the statement holds; `None`: the records cannot decide this."""

    rows: tuple[str, ...] = ()
    """Tables and figures that show the statement, by the names in ``redoes.toml``."""


def of(rows: str | tuple[str, ...], every: Sequence[Statement]) -> list[Statement]:
    """Return the statements with these tables and figures as their source."""
    names = (rows,) if isinstance(rows, str) else rows
    return [Statement(one.text, one.section, one.here, one.holds, names) for one in every]


def counted(every: Sequence[Statement], study: Study) -> Agreement:
    """Count the statements of a study's publication that hold, and those that the records can decide."""
    decided = [one.holds for one in every if one.holds is not None]
    return Agreement(f"statements of {study.publication.short} that hold", sum(decided), len(decided))


def statement_table(every: Sequence[Statement]) -> str:
    """Return a table of statements with our results."""
    signs = {True: "yes", False: "no", None: "not decided"}
    rows = [(one.text, one.section, one.here, signs[one.holds]) for one in every]
    return table(("statement", "section", "here", "holds"), rows)
