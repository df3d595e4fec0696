"""Output and exit code of ``adcl scale check``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl import scale
from adcl.cli._console import output, say, show_table
from adcl.cli._scale_rows import HEADERS, cells_of
from adcl.errors import AdclError, UndecidedError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["finish", "finish_comparison", "row_name", "show"]


def finish(results: scale.Results, *, allow_undecided: bool, strict_better: bool) -> None:
    """Raise `AdclError` if a row is broken, `UndecidedError` if a row is undecided."""
    broken = [*results.broken]
    if strict_better:
        broken += [f"{row_name(row)}: better than expected, {row.verdict.model.growth}" for row in results.better]
    if broken:
        raise AdclError(f"broken: {broken[0]}{_more(broken)}")
    if results.undecided and not allow_undecided:
        row = results.undecided[0]
        raise UndecidedError(
            f"undecided: {row_name(row)}{_more(results.undecided)}; to decide it, {results.advice(row)}"
        )


def finish_comparison(comparison: scale.Comparison, costs: Sequence[scale.Slowdown], *, allow_undecided: bool) -> None:
    """Raise the error for the result of a comparison, like `finish`."""
    if comparison.regressions:
        changes = "; ".join(
            f"the growth of {change.label} changed from {change.growths[0]} in {change.before_run} to "
            f"{change.growths[1]} in {change.after_run}"
            for change in comparison.regressions
        )
        raise AdclError(f"worse: {changes}")
    costly = list({one.change.label: one for one in reversed(costs) if one.slower}.values())[::-1]
    if costly:
        change = costly[0].change
        raise AdclError(f"{change.label} is slower in {change.after_run} than in {change.before_run}{_more(costly)}")
    undecided = [one for one in costs if one.undecided]
    if undecided and not allow_undecided:
        change = undecided[0].change
        raise UndecidedError(
            f"undecided: {change.label} in {change.after_run} compared with {change.before_run}{_more(undecided)}; "
            "measure each setting in more jobs, or measure more settings"
        )


def row_name(row: scale.ResultRow) -> str:
    """Return the function, metric and setting of a row."""
    label = row.verdict.series.label
    return f"{row.expectation.function} ({row.expectation.metric}" + (f", {label})" if label else ")")


def _more(rows: Sequence[object]) -> str:
    return f", and {len(rows) - 1} more" if len(rows) > 1 else ""


_MANY = 100
"""Maximum number of rows in a full table; beyond it, rows that meet their expectations are only counted."""


def _of_interest(results: scale.Results, *, everything: bool) -> list[scale.ResultRow]:
    if everything or len(results.rows) <= _MANY:
        return list(results.rows)
    plain = (scale.Match.TOTAL, scale.Match.APPROXIMATE)
    return [row for row in results.rows if row.verdict.match not in plain or results.warned(row)]


def show(results: scale.Results, *, everything: bool = False) -> None:
    """Print the tables, the summary, and what to measure next."""
    say(f"{results.study.name}, run {results.run}", "bold")
    rows = _of_interest(results, everything=everything)
    if rows:
        show_table(HEADERS, [cells_of(row, warned=results.warned(row)) for row in rows])
    if len(rows) < len(results.rows):
        omitted = len(results.rows) - len(rows)
        say(f"rows that meet their expectations and are not listed: {omitted}; --all lists them")
    for row in rows:
        remarks = _remarks(row)
        if remarks:
            say(f"  {row_name(row)}: {remarks}", "dim")
    say(results.headline, "bold")
    for row in results.undecided:
        say(f"  {row_name(row)}: {results.advice(row)}")
    if results.rules or results.limits or results.efficiencies:
        _show_further(results)
    if results.litmus is not None:
        say(results.litmus)
    if any(any(row.verdict.series.oversubscribed) for row in results.rows):
        say(
            "† oversubscribed: timed with more ranks than cores; such times contain little information about the "
            "network"
        )
    if any(row.verdict.match is None for row in results.rows):
        say("new: no expectation; --accept makes the model the expectation of later runs")


def _show_further(results: scale.Results) -> None:
    from adcl.cli import _scale_tables as tables  # imports the table renderer

    drawn = []
    if results.rules:
        drawn.append(tables.rules(results.rules))
    if results.limits:
        drawn.append(tables.limits(results.limits))
    if results.efficiencies:
        drawn.append(tables.efficiencies(results.efficiencies))
    for table in drawn:
        output().print()
        output().print(table)


def _remarks(row: scale.ResultRow) -> str:
    """Return the remarks on a row below the table; empty for most rows."""
    alternatives = _alternatives(row.verdict)
    parts = (
        "the expectation is the stored model (--accept)" if row.from_status_quo else "",
        *row.verdict.notes,
        f"also possible: {alternatives}" if alternatives else "",
    )
    return "; ".join(part for part in parts if part)


def _alternatives(verdict: scale.Verdict) -> str:
    """Return the other leading terms that the measurements allow."""
    if verdict.match is None or verdict.match is scale.Match.UNDECIDED:
        others = [likely for likely in verdict.likely if likely.leading != verdict.model.leading][:2]
        return ", ".join(f"O({' + '.join(map(str, other.leading))}) {other.probability:.0%}" for other in others)
    return ""
