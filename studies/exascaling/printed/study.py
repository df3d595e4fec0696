"""Compute divergence, match, and guidelines from the published models, and compare them with the published rows."""

from __future__ import annotations

from typing import Any

from adcl.scale import parse, violates
from studies._catalog import Agreement, Place, Rendered
from studies._page import table
from studies._statements import Statement
from studies._verdicts import printed_rows, published, recomputed

__all__ = ["measure", "needs", "render"]

_TABLES = {"Table 2": "collectives", "Table 3": "memory", "Table 4": "mafia"}
_RULES = {"Allreduce": ("Reduce", "Bcast"), "Allgather": ("Gather", "Bcast")}
"""Guidelines of section 3.1: the left function costs at most the sum of the other functions."""


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return no build targets: the study runs no program."""
    return []


def measure(place: Place) -> None:
    """Measure nothing."""


def _broken(document: dict[str, Any], machine: str, function: str) -> bool:
    """Return True if the published models predict that a guideline is broken (section 2.4)."""
    models = {row["name"]: parse(row[machine][0]).terms for row in document["function"]}
    if function not in _RULES or function not in models:
        return False
    right = [term for name in _RULES[function] for term in models[name]]
    return violates(models[function], right)


def render(place: Place) -> Rendered:
    """Return one table for each table of the paper."""
    values, agreement, statements = {}, [], []
    for name, folder in _TABLES.items():
        document = published(place.study.folder.parent / folder / "published.toml")
        rows, same = [], 0
        printed = printed_rows(document)
        for one in printed:
            apart, sign = recomputed(one, document.get("deviation"))
            broken = _broken(document, one.machine, one.function)
            same += (apart, sign) == (one.divergence, one.sign)
            theirs = one.sign + (" ▲" if one.warned else "")
            ours = sign + (" ▲" if broken else "")
            different = (apart, ours) != (one.divergence, theirs)
            text = (
                f"{one.function} on {one.machine} with model {one.model} has divergence {one.divergence}, "
                f"match {theirs}."
            )
            section = document["source"].rpartition(" ")[2]
            own = (f"{name}, divergence and match",)
            statements.append(Statement(text, section, f"{apart} {ours}", not different, own))
            rows.append(
                (
                    one.function,
                    one.machine,
                    one.expectation,
                    one.model,
                    f"{one.divergence} {theirs}",
                    f"{apart} {ours}" + (" (differs)" if different else ""),
                )
            )
        values[name] = table(("function", "machine", "expectation", "printed model", "printed", "computed"), rows)
        agreement.append(Agreement(f"{name}, divergence and match", same, len(printed)))
        if "Allgather" in {one.function for one in printed}:
            rules = [one for one in printed if one.function in _RULES]
            kept = sum(_broken(document, one.machine, one.function) == one.warned for one in rules)
            agreement.append(Agreement(f"{name}, guidelines", kept, len(rules)))
        values[f"{name} same"] = f"{same} of {len(printed)}"
    return Rendered(values, {}, tuple(agreement), tuple(statements))
