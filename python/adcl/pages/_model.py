"""Elements of a page. Texts are plain: the template escapes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.pages._figures import BarChart, BoxChart, HeatMap, XyPlot

__all__ = ["Block", "Cell", "Code", "Column", "Facts", "Figure", "Headline", "Page", "Section", "Table", "Text"]

Cell: TypeAlias = str | int | float | None
"""Numbers appear with up to four significant digits, None as a dash."""

Tone: TypeAlias = Literal["good", "bad", "neutral"]


@dataclass(frozen=True, slots=True)
class Text:
    """Paragraphs."""

    paragraphs: tuple[str, ...]
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class Headline:
    """The main result in one sentence."""

    text: str
    tone: Tone = "neutral"
    detail: str = ""
    kind: Literal["verdict"] = "verdict"


@dataclass(frozen=True, slots=True)
class Column:
    """Header of a table's column; numeric columns are right-aligned."""

    title: str
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with one cell per column. Raises `ValueError` otherwise."""

    columns: tuple[Column | str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    marked: tuple[int, ...] = ()
    """Highlighted rows, counted from 0."""

    kind: Literal["table"] = "table"

    def __post_init__(self) -> None:
        """Check the length of the rows."""
        for place, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(f"row {place} has {len(row)} cells, but the table has {len(self.columns)} columns")

    @property
    def heads(self) -> tuple[Column, ...]:
        """Return the columns; a column given only by title is numeric if all its cells are numbers or None."""
        return tuple(
            column
            if isinstance(column, Column)
            else Column(column, bool(self.rows) and all(not isinstance(row[place], str) for row in self.rows))
            for place, column in enumerate(self.columns)
        )


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values, such as the conditions of a measurement."""

    entries: Mapping[str, Cell]
    kind: Literal["facts"] = "facts"


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to copy, such as commands."""

    text: str
    caption: str = ""
    kind: Literal["code"] = "code"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure, made by `xy_figure` and similar functions."""

    plot: XyPlot | BarChart | BoxChart | HeatMap
    caption: str = ""
    height: int = 380
    """Height in pixels."""

    kind: Literal["figure"] = "figure"


Block: TypeAlias = Text | Headline | Table | Facts | Code | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page with a heading."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page."""

    title: str
    summary: tuple[Block, ...]
    """Blocks before the first section: the summary."""

    sections: tuple[Section, ...] = ()
    tool: str = "adcl"
    """The command that wrote the page, such as `adcl tune`."""
