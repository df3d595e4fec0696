"""Judge stored records by both methods of `adcl scale`, and compare the verdicts with the published verdicts."""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcl.scale import (
    JudgeMethod,
    Limits,
    Match,
    ResultRow,
    Results,
    Store,
    divergence,
    evaluate,
    leading,
    match,
    parse,
    parse_term,
    read_study,
    runs_of,
)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["METHODS", "Judged", "Printed", "cell", "judge_records", "printed_rows", "published", "recomputed", "short"]

METHODS = {"paper": JudgeMethod.PAPER, "default": JudgeMethod.EVIDENCE}
"""Methods by the names that pages use."""


@dataclass(frozen=True)
class Printed:
    """One published verdict."""

    function: str
    expectation: str
    machine: str
    model: str
    fit: str
    """The published adjusted R²; a dash if none is published."""

    divergence: str
    sign: str
    warned: bool


@dataclass(frozen=True)
class Judged:
    """Results of all runs of a store, by method and run."""

    results: dict[tuple[str, str], Results]
    runs: tuple[str, ...]

    def row(self, method: str, run: str, function: str) -> ResultRow | None:
        """Return the first row of a function, or None if it was not measured."""
        found = self.results.get((method, run))
        rows = () if found is None else found.rows
        return next((row for row in rows if row.verdict.series.function == function), None)

    def cell(self, method: str, run: str, function: str) -> str:
        """Return growth and match of a function, or a dash."""
        row = self.row(method, run, function)
        return "–" if row is None else cell(self.results[method, run], row)

    def sign(self, method: str, run: str, function: str) -> str:
        """Return the match of a function without the sign of rules."""
        row = self.row(method, run, function)
        return "–" if row is None or row.verdict.match is None else row.verdict.match.sign

    def values(self) -> dict[str, str]:
        """Return all cells by their names ``method/run/function``."""
        return {
            f"{method}/{run}/{row.verdict.series.function}": cell(results, row)
            for (method, run), results in self.results.items()
            for row in results.rows
        }


def short(growth: str) -> str:
    """Return a growth without its ``O()``."""
    return growth[2:-1] if growth.startswith("O(") else growth


def cell(results: Results, row: ResultRow) -> str:
    """Return the model's growth, the match, and ▲ if a rule is broken."""
    verdict = row.verdict
    sign = "new" if verdict.match is None else verdict.match.sign
    return f"{short(verdict.model.growth)} {sign}" + (" ▲" if results.warned(row) else "")


def judge_records(study_file: Path, records: Path) -> Judged:
    """Judge every run of a store by both methods."""
    entries = Store(records).entries()
    measured = {entry.measurement.function for entry in entries}
    whole = dataclasses.replace(read_study(study_file), store=records)
    study = dataclasses.replace(
        whole,
        expectations=tuple(one for one in whole.expectations if one.function in measured),
        rules=tuple(one for one in whole.rules if {one.left, *(name for _, name in one.right)} <= measured),
    )
    runs = tuple(runs_of(entries))
    found = {
        (name, run): evaluate(dataclasses.replace(study, method=method), entries, run)
        for name, method in METHODS.items()
        for run in runs
    }
    return Judged(found, runs)


def published(path: Path) -> dict[str, Any]:
    """Return the contents of a ``published.toml``."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def printed_rows(document: dict[str, Any]) -> list[Printed]:
    """Return the published verdicts of a ``published.toml``, function by function."""
    found = []
    for row in document["function"]:
        for machine in document["machines"]:
            model, fit, apart, sign = row[machine]
            found.append(
                Printed(row["name"], row["expectation"], machine, model, fit, apart, sign[0], warned="▲" in sign)
            )
    return found


def recomputed(row: Printed, deviation: str | None) -> tuple[str, str]:
    """Compute divergence and sign of a published model (section 2.4).

    `deviation`: None selects the default of section 2.3.
    """
    limits = Limits.of(leading(parse(row.expectation)), None if deviation is None else parse_term(deviation))
    terms = leading(parse(row.model))
    rank = match(terms, limits)
    sign = (Match.NONE if rank is Match.BETTER else rank).sign
    return divergence(terms, limits.expectation), sign
