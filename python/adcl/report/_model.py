"""What a page consists of. Texts are plain texts: the template escapes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.report._figures import BarChart, BoxChart, HeatMap, XyPlot

__all__ = ["Block", "Cell", "Code", "Column", "Facts", "Figure", "Headline", "Page", "Section", "Table", "Text"]

Cell: TypeAlias = str | int | float | None
"""Numbers are shown with up to four significant digits, None as a dash."""

Tone: TypeAlias = Literal["good", "bad", "neutral"]


@dataclass(frozen=True, slots=True)
class Text:
    """Paragraphs."""

    paragraphs: tuple[str, ...]
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class Headline:
    """The one sentence that the reader came for."""

    text: str
    tone: Tone = "neutral"
    detail: str = ""
    kind: Literal["verdict"] = "verdict"


@dataclass(frozen=True, slots=True)
class Column:
    """Head of a table's column; numbers stand to the right."""

    title: str
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of as many cells as there are columns. Raises `ValueError`."""

    columns: tuple[Column | str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    marked: tuple[int, ...] = ()
    """Rows that stand out, counted from 0."""

    kind: Literal["table"] = "table"

    def __post_init__(self) -> None:
        """Refuse rows that do not fit the columns."""
        for place, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(f"row {place} has {len(row)} cells, the table {len(self.columns)} columns")

    @property
    def heads(self) -> tuple[Column, ...]:
        """The columns; those given by title alone are numeric where all their cells are numbers or missing."""
        return tuple(
            column
            if isinstance(column, Column)
            else Column(column, bool(self.rows) and all(not isinstance(row[place], str) for row in self.rows))
            for place, column in enumerate(self.columns)
        )


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values, such as the circumstances of a measurement."""

    entries: Mapping[str, Cell]
    kind: Literal["facts"] = "facts"


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to be copied, such as commands."""

    text: str
    caption: str = ""
    kind: Literal["code"] = "code"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure; `xy_figure` and the others make them."""

    plot: XyPlot | BarChart | BoxChart | HeatMap
    caption: str = ""
    height: int = 380
    """In pixels."""

    kind: Literal["figure"] = "figure"


Block: TypeAlias = Text | Headline | Table | Facts | Code | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page with a heading of its own."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page."""

    title: str
    summary: tuple[Block, ...]
    """What stands before the first section: the result in short."""

    sections: tuple[Section, ...] = ()
    tool: str = "adcl"
    """The command that made it, such as `adcl tune`."""
