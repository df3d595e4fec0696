"""Parse expressions such as ``p log p``, ``O(k^3 2^k)``, ``n / p + sqrt(p) log^2 n``."""

from __future__ import annotations

import ast
import math
import textwrap
from fractions import Fraction

from adcl._expression import Dialect, ExpressionSyntaxError, ParsedExpression, parse_expression
from adcl.errors import UsageError
from adcl.scale.model._growth import FACTORS, Factor, Growth, exact
from adcl.scale.model._sum_of_terms import Expression, leading
from adcl.scale.model._term import ONE, Term

__all__ = ["ExpressionError", "parse", "parse_term"]


class ExpressionError(UsageError):
    """A text is not an expression with a growth; the message names the text, the place and the remedy."""


_DIALECT = Dialect(
    signs=frozenset(["+", "-", "*", "/", "^", "**", "(", ")", "{", "}"]),
    operand="a number, a parameter or a parenthesis",
    kinds=frozenset(("number", "name")),
    implicit=True,
)
_SPELLINGS = {"·": "*", "×": "*", "√": " sqrt ", "−": "-"}

_GROUPED = ("sqrt", "exp", "O")

_LONGEST = 200
_SHOWN = 60
_LARGEST = Fraction(64)
"""Largest exponent; a function with a larger one cannot be measured at a second setting."""

_Factors = list[tuple[type[ast.operator], ast.expr]]
"""Factors of a product, each with the operator before it."""


def _factors(node: ast.expr) -> _Factors:
    found: _Factors = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.MatMult):
        found.append((type(node.op), node.right))
        node = node.left
    return [(ast.Mult, node), *reversed(found)]


def _constant(expression: Expression) -> Fraction:
    value = sum(coefficient for coefficient, _ in expression.parts)
    near = Fraction(value).limit_denominator(1000)
    return near if math.isclose(float(near), value, rel_tol=1e-12) else Fraction(str(value))


