"""Statements of publications that records decide."""

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
    """A statement of a publication, and what the records say of it."""

    text: str
    section: str
    """The section that states it."""

    here: str
    """The figures that decide."""

    holds: bool | None
    """`None`: the records cannot decide it."""

    rows: tuple[str, ...] = ()
    """Tables and figures that show it, by the names in ``redoes.toml``."""


def of(rows: str | tuple[str, ...], every: Sequence[Statement]) -> list[Statement]:
    """Return the statements as those that these tables and figures show."""
    names = (rows,) if isinstance(rows, str) else rows
    return [Statement(one.text, one.section, one.here, one.holds, names) for one in every]


def counted(every: Sequence[Statement], study: Study) -> Agreement:
    """Count the statements of a study's publication that hold, of those that the records can decide."""
    decided = [one.holds for one in every if one.holds is not None]
    return Agreement(f"statements of {study.publication.short} that hold", sum(decided), len(decided))


def statement_table(every: Sequence[Statement]) -> str:
    """Return a table of statements, with what was found here."""
    signs = {True: "yes", False: "no", None: "not decided"}
    rows = [(one.text, one.section, one.here, signs[one.holds]) for one in every]
    return table(("statement", "section", "here", "holds"), rows)
