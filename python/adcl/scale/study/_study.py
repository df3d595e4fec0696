"""Study file: expectations of functions, and how to measure them. TOML."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from adcl._toml_table import TomlTable, load
from adcl.errors import UsageError
from adcl.scale.judge import CONFIDENCE, Expected, JudgeMethod
from adcl.scale.model import FACTORS, Aggregate, ExpressionError, Growth, Refinement, parse, parse_term
from adcl.scale.study._plan import RunPlan, read_plan

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.scale.model import Expression, Term

__all__ = ["Efficiency", "Expectation", "Limit", "Rule", "ScaleStudy", "read_rule", "read_study"]

SCHEMA = 1
_MOST_HALVINGS = 5
_LARGEST = 64
"""Largest exponent of a search space."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """Expectation of one metric of one function, optionally restricted to values of some parameters."""

    function: str
    metric: str
    where: tuple[tuple[str, float], ...] = ()
    expected: Expected | None = None
    """Expected growth; None: the check proposes the status quo."""

    over: tuple[str, ...] = ()
    """Parameters of the model; empty: the growth's parameters. Each value of the other parameters has a separate
    model."""

    line: str = ""
    """File and line, for messages."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule on several functions: the left function costs at most as much as the right functions together."""

    left: str
    right: tuple[tuple[float, str], ...]
    """Factors and functions of the right side."""

    metric: str
    tolerance: float = 0.1
    """Relative excess of measurements that is tolerated."""

    where: tuple[tuple[str, float], ...] = ()
    line: int = 1
    """Line in the study file."""

    def __str__(self) -> str:
        terms = (name if factor == 1 else f"{factor:g} {name}" for factor, name in self.right)
        return f"{self.left} <= {' + '.join(terms)}"


