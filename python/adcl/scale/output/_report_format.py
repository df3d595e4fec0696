"""Interface of a report format. `_report_formats.py` lists all formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.scale.study import Results

__all__ = ["CheckReport", "ReportFormat"]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Contents of a report: the results of a check, and its options that determine which statements fail."""

    results: Results
    allow_undecided: bool = False
    strict_better: bool = False


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A row of the table of report formats."""

    name: str
    """Name of the option of `adcl scale check`, without hyphens in front."""

    help: str
    """Help text of the option."""

    about: str
    """Description in `docs/scale.md`, in Markdown."""

    write: Callable[[CheckReport], str]
    """Function that returns the text of the report."""

    printed: bool = False
    """Whether the report goes to standard output. Otherwise it goes to the file that the option names."""
