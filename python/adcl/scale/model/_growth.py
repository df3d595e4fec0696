"""Growth with one parameter: the table of factors, and products of their powers.

To add a kind of growth, add a row to `FACTORS`. Expressions, search spaces, keys of study files, priors, texts and
figures use the table. The exceptions are notations that are no functions of a factor: `_parse.py` reads `x^a` and
`sqrt` as `POWER`, and `2^x` and `exp(x)` as `EXPONENTIAL`. A constant belongs to the class of `LOGARITHM`, see
`Growth.fastest`.
"""

from __future__ import annotations

import enum
import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["EXPONENTIAL", "FACTORS", "LOGARITHM", "POWER", "Factor", "FunctionClass", "Growth", "exact"]

_ZERO = Fraction(0)
_ONE = Fraction(1)
_FINEST = 6
"""Largest denominator recognized in rounded decimals: 0.33 and 0.67 are thirds."""

_STUDIED_POWERS = sorted({Fraction(n, 4) for n in range(9)} | {Fraction(n, 3) for n in range(7)})
"""Powers in the paper's study of MPI (section 3.3): 0, and the multiples of 1/4 and 1/3 up to 2."""

_BEYOND = 8.0
"""Factor by which figures extend beyond the largest measured scale."""


def exact(text: str) -> Fraction:
    """Return the exact value of a decimal: with two digits, the simple fraction that rounds to it, if any."""
    value = Fraction(text)
    simple = value.limit_denominator(_FINEST)
    rounded = len(text.partition(".")[2]) == 2 and round(float(simple), 2) == float(value)  # noqa: PLR2004
    return simple if rounded else value


def _number(value: Fraction) -> str:
    """Format with two digits, as in the tables of the paper, or exactly if two digits denote another number."""
    rounded = f"{float(value):.2f}"
    return (rounded if exact(rounded) == value else f"{float(value):.6f}").rstrip("0").rstrip(".")


class FunctionClass(enum.IntEnum):
    """Function classes of Shudler et al. (ICS 2015), section 2.3, in the order of their growth."""

    LOGARITHMIC = 1
    POLYNOMIAL = 2
    EXPONENTIAL = 3


@dataclass(frozen=True, eq=False)
class Factor:
    """A row of the table: a function of one parameter. Growths are products of powers of these functions."""

    name: str
    function_class: FunctionClass
    evaluate: Callable[[Array, float], Array]
    """Function that returns the values of a power, for parameter values of at least 1."""

    write: Callable[[str, str], str]
    """Function that formats a power, given the parameter and the text of the exponent, which is empty for 1."""

    functions: Mapping[str, float] = field(default_factory=dict)
    """Function names in expressions, each with its multiple of this factor."""

    apply: Callable[[Growth], tuple[float, Growth]] | None = None
    """Returns the function of a growth as a multiple and a growth.

    Raises `ValueError` with the remedy. None: only the function of a parameter is supported.
    """

    adds_up: bool = False
    """Whether the function of a product is the sum of the functions of its factors."""

    simple: Mapping[str, float] = field(default_factory=dict)
    """Common exponents of this and the next factors in algorithms, with their frequency relative to a constant, log p,
    sqrt p, p and p^2. See `bench/scale/models.py`.
    """

    falling: tuple[str, ...] = ()
    """Like `simple`, for costs that are divided among processes."""

    studied: tuple[str, ...] = ()
    """Exponents of this and the next factors in the paper's study of MPI (section 3.3)."""

    standard: tuple[str, ...] = ()
    """Exponents for measurements without an expectation, in addition to `simple`."""

    unexpected: float = 1.0
    """Prior weight if no growth of this kind is expected."""

    fewest_points: int = 0
    """Minimum number of points if no growth of this kind is expected."""

    seen_at: int = 0
    """Number of points at which terms with this factor must exceed a small part of their largest value."""

    drawn_to: Callable[[float, float], float] = lambda _, high: high * _BEYOND
    """Function that returns the largest scale of a figure, given the smallest and the largest measured scale."""

    @property
    def key(self) -> str:
        """Key of a search space in study files, for exponents of this factor."""
        return f"{self.name}s"

    def growths(self, texts: Mapping[str, float] | tuple[str, ...]) -> list[Growth]:
        """Return the growths with these exponents of this factor and of the next factors."""
        before = (_ZERO,) * FACTORS.index(self)
        return [Growth(*before, *map(Fraction, text.split())) for text in texts]


