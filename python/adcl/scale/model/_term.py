"""Terms: products of growths in different parameters, without coefficients."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from adcl.scale.model._growth import Growth

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ONE", "GrowthOrder", "Term"]


class GrowthOrder(enum.Enum):
    """Result of comparing the growth of two terms."""

    LESS = "less"
    EQUAL = "equal"
    GREATER = "greater"
    UNRELATED = "unrelated"
    """Each term grows faster in some parameter."""


@dataclass(frozen=True, slots=True)
class Term:
    """A product of growths in different parameters. Equal terms compare equal; `parse` accepts its text."""

    growths: tuple[tuple[str, Growth], ...] = ()
    """Growths sorted by parameter name, without constant growths; `Term.of` ensures this form."""

    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self.growths))

    def __hash__(self) -> int:
        return self._hash

    @staticmethod
    def of(growths: Mapping[str, Growth]) -> Term:
        """Return the term with these growths in these parameters."""
        return Term(tuple(sorted((name, growth) for name, growth in growths.items() if any(growth))))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Parameters in which the term is not constant."""
        return tuple(name for name, _ in self.growths)

    def growth(self, parameter: str) -> Growth:
        """Return the growth in one parameter if all other parameters are fixed."""
        return dict(self.growths).get(parameter, Growth())

    def __mul__(self, other: Term) -> Term:
        names = {*self.parameters, *other.parameters}
        return Term.of({name: self.growth(name).times(other.growth(name)) for name in names})

    def __truediv__(self, other: Term) -> Term:
        return self * other ** Fraction(-1)

    def __pow__(self, exponent: Fraction | int) -> Term:
        return Term.of({name: growth.power_of(Fraction(exponent)) for name, growth in self.growths})

    def compare(self, other: Term) -> GrowthOrder:
        """Compare the growth with another term's for all parameters growing."""
        names = {*self.parameters, *other.parameters}
        less = any(self.growth(name) < other.growth(name) for name in names)
        greater = any(self.growth(name) > other.growth(name) for name in names)
        if less and greater:
            return GrowthOrder.UNRELATED
        return GrowthOrder.LESS if less else GrowthOrder.GREATER if greater else GrowthOrder.EQUAL

    def at_most(self, other: Term) -> bool:
        """Return whether the term grows no faster than another term in any parameter."""
        return self.compare(other) in (GrowthOrder.LESS, GrowthOrder.EQUAL)

    def evaluate(self, parameters: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the values for these parameter values. All arrays have one shape."""
        import numpy as np

        result = np.ones_like(next(iter(parameters.values()))) if parameters else np.ones(())
        for name, growth in self.growths:
            result = result * growth.evaluate(parameters[name])
        return result

    def value(self, **parameters: float) -> float:
        """Return the value at one point."""
        import numpy as np

        point = {name: np.array([float(value)]) for name, value in parameters.items()}
        with np.errstate(over="ignore", divide="ignore"):
            result = float(self.evaluate(point).ravel()[0])
        return result if math.isfinite(result) else math.inf

    def __str__(self) -> str:
        factors = [factor for name, growth in self.growths for factor in growth.texts(name)]
        above = [text for exponent, text in factors if exponent > 0]
        below = [text for exponent, text in factors if exponent < 0]
        numerator = " ".join(above) or "1"
        if not below:
            return numerator
        denominator = below[0] if len(below) == 1 else f"({' '.join(below)})"
        return f"{numerator} / {denominator}"


ONE = Term()
