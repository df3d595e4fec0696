"""Cells of the table of verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.scale import Match

if TYPE_CHECKING:
    from adcl.scale import ResultRow, Verdict

__all__ = ["HEADERS", "cells_of", "fit_of", "name_of"]

HEADERS = ("function", "expected", "model", "R²", "divergence", "outside", "match")
"""Columns of Table 2 of Shudler et al.: model, fit, divergence and match."""

_STYLES = {Match.TOTAL: "green", Match.APPROXIMATE: "green", Match.NONE: "bold red"}
_STYLES |= {Match.UNDECIDED: "yellow", Match.BETTER: "green"}
_OVERSUBSCRIBED = "†"


def name_of(verdict: Verdict) -> str:
    """Return function, metric and setting, marked if the run was oversubscribed."""
    series = verdict.series
    name = f"{series.function} [{series.metric}]" + (f" {series.label}" if series.label else "")
    return name + (f" {_OVERSUBSCRIBED}" if any(series.oversubscribed) else "")


def fit_of(verdict: Verdict) -> str:
    """Return the adjusted coefficient of determination, if available."""
    value = verdict.model.adjusted_r_squared
    return "–" if value is None else f"{value:.2f}"


def cells_of(row: ResultRow, *, warned: bool) -> tuple[tuple[str, str], ...]:
    """Return the (text, style) cells of a row."""
    verdict = row.verdict
    sign = "new" if verdict.match is None else verdict.match.sign
    style = "" if verdict.match is None else _STYLES[verdict.match]
    plain = (
        name_of(verdict),
        f"O({row.growth})" if row.growth else "–",
        verdict.model.growth,
        fit_of(verdict),
        verdict.divergence or "–",
        f"{verdict.outside:.0%}" if verdict.match is not None and verdict.likely else "–",
    )
    return (*((text, "") for text in plain), (sign + (" ▲" if warned else ""), style))