class _GrowthEvaluator:
    """Converts a tree to an expression in big O."""

    def __init__(self, text: str, parsed: ParsedExpression) -> None:
        self._text = text
        self._parsed = parsed

    def _error(self, place: ast.expr, remedy: str) -> ExpressionError:
        word = self._parsed.word(place)
        return ExpressionError(f"{self._text!r}: at {word} (column {word.column}): {remedy}")

    def value(self, node: ast.expr) -> Expression:
        """Return the expression of a part of the tree."""
        match node:
            case ast.BinOp(op=ast.Add()):
                return self.value(node.left) + self.value(node.right)
            case ast.BinOp(op=ast.Sub()):
                return self.value(node.left) + -self.value(node.right)
            case ast.Set(elts=[inside]):
                return self.value(inside)
            case _:
                return self._product(_factors(node))

    def _product(self, factors: _Factors) -> Expression:
        result = Expression.of([(1.0, ONE)])
        place = 0
        while place < len(factors):
            divide, node = factors[place][0] is ast.Div, factors[place][1]
            factor, place = self._factor(factors, place)
            result = result * (self._powered(node, factor, Fraction(-1)) if divide else factor)
        return result

    def _factor(self, factors: _Factors, place: int) -> tuple[Expression, int]:
        """Return the factor at a place, and the place behind it: the argument of a function follows its name."""
        sign, node = factors[place]
        if isinstance(node, ast.UnaryOp):
            inner, behind = self._factor([*factors[:place], (sign, node.operand), *factors[place + 1 :]], place)
            return (-inner if isinstance(node.op, ast.USub) else inner), behind
        head = node.left if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) else node
        name = self._parsed.word(head).text if isinstance(head, ast.Name) else ""
        grouped = place + 1 < len(factors) and isinstance(factors[place + 1][1], ast.Set)
        for factor in FACTORS:
            if name in factor.functions:
                exponent = self._exponent(node.right) if isinstance(node, ast.BinOp) else Expression.of([(1.0, ONE)])
                argument, behind = self._argument(name, factors, place)
                found = self._function(node, factor, factor.functions[name], argument)
                return self._powered(node, found, _constant(exponent)), behind
        if name == "sqrt" and head is not node:
            raise self._error(node, "write the exponent in the argument, as in sqrt(p^3)")
        if name == "sqrt" or (name in ("exp", "O") and grouped and head is node):
            argument, behind = self._argument(name, factors, place)
            if name == "sqrt":
                return self._powered(node, argument, Fraction(1, 2)), behind
            return (argument if name == "O" else self._exponential(node, math.e, argument)), behind
        return (self.value(node) if isinstance(node, ast.Set) else self._power(node)), place + 1

    def _argument(self, function: str, factors: _Factors, place: int) -> tuple[Expression, int]:
        behind = place + 1
        if behind == len(factors) or factors[behind][0] is not ast.MatMult:
            raise self._error(factors[place][1], f"{function} needs an argument")
        node = factors[behind][1]
        if isinstance(node, ast.BinOp) and not self._is_function(node.left):
            raise self._error(node, f"the exponent is ambiguous; write {function}(x^2), or log^2 x for the square")
        return self._factor(factors, behind)

    def _is_function(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and any(self._parsed.word(node).text in row.functions for row in FACTORS)

    def _power(self, node: ast.expr) -> Expression:
        if not isinstance(node, ast.BinOp):
            word = self._parsed.word(node)
            if word.kind == "number":
                return Expression.of([(float(word.text), ONE)])
            return Expression.of([(1.0, Term.of({word.text: Growth(power=Fraction(1))}))])
        base = self.value(node.left)
        exponent = None if self._is_function(node.right) else self._exponent(node.right)
        if exponent is not None and not exponent.parameters:
            return self._powered(node, base, _constant(exponent))
        if exponent is None or base.parameters or len(base.parts) != 1 or base.parts[0][0] <= 0:
            raise self._error(node, "a parameter in the exponent requires a positive base, as in 2^k")
        return self._exponential(node, base.parts[0][0], exponent)

    def _exponent(self, node: ast.expr) -> Expression:
        if isinstance(node, ast.UnaryOp):
            inner = self._exponent(node.operand)
            return -inner if isinstance(node.op, ast.USub) else inner
        if isinstance(node, ast.BinOp) or (isinstance(node, ast.Name) and self._parsed.word(node).text in _GROUPED):
            raise self._error(node, "put an exponent with an operator or a function in parentheses")
        if isinstance(node, ast.Name) and self._parsed.word(node).kind == "number":
            return Expression.of([(float(exact(self._parsed.word(node).text)), ONE)])
        return self.value(node)

    def _powered(self, place: ast.expr, base: Expression, exponent: Fraction) -> Expression:
        if exponent < 0 and not base.parts:
            raise self._error(place, "division by 0; remove the division")
        if abs(exponent) > _LARGEST:
            raise self._error(
                place, f"the exponent {float(exponent):g} is outside ±{_LARGEST}; such growth cannot be measured"
            )
        try:
            return base.power_of(exponent)
        except OverflowError:
            raise self._error(place, "the number is too large; omit it, since coefficients do not matter") from None
        except ValueError as error:
            raise self._error(place, f"{error}; give one term, or multiply out the power") from None

    def _exponential(self, place: ast.expr, base: float, exponent: Expression) -> Expression:
        growths: dict[str, Growth] = {}
        factor = 1.0
        for coefficient, term in exponent.parts:
            rate = coefficient * math.log2(base)
            rounded = exact(repr(coefficient)) * Fraction(math.log2(base)).limit_denominator(10**6)
            if term == ONE:
                factor *= 2.0**rate
            elif len(term.growths) == 1 and term.growths[0][1] == Growth(power=Fraction(1)):
                growths[term.growths[0][0]] = Growth(exponential=rounded)
            else:
                raise self._error(place, f"{term} is not allowed in an exponent; use a multiple of a parameter")
        return Expression.of([(factor, Term.of(growths))])

    def _function(self, place: ast.expr, factor: Factor, multiple: float, argument: Expression) -> Expression:
        """Return a function of an argument that is a multiple of a factor."""
        name = factor.name
        terms = leading(argument)
        if len(terms) != 1:
            raise self._error(place, f"the argument of {name} has more than one leading term; use one term")
        if not terms[0].growths:
            raise self._error(place, f"the {name} of a constant is a constant; omit the {name}")
        if len(terms[0].growths) > 1 and not factor.adds_up:
            raise self._error(place, f"the {name} of a product is not supported; use the {name} of one parameter")
        parts = []
        for parameter, growth in terms[0].growths:
            try:
                times, result = factor.apply(growth) if factor.apply else _of_parameter(factor, growth)
            except ValueError as error:
                raise self._error(place, str(error)) from None
            parts.append((multiple * times, Term.of({parameter: result})))
        return Expression.of(parts)


def _of_parameter(factor: Factor, growth: Growth) -> tuple[float, Growth]:
    if growth != Growth(power=Fraction(1)):
        raise ValueError(f"only the {factor.name} of a parameter is supported; omit the exponent")
    return 1.0, Growth(**{factor.name: Fraction(1)})


def parse(text: str) -> Expression:
    """Parse an expression.

    Sums, products (also by writing factors side by side), quotients by one term, powers, ``sqrt``, ``log`` to any base,
    ``exp`` and ``2^k``; ``log^2 p`` is a square, and ``O(…)`` may enclose the expression. Rounded exponents such as
    0.33 and 0.67 are read as the corresponding thirds and sixths. Raises `ExpressionError`.
    """
    if len(text) > _LONGEST:
        raise ExpressionError(
            f"{textwrap.shorten(text, _SHOWN, placeholder='') or text[:_SHOWN]!r}… has {len(text)} characters; the "
            f"maximum is {_LONGEST}: give only the leading terms"
        )
    plain = text
    for spelling, sign in _SPELLINGS.items():
        plain = plain.replace(spelling, sign)
    try:
        parsed = parse_expression(plain, _DIALECT)
    except ExpressionSyntaxError as error:
        raise ExpressionError(f"{text!r}: at column {error.column}: {error}") from None
    expression = _GrowthEvaluator(text, parsed).value(parsed.root)
    for coefficient, term in expression.parts:
        if not math.isfinite(coefficient):
            raise ExpressionError(f"{text!r} has a number that is too large; omit it, since coefficients do not matter")
        if any(abs(exponent) > _LARGEST for _, growth in term.growths for exponent in growth):
            raise ExpressionError(f"{text!r} has an exponent outside ±{_LARGEST}; such growth cannot be measured")
    if not expression.parts:
        raise ExpressionError(f"{text!r} is 0, which does not grow; write 1 for a constant")
    return expression


def parse_term(text: str) -> Term:
    """Parse an expression with a single leading term, and return the term. Raises `ExpressionError`."""
    terms = leading(parse(text))
    if len(terms) != 1:
        raise ExpressionError(f"{text!r} has {len(terms)} leading terms, {' and '.join(map(str, terms))}; give one")
    return terms[0]
