"""Sums of terms with coefficients, and their leading terms for growing parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.scale.model._term import ONE, GrowthOrder, Term

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Expression", "big_o", "grows_at_most", "leading", "quotient"]


_MOST_FACTORS = 8


@dataclass(frozen=True, slots=True)
class Expression:
    """A sum of distinct terms, each with a nonzero coefficient."""

    parts: tuple[tuple[float, Term], ...]

    @staticmethod
    def of(parts: Iterable[tuple[float, Term]]) -> Expression:
        """Return the sum of these parts."""
        sums: dict[Term, float] = {}
        for coefficient, term in parts:
            sums[term] = sums.get(term, 0.0) + coefficient
        return Expression(tuple((coefficient, term) for term, coefficient in sums.items() if coefficient))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of all parameters, sorted."""
        return tuple(sorted({name for _, term in self.parts for name in term.parameters}))

    @property
    def terms(self) -> tuple[Term, ...]:
        """Terms without their coefficients."""
        return tuple(term for _, term in self.parts)

    def __add__(self, other: Expression) -> Expression:
        return Expression.of((*self.parts, *other.parts))

    def __mul__(self, other: Expression) -> Expression:
        return Expression.of((a * b, s * t) for a, s in self.parts for b, t in other.parts)

    def __neg__(self) -> Expression:
        return Expression(tuple((-coefficient, term) for coefficient, term in self.parts))

    def power_of(self, exponent: Fraction) -> Expression:
        """Return a power. For sums, the exponent must be an integer from 0 to 8; raises ValueError otherwise."""
        if len(self.parts) == 1 and self.parts[0][0] > 0:
            coefficient, term = self.parts[0]
            return Expression(((coefficient ** float(exponent), term**exponent),))
        if exponent.denominator != 1 or exponent < 0:
            raise ValueError(f"a sum cannot have the exponent {exponent}; use an integer of at least 0")
        if len(self.parts) > 1 and exponent > _MOST_FACTORS:
            raise ValueError(f"a sum cannot have the exponent {exponent}; the maximum is {_MOST_FACTORS}")
        result = Expression(((1.0, ONE),))
        for _ in range(int(exponent)):
            result = result * self
        return result

    def evaluate(self, parameters: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the values for these parameter values. All arrays have one shape."""
        import numpy as np

        total = np.zeros_like(next(iter(parameters.values()))) if parameters else np.zeros(())
        for coefficient, term in self.parts:
            total = total + coefficient * term.evaluate(parameters)
        return total

    def value(self, **parameters: float) -> float:
        """Return the value at one point."""
        return sum(coefficient * term.value(**parameters) for coefficient, term in self.parts)

    def __str__(self) -> str:
        text = ""
        for coefficient, term in self.parts:
            size = f"{abs(coefficient):.4g}"
            part = size if term == ONE else str(term) if size == "1" else f"{size} * {term}"
            sign = "-" if coefficient < 0 else "+"
            text += f" {sign} {part}" if text else ("-" if coefficient < 0 else "") + part
        return text or "0"


def leading(expression: Expression | Iterable[Term]) -> tuple[Term, ...]:
    """Return the terms that no other term outgrows, sorted by text: several only if their parameters differ."""
    terms = set(expression.terms if isinstance(expression, Expression) else expression)
    if len(terms) == 1:
        return tuple(terms)
    kept = [term for term in terms if not any(term.compare(other) is GrowthOrder.LESS for other in terms)]
    return tuple(sorted(kept, key=str)) or (ONE,)


def grows_at_most(terms: Iterable[Term], bound: Iterable[Term]) -> bool:
    """Return whether each of these terms grows no faster than some term of the bound."""
    limits = tuple(bound)
    return all(any(term.at_most(limit) for limit in limits) for term in terms)


def _sum(terms: tuple[Term, ...]) -> str:
    return " + ".join(map(str, terms))


def quotient(above: tuple[Term, ...], below: tuple[Term, ...]) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """Simplify a quotient of two sums of leading terms: numerator and denominator.

    A single term in the denominator divides the numerator, so that the denominator becomes 1. Equal sums yield 1.
    """
    if above == below:
        return (ONE,), (ONE,)
    if len(below) == 1:
        return leading(term / below[0] for term in above), (ONE,)
    if len(above) == 1:
        return (ONE,), tuple(sorted((term / above[0] for term in below), key=str))
    return above, below


def big_o(above: tuple[Term, ...], below: tuple[Term, ...] = (ONE,)) -> str:
    """Format as ``O(…)``, as in the tables of Shudler et al."""
    if below == (ONE,):
        return f"O({_sum(above)})"
    numerator = _sum(above) if len(above) == 1 else f"({_sum(above)})"
    return f"O({numerator} / ({_sum(below)}))"
