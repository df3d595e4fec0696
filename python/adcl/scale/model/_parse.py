"""Parse expressions such as ``p log p``, ``O(k^3 2^k)``, ``n / p + sqrt(p) log^2 n``."""

from __future__ import annotations

import math
import re
import textwrap
from dataclasses import dataclass
from fractions import Fraction

from adcl.errors import UsageError
from adcl.scale.model._expression import Expression, leading
from adcl.scale.model._growth import FACTORS, Factor, Growth, exact
from adcl.scale.model._term import ONE, Term

__all__ = ["ExpressionError", "parse", "parse_term"]


class ExpressionError(UsageError):
    """A text is not an expression with a growth; the message names the text, the place and the remedy."""


_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)|([A-Za-z_]\w*)|([-+*/^(){}]))")
_SPELLINGS = {"·": "*", "×": "*", "**": "^", "√": " sqrt ", "−": "-"}
_CLOSING = {"(": ")", "{": "}"}

_LONGEST = 200
_DEEPEST = 20
_SHOWN = 60
_LARGEST = Fraction(64)
"""Largest exponent; a function with a larger one cannot be measured at a second setting."""


@dataclass(frozen=True, slots=True)
class _ExpressionToken:
    kind: str
    text: str
    column: int


def _tokens(text: str) -> list[_ExpressionToken]:
    for spelling, plain in _SPELLINGS.items():
        text = text.replace(spelling, plain)
    found, position = [], 0
    text = text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ExpressionError(f"{text!r}: unexpected {text[position:].strip()[:1]!r} in an expression; remove it")
        kind = ("number", "name", "sign")[(match.lastindex or 1) - 1]
        found.append(_ExpressionToken(kind, match[match.lastindex or 1], match.start(match.lastindex or 1)))
        position = match.end()
    return [*found, _ExpressionToken("end", "", len(text))]


class _ExpressionParser:
    """Recursive descent; each method advances the position behind the text it has read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0

    @property
    def _next(self) -> _ExpressionToken:
        return self._tokens[self._at]

    def _take(self, *texts: str) -> str | None:
        token = self._next
        if token.kind in ("sign", "name") and token.text in texts:
            self._at += 1
            return token.text
        return None

    def _error(self, remedy: str) -> ExpressionError:
        found = repr(self._next.text) if self._next.text else "the end"
        return ExpressionError(f"{self._text!r}: at {found} (column {self._next.column + 1}): {remedy}")

    def whole(self) -> Expression:
        result = self._sum()
        if self._next.kind != "end":
            raise self._error("expected an operator or the end")
        return result

    def _sum(self) -> Expression:
        result = self._product()
        while sign := self._take("+", "-"):
            part = self._product()
            result = result + (part if sign == "+" else -part)
        return result

    def _starts_factor(self) -> bool:
        return self._next.kind in ("number", "name") or self._next.text in _CLOSING

    def _product(self) -> Expression:
        sign = self._take("-", "+")
        result = self._power()
        while self._next.text in ("*", "/") or self._starts_factor():
            divide = self._take("*", "/") == "/"
            factor = self._power()
            result = result * (self._powered(factor, Fraction(-1)) if divide else factor)
        return -result if sign == "-" else result

    def _powered(self, base: Expression, exponent: Fraction) -> Expression:
        if exponent < 0 and not base.parts:
            raise self._error("this divides by 0")
        if abs(exponent) > _LARGEST:
            raise self._error(
                f"the exponent {float(exponent):g} is outside ±{_LARGEST}; such growth cannot be measured"
            )
        try:
            return base.power_of(exponent)
        except OverflowError:
            raise self._error("the number is too large; omit it, since coefficients do not matter") from None
        except ValueError as error:
            raise self._error(f"{error}; give one term, or multiply it out") from None

    def _power(self) -> Expression:
        base = self._atom()
        if not self._take("^"):
            return base
        exponent = self._exponent()
        if not exponent.parameters:
            return self._powered(base, self._constant(exponent))
        if base.parameters or len(base.parts) != 1 or base.parts[0][0] <= 0:
            raise self._error("a parameter in the exponent requires a positive base, as in 2^k")
        return self._exponential(base.parts[0][0], exponent)

    def _exponent(self) -> Expression:
        sign = self._take("-", "+")
        token = self._next
        if token.kind == "number":
            self._at += 1
            result = Expression.of([(float(exact(token.text)), ONE)])
        else:
            result = self._atom()
        return -result if sign == "-" else result

    def _constant(self, expression: Expression) -> Fraction:
        value = sum(coefficient for coefficient, _ in expression.parts)
        near = Fraction(value).limit_denominator(1000)
        return near if math.isclose(float(near), value, rel_tol=1e-12) else Fraction(str(value))

    def _exponential(self, base: float, exponent: Expression) -> Expression:
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
                raise self._error(f"{term} is not allowed in an exponent; use a multiple of a parameter")
        return Expression.of([(factor, Term.of(growths))])

    def _atom(self) -> Expression:  # noqa: PLR0911 - one return for each kind of atom
        token = self._next
        if token.kind == "end":
            raise self._error("something is missing")
        self._at += 1
        if token.text in _CLOSING:
            return self._closed(token.text)
        if token.kind == "number":
            return Expression.of([(float(token.text), ONE)])
        if token.kind == "sign":
            self._at -= 1
            raise self._error("expected a number, a parameter or a parenthesis")
        for factor in FACTORS:
            if token.text in factor.functions:
                return self._function(factor, factor.functions[token.text])
        if token.text == "sqrt":
            return self._powered(self._argument("sqrt"), Fraction(1, 2))
        if token.text == "exp" and self._next.text in _CLOSING:
            return self._exponential(math.e, self._atom())
        if token.text == "O" and self._next.text == "(":
            return self._atom()
        return Expression.of([(1.0, Term.of({token.text: Growth(power=Fraction(1))}))])

    def _closed(self, opening: str) -> Expression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(f"parentheses are nested more than {_DEEPEST} deep; reduce the nesting")
        inner = self._sum()
        self._depth -= 1
        if not self._take(_CLOSING[opening]):
            raise self._error(f"a {_CLOSING[opening]!r} is missing")
        return inner

    def _argument(self, function: str) -> Expression:
        if not self._starts_factor():
            raise self._error(f"{function} needs an argument")
        argument = self._atom()
        if self._next.text == "^":
            raise self._error(f"this is ambiguous: write {function}(x^2), or log^2 x for the square")
        return argument

    def _function(self, factor: Factor, multiple: float) -> Expression:
        """Parse the exponent and the argument of a function that is a multiple of a factor."""
        exponent = self._constant(self._exponent()) if self._take("^") else Fraction(1)
        name = factor.name
        argument = leading(self._argument(next(iter(factor.functions))))
        if len(argument) != 1:
            raise self._error(f"the argument of {name} has more than one leading term; use one term")
        if not argument[0].growths:
            raise self._error(f"the {name} of a constant is a constant; omit it")
        if len(argument[0].growths) > 1 and not factor.adds_up:
            raise self._error(f"the {name} of a product is not supported; use that of one parameter")
        parts = []
        for parameter, growth in argument[0].growths:
            try:
                times, result = factor.apply(growth) if factor.apply else _of_parameter(factor, growth)
            except ValueError as error:
                raise self._error(str(error)) from None
            parts.append((multiple * times, Term.of({parameter: result})))
        return self._powered(Expression.of(parts), exponent)


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
    expression = _ExpressionParser(text).whole()
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
