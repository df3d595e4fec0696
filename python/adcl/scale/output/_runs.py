"""Section of the page that compares several runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl import pages
from adcl.scale.output._curves import runs_figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from adcl.scale.judge import Verdict
    from adcl.scale.output._panel import PageContent
    from adcl.scale.study import Comparison

__all__ = ["runs"]

_FEW_RUNS = 2


def runs(content: PageContent) -> Iterator[pages.Section]:
    """Return the section on a comparison: growth by function and run, changes, and figures of all runs."""
    comparison = content.comparison
    if comparison is None:
        return
    blocks: list[pages.Block] = [_growths(comparison), *_changes(comparison)]
    for label, by_run in comparison.verdicts.items():
        verdicts = [(run, verdict) for run, verdict in by_run.items() if len(verdict.series.parameters) == 1]
        if verdicts:
            blocks.append(runs_figure(label, verdicts))
    yield pages.Section("Between runs", tuple(blocks))


def _growths(comparison: Comparison) -> pages.Table:
    def cell(verdict: Verdict | None) -> str | None:
        if verdict is None:
            return None
        return verdict.model.growth + (f" {verdict.match.sign}" if verdict.match is not None else "")

    by_series = comparison.verdicts.items()
    return pages.Table(
        ("function", *comparison.runs),
        tuple((label, *(cell(by_run.get(name)) for name in comparison.runs)) for label, by_run in by_series),
        "Growth by function and run; symbols refer to the study's expectations",
    )


def _changes(comparison: Comparison) -> Iterable[pages.Block]:
    """Return the table of changes: all changes for two runs, only significant changes for more runs."""
    everything = comparison.changes
    shown = [one for one in everything if one.worse or one.better or len(comparison.runs) <= _FEW_RUNS]
    if not shown:
        yield pages.Text(("No function became significantly worse or better between runs.",))
        return
    yield pages.Table(
        ("function", "before", "after", "cost", ""),
        tuple(
            (
                one.label,
                f"{one.growths[0]} in {one.before_run}",
                f"{one.growths[1]} in {one.after_run}",
                "–" if one.ratio is None else f"× {one.ratio:.2f} at {', '.join(f'{value:g}' for value in one.at)}",
                "worse" if one.worse else "better" if one.better else "",
            )
            for one in shown
        ),
        "Changes between runs" if len(shown) == len(everything) else "Significant changes between runs",
        tuple(at for at, one in enumerate(shown) if one.worse),
    )
