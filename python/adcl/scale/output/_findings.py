"""Results of a check as a list: every expectation, rule and budget with its outcome and its line in the study."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.scale.judge import JudgeMethod, Match
from adcl.scale.model import big_o

if TYPE_CHECKING:
    from adcl.scale.study import EfficiencyCheck, LimitCheck, ResultRow, Results, RuleCheck

__all__ = ["Finding", "FindingKind", "FindingOutcome", "findings_of"]


class FindingKind(enum.Enum):
    """Kind of a checked statement. The value identifies it in reports."""

    GROWTH = "growth"
    RULE = "rule"
    BUDGET = "budget"
    EFFICIENCY = "efficiency"

    @property
    def meaning(self) -> str:
        """Meaning of a broken finding of this kind."""
        return {
            "growth": "A function grows faster with scale than expected.",
            "rule": "A function costs more than other functions that could replace it.",
            "budget": "A function exceeds its budget at or before the target scale.",
            "efficiency": "The efficiency of a function falls below the requirement at or before the target scale.",
        }[self.value]


class FindingOutcome(enum.Enum):
    """Outcome of a checked statement."""

    HOLDS = "holds"
    BETTER = "better"
    UNDECIDED = "undecided"
    BROKEN = "broken"
    NEW = "new"
    """The study states no expectation yet."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One expectation, rule or budget of a study, and its outcome."""

    kind: FindingKind
    name: str
    """Function, metric and setting, or the text of the rule."""

    outcome: FindingOutcome
    sign: str
    expected: str
    found: str
    outside: float | None
    """Probability that the growth is outside the deviation limits."""

    message: str
    """Finding in one sentence."""

    line: int
    """Line in the study file, from 1."""


def findings_of(results: Results) -> list[Finding]:
    """Return the findings in the order of the study."""
    return [
        *(_row_finding(results, row) for row in results.rows),
        *(_rule_finding(check) for check in results.rules),
        *(_limit_finding(check) for check in results.limits),
        *(_efficiency_finding(check) for check in results.efficiencies),
    ]


_OUTCOMES = {
    Match.TOTAL: FindingOutcome.HOLDS,
    Match.APPROXIMATE: FindingOutcome.HOLDS,
    Match.BETTER: FindingOutcome.BETTER,
    Match.UNDECIDED: FindingOutcome.UNDECIDED,
    Match.NONE: FindingOutcome.BROKEN,
    None: FindingOutcome.NEW,
}


def _row_finding(results: Results, row: ResultRow) -> Finding:
    verdict, series = row.verdict, row.verdict.series
    name = f"{series.function} ({series.metric}" + (f", {series.label})" if series.label else ")")
    expected, found = f"O({row.growth})" if row.growth else "", big_o(verdict.model.leading)
    outcome = _OUTCOMES[verdict.match]
    words = {
        FindingOutcome.HOLDS: f"{name} grows as {found}; expected: {expected}",
        FindingOutcome.BETTER: f"{name} grows as {found}, more slowly than expected: {expected}",
        FindingOutcome.UNDECIDED: (f"{name}: undecided; the most probable growth is {found}; expected: {expected}"),
        FindingOutcome.BROKEN: (
            f"{name} grows as {found}; expected: {expected}"
            if verdict.outgrown is None
            else f"{name} {verdict.finding_text}; expected: {expected}"
        ),
        FindingOutcome.NEW: f"{name} grows as {found}; the study states no expectation yet",
    }
    outside = verdict.outside if verdict.match is not None and verdict.likely else None
    chance = "" if outside is None else f" (outside the limits with probability {outside:.0%})"
    more = [*verdict.notes, *([f"to decide it, {results.advice(row)}"] if outcome is FindingOutcome.UNDECIDED else [])]
    notes = "".join(f"; {note}" for note in more)
    sign = "new" if verdict.match is None else verdict.match.sign
    _, _, line = row.expectation.line.rpartition(":")
    return Finding(
        FindingKind.GROWTH,
        name,
        outcome,
        sign + (" ▲" if results.warned(row) else ""),
        expected,
        found,
        outside,
        words[outcome] + chance + notes,
        int(line) if line.isdecimal() and not row.from_status_quo else 1,
    )


def _rule_finding(check: RuleCheck) -> Finding:
    rule = check.rule
    if check.measured and check.method is not JudgeMethod.PAPER:
        most = max(factor for _, factor in check.measured)
        statement = f"is broken at {len(check.measured)} of {check.points} settings, by up to {most:.2f}x"
    elif check.broken:
        statement = f"will be broken with probability {check.probability:.0%}, according to the models"
        statement += "" if check.broken_from is None else f", from {check.broken_from:g} on"
    else:
        statement = f"holds at all {check.points} settings"
    outcome = FindingOutcome.BROKEN if check.broken else FindingOutcome.HOLDS
    sign = "▲" if check.broken else "✓"
    return Finding(
        FindingKind.RULE,
        f"{rule} ({rule.metric})",
        outcome,
        sign,
        "",
        "",
        None,
        f"{rule} ({rule.metric}) {statement}",
        rule.line,
    )


def _limit_finding(check: LimitCheck) -> Finding:
    limit = check.limit
    name = f"{limit.function} ({limit.metric})" + (f" x {limit.times:g}" if limit.times != 1 else "")
    end = "beyond the prediction" if check.scale is None else f"at {limit.parameter} = {check.scale:g}"
    wanted = "" if limit.up_to is None else f"; the target is {limit.up_to:g}"
    return Finding(
        FindingKind.BUDGET,
        f"budget of {name}",
        FindingOutcome.BROKEN if check.broken else FindingOutcome.HOLDS,
        "✗" if check.broken else "✓",
        f"at most {limit.at_most:.4g}",
        end,
        None,
        f"the budget of {name}, at most {limit.at_most:.4g}, is exceeded {end}{wanted}",
        limit.line,
    )


def _efficiency_finding(check: EfficiencyCheck) -> Finding:
    one = check.efficiency
    name = f"efficiency of {one.function} ({one.metric})"
    end = "beyond the prediction" if check.ends_at is None else f"{check.parameter} = {check.ends_at:g}"
    place = end if check.ends_at is None else f"from {end} on"
    wanted = "" if one.up_to is None else f"; the target is {one.up_to:g}"
    return Finding(
        FindingKind.EFFICIENCY,
        name,
        FindingOutcome.BROKEN if check.broken else FindingOutcome.HOLDS,
        "✗" if check.broken else "✓",
        f"at least {one.at_least:.0%}",
        end,
        None,
        f"the {name} falls below {one.at_least:.0%} {place}{wanted}",
        one.line,
    )