@dataclass(frozen=True, slots=True)
class Limit:
    """A budget: a limit for the metric times a factor, up to a scale."""

    function: str
    metric: str
    at_most: float
    times: float = 1.0
    """Number of times the cost arises within the budget: ranks per node for a node's memory."""

    parameter: str = "p"
    up_to: float | None = None
    """Target scale; None: only predict the scale at which the budget is exceeded."""

    where: tuple[tuple[str, float], ...] = ()
    line: int = 1
    """Line in the study file."""


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Strong scaling: required efficiency relative to the smallest measured scale."""

    function: str
    metric: str
    at_least: float = 0.5
    parameter: str = "p"
    up_to: float | None = None
    """Target scale; None: only predict the scale at which the efficiency becomes too low."""

    where: tuple[tuple[str, float], ...] = ()
    line: int = 1
    """Line in the study file."""


@dataclass(frozen=True, slots=True)
class ScaleStudy:
    """Contents of a study file."""

    path: Path
    name: str
    store: Path
    aggregate: Aggregate
    confidence: float
    plan: RunPlan | None
    expectations: tuple[Expectation, ...]
    rules: tuple[Rule, ...]
    limits: tuple[Limit, ...]
    efficiencies: tuple[Efficiency, ...] = ()
    litmus: str | None = None
    """Function with known behavior; if it diverges, the machine is the cause (section 2.2 of the paper)."""

    method: JudgeMethod = JudgeMethod.EVIDENCE

    @property
    def expected_of(self) -> dict[tuple[str, str], Expected]:
        """First expectation of each function and metric, ignoring its other parameters."""
        found: dict[tuple[str, str], Expected] = {}
        for one in self.expectations:
            if one.expected is not None:
                found.setdefault((one.function, one.metric), one.expected)
        return found

    @property
    def status_quo(self) -> Path:
        """File of the accepted models, the expectations of later runs."""
        return self.path.with_suffix(".status-quo.toml")


def _growth(table: TomlTable, key: str, text: str) -> Growth:
    """Parse one growth in any parameter."""
    try:
        term = parse_term(text)
    except ExpressionError as error:
        table.fail(str(error), key)
    if len(term.parameters) > 1:
        table.fail(f"{text!r} has several parameters; a search space has one", key)
    return term.growth(term.parameters[0]) if term.parameters else Growth()


def _fractions(table: TomlTable, key: str) -> tuple[Fraction, ...]:
    try:
        found = tuple(Fraction(text) for text in table.texts(key))
    except (ValueError, ZeroDivisionError):
        table.fail(f'{table.values[key]!r} does not contain exponents; write for example ["0", "1/4", "1/3"]', key)
    if any(abs(one) > _LARGEST for one in found):
        table.fail(f"exponents are at most {_LARGEST}", key)
    return found


def _refinement(table: TomlTable) -> Refinement | None:
    if not table.values:
        return None
    growths = {key: tuple(_growth(table, key, text) for text in table.texts(key)) for key in ("add", "terms")}
    exponents = [_fractions(table, factor.key) for factor in FACTORS]
    products = [Growth(*row) for row in itertools.product(*(some or (Fraction(0),) for some in exponents))]
    bounds = {key: table.text(key) for key in ("lower", "upper")}
    minor = _fractions(table, "minor")
    halvings = table.whole("halvings", 2)
    if halvings is not None and halvings > _MOST_HALVINGS:
        table.fail(f"{halvings} is too large; the maximum is {_MOST_HALVINGS}", "halvings")
    refinement = Refinement(
        halvings=2 if halvings is None else halvings,
        minor=minor or None,
        lower=_growth(table, "lower", bounds["lower"]) if bounds["lower"] else None,
        upper=_growth(table, "upper", bounds["upper"]) if bounds["upper"] else None,
        added=growths["add"],
        terms=(*growths["terms"], *(products if any(exponents) else ())) or None,
    )
    table.finish()
    return refinement


def _where(table: TomlTable) -> tuple[tuple[str, float], ...]:
    inner = table.table("where")
    return tuple((name, inner.number(name, 0.0, least=float("-inf"))) for name in inner.values)


def _expression(table: TomlTable, key: str) -> Expression | None:
    text = table.text(key)
    try:
        return None if text is None else parse(text)
    except ExpressionError as error:
        table.fail(str(error), key)


def _deviation(table: TomlTable) -> Term | None:
    text = table.text("deviation")
    try:
        return None if text is None else parse_term(text)
    except ExpressionError as error:
        table.fail(str(error), "deviation")


def _expectations(table: TomlTable, default_metric: str) -> list[Expectation]:
    functions = table.texts("function")
    if not functions:
        table.missing("function", '"Allreduce"')
    growth, deviation = _expression(table, "growth"), _deviation(table)
    refinement = _refinement(table.table("space"))
    metric, where = table.text("metric", default_metric) or default_metric, _where(table)
    if growth is None and (deviation is not None or refinement is not None):
        table.fail("deviation and search space require a growth; write growth, or omit them")
    over = table.texts("over")
    table.finish()
    line = table.location
    expected = None if growth is None else Expected(growth, deviation, refinement)
    return [Expectation(name, metric, where, expected, over, line) for name in functions]


_SUMMAND = re.compile(r"(?:(\d+(?:\.\d*)?)\s*\*?\s+)?(\S.*)")


def read_rule(text: str, metric: str, tolerance: float = 0.1, where: tuple[tuple[str, float], ...] = ()) -> Rule:
    """Parse ``Allreduce <= Reduce + Bcast``; factors are allowed on the right. Raises `UsageError`."""
    left, sign, right = text.replace("≤", "<=").partition("<=")
    summands = [_SUMMAND.fullmatch(part.strip()) for part in right.split("+")]
    if not sign or not left.strip() or not all(summands):
        raise UsageError(f"{text!r} is not a rule; write for example 'Allreduce <= Reduce + Bcast'")
    parts = tuple((float(summand[1] or 1.0), summand[2].strip()) for summand in summands if summand is not None)
    return Rule(left.strip(), parts, metric, tolerance, where)


def _rule(table: TomlTable, default_metric: str) -> Rule:
    text = table.required("rule", '"Allreduce <= Reduce + Bcast"')
    metric = table.text("metric", default_metric) or default_metric
    tolerance, where = table.number("tolerance", 0.1), _where(table)
    table.finish()
    try:
        return replace(read_rule(text, metric, tolerance, where), line=table.line)
    except UsageError as error:
        table.fail(str(error), "rule")


def _limit(table: TomlTable, default_metric: str) -> Limit:
    function = table.required("function", '"Allreduce"')
    if not table.has("at_most"):
        table.missing("at_most", "24e9")
    limit = Limit(
        function=function,
        metric=table.text("metric", default_metric) or default_metric,
        at_most=table.number("at_most", 0.0),
        times=table.number("times", 1.0),
        parameter=table.text("parameter", "p") or "p",
        up_to=table.number("up_to", 0.0) if table.has("up_to") else None,
        where=_where(table),
        line=table.line,
    )
    table.raw("up_to")
    table.finish()
    return limit


def _efficiencies(table: TomlTable, default_metric: str) -> list[Efficiency]:
    functions = table.texts("function")
    if not functions:
        table.missing("function", '"solve"')
    at_least = table.number("at_least", 0.5)
    if not 0 < at_least <= 1:
        table.fail(f"{at_least:g} is not an efficiency; it must be above 0 and at most 1", "at_least")
    up_to = table.number("up_to", 0.0) if table.has("up_to") else None
    metric = table.text("metric", default_metric) or default_metric
    parameter, where = table.text("parameter", "p") or "p", _where(table)
    table.finish()
    return [Efficiency(name, metric, at_least, parameter, up_to, where, table.line) for name in functions]


def read_study(path: Path) -> ScaleStudy:
    """Read a study file. Raises `StudyError` with file, line, key, value and remedy."""
    root = load(path)
    schema = root.whole("schema", SCHEMA)
    if schema != SCHEMA:
        root.fail(f"{schema} is unknown; this adcl reads {SCHEMA}", "schema")
    name = root.text("name", path.stem) or path.stem
    metric = root.text("metric", "time_s") or "time_s"
    store = root.text("store")
    confidence = root.number("confidence", CONFIDENCE)
    if not 0.5 < confidence < 1:  # noqa: PLR2004
        root.fail(f"{confidence:g} is not a confidence; it must be above 0.5 and below 1", "confidence")
    study = ScaleStudy(
        path=path,
        name=name,
        store=path.parent / store if store else path.with_suffix(".jsonl"),
        aggregate=Aggregate(root.choice("aggregate", [one.value for one in Aggregate], "q1")),
        confidence=confidence,
        plan=read_plan(root.table("run")) if root.has("run") else None,
        expectations=tuple(
            expectation for table in root.tables("expect") for expectation in _expectations(table, metric)
        ),
        rules=tuple(_rule(table, metric) for table in root.tables("rule")),
        limits=tuple(_limit(table, metric) for table in root.tables("limit")),
        efficiencies=tuple(one for table in root.tables("efficiency") for one in _efficiencies(table, metric)),
        litmus=root.text("litmus"),
        method=JudgeMethod(root.choice("method", [one.value for one in JudgeMethod], JudgeMethod.EVIDENCE.value)),
    )
    root.raw("run")
    root.finish()
    if not study.expectations:
        root.fail(
            'the study states no expectation; write [[expect]] and function = "…" for each function, with or without '
            "growth"
        )
    if study.litmus is not None and study.litmus not in [
        expectation.function for expectation in study.expectations if expectation.expected
    ]:
        root.fail(
            f"{study.litmus!r} has no [[expect]] with a growth; a litmus test is a function whose growth is known",
            "litmus",
        )
    return study
