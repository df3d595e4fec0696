"""Hypotheses for a series: the space around its expectation, simple complexities, and sums and products."""

from __future__ import annotations

import functools
from collections import defaultdict
from typing import TYPE_CHECKING

from adcl.scale.model._choose import Candidates, Hypothesis, choose, is_decreasing
from adcl.scale.model._growth import Growth
from adcl.scale.model._parse import parse_term
from adcl.scale.model._series import MINIMUM_POINTS
from adcl.scale.model._space import (
    Refinement,
    falling_growths,
    search_space,
    simple_growths,
    standard_space,
    study_space,
)
from adcl.scale.model._term import ONE, Term

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from adcl.scale.model._series import Series

__all__ = ["candidates_for", "candidates_of_one"]

_KEPT = 5
"""Maximum number of growths per parameter to combine with growths of other parameters."""

_SLOWER = tuple(parse_term(text).growth("x") for text in ("log x", "sqrt x", "x"))
_FASTER = tuple(parse_term(text).growth("x") for text in ("sqrt x", "x", "x log x", "x^2"))
"""Parts of costs with two parts, such as latency and bandwidth of a message along a tree."""


_TWO = 2

_STEEPEST = tuple(parse_term(text).growth("x") for text in ("1 / x", "1 / sqrt x"))
_CLIMBS = tuple(parse_term(text).growth("x") for text in ("log x", "sqrt x", "x", "x log x"))
"""Terms of strong-scaling sums: divided work and undivided communication."""


@functools.lru_cache(maxsize=64)
def candidates_of_one(
    parameter: str, expectation: tuple[Term, ...] | None = None, refinement: Refinement | None = None
) -> Candidates:
    """Return the candidates for series of one parameter: each term of the space, and sums of two simple terms.

    Sums keep a slower part from hiding the growth of a function; the fit requires 7 points for them. Decreasing terms
    occur with and without a constant, alone and with an increasing term.
    """
    expected = None if expectation is None else max(term.growth(parameter) for term in expectation)
    space = _growths(expected, refinement)
    faster = {*_FASTER, *(() if expected is None else (expected,))} & set(space)
    pairs = [(slow, fast) for slow in _SLOWER if slow in space for fast in sorted(faster) if slow < fast]
    rows = [(one,) for one in space] + pairs
    climbs = {*_CLIMBS, *(() if expected is None or expected <= Growth() else (expected,))} & set(space)
    rows += [(fall, climb) for fall in _STEEPEST if fall in space for climb in sorted(climbs)]
    hypotheses = [tuple(Term.of({parameter: one}) for one in row if any(one)) for row in rows]
    return Candidates.sums(_with_and_without_constant(hypotheses), expectation, chosen=refinement is not None)


def _with_and_without_constant(hypotheses: Iterable[Hypothesis]) -> Iterator[Hypothesis]:
    for one in hypotheses:
        yield one
        if any(map(is_decreasing, one)):
            yield (*one, ONE)


def _growths(expected: Growth | None, refinement: Refinement | None = None) -> tuple[Growth, ...]:
    """Return the space of one parameter.

    Around an expectation, the space includes the simple complexities, so that growth beyond B_u is recognized, and the
    powers and products in the study of MPI by Shudler et al. A user-defined space is unchanged.
    """
    if refinement is not None and refinement.terms is not None:
        return search_space(expected or Growth(), refinement)
    if expected is None:
        return tuple(sorted({*standard_space(), *falling_growths()}))
    return tuple(sorted({*search_space(expected, refinement), *simple_growths(), *study_space(), *falling_growths()}))


def _lines(series: Series, parameter: str) -> Iterator[tuple[list[float], list[float]]]:
    """Return the lines along which only this parameter varies, with enough points: values and measurements."""
    at = series.parameters.index(parameter)
    lines: dict[tuple[float, ...], list[tuple[float, float]]] = defaultdict(list)
    for point, value in zip(series.points, series.values, strict=True):
        lines[point[:at] + point[at + 1 :]].append((point[at], value))
    for line in lines.values():
        if len(line) >= MINIMUM_POINTS:
            yield [x for x, _ in line], [y for _, y in line]


