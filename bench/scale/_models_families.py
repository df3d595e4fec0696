"""Families of synthetic measurements for ``make bench NAME=models``, whose noise is not only relative.

A case is a formula, its author's expectation, and whether the expectation is right. A family defines the measurement of
a formula: the settings, the noise, the number of jobs and repetitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from adcl.scale import Expected, Match, Measurement, Series, judge_all, parse, parse_term, series_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from adcl.scale import Verdict

    Array = np.ndarray

__all__ = ["CASES", "FAMILIES", "Case", "Family", "Judged", "cases_of", "draw", "found_by", "judged"]

POWERS = tuple(2.0**n for n in range(1, 9))
_NOISE = 0.05


@dataclass(frozen=True)
class Case:
    """A formula: terms, and for each the range of decimal exponents from which its coefficient is drawn."""

    terms: tuple[tuple[str, float, float], ...]
    expectation: str
    good: bool

    @property
    def name(self) -> str:
        """Name in tables."""
        return f"{' + '.join(term for term, _, _ in self.terms)} under {self.expectation}"

    def leading(self) -> str:
        """Return the last term, which dominates asymptotically."""
        return self.terms[-1][0]

    def truth(self, rng: np.random.Generator, settings: Array) -> Array:
        """Draw coefficients, and return the exact values."""
        total = np.zeros_like(settings)
        for term, low, high in self.terms:
            total = total + 10 ** rng.uniform(low, high) * parse_term(term).evaluate({"p": settings})
        return total


def _rising(term: str, expectation: str, *, good: bool = True) -> Case:
    return Case((("1", 0, 2), *(((term, 0, 2),) if term != "1" else ())), expectation, good)


CASES = (
    *(_rising(one, one) for one in ("1", "log p", "log^2 p", "sqrt p", "p", "p log p", "p^2")),
    _rising("p", "log p", good=False),
    _rising("p", "1", good=False),
    _rising("p^2", "p log p", good=False),
    _rising("p^0.67 log p", "log p", good=False),
)
_FALLING = (
    Case((("1/p", 2, 3),), "1/p", good=True),
    Case((("1/p", 2, 3), ("log p", 0, 1)), "1/p + log p", good=True),
    Case((("1/p", 2, 3), ("1", 0, 1)), "30 + 3000/p", good=True),
    Case((("1/p", 2, 3), ("p", -0.5, 0.5)), "1/p + p", good=True),
    Case((("1/p", 2, 3), ("p", 0, 1)), "1/p + log p", good=False),
    Case((("1/p", 2, 3), ("1", 0.5, 1)), "1/p", good=False),
)
_SLOW = (
    Case((("log p", 1, 1), ("p", 0, 0)), "p", good=True),
    Case((("sqrt p", 1, 1), ("p", 0, 0)), "p", good=True),
    Case((("log p", 0, 0), ("p", -1, -1)), "p", good=True),
    Case((("log p", 0, 0), ("sqrt p", -1, -1)), "sqrt p", good=True),
    Case((("p", 1, 1), ("p^2", 0, 0)), "p^2", good=True),
    Case((("1", 2, 2), ("p", -1, -1)), "p", good=True),
)


def _relative(rng: np.random.Generator, truth: Array) -> Array:
    return truth * np.maximum(1 + _NOISE * rng.standard_normal(truth.shape), 0.05)


def _additive(rng: np.random.Generator, truth: Array) -> Array:
    noise = _NOISE * float(np.median(truth)) * rng.standard_normal(truth.shape)
    return np.asarray(np.maximum(truth + noise, 0.0))


def _floor(rng: np.random.Generator, truth: Array) -> Array:
    floor = 0.3 * float(np.median(truth))
    return _relative(rng, truth) + floor * (1 + 0.2 * rng.exponential(size=truth.shape))


def _quantised(rng: np.random.Generator, truth: Array) -> Array:
    tick = float(truth.max()) / 20
    return np.asarray(np.floor(_relative(rng, truth) / tick + rng.uniform(0, 1)) * tick)


def _bursts(rng: np.random.Generator, truth: Array) -> Array:
    late = rng.random(truth.shape) < 0.05
    return _relative(rng, truth) * np.where(late, 1.5, 1.0)


def _switch(rng: np.random.Generator, truth: Array) -> Array:
    """Simulate another algorithm from the fifth setting on, which is three times as fast."""
    return _relative(rng, truth) * np.where(np.arange(truth.shape[-1]) >= truth.shape[-1] // 2, 1 / 3, 1.0)


@dataclass(frozen=True)
class Family:
    """A family of series: how the measurements are drawn from the formulas."""

    measured: Callable[[np.random.Generator, Array], Array] = _relative
    settings: tuple[float, ...] = POWERS
    cases: tuple[Case, ...] = CASES
    jobs: int = 1
    repetitions: int = 1


FAMILIES = {
    "relative noise": Family(),
    "falling sums": Family(cases=_FALLING),
    "falling sums, 6 points": Family(settings=POWERS[:6], cases=_FALLING),
    "additive constant deviation": Family(_additive),
    "floor": Family(_floor),
    "quantised": Family(_quantised),
    "bursts": Family(_bursts),
    "change point": Family(_switch, settings=tuple(2.0**n for n in range(1, 13))),
    "small slow term": Family(cases=_SLOW),
    "5 points": Family(settings=POWERS[:5]),
    "non-powers of two": Family(settings=(3.0, 5.0, 12.0, 20.0, 48.0, 96.0, 120.0, 144.0)),
    "from one process on": Family(settings=(1.0, *POWERS[:7])),
    "many repetitions": Family(repetitions=100),
    "ten jobs": Family(jobs=10),
}


def cases_of(family: Family) -> Iterator[tuple[int, Case]]:
    """Yield the cases of a family, each with its number."""
    yield from enumerate(family.cases)


def draw(family: Family, case: Case, seed: tuple[int, ...]) -> tuple[Series, Array, list[list[float]]]:
    """Draw one series; return it, its exact values (also at four times the largest setting), and all measurements."""
    rng = np.random.default_rng(seed)
    settings = np.array([*family.settings, 4 * family.settings[-1]])
    truth = case.truth(rng, settings)
    jobs = [np.array([family.measured(rng, truth[:-1]) for _ in range(family.repetitions)]) for _ in range(family.jobs)]
    records = [
        Measurement("f", "time_s", {"p": float(p)}, tuple(map(float, column)))
        for values in jobs
        for p, column in zip(settings[:-1], values.T, strict=True)
    ]
    return series_of(records, "f", "time_s"), truth, np.concatenate(jobs).T.tolist()


_OTHER_TRUTH = ("floor", "change point")
"""Families whose measurements differ from the formula, so that intervals cannot cover the formula's values."""


