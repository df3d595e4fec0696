"""Results of one run: verdicts, rules and budgets."""

from __future__ import annotations

import enum
import json
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adcl.errors import AdclError, DataError, UsageError
from adcl.scale.input import Store, paused_garbage_collection, replace_text
from adcl.scale.judge import Match, advice, judge_with
from adcl.scale.model import Series, series_of_all
from adcl.scale.study._efficiency import EfficiencyCheck, check_efficiency
from adcl.scale.study._rules import LimitCheck, RuleCheck, check_limit, check_rule
from adcl.scale.study._study import Expectation, ScaleStudy, read_study
from adcl.scale.study._together import independent, varied_together
from adcl.scale.study._words import for_each_word, without_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from adcl.scale.input import StoreEntry
    from adcl.scale.judge import Expected, Verdict
    from adcl.scale.model import Aggregate, Measurement

__all__ = ["CheckOutcome", "ResultRow", "Results", "accept", "entries_of", "evaluate", "runs_of", "series_for"]

_RANKS = "p"
_NAMED = 10
"""Maximum number of functions in a message."""


class CheckOutcome(enum.Enum):
    """Overall outcome of a check."""

    HOLDS = "holds"
    UNDECIDED = "undecided"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One line of the table: an expectation, its verdict, and its origin."""

    expectation: Expectation
    verdict: Verdict
    from_status_quo: bool = False

    @property
    def growth(self) -> str:
        """The expectation's growth as written, or empty."""
        return "" if self.expectation.expected is None else str(self.expectation.expected.growth)


@dataclass(frozen=True, slots=True)
class Results:
    """Results of a check of one run."""

    study: ScaleStudy
    run: str
    rows: tuple[ResultRow, ...]
    rules: tuple[RuleCheck, ...]
    limits: tuple[LimitCheck, ...]
    efficiencies: tuple[EfficiencyCheck, ...] = ()

    def warned(self, row: ResultRow) -> bool:
        """Whether a rule with this row's function on its left is broken: the sign ▲."""
        return any(
            rule.broken and rule.rule.left == row.expectation.function and rule.rule.metric == row.expectation.metric
            for rule in self.rules
        )

    @property
    def broken(self) -> tuple[str, ...]:
        """One line for each broken expectation, rule or budget."""
        lines = [
            f"{row.expectation.function} ({row.expectation.metric}"
            + (f", {row.verdict.series.label}" if row.verdict.series.label else "")
            + f"): expected O({row.growth}), {row.verdict.finding_text}"
            for row in self.rows
            if row.verdict.match is Match.NONE
        ]
        lines += [f"rule {check.rule} ({check.rule.metric})" for check in self.rules if check.broken]
        lines += [
            f"budget of {check.limit.function}: above {check.limit.at_most:g} from {check.limit.parameter} = "
            f"{check.scale:g} on"
            for check in self.limits
            if check.broken
        ]
        lines += [
            f"efficiency of {check.efficiency.function}: below {check.efficiency.at_least:.0%} from {check.parameter} "
            f"= {check.ends_at:g} on"
            for check in self.efficiencies
            if check.broken
        ]
        return tuple(lines)

    @property
    def litmus(self) -> str | None:
        """Return the sentence about the litmus test if functions diverge and the study names a litmus test."""
        tests = [row for row in self.rows if self.study.litmus in _names(row.expectation.function)]
        bad = [row for row in self.rows if row.verdict.match is Match.NONE and row not in tests]
        if not tests or not bad:
            return None
        off = [row for row in tests if row.verdict.match in (Match.NONE, Match.APPROXIMATE)]
        if off:
            found = ", ".join(dict.fromkeys(str(row.verdict.divergence) for row in off))
            return f"the litmus test {self.study.litmus} also diverges, by {found}: the machine may be the cause"
        if all(row.verdict.match is Match.TOTAL for row in tests):
            return f"the litmus test {self.study.litmus} grows as expected: the functions are the cause"
        return (
            f"the litmus test {self.study.litmus} is undecided: measure more before concluding that the functions are "
            "the cause"
        )

    @property
    def undecided(self) -> tuple[ResultRow, ...]:
        """Undecided rows."""
        return tuple(row for row in self.rows if row.verdict.match is Match.UNDECIDED)

    @property
    def better(self) -> tuple[ResultRow, ...]:
        """Rows that grow more slowly than expected."""
        return tuple(row for row in self.rows if row.verdict.match is Match.BETTER)

    @property
    def outcome(self) -> CheckOutcome:
        """Overall outcome: broken rows take precedence over undecided rows."""
        if self.broken:
            return CheckOutcome.BROKEN
        return CheckOutcome.UNDECIDED if self.undecided else CheckOutcome.HOLDS

    @property
    def headline(self) -> str:
        """Outcome in a sentence."""
        judged = [row for row in self.rows if row.verdict.match is not None]
        match self.outcome:
            case CheckOutcome.BROKEN:
                are = "is" if len(self.broken) == 1 else "are"
                return f"{len(self.broken)} of the expectations, rules and budgets {are} broken."
            case CheckOutcome.UNDECIDED:
                return f"Undecided: the measurements do not decide {len(self.undecided)} of {len(judged)} rows."
        return "Everything holds." if judged else "The study states no expectation yet."

    def advice(self, row: ResultRow) -> str:
        """Return advice on measurements that decide an undecided row."""
        return advice(row.verdict)


