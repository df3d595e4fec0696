"""Models of decreasing, changing or misfit measurements, and of noise that is not proportional to size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scale_support import POWERS, series

from adcl.errors import AdclError
from adcl.scale import (
    Expected,
    Match,
    Measurement,
    Series,
    Spread,
    judge_all,
    judge_series,
    parse,
    parse_term,
    series_of,
)


def _of(points: tuple[float, ...], values: np.ndarray) -> Series:
    return Series("f", "time_s", ("p",), tuple((x,) for x in points), tuple(float(y) for y in values))


@pytest.mark.parametrize(
    ("formula", "expectation", "growth"),
    [
        ("300 / p + 7 log p", "1/p + log p", "log p"),
        ("300 / p + 2 p", "1/p + p", "p"),
        ("30 + 3000 / p", "30 + 3000/p", "1"),
        ("300 / p", "1/p", "1 / p"),
        ("64 / sqrt p", "1 / sqrt p", "1 / p^0.5"),
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_strong_scaling_is_modeled(formula: str, expectation: str, growth: str, *, known: bool) -> None:
    truth = parse(formula)
    verdict = judge_series(series(formula, noise=0.02, seed=3), Expected(parse(expectation)) if known else None)

    assert verdict.model.leading == (parse_term(growth),), str(verdict.model.expression)
    assert verdict.match is (Match.TOTAL if known else None)
    assert verdict.model.predict(p=1024).value == pytest.approx(truth.value(p=1024), rel=0.15)


def test_decrease_that_ends_does_not_match_a_decrease() -> None:
    verdict = judge_series(series("30 + 3000 / p", noise=0.02, seed=1), Expected(parse("1/p")))
    assert (verdict.match, verdict.model.growth) == (Match.NONE, "O(1)")


@pytest.mark.parametrize(("formula", "constant"), [("3 p - 3", -3.0), ("8 - 8 / p", 8.0)])
def test_saved_work_has_a_negative_constant(formula: str, constant: float) -> None:
    """Number of messages to all other ranks, and share of the data that is sent to other ranks."""
    model = judge_series(series(formula, noise=0.01, seed=2)).model
    values = {str(one.term): one.value for one in model.coefficients}
    assert values["1"] == pytest.approx(constant, rel=0.2), str(model.expression)


def test_small_constant_below_a_decrease_is_not_noise() -> None:
    """994 / p + 2.4: a model without the constant is five times as probable, which is not sufficient."""
    values = np.array([481.12, 221.56, 113.31, 61.38, 35.27, 17.24])
    verdict = judge_series(_of(POWERS[:6], values), Expected(parse("1/p")))
    assert verdict.model.growth == "O(1 / p)"
    assert verdict.match is Match.UNDECIDED, verdict.outside
    falls = judge_series(_of(POWERS[:6], values), Expected(parse("1/p + 1")))
    assert falls.match is not Match.NONE


@pytest.mark.parametrize("least", [0.0, 0.001, 0.01, 1.0])
def test_nearly_zero_value_on_one_process(least: float) -> None:
    """Messages to all other ranks: 5 (p - 1), which is 0 for one process. The tiny value there does not affect the
    result."""
    points = tuple(2.0**n for n in range(8))
    rng = np.random.default_rng(17)
    truth = 5 * (np.array(points) - 1) + least
    rows = [_of(points, truth * (1 + 0.03 * rng.standard_normal(8))) for _ in range(40)]
    verdicts = judge_all(rows, Expected(parse("p")))
    assert sum(one.match is Match.TOTAL for one in verdicts) >= 38
    linear = [one.model for one in verdicts if one.match is Match.TOTAL]
    assert all(one.relative_error < 0.1 and one.left_out_error < 0.3 for one in linear)
    assert all(abs(one.predict(p=512).value / (5 * 511) - 1) < 0.15 for one in linear)


def test_better_than_expected_is_not_broken() -> None:
    verdict = judge_series(series("5 + 2 log p", noise=0.02, seed=2), Expected(parse("p^2")))
    assert (verdict.match, verdict.match and verdict.match.sign) == (Match.BETTER, "▽")
    assert verdict.below > 0.97
    assert verdict.above < 0.03


def test_parameter_that_never_varies_is_constant() -> None:
    one = replace(series("4000 / p + 7 log p", noise=0.01, seed=2), fixed=(("n", 4000.0),))
    assert judge_series(one, Expected(parse("n/p + log p"))).match is Match.TOTAL
    with pytest.raises(AdclError, match="names m, but the measurements have no such parameter; they have p, n"):
        judge_series(one, Expected(parse("m/p + log p")))


def test_deviation_may_be_constant() -> None:
    """Relative residuals alone would let the small values decide, although their errors are half of their size."""
    rng = np.random.default_rng(5)
    exact = 0
    for _ in range(20):
        values = 5 + 3 * np.array(POWERS) + 4 * rng.standard_normal(len(POWERS))
        exact += judge_series(_of(POWERS, np.maximum(values, 0.1)), Expected(parse("p"))).match is Match.TOTAL
    assert exact >= 18


def test_timer_resolution_does_not_make_logarithmic_growth_linear() -> None:
    values = np.array([0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    verdict = judge_series(_of(POWERS, values), Expected(parse("log p")))
    assert verdict.match is not Match.NONE


def test_single_value_does_not_decide_a_verdict() -> None:
    values = np.array(series("20 + 5 log p", noise=0.01, seed=1).values)
    values[-1] *= 1.6
    verdict = judge_series(_of(POWERS, values), Expected(parse("log p")))
    assert verdict.match is not Match.NONE
    clean = judge_series(series("20 + 5 p", noise=0.01, seed=1), Expected(parse("log p")))
    assert clean.match is Match.NONE


def test_another_algorithm_from_some_scale_on_is_named() -> None:
    points = tuple(2.0**n for n in range(1, 13))
    whole = series("20 + 5 p", points, noise=0.03, seed=4)
    values = np.array(whole.values) * np.where(np.array(points) >= 128, 1 / 3, 1.0)
    verdict = judge_series(_of(points, values), Expected(parse("p")))

    assert verdict.changes_at == 128.0
    assert "another algorithm is active from p = 128 on" in verdict.notes
    assert verdict.match is Match.TOTAL
    assert verdict.model.predict(p=8192).value == pytest.approx(5 * 8192 / 3, rel=0.1)
    assert judge_series(whole, Expected(parse("p"))).changes_at is None


def test_a_model_that_misfits_is_never_a_match() -> None:
    """Ten jobs agree to a thousandth, and the values alternate by a tenth."""
    truth = (100 + 3 * np.log2(POWERS)) * (1 + 0.1 * np.array([1, -1, 1, -1, 1, -1, 1, -1]))
    plain = _of(POWERS, truth)
    jobs = tuple(tuple(float(y) * (1 + 0.001 * (at - 4.5) / 3) for at in range(10)) for y in truth)
    spreads = tuple(Spread.of(row, []) for row in jobs)
    verdict = judge_series(replace(plain, jobs=jobs, spreads=spreads), Expected(parse("1")))
    assert verdict.match is Match.UNDECIDED
    assert "times the scatter of the jobs" in (verdict.misfit or "")
    assert judge_series(plain, Expected(parse("1"))).misfit is None, "one job each says nothing of the scatter"


def test_a_curve_in_the_residuals_is_a_misfit() -> None:
    points = tuple(2.0**n for n in range(1, 13))
    x = np.linspace(-1, 1, 12)
    verdict = judge_series(_of(points, 100 * (1 + 0.2 * x**2 - 0.4 * np.abs(x) + 0.3 * x**3)), Expected(parse("1")))
    assert verdict.match is not Match.TOTAL


def test_points_at_zero_are_omitted_with_a_note() -> None:
    rows = [Measurement("f", "time_s", {"p": p}, (5 + 2 * np.log2(max(p, 1)),)) for p in (0.0, 1.0, *POWERS)]
    one = series_of(rows, "f", "time_s")
    verdict = judge_series(one, Expected(parse("log p")))
    assert (one.left_out, one.points[0]) == (((0.0,),), (1.0,))
    assert verdict.match is Match.TOTAL
    assert "measurements at 0 are omitted from models" in verdict.notes


def test_intervals_correct_for_the_quartile(seed: int) -> None:
    rng = np.random.default_rng(seed)
    covered = 0
    for _ in range(60):
        rows = [
            Measurement("f", "time_s", {"p": p}, tuple((20 + 5 * p) * (1 + 0.05 * rng.standard_normal(100))))
            for p in POWERS
        ]
        model = judge_series(series_of(rows, "f", "time_s"), Expected(parse("p"))).model
        one = model.predict(p=64)
        covered += one.low <= 20 + 5 * 64 <= one.high
    assert covered >= 54


def test_last_value_alone_does_not_imply_exponential_growth() -> None:
    values = np.array([5.0, 5.1, 4.9, 5.0, 5.1, 5.0, 4.9, 9.0])
    verdict = judge_series(_of(POWERS, values), Expected(parse("1")))
    assert not any(growth.fastest.name == "exponential" for term in verdict.model.leading for _, growth in term.growths)
    assert all("2^" not in str(term) for one in verdict.likely for term in one.leading)
