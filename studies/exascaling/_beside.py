"""Tables that compare published verdicts with ours, and the number of equal verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studies._catalog import Agreement
from studies._page import table
from studies._statements import Statement
from studies._verdicts import METHODS, Judged, Printed, printed_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["all_cells", "beside", "counts", "verdict_statements"]

_Pair = tuple[str, str]
"""Corresponding run and function of this study."""


def _printed(one: Printed) -> str:
    return f"{one.model} {one.sign}" + (" ▲" if one.warned else "")


def beside(document: dict[str, Any], judged: Judged, here: Callable[[Printed], _Pair]) -> str:
    """Return a table with a row for each published verdict and our verdicts by both methods."""
    rows = []
    for one in printed_rows(document):
        run, function = here(one)
        ours = [judged.cell(method, run, function) for method in METHODS]
        rows.append((one.function, one.expectation, one.machine, _printed(one), run, *ours))
    return table(("function", "expected", "machine", "printed", "run here", "paper's method", "default method"), rows)


def counts(
    title: str, document: dict[str, Any], judged: Judged, here: Callable[[Printed], _Pair]
) -> tuple[list[Agreement], dict[str, str]]:
    """Count equal matches and equal models for each method; also return the counts as values for the text."""
    agreement, values = [], {}
    known = [(one, *here(one)) for one in printed_rows(document)]
    known = [row for row in known if judged.row("paper", row[1], row[2]) is not None]
    for method in METHODS:
        same = sum(judged.sign(method, run, function) == one.sign for one, run, function in known)
        within = [row for row in known if row[0].sign in "✓≈"]
        kept = sum(judged.sign(method, run, function) in "✓≈" for _, run, function in within)
        agreement.append(Agreement(f"{title}, same verdict, {_NAMES[method]}", same, len(known)))
        values[f"same {method}"] = f"{same} of {len(known)}"
        values[f"both within {method}"] = f"{kept} of {len(within)}"
    every = [(run, row.verdict.series.function) for run in judged.runs for row in judged.results["paper", run].rows]
    equal = sum(judged.sign("paper", *one) == judged.sign("default", *one) for one in every)
    values["methods agree"] = f"{equal} of {len(every)}"
    return agreement, values


def verdict_statements(
    document: dict[str, Any],
    judged: Judged,
    here: Callable[[Printed], _Pair],
    rows: Callable[[Printed], tuple[str, ...]],
    about: str = "",
) -> list[Statement]:
    """Return a statement for each published verdict: it holds if the paper's method gives the same match here."""
    section = document["source"].rpartition(" ")[2]
    found = []
    for one in printed_rows(document):
        run, function = here(one)
        if judged.row("paper", run, function) is not None:
            where = f" on {one.machine}" if len(document["machines"]) > 1 else ""
            text = f"{one.function}{about}{where} has the model {_printed(one)}; the expectation is {one.expectation}."
            ours = judged.cell("paper", run, function)
            same = judged.sign("paper", run, function) == one.sign
            found.append(Statement(text, section, f"{run}: {ours}", same, rows(one)))
    return found


_NAMES = {"paper": "paper's method", "default": "default method"}


def all_cells(judged: Judged, functions: Iterable[str], expected: dict[str, str], method: str) -> str:
    """Return a table of all runs by one method: growth and match of each function."""
    rows = [(name, expected[name], *(judged.cell(method, run, name) for run in judged.runs)) for name in functions]
    return table(("", "expected", *judged.runs), rows)
