"""Definitions shared by the panels of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcl.scale.judge import Verdict
    from adcl.scale.study import Comparison, Results

__all__ = ["PageContent", "title_of"]


@dataclass(frozen=True)
class PageContent:
    """Contents of a page: the results of one run, and the comparison with other runs."""

    results: Results
    comparison: Comparison | None = None


def title_of(verdict: Verdict) -> str:
    """Return function, metric and setting."""
    series = verdict.series
    return f"{series.function}, {series.metric}" + (f", {series.label}" if series.label else "")
