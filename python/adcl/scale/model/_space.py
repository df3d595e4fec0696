"""Deviations and model search spaces around an expectation (the ruler of section 2.3 of Shudler et al.)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from adcl.scale.model._growth import FACTORS, Factor, Growth
from adcl.scale.model._term import Term

__all__ = [
    "Refinement",
    "commonness",
    "default_deviation",
    "falling_growths",
    "search_space",
    "simple_growths",
    "standard_space",
    "study_space",
    "upper_boundary",
]

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Refinement:
    """User-defined changes of a search space. Empty members leave the default of section 2.3."""

    halvings: int = 2
    """Number of bisections of the intervals between B_l, E and B_u."""

    minor: tuple[Fraction, ...] | None = None
    """Exponents of the factor from the next lower class; None: 0, 1, and, if E has another exponent, that ± 1."""

    lower: Growth | None = None
    """Lower boundary B_l; None: 1."""

    upper: Growth | None = None
    """Upper boundary B_u; None: E squared."""

    added: tuple[Growth, ...] = ()
    """Additional terms."""

    terms: tuple[Growth, ...] | None = None
    """Whole search space, if defined by the user."""


def default_deviation(expectation: Term) -> Term:
    """Halve the exponent of the fastest factor, for each parameter; for constants the result is 1."""
    halved = {}
    for name, growth in expectation.growths:
        index = FACTORS.index(growth.fastest)
        halved[name] = Growth(*(abs(value) * _HALF if at == index else Fraction(0) for at, value in enumerate(growth)))
    return Term.of(halved)


def _anchor(expectation: Growth) -> Growth:
    """Return the expectation or, for a constant, its fastest factor to the power of 1 instead of 0."""
    return expectation if any(expectation) else expectation.fastest.growths(("1",))[0]


def upper_boundary(expectation: Growth) -> Growth:
    """Return B_u: E squared or, for a constant, which is a logarithm to the power of 0, the squared logarithm."""
    return _anchor(expectation).power_of(Fraction(2))


def _major_ticks(exponent: Fraction, top: Fraction, halvings: int) -> list[Fraction]:
    ticks = sorted({Fraction(0), exponent, top})
    for _ in range(halvings):
        ticks = sorted({*ticks, *((a + b) / 2 for a, b in pairwise(ticks))})
    return ticks


def _minor_ticks(own: Fraction) -> tuple[Fraction, ...]:
    around = () if own in (0, 1) else (own - 1, own, own + 1)
    return tuple(sorted({Fraction(0), Fraction(1), *around}))


def search_space(expectation: Growth, refinement: Refinement | None = None) -> tuple[Growth, ...]:
    """Return the terms for a model around this expectation, slowest first.

    The terms are between the boundaries B_l and B_u: the major ticks belong to the expectation's class, and the minor
    ticks are major ticks multiplied by terms of the next lower class. 1 and the expectation are always included.
    """
    given = refinement or Refinement()
    if given.terms is not None:
        return tuple(sorted({Growth(), expectation, *given.terms}))
    anchor = _anchor(expectation)
    index = FACTORS.index(anchor.fastest)
    upper = upper_boundary(expectation) if given.upper is None else given.upper
    bounds = (given.lower or Growth(), upper)
    low, high = min(bounds), max(bounds)
    own = [one.exponent(anchor.fastest) for one in (anchor, *bounds)]
    ticks = _major_ticks(own[0], max(own[1:], key=abs), given.halvings)
    lower = [one for one in FACTORS[index + 1 :] if one.function_class < anchor.function_class]
    minor: tuple[Fraction, ...] = (Fraction(0),)
    if lower:
        minor = given.minor if given.minor is not None else _minor_ticks(anchor.exponent(lower[0]))
    found = {expectation, Growth(), *given.added}
    for tick in ticks:
        for exponent in minor:
            one = Growth(*(Fraction(0),) * index, tick, exponent)
            if low <= one <= high:
                found.add(one)
    return tuple(sorted(found))


def study_space() -> tuple[Growth, ...]:
    """Return the terms of the paper's study of MPI (section 3.3): powers, and powers times a logarithm."""
    return tuple(growth for factor in FACTORS for growth in factor.growths(factor.studied))


def standard_space() -> tuple[Growth, ...]:
    """Return the terms for measurements without an expectation: powers up to 3, logarithms, simple exponentials."""
    standard = (growth for factor in FACTORS for growth in factor.growths(factor.standard))
    return tuple(sorted({*standard, *simple_growths()}))


_STUDIED, _TICK = 0.06, 0.03


def simple_growths() -> dict[Growth, float]:
    """Return the common growths of algorithms, slowest first, with their relative frequency.

    These growths are preferred unless the data contradict them.
    """
    return _simple(tuple(FACTORS))


@functools.lru_cache(maxsize=8)
def _simple(factors: tuple[Factor, ...]) -> dict[Growth, float]:
    found: dict[Growth, float] = {}
    for factor in factors:
        found.update(zip(factor.growths(factor.simple), factor.simple.values(), strict=True))
    return dict(sorted(found.items()))


def falling_growths() -> list[Growth]:
    """Return the growths of quantities that are divided among processes."""
    return [growth for factor in FACTORS for growth in factor.growths(factor.falling)]


@functools.cache
def commonness(growth: Growth) -> float:
    """Return the frequency of a growth relative to a constant, log p, sqrt p, p and p^2.

    Some simple complexities are less common than these; a few other terms occur in the study of MPI by Shudler et al.;
    the remaining ticks of a search space only fill the gaps. See `bench/scale/models.py`.
    """
    simple = simple_growths().get(growth)
    if simple is not None:
        return simple
    return _STUDIED if growth in study_space() else _TICK