def _likely(series: Series, parameter: str, space: Iterable[Growth]) -> list[Growth]:
    """Return the growths that together best explain the lines along one parameter."""
    import numpy as np

    hypotheses = list(_with_and_without_constant((Term.of({parameter: one}),) if any(one) else () for one in space))
    candidates = Candidates.sums(hypotheses)
    growths = [one[0].growth(parameter) if one else Growth() for one in candidates.hypotheses]
    known = list(dict.fromkeys(growths))
    same = np.array([[float(one == growth) for growth in known] for one in growths])
    total: np.ndarray | None = None
    for settings, values in _lines(series, parameter):
        choice = choose({parameter: np.array(settings)}, np.array([values]), candidates)
        logarithms = np.log(np.maximum(choice.posterior[0] @ same, 1e-12))
        total = logarithms if total is None else total + logarithms
    if total is None:
        return [growth for growth in simple_growths() if not growth.fastest.fewest_points]
    return [known[int(at)] for at in np.argsort(-total)[: _KEPT + 1] if any(known[int(at)])]


def _partitions(names: tuple[str, ...]) -> Iterator[list[tuple[str, ...]]]:
    """Return all partitions of the parameters: each group is a product, and groups are added."""
    if not names:
        yield []
        return
    first, rest = names[0], names[1:]
    for smaller in _partitions(rest):
        for at, group in enumerate(smaller):
            yield [*smaller[:at], (first, *group), *smaller[at + 1 :]]
        yield [(first,), *smaller]


def _shapes(names: tuple[str, ...]) -> list[list[tuple[str, ...]]]:
    """Return sums of products of subsets: partitions, and the full product with single parameters."""
    shapes = [
        shape for size in range(1, len(names) + 1) for part in _subsets(names, size) for shape in _partitions(part)
    ]
    for size in range(1, len(names) + 1):
        shapes += [[names, *((name,) for name in part)] for part in _subsets(names, size) if len(names) > 1]
    return shapes


def _subsets(names: tuple[str, ...], size: int) -> Iterator[tuple[str, ...]]:
    import itertools

    return itertools.combinations(names, size)


def _combinations(growths: Mapping[str, list[Growth]]) -> Iterator[Hypothesis]:
    import itertools

    names = tuple(growths)
    for shape in _shapes(names):
        used = sorted({name for group in shape for name in group})
        for chosen in itertools.product(*(growths[name] for name in used)):
            of = dict(zip(used, chosen, strict=True))
            yield tuple(Term.of({name: of[name] for name in group}) for group in shape)
            if len(names) == _TWO and shape == [names]:
                yield from _with_other_growths(Term.of(of), growths)


def _with_other_growths(product: Term, growths: Mapping[str, list[Growth]]) -> Iterator[Hypothesis]:
    """Add to the product of all parameters a different growth in one parameter, as in ``sqrt p + n log p``."""
    for name, known in growths.items():
        for growth in known:
            if growth != product.growth(name):
                yield (product, Term.of({name: growth}))


def candidates_for(
    series: Series, expectation: tuple[Term, ...] | None = None, refinement: Refinement | None = None
) -> Candidates:
    """Return the candidates for a series; the expectation has only parameters that vary in it.

    With several parameters, combine the growths that explain the measurements along each single parameter: products,
    sums, and sums of products.
    """
    if len(series.parameters) == 1:
        return candidates_of_one(series.parameters[0], expectation, refinement)
    growths = {}
    for name in series.parameters:
        own = [] if expectation is None else [term.growth(name) for term in expectation]
        space = _growths(max(own) if own else None, refinement)
        growths[name] = list(dict.fromkeys([*(one for one in own if any(one)), *_likely(series, name, space)]))
    return Candidates.sums(dict.fromkeys(_with_and_without_constant(_combinations(growths))), expectation)
