"""What ``adcl scale check`` prints, and how it ends."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from adcl import scale
from adcl.cli import _scale_tables as tables
from adcl.cli._console import output
from adcl.errors import AdclError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.console import RenderableType

__all__ = ["finish", "named", "show", "write_reports"]


def finish(results: scale.Results, *, strict: bool, strict_better: bool) -> None:
    """Raise what the exit code comes from: `AdclError` for what is broken, `UndecidedError` for what is undecided."""
    broken = [*results.broken]
    if strict_better:
        broken += [f"{named(row)}: better than expected, {row.verdict.model.growth}" for row in results.better]
    if broken:
        raise AdclError(f"broken: {broken[0]}{_more(broken)}")
    if strict and results.undecided:
        row = results.undecided[0]
        raise scale.UndecidedError(
            f"undecided: {named(row)}{_more(results.undecided)}; to decide it, {results.advice(row)}"
        )


def write_reports(
    results: scale.Results,
    *,
    junit: tuple[Path | None, Mapping[str, bool]],
    sarif: Path | None,
    markdown: Path | None,
    github: bool,
) -> None:
    """Write those that have a file, and print annotations if they are wanted."""
    if junit[0] is not None:
        scale.replace_text(junit[0], scale.as_junit(results, **junit[1]))
    if sarif is not None:
        scale.replace_text(sarif, scale.as_sarif(results))
    if markdown is not None:
        scale.replace_text(markdown, scale.as_markdown(results))
    if github:
        sys.stdout.write(scale.as_annotations(results))


def named(row: scale.ResultRow) -> str:
    """Return function, metric and setting of a row."""
    label = row.verdict.series.label
    return f"{row.expectation.function} ({row.expectation.metric}" + (f", {label})" if label else ")")


def _more(rows: Sequence[object]) -> str:
    return f", and {len(rows) - 1} more" if len(rows) > 1 else ""


_MANY = 100
"""Of more rows than this, those that hold are counted and not listed."""


def _of_interest(results: scale.Results, *, everything: bool) -> list[scale.ResultRow]:
    if everything or len(results.rows) <= _MANY:
        return list(results.rows)
    plain = (scale.Match.TOTAL, scale.Match.APPROXIMATE)
    return [row for row in results.rows if row.verdict.match not in plain or results.warned(row)]


def show(results: scale.Results, *, everything: bool = False) -> None:
    """Print the tables, what it all comes to, and what to measure next."""
    console = output()
    console.print(f"{results.study.name}, run {results.run}", style="bold", markup=False)
    _show_rows(results, _of_interest(results, everything=everything))
    console.print(results.headline, style="bold", markup=False)
    for row in results.undecided:
        console.print(f"  {named(row)}: {results.advice(row)}", markup=False)
    for table in _further_tables(results):
        console.print()
        console.print(table)
    if results.litmus is not None:
        console.print(results.litmus, markup=False)
    if any(any(row.verdict.series.doubtful) for row in results.rows):
        console.print("† timed with more ranks than cores: such times say little about the network", markup=False)
    if any(row.verdict.match is None for row in results.rows):
        console.print("new: no expectation; --accept makes the model the status quo for later runs", markup=False)


def _further_tables(results: scale.Results) -> Iterator[RenderableType]:
    if results.rules:
        yield tables.rules(results.rules)
    if results.limits:
        yield tables.limits(results.limits)
    if results.efficiencies:
        yield tables.efficiencies(results.efficiencies)


def _show_rows(results: scale.Results, rows: list[scale.ResultRow]) -> None:
    console = output()
    if rows:
        console.print(tables.verdicts(results, rows))
    if len(rows) < len(results.rows):
        console.print(f"{len(results.rows) - len(rows)} hold and are not listed; --all lists them", markup=False)
    for row in rows:
        said = tables.remarks(row)
        if said:
            console.print(f"  {named(row)}: {said}", style="dim", markup=False)
