"""Expressions in big O: parsing, formatting, algebra and comparison."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from adcl.scale import (
    ONE,
    ExpressionError,
    FunctionClass,
    Growth,
    GrowthOrder,
    Limits,
    Match,
    Refinement,
    Term,
    default_deviation,
    divergence,
    grows_at_most,
    leading,
    match,
    parse,
    parse_term,
    search_space,
)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("O(log2 p)", "log p"),
        ("sqrt p", "p^0.5"),
        ("√p · log p", "p^0.5 log p"),
        ("p * log(p)", "p log p"),
        ("(log p)^2", "log^2 p"),
        ("log^2 p", "log^2 p"),
        ("log(p^2)", "2 * log p"),
        ("k^3 2^k", "k^3 2^k"),
        ("4^k", "2^(2 k)"),
        ("2^(k/2) k", "k 2^(0.5 k)"),
        ("2^(3 + k)", "8 * 2^k"),
        ("p^0.33", "p^0.33"),
        ("p^2.8074", "p^2.8074"),
        ("n/p + log p", "n / p + log p"),
        ("1/(p log p)", "1 / (p log p)"),
        ("(1 + p)^2", "1 + 2 * p + p^2"),
        ("3 p - p", "2 * p"),
        ("10.7 * 10^-3 * log p", "0.0107 * log p"),
        ("log(2^k)", "k"),
        ("1", "1"),
        ("p^{2} in", "in p^2"),
        ("n - log p", "n - log p"),
        ("-sqrt p n", "-n p^0.5"),
        ("2n (log p)^-1", "2 * n / log p"),
    ],
)
def test_reading_and_writing(text: str, written: str) -> None:
    assert str(parse(text)) == written
    assert parse(written) == parse(text)


def test_rounded_thirds_are_thirds() -> None:
    assert parse_term("p^0.67").growth("p").power == Fraction(2, 3)
    assert parse_term("p^1.33").growth("p").power == Fraction(4, 3)
    assert parse_term("p^0.125").growth("p").power == Fraction(1, 8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 1: expected a number, a parameter or a parenthesis, found the end"),
        ("p^", "column 3: expected a number, .*found the end"),
        ("log p^2", r"column 5.*ambiguous.*log\^2 x"),
        ("(p", r"a '\)' is missing"),
        ("p)", r"unmatched '\)'"),
        ("{p)", r"unmatched '\)'"),
        ("2^3^p", "put an exponent with an operator or a function in parentheses"),
        ("p < 2", "unexpected '<'"),
        ("p log", "log needs an argument"),
        ("p ? 2", r"unexpected '\?'"),
        ("p^log p", r"as in 2\^k"),
        ("2^(k^2)", "is not allowed in an exponent"),
        ("log log p", "logarithm of a logarithm"),
        ("log 3", "omit the logarithm"),
        ("1/(p + n)", "one term"),
        ("p - p", "which does not grow"),
    ],
)
def test_errors_name_the_place_and_the_remedy(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        parse(text)


def test_terms_of_random_exponents_survive_writing(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(200):
        growths = {
            name: Growth(*(Fraction(draw.randint(-8, 8), draw.choice([1, 2, 3, 4])) for _ in range(3))) for name in "nk"
        }
        term = Term.of(growths)
        assert parse_term(str(term)) == term, str(term)
        assert term / term == ONE
        assert (term * term) ** Fraction(1, 2) == term


def test_growth_is_ordered_as_the_functions_are() -> None:
    texts = [
        "1",
        "log^0.5 p",
        "log p",
        "log^2 p",
        "p^0.25",
        "p^0.25 log p",
        "p^0.5",
        "p",
        "p log p",
        "p^2",
        "2^p",
        "p 2^p",
    ]
    terms = [parse_term(text) for text in texts]
    for at, one in enumerate(terms):
        for other_at, other in enumerate(terms):
            expected = (
                GrowthOrder.EQUAL if at == other_at else GrowthOrder.LESS if at < other_at else GrowthOrder.GREATER
            )
            assert one.compare(other) is expected
    assert parse_term("n log p").compare(parse_term("p")) is GrowthOrder.UNRELATED


def test_only_leading_terms_are_compared() -> None:
    assert leading(parse("16 + 0.56 p + 3 log p")) == (parse_term("p"),)
    assert leading(parse("n log n + n + p")) == (parse_term("n log n"), parse_term("p"))
    assert grows_at_most(leading(parse("p + n")), leading(parse("p n")))
    assert not grows_at_most(leading(parse("p n")), leading(parse("p + n")))


def test_values() -> None:
    points = {"p": np.array([1.0, 2.0, 8.0]), "n": np.array([10.0, 10.0, 100.0])}
    assert parse("3 + 2 n log p").evaluate(points) == pytest.approx([3.0, 23.0, 603.0])
    assert parse("k^3 2^k").value(k=3.0) == 216.0


def test_divergence_with_several_leading_terms() -> None:
    assert divergence(leading(parse("n p")), leading(parse("n log p"))) == "O(p / log p)"
    assert divergence(leading(parse("n + p")), leading(parse("n + p"))) == "O(1)"
    assert divergence(leading(parse("n p")), leading(parse("n + p"))) == "O(1 / (1 / n + 1 / p))"


@pytest.mark.parametrize(
    ("expectation", "deviation"),
    [
        ("p", "p^0.5"),
        ("log p", "log^0.5 p"),
        ("p log p", "p^0.5"),
        ("k^3 2^k", "2^(0.5 k)"),
        ("1", "1"),
        ("n p^2", "n^0.5 p"),
    ],
)
def test_default_deviation_halves_the_exponent_of_the_class(expectation: str, deviation: str) -> None:
    assert default_deviation(parse_term(expectation)) == parse_term(deviation)


def test_search_space_of_the_example_in_section_2_3() -> None:
    powers = [Fraction(n, 4) for n in range(9)]
    example = {Growth(power=power, logarithm=Fraction(log)) for power in powers for log in (0, 1)}
    example.remove(Growth(power=Fraction(2), logarithm=Fraction(1)))
    assert set(search_space(Growth(power=Fraction(1)))) == example


def test_search_spaces_of_the_other_classes() -> None:
    logarithms = search_space(parse_term("log p").growth("p"))
    assert {one.logarithm for one in logarithms} == {Fraction(n, 4) for n in range(9)}
    assert {one.function_class for one in logarithms} == {FunctionClass.LOGARITHMIC}
    exponentials = search_space(parse_term("k^3 2^k").growth("k"))
    for text in ("1", "k^2 2^k", "k^3 2^k", "k^4 2^k", "2^(0.25 k)", "k 2^(1.75 k)"):
        assert parse_term(text).growth("k") in exponentials
    assert max(exponentials) <= parse_term("k^6 2^(2 k)").growth("k")
    # A constant is a logarithm to the power of 0, and it has the search space of the logarithm.
    assert set(search_space(Growth())) == set(logarithms)
    falling = search_space(parse_term("1/p").growth("p"))
    assert min(falling) == parse_term("1/p^2").growth("p")
    assert max(falling) == Growth()


def test_user_refinement() -> None:
    linear = Growth(power=Fraction(1))
    finer = search_space(linear, Refinement(halvings=3))
    assert Growth(power=Fraction(9, 8)) in finer
    assert len(finer) > len(search_space(linear))
    wider = search_space(linear, Refinement(upper=Growth(power=Fraction(3))))
    assert max(wider) == Growth(power=Fraction(3))
    minor = search_space(linear, Refinement(minor=(Fraction(0), Fraction(1, 2))))
    assert parse_term("p^0.5 log^0.5 p").growth("p") in minor
    own = search_space(linear, Refinement(terms=(parse_term("p^1.1").growth("p"),)))
    assert [str(Term.of({"p": one})) for one in own] == ["1", "p", "p^1.1"]


@pytest.mark.parametrize(
    ("generated", "rank"),
    [
        ("p", Match.TOTAL),
        ("p^0.5", Match.APPROXIMATE),
        ("p^1.5", Match.APPROXIMATE),
        ("p^1.5 log p", Match.NONE),
        ("log p", Match.BETTER),
        ("p^0.5 / log p", Match.BETTER),
    ],
)
def test_the_limits_themselves_are_allowed(generated: str, rank: Match) -> None:
    assert match([parse_term(generated)], Limits.of([parse_term("p")])) is rank


def test_limits_with_several_parameters() -> None:
    limits = Limits.of(leading(parse("n log n + p")))
    assert str(limits.deviation) == "n^0.5 p^0.5"
    assert match(leading(parse("n log n + p")), limits) is Match.TOTAL
    assert match(leading(parse("n + p")), limits) is Match.APPROXIMATE
    assert match(leading(parse("n^2 + p")), limits) is Match.NONE
    assert match(leading(parse("n log n")), limits) is Match.BETTER
