"""The ``adcl`` command. Each subcommand is one module here and one row in `_table.COMMANDS`."""

from adcl.cli._main import main

__all__ = ["main"]
