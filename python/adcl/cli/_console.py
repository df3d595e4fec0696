"""What subcommands share: the settings of their apps, and the consoles that they write to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["examples", "new_app", "output", "plain_table", "print_json", "say"]


def new_app() -> typer.Typer:
    """An app for a subcommand's module, with the settings that all have in common."""
    return typer.Typer(
        add_completion=False, context_settings={"help_option_names": ["-h", "--help"]}, rich_markup_mode=None
    )


def examples(*lines: str) -> str:
    """The end of a subcommand's help: what a user may type."""
    # The first character keeps the lines from being joined.
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def output() -> Console:
    """Standard output, at least 80 columns wide; coloured on a terminal, plain text everywhere else."""
    from rich.console import Console

    console = Console(highlight=False, emoji=False)
    return console if console.width >= 80 else Console(highlight=False, emoji=False, width=80)  # noqa: PLR2004


def say(text: str, style: str | None = None) -> None:
    """Print a line: in this style and wrapped on a terminal, and everywhere else as it is."""
    if sys.stdout.isatty():
        output().print(text, style=style, markup=False)
    else:
        sys.stdout.write(f"{text}\n")


def plain_table(*headers: str, numbers: tuple[str, ...] = ()) -> Table:
    """A table without lines; the columns of `numbers` stand to the right."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold", justify="right" if header in numbers else "left")
    return table


def print_json(document: object) -> None:
    """Write one JSON document to standard output, for programs."""
    import json

    json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")
