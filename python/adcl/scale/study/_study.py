"""A study: what is expected of which functions, and how they are measured. One TOML file."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from adcl._toml_table import TomlTable, load
from adcl.errors import UsageError
from adcl.scale.judge import CONFIDENCE, Expected, JudgeMethod
from adcl.scale.model import Aggregate, ExpressionError, Growth, Refinement, parse, parse_term
from adcl.scale.study._plan import RunPlan, read_plan

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.scale.model import Expression, Term

__all__ = ["Efficiency", "Expectation", "Limit", "Rule", "ScaleStudy", "read_rule", "read_study"]

SCHEMA = 1
_MOST_HALVINGS = 5
_LARGEST = 64
"""The largest exponent of a search space."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is expected of one metric of one function, where some parameters may have to have given values."""

    function: str
    metric: str
    where: tuple[tuple[str, float], ...] = ()
    expected: Expected | None = None
    """None: the status quo is proposed."""

    over: tuple[str, ...] = ()
    """The parameters of the model; empty: those of the growth. For each value of the others there is a model."""

    line: str = ""
    """File and line, for messages."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A cross-function rule: the left function costs at most what those on the right do together."""

    left: str
    right: tuple[tuple[float, str], ...]
    """Factors and functions."""

    metric: str
    tolerance: float = 0.1
    """Relative excess of measurements that is not a violation."""

    where: tuple[tuple[str, float], ...] = ()
    line: int = 1
    """In the study's file."""

    def __str__(self) -> str:
        terms = (name if factor == 1 else f"{factor:g} {name}" for factor, name in self.right)
        return f"{self.left} <= {' + '.join(terms)}"


@dataclass(frozen=True, slots=True)
class Limit:
    """A budget: the metric, times a factor, must stay below it up to a scale."""

    function: str
    metric: str
    at_most: float
    times: float = 1.0
    """How often the cost arises where the budget is: ranks per node for a node's memory."""

    parameter: str = "p"
    up_to: float | None = None
    """The scale that must be reached; None only predicts where the end is."""

    where: tuple[tuple[str, float], ...] = ()
    line: int = 1
    """In the study's file."""


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Strong scaling: how well more processes are used, relative to the smallest measured scale."""

    function: str
    metric: str
    at_least: float = 0.5
    parameter: str = "p"
    up_to: float | None = None
    """The scale that must be reached; None only predicts where the end is."""

    where: tuple[tuple[str, float], ...] = ()
    line: int = 1
    """In the study's file."""


@dataclass(frozen=True, slots=True)
class ScaleStudy:
    """All of a study file."""

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
    """A function whose behavior is known; where it diverges, the machine is the reason (section 2.2 of the paper)."""

    method: JudgeMethod = JudgeMethod.EVIDENCE

    @property
    def expected_of(self) -> dict[tuple[str, str], Expected]:
        """What is expected of each function and metric, wherever its other parameters are; the first where several."""
        found: dict[tuple[str, str], Expected] = {}
        for one in self.expectations:
            if one.expected is not None:
                found.setdefault((one.function, one.metric), one.expected)
        return found

    @property
    def status_quo(self) -> Path:
        """Where accepted models are kept, which later runs are held against."""
        return self.path.with_suffix(".status-quo.toml")


def _growth(table: TomlTable, key: str, text: str) -> Growth:
    """One growth, whatever the parameter is called."""
    try:
        term = parse_term(text)
    except ExpressionError as error:
        table.fail(str(error), key)
    if len(term.parameters) > 1:
        table.fail(f"{text!r} has several parameters; a search space is that of one", key)
    return term.growth(term.parameters[0]) if term.parameters else Growth()


def _fractions(table: TomlTable, key: str) -> tuple[Fraction, ...]:
    try:
        found = tuple(Fraction(text) for text in table.texts(key))
    except (ValueError, ZeroDivisionError):
        table.fail(f'{table.values[key]!r} are no exponents; write for example ["0", "1/4", "1/3"]', key)
    if any(abs(one) > _LARGEST for one in found):
        table.fail(f"exponents are at most {_LARGEST}", key)
    return found


def _refinement(table: TomlTable) -> Refinement | None:
    if not table.values:
        return None
    growths = {key: tuple(_growth(table, key, text) for text in table.texts(key)) for key in ("add", "terms")}
    powers, logarithms = _fractions(table, "powers"), _fractions(table, "logarithms")
    products = tuple(Growth(power=a, logarithm=b) for a in powers for b in logarithms or (Fraction(0),))
    bounds = {key: table.text(key) for key in ("lower", "upper")}
    minor = _fractions(table, "minor")
    halvings = table.whole("halvings", 2)
    if halvings is not None and halvings > _MOST_HALVINGS:
        table.fail(f"{halvings} is too large; {_MOST_HALVINGS} make a space of hundreds of terms already", "halvings")
    refinement = Refinement(
        halvings=2 if halvings is None else halvings,
        minor=minor or None,
        lower=_growth(table, "lower", bounds["lower"]) if bounds["lower"] else None,
        upper=_growth(table, "upper", bounds["upper"]) if bounds["upper"] else None,
        added=growths["add"],
        terms=(*growths["terms"], *products) or None,
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
        table.fail("a deviation and a search space belong to a growth; write growth, or leave them out")
    over = table.texts("over")
    table.finish()
    line = table.location
    expected = None if growth is None else Expected(growth, deviation, refinement)
    return [Expectation(name, metric, where, expected, over, line) for name in functions]


_SUMMAND = re.compile(r"(?:(\d+(?:\.\d*)?)\s*\*?\s+)?(\S.*)")


def read_rule(text: str, metric: str, tolerance: float = 0.1, where: tuple[tuple[str, float], ...] = ()) -> Rule:
    """Read ``Allreduce <= Reduce + Bcast``, factors allowed on the right. Raises `UsageError`."""
    left, sign, right = text.replace("≤", "<=").partition("<=")
    summands = [_SUMMAND.fullmatch(part.strip()) for part in right.split("+")]
    if not sign or not left.strip() or not all(summands):
        raise UsageError(f"{text!r} is no rule; write for example 'Allreduce <= Reduce + Bcast'")
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
        table.fail(f"{at_least:g} is no efficiency; it is more than 0 and at most 1", "at_least")
    up_to = table.number("up_to", 0.0) if table.has("up_to") else None
    metric = table.text("metric", default_metric) or default_metric
    parameter, where = table.text("parameter", "p") or "p", _where(table)
    table.finish()
    return [Efficiency(name, metric, at_least, parameter, up_to, where, table.line) for name in functions]


def read_study(path: Path) -> ScaleStudy:
    """Read a study file. Raises `StudyError`, which names file, line, key, value and remedy."""
    root = load(path)
    schema = root.whole("schema", SCHEMA)
    if schema != SCHEMA:
        root.fail(f"{schema} is not known; this adcl reads {SCHEMA}", "schema")
    name = root.text("name", path.stem) or path.stem
    metric = root.text("metric", "time_s") or "time_s"
    store = root.text("store")
    confidence = root.number("confidence", CONFIDENCE)
    if not 0.5 < confidence < 1:  # noqa: PLR2004
        root.fail(f"{confidence:g} is no confidence; it is more than 0.5 and less than 1", "confidence")
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
        root.fail('nothing is expected; write [[expect]] and function = "…" for each function, with growth or without')
    if study.litmus is not None and study.litmus not in [
        expectation.function for expectation in study.expectations if expectation.expected
    ]:
        root.fail(
            f"{study.litmus!r} has no [[expect]] with a growth; a litmus test is a function with a known one", "litmus"
        )
    return study
