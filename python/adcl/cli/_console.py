"""App settings and console output, shared by the subcommands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

    from adcl import pages

__all__ = ["counted", "examples", "new_app", "output", "plain_table", "print_json", "print_table", "say", "show_table"]


def new_app() -> typer.Typer:
    """Return a Typer app with the common settings."""
    return typer.Typer(
        add_completion=False, context_settings={"help_option_names": ["-h", "--help"]}, rich_markup_mode=None
    )


def examples(*lines: str) -> str:
    """Return the epilog of a help page: example command lines."""
    # The leading character keeps Typer from joining the lines.
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def counted(number: int, noun: str) -> str:
    """Return the number with the noun, which gets an s unless the number is 1."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def output() -> Console:
    """Return the console for standard output: at least 80 columns wide, colored only on a terminal."""
    from rich.console import Console

    console = Console(highlight=False, emoji=False)
    return console if console.width >= 80 else Console(highlight=False, emoji=False, width=80)  # noqa: PLR2004


def say(text: str, style: str | None = None) -> None:
    """Print a line: styled and wrapped on a terminal, unchanged elsewhere."""
    if sys.stdout.isatty():
        output().print(text, style=style, markup=False)
    else:
        sys.stdout.write(f"{text}\n")


def plain_table(*headers: str, numbers: tuple[str, ...] = ()) -> Table:
    """Return a table without borders; the columns in `numbers` are right-aligned."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold", justify="right" if header in numbers else "left")
    return table


def print_table(console: Console, table: pages.Table, width: int | None = None) -> None:
    """Print the table of a page without its caption."""
    from rich.text import Text

    from adcl.pages import cell_text

    printed = plain_table(*(head.title for head in table.heads))
    for column, head in zip(printed.columns, table.heads, strict=True):
        column.justify = "right" if head.numeric else "left"
        column.no_wrap = head.numeric
    for row in table.rows:
        printed.add_row(*(Text(cell_text(cell)) for cell in row))
    console.print(printed, width=width)


_NARROW = 80
_KNOWN = frozenset(map(chr, range(32, 127))) | frozenset("✓≈✗▽▲†–²")
"""Characters that are known to be one column wide."""


def show_table(headers: Sequence[str], rows: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Print rows of (text, style) cells in the format of `plain_table`.

    Output that fits into 80 columns and does not go to a terminal bypasses rich, which is slow to import.
    """
    lines = None if sys.stdout.isatty() else _lines(headers, rows)
    if lines is not None:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        return
    from rich.text import Text

    table = plain_table(*headers)
    for row in rows:
        table.add_row(*(Text(text, style=style) for text, style in row))
    output().print(table)


def _lines(headers: Sequence[str], rows: Sequence[Sequence[tuple[str, str]]]) -> list[str] | None:
    """Return the lines of a table, or None if cells would wrap or have an unknown width."""
    texts = [list(headers), *([text for text, _ in row] for row in rows)]
    if not all(_KNOWN.issuperset(one) for row in texts for one in row):
        return None
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    if sum(widths) + 2 * (len(widths) - 1) > _NARROW:
        return None
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in texts]


def print_json(document: object) -> None:
    """Print one JSON document to standard output."""
    import json

    json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")