def entries_of(study: ScaleStudy) -> list[StoreEntry]:
    """Return the contents of the study's store. Raises `AdclError` if it is empty."""
    entries = Store(study.store).entries()
    if not entries:
        what = f"add {study.path} FILE..." if study.plan is None else f"run {study.path}"
        raise DataError(f"{study.store} has no measurements; run: adcl scale {what}")
    return entries


def runs_of(entries: Iterable[StoreEntry]) -> list[str]:
    """Return the names of the runs, the oldest first."""
    first: dict[str, float] = {}
    for entry in entries:
        first[entry.run] = min(entry.time_s, first.get(entry.run, entry.time_s))
    return sorted(first, key=lambda name: first[name])


def _names(function: str) -> tuple[str, str]:
    """Return the names by which a study may refer to this function."""
    return function, without_words(function)


def _over(expectation: Expectation, grown: tuple[str, ...], measurement: Measurement) -> tuple[str, ...]:
    """Return the parameters of the model: as stated, or the growth's parameters, or the ranks, or all."""
    if expectation.over or grown:
        return expectation.over or grown
    return (_RANKS,) if _RANKS in measurement.parameters else tuple(measurement.parameters)


def series_for(expectation: Expectation, measurements: list[Measurement], aggregate: Aggregate) -> list[Series]:
    """Return the series of an expectation: one for each setting of the parameters outside its model.

    Raises `UsageError` if there are no matching measurements.
    """
    where = dict(expectation.where)
    found = [
        measurement
        for measurement in measurements
        if measurement.function == expectation.function
        and measurement.metric == expectation.metric
        and (not where or all(measurement.parameters.get(name) == value for name, value in where.items()))
    ]
    if not found:
        at = "".join(f", {name} = {value:g}" for name, value in where.items())
        known = sorted({f"{measurement.function} ({measurement.metric})" for measurement in measurements})
        longer = sorted({one.function for one in measurements if _is_end(expectation.function, one.function)})
        if len(known) > _NAMED:
            known = [*known[:_NAMED], f"{len(known) - _NAMED} more"]
        raise UsageError(
            f"{expectation.line}: no measurements of {expectation.function} ({expectation.metric}{at}); there are "
            f"measurements of {', '.join(known) or 'nothing'}"
            + "".join(f"; write function = {_quoted(one)}" for one in longer[:1])
        )
    grown = expectation.expected.growth.parameters if expectation.expected is not None else ()
    over = _over(expectation, grown, found[0])
    missing = [name for name in over if name not in found[0].parameters]
    if missing:
        raise UsageError(
            f"{expectation.line}: the measurements of {expectation.function} have no parameter {missing[0]!r}; "
            f"parameters: {', '.join(found[0].parameters) or 'none'}"
        )
    groups = varied_together(found, tuple(found[0].parameters))
    if not expectation.over:
        over = independent(over, groups, grown)
    same = [name for group in groups if set(group) & set(over) for name in group if name not in over]
    found = [_without(one, same) for one in found] if same else found
    others = [name for name in found[0].parameters if name not in over]
    if not others and not same:
        return [series_of_all(found, aggregate)]
    settings: dict[tuple[float, ...], list[Measurement]] = defaultdict(list)
    for one in found:
        settings[tuple(one.parameters.get(name, 0.0) for name in others)].append(one)
    series = [series_of_all(settings[setting], aggregate) for setting in sorted(settings)]
    return [replace(one, together=tuple(same)) for one in series] if same else series


def _is_end(short: str, name: str) -> bool:
    """Return whether a name is the last component of a longer name, such as a test or a call path."""
    return any(name.endswith(f"{separator}{short}") for separator in ("::", "->", "/", "."))


def _without(measurement: Measurement, names: list[str]) -> Measurement:
    return replace(measurement, parameters={name: x for name, x in measurement.parameters.items() if name not in names})


def _status_quo(study: ScaleStudy) -> dict[tuple[str, str, tuple[tuple[str, float], ...]], Expectation]:
    if not study.status_quo.exists():
        return {}
    return {
        (expectation.function, expectation.metric, expectation.where): expectation
        for expectation in read_study(study.status_quo).expectations
    }