def found_by(verdict: Verdict, term: str, *, falls: bool) -> bool:
    """Return True if a verdict has the leading term.

    For a formula that decreases to a constant, the verdict must have the decreasing term and no other term except a
    constant. Extra-P's models always have a constant, so they cannot distinguish 1/p with a constant from 1/p that
    decreases to 0.
    """
    if not (falls and term == "1"):
        return verdict.model.leading == (parse_term(term),)
    return [one for one in verdict.model.hypothesis if one.growths] == [parse_term("1/p")]


@dataclass(frozen=True)
class Judged:
    """One case of one family."""

    row: dict[str, Any]
    """Percentage of each sign, and of intervals at the middle setting that cover the true value."""

    settings: tuple[float, ...]
    values: list[list[list[float]]]
    """All measurements of each series at each setting."""

    leading: str
    falls: bool
    exact: dict[str, Array]
    """Whether the exact leading term was found in each series: with the expectation, and without an expectation."""

    @property
    def name(self) -> str:
        """Name in the report."""
        return f"{self.row['family']}: {self.row['case']}"


def judged(count: int, seed: int, names: Sequence[str] | None = None) -> list[Judged]:
    """Judge `count` series of each case of these families (default: all families)."""
    found = []
    for name in names or FAMILIES:
        family = FAMILIES[name]
        for number, case in cases_of(family):
            drawn = [draw(family, case, (seed, number, at)) for at in range(count)]
            series = [one for one, _, _ in drawn]
            verdicts = judge_all(series, Expected(parse(case.expectation)))
            signs = [verdict.match for verdict in verdicts]
            middle = len(family.settings) // 2
            inside = 0
            for verdict, (_, truth, _) in zip(verdicts, drawn, strict=True):
                one = verdict.model.predict(p=family.settings[middle])
                inside += one.low <= truth[middle] <= one.high
            row: dict[str, Any] = {"family": name, "case": case.name, "good": case.good}
            row |= {sign.value: round(100 * signs.count(sign) / count, 1) for sign in Match}
            row["covered"] = None if name in _OTHER_TRUTH else round(100 * inside / count, 1)
            falls = any("/" in term for term, _, _ in case.terms)
            exact = {
                way: np.array([found_by(verdict, case.leading(), falls=falls) for verdict in answers])
                for way, answers in (("expected", verdicts), ("unexpected", judge_all(series)))
            }
            values = [measured for _, _, measured in drawn]
            found.append(Judged(row, family.settings, values, case.leading(), falls, exact))
    return found
