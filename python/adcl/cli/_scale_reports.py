"""Options of ``adcl scale check`` for report formats, and their output."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from adcl.errors import UsageError
from adcl.scale.output import REPORT_FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adcl.scale.output import CheckReport, ReportFormat

__all__ = ["require_one_output", "with_report_options", "write_reports"]

_Command = TypeVar("_Command", bound="Callable[..., None]")


def _option(row: ReportFormat) -> inspect.Parameter:
    """Return the option of a format: a flag if the report is printed, else the path of a file."""
    flag = typer.Option(f"--{row.name}", help=row.help)
    file = typer.Option(f"--{row.name}", metavar="FILE", help=row.help)
    kind = Annotated[bool, flag] if row.printed else Annotated[Path | None, file]
    default = False if row.printed else None
    return inspect.Parameter(row.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def with_report_options(command: _Command) -> _Command:
    """Replace the ``**`` parameter in the command's signature by an option for each report format."""
    signature = inspect.signature(command)
    own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    options = [_option(row) for row in REPORT_FORMATS]
    command.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    return command


def require_one_output(wanted: Mapping[str, Path | bool | None], *, json: bool) -> None:
    """Raise `UsageError` if `--json` is combined with a report that is printed too."""
    for row in REPORT_FORMATS:
        if json and row.printed and wanted[row.name]:
            raise UsageError(f"--json and --{row.name} exclude each other; give only one")


def write_reports(report: CheckReport, wanted: Mapping[str, Path | bool | None]) -> None:
    """Write the reports to the files in `wanted`, and print the reports that are True there."""
    from adcl import scale

    for row in REPORT_FORMATS:
        target = wanted[row.name]
        if isinstance(target, Path):
            scale.replace_text(target, row.write(report))
        elif target:
            sys.stdout.write(row.write(report))
