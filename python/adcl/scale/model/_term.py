"""How fast something grows: products of logarithms, powers and exponentials of parameters, without coefficients."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ONE", "FunctionClass", "Growth", "GrowthOrder", "Term", "exact"]

_ZERO = Fraction(0)
_FINEST = 6
"""Denominators up to this are recognized in rounded decimals: 0.33 and 0.67 are thirds."""


def exact(text: str) -> Fraction:
    """Return what a decimal stands for: with two digits, the simple fraction of which it is the rounding, if any."""
    value = Fraction(text)
    simple = value.limit_denominator(_FINEST)
    rounded = len(text.partition(".")[2]) == 2 and round(float(simple), 2) == float(value)  # noqa: PLR2004
    return simple if rounded else value


class FunctionClass(enum.IntEnum):
    """The function classes of Shudler et al. (ICS 2015), section 2.3, in the order of their growth."""

    LOGARITHMIC = 1
    POLYNOMIAL = 2
    EXPONENTIAL = 3


class GrowthOrder(enum.Enum):
    """How the growth of one term compares with that of another."""

    LESS = "less"
    EQUAL = "equal"
    GREATER = "greater"
    UNRELATED = "unrelated"
    """One grows faster in one parameter, the other in another."""


class Growth(NamedTuple):
    """``2^(exponential x) x^power log^logarithm x``. Tuples compare as these functions grow."""

    exponential: Fraction = _ZERO
    power: Fraction = _ZERO
    logarithm: Fraction = _ZERO

    def __hash__(self) -> int:
        # That of a fraction takes a modular inverse; numerators and denominators do as well.
        return hash(tuple((one.numerator, one.denominator) for one in self))

    @property
    def function_class(self) -> FunctionClass:
        """The class of its fastest factor; a constant counts as a logarithm to the power of 0 (section 3.3)."""
        if self.exponential:
            return FunctionClass.EXPONENTIAL
        return FunctionClass.POLYNOMIAL if self.power else FunctionClass.LOGARITHMIC

    def times(self, other: Growth) -> Growth:
        """Return the growth of the product."""
        return Growth(*(a + b for a, b in zip(self, other, strict=True)))

    def to_the(self, exponent: Fraction) -> Growth:
        """Return the growth of that power."""
        return Growth(*(a * exponent for a in self))

    def evaluate(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return its value for each of these parameter values, which are at least 1."""
        import numpy as np

        result = np.ones_like(values)
        if self.exponential:
            result = result * np.exp2(float(self.exponential) * values)
        if self.power:
            result = result * values ** float(self.power)
        if self.logarithm:
            result = result * np.log2(values) ** float(self.logarithm)
        return result


def _number(value: Fraction) -> str:
    """Two digits, as in the tables of the paper, unless they would stand for another number."""
    rounded = f"{float(value):.2f}"
    return (rounded if exact(rounded) == value else f"{float(value):.6f}").rstrip("0").rstrip(".")


def _factors(name: str, growth: Growth) -> Iterable[tuple[Fraction, str]]:
    """Each factor that is not 1: its exponent, and its text with the absolute value of that."""
    exponential, power, logarithm = growth
    if power:
        yield power, name if abs(power) == 1 else f"{name}^{_number(abs(power))}"
    if logarithm:
        yield logarithm, f"log {name}" if abs(logarithm) == 1 else f"log^{_number(abs(logarithm))} {name}"
    if exponential:
        yield exponential, f"2^{name}" if abs(exponential) == 1 else f"2^({_number(abs(exponential))} {name})"


@dataclass(frozen=True, slots=True)
class Term:
    """A product of growths in different parameters. Equal terms compare equal; its text can be parsed again."""

    growths: tuple[tuple[str, Growth], ...] = ()
    """Sorted by the names of the parameters, without those in which it is constant; `Term.of` sees to that."""

    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self.growths))

    def __hash__(self) -> int:
        return self._hash

    @staticmethod
    def of(growths: Mapping[str, Growth]) -> Term:
        """Make the term of these growths in these parameters."""
        return Term(tuple(sorted((name, growth) for name, growth in growths.items() if any(growth))))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters in which it is not constant."""
        return tuple(name for name, _ in self.growths)

    def growth(self, parameter: str) -> Growth:
        """Return how it grows in one parameter while the others stay."""
        return dict(self.growths).get(parameter, Growth())

    def __mul__(self, other: Term) -> Term:
        names = {*self.parameters, *other.parameters}
        return Term.of({name: self.growth(name).times(other.growth(name)) for name in names})

    def __truediv__(self, other: Term) -> Term:
        return self * other ** Fraction(-1)

    def __pow__(self, exponent: Fraction | int) -> Term:
        return Term.of({name: growth.to_the(Fraction(exponent)) for name, growth in self.growths})

    def compare(self, other: Term) -> GrowthOrder:
        """Compare the growth with that of another term, when all parameters grow."""
        names = {*self.parameters, *other.parameters}
        less = any(self.growth(name) < other.growth(name) for name in names)
        greater = any(self.growth(name) > other.growth(name) for name in names)
        if less and greater:
            return GrowthOrder.UNRELATED
        return GrowthOrder.LESS if less else GrowthOrder.GREATER if greater else GrowthOrder.EQUAL

    def at_most(self, other: Term) -> bool:
        """Whether it grows no faster than another term, in any parameter."""
        return self.compare(other) in (GrowthOrder.LESS, GrowthOrder.EQUAL)

    def evaluate(self, parameters: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return its values where the parameters have these values. All arrays have one shape."""
        import numpy as np

        result = np.ones_like(next(iter(parameters.values()))) if parameters else np.ones(())
        for name, growth in self.growths:
            result = result * growth.evaluate(parameters[name])
        return result

    def value(self, **parameters: float) -> float:
        """Return its value at one point."""
        import numpy as np

        point = {name: np.array([float(value)]) for name, value in parameters.items()}
        with np.errstate(over="ignore", divide="ignore"):
            result = float(self.evaluate(point).ravel()[0])
        return result if math.isfinite(result) else math.inf

    def __str__(self) -> str:
        factors = [factor for name, growth in self.growths for factor in _factors(name, growth)]
        above = [text for exponent, text in factors if exponent > 0]
        below = [text for exponent, text in factors if exponent < 0]
        numerator = " ".join(above) or "1"
        if not below:
            return numerator
        denominator = below[0] if len(below) == 1 else f"({' '.join(below)})"
        return f"{numerator} / {denominator}"


ONE = Term()