class Growth(tuple[Fraction, ...]):
    """One exponent for each row of `FACTORS`, without trailing zeros. The order of growths is that of the functions."""

    __slots__ = ()

    def __new__(cls, *exponents: Fraction, **named: Fraction) -> Self:
        """Accept exponents in the order of the table, or by the names of its rows."""
        if named:
            exponents = tuple(named.get(row.name, _ZERO) for row in FACTORS)
        while exponents and not exponents[-1]:
            exponents = exponents[:-1]
        return super().__new__(cls, exponents)

    def __getnewargs__(self) -> tuple[Fraction, ...]:
        return tuple(self)

    def __hash__(self) -> int:
        # The hash of a fraction requires a modular inverse; numerator and denominator suffice.
        return hash(tuple((one.numerator, one.denominator) for one in self))

    def _compare(self, other: tuple[Fraction, ...]) -> int:
        for mine, theirs in itertools.zip_longest(self, other, fillvalue=_ZERO):
            if mine != theirs:
                return -1 if mine < theirs else 1
        return 0

    def __lt__(self, other: tuple[Fraction, ...]) -> bool:
        return self._compare(other) < 0

    def __le__(self, other: tuple[Fraction, ...]) -> bool:
        return self._compare(other) <= 0

    def __gt__(self, other: tuple[Fraction, ...]) -> bool:
        return self._compare(other) > 0

    def __ge__(self, other: tuple[Fraction, ...]) -> bool:
        return self._compare(other) >= 0

    def exponent(self, factor: Factor) -> Fraction:
        """Return the exponent of a factor."""
        at = FACTORS.index(factor)
        return self[at] if at < len(self) else _ZERO

    @property
    def power(self) -> Fraction:
        """Exponent of the parameter."""
        return self.exponent(POWER)

    @property
    def logarithm(self) -> Fraction:
        """Exponent of the parameter's logarithm."""
        return self.exponent(LOGARITHM)

    @property
    def factors(self) -> Iterator[tuple[Factor, Fraction]]:
        """Factors other than 1, the fastest first, with their exponents."""
        return ((factor, exponent) for factor, exponent in zip(FACTORS, self, strict=False) if exponent)

    @property
    def fastest(self) -> Factor:
        """The fastest factor; a constant is a logarithm to the power of 0 (section 3.3)."""
        return next((factor for factor, _ in self.factors), LOGARITHM)

    @property
    def function_class(self) -> FunctionClass:
        """Class of the fastest factor."""
        return self.fastest.function_class

    def times(self, other: Growth) -> Growth:
        """Return the growth of a product."""
        return Growth(*(a + b for a, b in itertools.zip_longest(self, other, fillvalue=_ZERO)))

    def power_of(self, exponent: Fraction) -> Growth:
        """Return the growth of a power."""
        return Growth(*(a * exponent for a in self))

    def evaluate(self, values: Array) -> Array:
        """Return the values for these parameter values, which are at least 1."""
        import numpy as np

        result = np.ones_like(values)
        for factor, exponent in self.factors:
            result = result * factor.evaluate(values, float(exponent))
        return result

    def texts(self, parameter: str) -> Iterator[tuple[Fraction, str]]:
        """Return, for each factor, the exponent and the text with its absolute value. Exponentials are last."""
        for factor, exponent in sorted(
            self.factors, key=lambda one: one[0].function_class is FunctionClass.EXPONENTIAL
        ):
            size = abs(exponent)
            yield exponent, factor.write(parameter, "" if size == 1 else _number(size))


def _exp2(values: Array, exponent: float) -> Array:
    import numpy as np

    return np.asarray(np.exp2(exponent * values))


def _log2(values: Array, exponent: float) -> Array:
    import numpy as np

    return np.asarray(np.log2(values) ** exponent)


def _logarithm_of(growth: Growth) -> tuple[float, Growth]:
    """Return the leading part of a logarithm: the logarithm of the fastest factor."""
    if growth.logarithm:
        raise ValueError("the logarithm of a logarithm is not supported; omit the inner logarithm")
    factor, exponent = next(growth.factors)
    return float(exponent), Growth(power=_ONE) if factor is EXPONENTIAL else Growth(logarithm=_ONE)


EXPONENTIAL = Factor(
    name="exponential",
    function_class=FunctionClass.EXPONENTIAL,
    evaluate=_exp2,
    write=lambda name, exponent: f"2^({exponent} {name})" if exponent else f"2^{name}",
    simple={"1": 1.0, "1 1": 1.0, "1 2": 1.0, "1 3": 1.0, "1 4": 1.0},
    standard=("1/2", "2"),
    unexpected=1e-3,
    fewest_points=6,
    seen_at=4,
    drawn_to=lambda low, high: high + (high - low) / 4,
)
POWER = Factor(
    name="power",
    function_class=FunctionClass.POLYNOMIAL,
    evaluate=lambda values, exponent: values**exponent,
    write=lambda name, exponent: f"{name}^{exponent}" if exponent else name,
    # p log p is the growth of sorting, and of p searches in a tree.
    simple={"1/2": 1.0, "1/2 1": 0.2, "1": 1.0, "1 1": 0.5, "3/2": 0.2, "2": 1.0, "2 1": 0.2, "3": 0.2},
    # Volumes, surfaces in two and three dimensions, pairs.
    falling=("-1", "-1 1", "-2/3", "-1/2", "-1/3", "-2"),
    studied=tuple(f"{power} {logarithm}" for power in _STUDIED_POWERS for logarithm in range(2)),
    standard=tuple(f"{power} {logarithm}" for power in (*_STUDIED_POWERS, "5/2", 3) for logarithm in range(3)),
)
LOGARITHM = Factor(
    name="logarithm",
    function_class=FunctionClass.LOGARITHMIC,
    evaluate=_log2,
    write=lambda name, exponent: f"log^{exponent} {name}" if exponent else f"log {name}",
    functions={"log": 1.0, "log2": 1.0, "ld": 1.0, "lb": 1.0, "ln": math.log(2.0), "log10": math.log10(2.0)},
    apply=_logarithm_of,
    adds_up=True,
    simple={"0": 1.0, "1": 1.0, "2": 1.0},
)

FACTORS: list[Factor] = [EXPONENTIAL, POWER, LOGARITHM]
"""Factors, the fastest first. Exponents of a `Growth` have this order."""
