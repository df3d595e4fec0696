"""HTML page of a study: a headline and panels from two tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from adcl import pages
from adcl.scale.output._functions import efficiencies, functions
from adcl.scale.output._panel import PageContent, title_of
from adcl.scale.output._runs import runs
from adcl.scale.output._tables import budgets, overview, rules
from adcl.scale.study import CheckOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from adcl.scale.study import Comparison, Results

__all__ = ["SECTIONS", "SUMMARY", "make_page"]

SUMMARY: list[Callable[[PageContent], Iterable[pages.Block]]] = [overview, rules, budgets]
"""Panels below the headline. A panel is a function that returns its blocks, possibly none."""

SECTIONS: list[Callable[[PageContent], Iterable[pages.Section]]] = [runs, efficiencies, functions]
"""Panels with headings."""

_TONES: dict[CheckOutcome, Literal["good", "bad"]] = {CheckOutcome.HOLDS: "good", CheckOutcome.BROKEN: "bad"}


def make_page(results: Results, comparison: Comparison | None = None) -> pages.Page:
    """Return the page on one run and its comparison with other runs."""
    content = PageContent(results, comparison)
    undecided = [f"{title_of(row.verdict)}: {results.advice(row)}" for row in results.undecided]
    details = [*results.broken, *([results.litmus] if results.litmus else []), *undecided]
    head = pages.Headline(results.headline, _TONES.get(results.outcome, "neutral"), "; ".join(details))
    return pages.Page(
        f"{results.study.name}: run {results.run}",
        (head, *(block for panel in SUMMARY for block in panel(content))),
        tuple(section for panel in SECTIONS for section in panel(content)),
        "adcl scale",
    )
