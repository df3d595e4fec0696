"""Command group that imports a subcommand's module only when the subcommand runs."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from adcl.cli._table import COMMANDS

if TYPE_CHECKING:
    from adcl.cli._table import Command

__all__ = ["LazyGroup"]


def _load(row: Command) -> Any:  # noqa: ANN401 - Typer does not export the class of its commands
    command = typer.main.get_command(importlib.import_module(row.module).app)
    command.name = row.name
    return command


class LazyGroup(TyperGroup):
    """Lists the rows of `COMMANDS` and suggests names without importing any subcommand."""

    _listing = False

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - whatever Typer passes on
        super().__init__(**settings)
        self._rows = {row.name: row for row in COMMANDS}
        self.commands = {row.name: TyperCommand(row.name, help=row.summary, hidden=row.hidden) for row in COMMANDS}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401
        """Return the subcommand, or None. While the help page is formatted, return only its name and summary."""
        if self._listing or cmd_name not in self._rows:
            return super().get_command(ctx, cmd_name)
        return _load(self._rows[cmd_name])

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Format the help page from the table alone."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False
