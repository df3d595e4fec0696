"""Deviation limits, divergence models and match ranks (sections 2.3 and 2.4 of Shudler et al.)."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.scale.model import ONE, Term, big_o, default_deviation, grows_at_most, leading, quotient

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Limits", "Match", "divergence", "match", "violates"]


class Match(enum.Enum):
    """Relation of a fitted model to its expectation."""

    TOTAL = "total"
    """The model equals the expectation."""

    APPROXIMATE = "approximate"
    """The model is within the deviation limits."""

    NONE = "none"
    """The model grows faster than the deviation limits allow: a scalability bug or a wrong expectation."""

    BETTER = "better"
    """The model grows more slowly than the deviation limits allow: better than expected."""

    UNDECIDED = "undecided"
    """The measurements fit models inside and outside of the limits."""

    @property
    def rank(self) -> int | None:
        """Match rank: 0 total, 1 approximate, 2 none; None for matches that Shudler et al. do not define.

        Section 2.4 of their paper lists these three ranks in this order, without numbers.
        """
        return {"total": 0, "approximate": 1, "none": 2}.get(self.value)

    @property
    def sign(self) -> str:
        """Symbol in the tables of the paper."""
        return {"total": "✓", "approximate": "≈", "none": "✗", "better": "▽", "undecided": "?"}[self.value]


@dataclass(frozen=True, slots=True)
class Limits:
    """An expectation's leading terms and its deviation limits. The limits are inclusive."""

    expectation: tuple[Term, ...]
    deviation: Term

    @staticmethod
    def of(expectation: Iterable[Term], deviation: Term | None = None) -> Limits:
        """Return the limits of an expectation; use the default deviation if none is given."""
        terms = leading(expectation)
        if deviation is None:
            names = sorted({name for term in terms for name in term.parameters})
            deviation = ONE
            for name in names:
                fastest = max(term.growth(name) for term in terms)
                slowest = min(term.growth(name) for term in terms)
                deviation *= default_deviation(Term.of({name: fastest if any(fastest) else slowest}))
        return Limits(terms, deviation)

    @property
    def lower(self) -> tuple[Term, ...]:
        """D_l: expectation divided by deviation."""
        return tuple(term / self.deviation for term in self.expectation)

    @property
    def upper(self) -> tuple[Term, ...]:
        """D_u: expectation times deviation."""
        return tuple(term * self.deviation for term in self.expectation)

    def reaches_lower_limit(self, terms: tuple[Term, ...]) -> bool:
        """Return whether a model with these leading terms grows at least as fast as D_l."""
        return all(any(limit.at_most(term) for term in terms) for limit in self.lower)

    def within_upper_limit(self, terms: tuple[Term, ...]) -> bool:
        """Return whether a model with these leading terms grows at most as fast as D_u."""
        return grows_at_most(terms, self.upper)


def match(generated: Iterable[Term], limits: Limits) -> Match:
    """Rank a fitted model by its leading terms."""
    terms = leading(generated)
    if terms == limits.expectation:
        return Match.TOTAL
    if not limits.within_upper_limit(terms):
        return Match.NONE
    return Match.APPROXIMATE if limits.reaches_lower_limit(terms) else Match.BETTER


def divergence(generated: Iterable[Term], expectation: Iterable[Term]) -> str:
    """Return the divergence model, fitted over expected, simplified: ``O(p^0.33 / log p)``."""
    return big_o(*quotient(leading(generated), leading(expectation)))


def violates(left: Iterable[Term], right: Iterable[Term]) -> bool:
    """Return whether the models predict that ``left <= right`` is violated for growing parameters."""
    return not grows_at_most(leading(left), leading(right))