def _rows(study: ScaleStudy, measurements: list[Measurement]) -> list[ResultRow]:
    """Collect the series of all expectations; evaluate series with the same expected growth together."""
    known = _status_quo(study)
    by_name: dict[tuple[str, str], list[Measurement]] = defaultdict(list)
    for measurement in measurements:
        by_name[measurement.function, measurement.metric].append(measurement)
    found: list[tuple[Expectation, Series, bool]] = []
    for expectation in study.expectations:
        own = by_name.get((expectation.function, expectation.metric), measurements)
        for series in series_for(expectation, own, study.aggregate):
            one, accepted = expectation, False
            if expectation.expected is None:
                former = known.get((expectation.function, expectation.metric, series.fixed))
                if former is not None:
                    one, accepted = replace(expectation, expected=former.expected), True
            found.append((one, series, accepted))
    together: dict[Expected | None, list[int]] = defaultdict(list)
    for at, (one, series, _) in enumerate(found):
        reason = series.too_few(of_model=one.expected is None)
        if reason is not None:
            raise DataError(f"{one.line}: {reason}")
        together[one.expected].append(at)
    verdicts: dict[int, Verdict] = {}
    for expected, rows in together.items():
        try:
            judged = judge_with(study.method, [found[at][1] for at in rows], expected, confidence=study.confidence)
        except AdclError as error:
            raise UsageError(f"{found[rows[0]][0].line}: {error}") from error
        verdicts.update(zip(rows, judged, strict=True))
    return [ResultRow(one, verdicts[at], accepted) for at, (one, _, accepted) in enumerate(found)]


def _groups(
    rows: list[ResultRow], functions: Iterable[str], metric: str, where: dict[str, float]
) -> list[dict[str, Verdict]]:
    """Return groups of verdicts of these functions with the same fixed parameters."""
    wanted = set(functions)
    groups: dict[tuple[tuple[str, float], ...], dict[str, Verdict]] = {}
    for row in rows:
        series = row.verdict.series
        fits = series.metric == metric and all(dict(series.fixed).get(name) == value for name, value in where.items())
        if fits and series.function in wanted:
            groups.setdefault(series.fixed, {})[series.function] = row.verdict
    return [group for group in groups.values() if set(group) == wanted]


def evaluate(study: ScaleStudy, entries: Iterable[StoreEntry], run: str) -> Results:
    """Evaluate all statements of the study for one run.

    Raises `UsageError` for expectations, rules and budgets without measurements.
    """
    with paused_garbage_collection():
        measurements = [entry.measurement for entry in entries if entry.run == run]
        study = for_each_word(study, measurements)
        rows = _rows(study, measurements)
    rules, limits = [], []
    for rule in study.rules:
        names = [rule.left, *(name for _, name in rule.right)]
        groups = _groups(rows, names, rule.metric, dict(rule.where))
        if not groups:
            missing = [name for name in names if not any(row.verdict.series.function == name for row in rows)]
            raise UsageError(
                f"{study.path}: rule {rule}: "
                + (
                    f"{missing[0]} has no [[expect]]; add one, with or without a growth"
                    if missing
                    else "its functions have no common settings; check metric and where"
                )
            )
        rules += [check_rule(rule, group, study.confidence, study.method) for group in groups]
    for limit in study.limits:
        groups = _groups(rows, [limit.function], limit.metric, dict(limit.where))
        if not groups:
            raise UsageError(
                f"{study.path}: the budget of {limit.function} ({limit.metric}) has no matching [[expect]]; add one"
            )
        limits += [check_limit(limit, group[limit.function]) for group in groups]
    efficiencies = _efficiencies(study, rows)
    return Results(study, run, tuple(rows), tuple(rules), tuple(limits), tuple(efficiencies))


def _efficiencies(study: ScaleStudy, rows: list[ResultRow]) -> Iterator[EfficiencyCheck]:
    for one in study.efficiencies:
        groups = _groups(rows, [one.function], one.metric, dict(one.where))
        here = f"{study.path}:{one.line}: efficiency of {one.function} ({one.metric})"
        if not groups:
            raise UsageError(f"{here} has no matching [[expect]]; add one")
        for group in groups:
            series = group[one.function].series
            if one.parameter not in series.parameters:
                raise UsageError(
                    f"{here}: the model has no parameter {one.parameter!r}; write parameter = … with one of "
                    f"{', '.join(series.parameters)}"
                )
            yield check_efficiency(one, group[one.function])


def _quoted(text: str) -> str:
    """Return a TOML string; TOML's basic strings support JSON's escapes."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def accept(results: Results) -> int:
    """Write the growth of all rows without an expectation as the status quo; return their number."""
    rows = [row for row in results.rows if row.expectation.expected is None or row.from_status_quo]
    lines = [
        "# Accepted growths, the expectations of later runs. Written by adcl scale check --accept.",
        "schema = 1",
    ]
    for row in rows:
        series = row.verdict.series
        where = ", ".join(f"{_quoted(name)} = {value:.17g}" for name, value in series.fixed)
        growth = " + ".join(map(str, row.verdict.model.leading))
        lines += ["", "[[expect]]", f"function = {_quoted(series.function)}", f"metric = {_quoted(series.metric)}"]
        lines += [f"where = {{ {where} }}"] if where else []
        lines.append(f'growth = "{growth}"')
    if rows:
        replace_text(results.study.status_quo, "\n".join(lines) + "\n")
    return len(rows)
