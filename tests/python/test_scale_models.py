"""Models of measurements, verdicts, rules and budgets."""

from __future__ import annotations

import itertools
import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
from scale_support import POWERS, measurements, series

from adcl.errors import AdclError
from adcl.scale import (
    Aggregate,
    Candidates,
    ChoiceRule,
    Expected,
    Limit,
    Match,
    Measurement,
    Refinement,
    Series,
    Term,
    check_limit,
    check_rule,
    choose,
    judge_series,
    parse,
    parse_term,
    read_rule,
    series_of,
    standard_space,
)
from adcl.scale.model._fit import (
    fitted,
    left_out_squares,
    squares_of_constants,
    squares_of_lines,
    squares_of_pairs,
    squares_of_sums,
)

CLASSES = ("1", "log p", "log^2 p", "sqrt p", "p", "p log p", "p^2")


@pytest.mark.parametrize("growth", CLASSES)
@pytest.mark.parametrize("expectation", [None, "log p", "p"])
def test_exact_measurements_have_their_exact_model(growth: str, expectation: str | None) -> None:
    expected = None if expectation is None else Expected(parse(expectation))
    verdict = judge_series(series(f"7 + 3 * {growth}"), expected)
    assert verdict.model.leading == (parse_term(growth),)
    values = {str(one.term): one.value for one in verdict.model.coefficients}
    assert values == pytest.approx({"1": 10.0} if growth == "1" else {"1": 7.0, str(parse_term(growth)): 3.0})
    assert verdict.model.adjusted_r_squared == (None if growth == "1" else pytest.approx(1.0))


@pytest.mark.parametrize("growth", ["2^k", "k 2^k", "k^3 2^k", "k^4 2^k"])
def test_exponentials(growth: str) -> None:
    verdict = judge_series(series(f"2 + 0.5 * {growth}", range(3, 17), name="k"), Expected(parse("k^3 2^k")))
    assert verdict.model.leading == (parse_term(growth),)


def test_a_model_without_a_constant() -> None:
    model = judge_series(series("96 p"), Expected(parse("p"))).model
    assert [str(one.term) for one in model.coefficients] == ["p"]
    assert model.predict(p=1e6).value == pytest.approx(96e6)


def test_noise_and_the_right_expectation(seed: int) -> None:
    for at, growth in enumerate(CLASSES):
        verdict = judge_series(series(f"7 + 3 * {growth}", noise=0.02, seed=seed + at), Expected(parse(growth)))
        assert verdict.match is not Match.NONE, (growth, str(verdict.model.expression))


def test_false_alarms_are_rare(seed: int) -> None:
    rng, count = np.random.default_rng(seed), 400
    points = {"p": np.array(POWERS)}
    alarms = 0
    for growth in CLASSES:
        term = parse_term(growth)
        truth = 10.0 + rng.uniform(1, 10, (count, 1)) * term.evaluate(points)
        values = truth * (1 + 0.05 * rng.standard_normal(truth.shape))
        for row in values[:40]:
            one = Series("f", "time_s", ("p",), tuple((x,) for x in POWERS), tuple(map(float, row)))
            alarms += judge_series(one, Expected(parse(growth))).match is Match.NONE
    # One false alarm in a hundred is expected; more than 9 of 280 would be significantly more.
    assert alarms <= 9


def test_a_linear_function_under_a_logarithmic_expectation() -> None:
    verdict = judge_series(series("5 + 2 p", noise=0.03, seed=4), Expected(parse("log p")))
    assert (verdict.match, verdict.divergence) == (Match.NONE, "O(p / log p)")
    assert verdict.outside > 0.999


def test_ambiguous_measurements_are_undecided() -> None:
    # Half of the values are noise: a constant and many other terms explain them.
    noisy = series("100 + p", POWERS[:5], noise=0.3, seed=2)
    verdict = judge_series(noisy, Expected(parse("sqrt p")))
    assert verdict.match is Match.UNDECIDED
    assert len(verdict.likely) > 3


def test_sums_beyond_the_upper_boundary_are_found() -> None:
    verdict = judge_series(series("5 + p^3"), Expected(parse("log p")))
    assert verdict.model.leading == (parse_term("p^3"),)


def test_a_linear_part_behind_a_logarithmic_one() -> None:
    points = [2.0**n for n in range(1, 11)]
    hidden = series("5 + 20 log p + 0.2 p", points, noise=0.02, seed=3)
    verdict = judge_series(hidden, Expected(parse("log p")))
    assert verdict.match is Match.NONE
    assert verdict.model.leading[0] in (parse_term("p"), parse_term("p log p"))
    assert parse_term("log p") in [one.term for one in verdict.model.coefficients]
    assert judge_series(hidden, Expected(parse("p"))).match is Match.TOTAL


@pytest.mark.parametrize(("formula", "growth", "sign"), [("100 / p", "1 / p", "✓"), ("10 + 100 / p", "1", "✗")])
def test_strong_scaling(formula: str, growth: str, sign: str) -> None:
    verdict = judge_series(series(formula, noise=0.02, seed=6), Expected(parse("1/p")))
    assert verdict.match is not None
    assert (verdict.model.growth, verdict.match.sign) == (f"O({growth})", sign)


def test_user_defined_search_space_is_unchanged() -> None:
    space = Refinement(terms=(parse_term("p^0.5").growth("p"),))
    verdict = judge_series(series("5 + 2 p"), Expected(parse("log p"), None, space))
    assert verdict.model.leading == (parse_term("p^0.5"),)


@pytest.mark.parametrize(
    ("formula", "growth"),
    [
        ("3 + 0.5 n log p", "n log p"),
        ("3 + 2 log p + 0.1 n", "log p + n"),
        ("1 + p + 0.01 p n", "p n"),
        ("3 + 400 sqrt p + 0.5 n log p", "sqrt p + n log p"),
    ],
)
def test_two_parameters(formula: str, growth: str) -> None:
    points = [(p, n) for p in POWERS[:6] for n in (8.0, 64.0, 512.0, 4096.0, 32768.0)]
    columns = {"p": np.array([p for p, _ in points]), "n": np.array([n for _, n in points])}
    rng = np.random.default_rng(5)
    values = parse(formula).evaluate(columns) * (1 + 0.02 * rng.standard_normal(len(points)))
    one = Series("f", "time_s", ("p", "n"), tuple(points), tuple(map(float, values)))
    wanted = parse(growth)
    verdict = judge_series(one, Expected(wanted))
    assert verdict.match is Match.TOTAL
    assert judge_series(one).model.leading == verdict.model.leading


def test_expectation_of_a_parameter_that_does_not_vary() -> None:
    with pytest.raises(AdclError, match="names q, but the measurements have no such parameter; they have p"):
        judge_series(series("p"), Expected(parse("q")))


def test_too_few_points() -> None:
    with pytest.raises(AdclError, match="a verdict requires 3 values of p, found 2"):
        judge_series(series("p", POWERS[:2]), Expected(parse("p")))


def test_series_are_fitted_together_as_one_by_one() -> None:
    rng = np.random.default_rng(11)
    points = {"p": np.array(POWERS)}
    values = np.stack(
        [(5 + 2 * parse_term(one).evaluate(points)) * (1 + 0.05 * rng.standard_normal(8)) for one in CLASSES]
    )
    candidates = Candidates.of([Term.of({"p": one}) for one in standard_space()])
    together = choose(points, values, candidates)
    for at, row in enumerate(values):
        alone = choose(points, row[None], candidates)
        assert alone.hypothesis(0) == together.hypothesis(at)
        assert alone.posterior[0] == pytest.approx(together.posterior[at], abs=1e-9)
    assert together.posterior.sum(axis=1) == pytest.approx(1.0)


def test_closed_forms_agree_with_refitting() -> None:
    rng = np.random.default_rng(3)
    points = np.array(POWERS)
    columns = np.stack([points, np.log2(points), points**0.5])
    values = (4 + 2 * points + 3 * np.log2(points))[None] * (1 + 0.1 * rng.standard_normal((4, 8)))
    weights = 1 / values**2
    lines = squares_of_lines(columns, values, weights)
    assert lines == pytest.approx(squares_of_sums(columns[:, None], values, weights), rel=1e-6)
    pairs = np.stack([columns[[0, 1]], columns[[0, 2]]])
    closed = squares_of_pairs(pairs[:, 0], pairs[:, 1], values, weights)
    solved = squares_of_sums(pairs, values, weights)
    assert np.isfinite(solved).any()
    assert closed == pytest.approx(solved, rel=1e-6)
    for hypothesis, rows in itertools.product(range(2), range(4)):
        expected = 0.0
        for left in range(8):
            kept = np.arange(8) != left
            design = np.vstack([np.ones(8), pairs[hypothesis]])
            root = np.sqrt(weights[rows, kept])
            answer = np.linalg.lstsq((design[:, kept] * root).T, values[rows, kept] * root, rcond=None)[0]
            expected += weights[rows, left] * (values[rows, left] - answer @ design[:, left]) ** 2
        predicted, _, possible = fitted(pairs[hypothesis], values[rows], weights[rows])
        if possible and predicted.min() > 0:
            found = left_out_squares(pairs[[hypothesis]], values[[rows]], weights[[rows]])[0, 0]
            if answer[0] > 0:
                assert found == pytest.approx(expected, rel=1e-5)


def test_the_constant_alone_agrees_with_the_general_fit() -> None:
    rng = np.random.default_rng(5)
    values, weights = rng.uniform(1, 9, (2, 4, 6))
    general = squares_of_sums(np.empty((1, 0, 6)), values, weights)[:, 0]
    assert squares_of_constants(values, weights) == pytest.approx(general)


def test_cross_validation_prefers_the_simplest_within_the_margin() -> None:
    points = {"p": np.array(POWERS)}
    values = np.array([series("50 + p", noise=0.02, seed=8).values])
    known = Candidates.of([Term.of({"p": one}) for one in standard_space()])
    for margin, expected in ((1.0001, ("p",)), (1e9, ())):
        candidates = replace(known, margin=margin)
        found = choose(points, values, candidates, rule=ChoiceRule.CROSS_VALIDATION).hypothesis(0)
        assert tuple(map(str, found)) == expected
    verdict = judge_series(series("50 + p", noise=0.02, seed=8), Expected(parse("p")), rule=ChoiceRule.CROSS_VALIDATION)
    assert verdict.match is Match.TOTAL


def test_aggregates() -> None:
    values = [4.0, 1.0, 2.0, 3.0, 10.0]
    assert [one.of(values) for one in Aggregate] == [2.0, 3.0, 4.0, 1.0, 10.0]
    assert Aggregate.FIRST_QUARTILE.of([1.0, 2.0]) == 1.25


def test_series_of_jobs() -> None:
    rows = [
        Measurement("f", "time_s", {"p": p, "n": 8.0}, tuple(p + job + one for one in (0.0, 1.0, 2.0)))
        for job in (0.0, 10.0, 1.0)
        for p in (2.0, 4.0)
    ]
    one = series_of(rows, "f", "time_s", aggregate=Aggregate.MINIMUM)
    assert (one.parameters, one.points, one.fixed) == (("p",), ((2.0,), (4.0,)), (("n", 8.0),))
    assert one.values == (3.0, 5.0)
    assert one.jobs == ((2.0, 12.0, 3.0), (4.0, 14.0, 5.0))


def test_oversubscribed_times_are_marked() -> None:
    def at(metric: str, **context: object) -> bool:
        rows = [Measurement("f", metric, {"p": p}, (1.0,), context={"ranks": p, **context}) for p in (2.0, 8.0)]
        return any(series_of(rows, "f", metric).oversubscribed)

    assert at("time_s", cores=4)
    assert not at("time_s", cores=8)
    assert at("time_s", oversubscribed=True)
    assert not at("memory_bytes", cores=4, oversubscribed=True)
    assert not at("time_s", cores=4, simulated=True)


def _rule(left: str, *right: str) -> tuple[list[tuple[tuple[float, ...], float]], bool, float, float | None, bool]:
    verdicts = {
        name: judge_series(series(formula, noise=0.01, seed=at, function=name))
        for at, (name, formula) in enumerate({"A": left, "B": right[0], "C": right[1]}.items())
    }
    check = check_rule(read_rule("A <= B + C", "time_s"), verdicts)
    return list(check.measured), check.predicted, check.probability, check.broken_from, check.broken


def test_satisfied_rule() -> None:
    measured, predicted, probability, broken_from, broken = _rule("1 + log p", "1 + log p", "1 + log p")
    assert (measured, predicted, broken_from, broken) == ([], False, None, False)
    assert probability < 0.5


def test_rule_violated_by_measurements() -> None:
    measured, predicted, _, _, broken = _rule("10 + 10 log p", "1 + log p", "1 + log p")
    assert len(measured) == len(POWERS)
    assert measured[0][1] == pytest.approx(5, rel=0.1)
    assert not predicted
    assert broken


def test_rule_violated_only_by_the_models() -> None:
    # As on Piz Daint: no measurement violates the rule, but larger scales will.
    measured, predicted, probability, broken_from, broken = _rule("1 + 0.02 p", "50 + log p", "1 + log p")
    assert (measured, predicted, broken) == ([], True, True)
    assert probability > 0.95
    assert broken_from == pytest.approx(3900, rel=0.2)


def _breaks(excess: float, tolerance: float, rng: np.random.Generator) -> int:
    """Return at how many of 7 points noisy measurements of 10 jobs break A <= B + C if A is B + C plus the excess."""

    def measured(name: str, scale: float) -> list[Measurement]:
        return [
            Measurement(name, "time_s", {"p": p}, (scale * (10 + math.log2(p)) * (1 + 0.05 * rng.standard_normal()),))
            for p in POWERS
            for _ in range(10)
        ]

    values = {"A": 3.0 * (1 + excess), "B": 1.0, "C": 2.0}
    verdicts = {name: judge_series(series_of(measured(name, scale), name, "time_s")) for name, scale in values.items()}
    return len(check_rule(read_rule("A <= B + C", "time_s", tolerance), verdicts).measured)


def test_noise_does_not_break_a_barely_satisfied_rule(seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert sum(_breaks(0.0, 0.0, rng) > 0 for _ in range(40)) <= 8  # 3 of 100 are expected
    assert sum(_breaks(0.0, 0.1, rng) > 0 for _ in range(40)) <= 2  # less than 1 of 1000
    assert sum(_breaks(0.15, 0.0, rng) >= 4 for _ in range(20)) >= 18


def test_one_job_breaks_a_rule_by_the_tolerance_alone() -> None:
    verdicts = {name: judge_series(series(formula, function=name)) for name, formula in (("A", "1.2 p"), ("B", "p"))}
    assert len(check_rule(read_rule("A <= B", "time_s"), verdicts).measured) == len(POWERS)
    assert check_rule(read_rule("A <= B", "time_s", 0.3), verdicts).measured == ()


def _false_alarms(points: int, rng: np.random.Generator) -> bool:
    """Return whether noise breaks an exact rule, measured at `points` points by 10 jobs each."""
    verdicts = {}
    for name in ("A", "B"):
        jobs = [tuple(100.0 * (1 + 0.05 * rng.standard_normal()) for _ in range(10)) for _ in range(points)]
        scales = tuple((float(p),) for p in range(2, 2 + points))
        one = Series(name, "time_s", ("p",), scales, tuple(statistics.median(each) for each in jobs), jobs=tuple(jobs))
        verdicts[name] = judge_series(one, Expected(parse("1")))
    return bool(check_rule(read_rule("A <= B", "time_s", 0.0), verdicts).measured)


def test_many_points_do_not_increase_false_alarms_of_a_rule(seed: int) -> None:
    """3 of 100 rules may break by chance for any number of points; separate tests of each point would break 70."""
    rng = np.random.default_rng(seed)

    assert sum(_false_alarms(40, rng) for _ in range(30)) <= 7


def test_a_rule_breaks_where_the_models_leave_the_tolerance() -> None:
    verdicts = {name: judge_series(series(formula, function=name)) for name, formula in (("A", "0.02 p"), ("B", "50"))}

    exact = check_rule(read_rule("A <= B", "time_s", 0.0), verdicts)
    tolerant = check_rule(read_rule("A <= B", "time_s", 0.1), verdicts)

    assert (exact.broken_from, tolerant.broken_from) == (2501.0, 2751.0)
    assert exact.broken
    assert tolerant.broken


def test_crossing_within_the_tolerance_is_not_a_violation() -> None:
    """A exceeds B from p = 100 on, but stays within 5 % of it."""
    verdicts = {
        name: judge_series(series(formula, function=name)) for name, formula in (("A", "1.05 p"), ("B", "5 + p"))
    }

    exact = check_rule(read_rule("A <= B", "time_s", 0.0), verdicts)
    tolerant = check_rule(read_rule("A <= B", "time_s", 0.1), verdicts)

    assert exact.broken_from is not None
    assert (tolerant.measured, tolerant.predicted, tolerant.broken_from, tolerant.broken) == ((), False, None, False)


@pytest.mark.parametrize(("up_to", "broken"), [(99.0, False), (100.0, True), (101.0, True), (None, False)])
def test_a_budget_has_to_last_up_to_the_scale_itself(up_to: float | None, *, broken: bool) -> None:
    check = check_limit(Limit("f", "memory_bytes", 99.5, up_to=up_to), judge_series(series("p")))

    assert (check.scale, check.broken) == (100.0, broken)


def test_the_memory_wall_of_juropa() -> None:
    # Section 4.2: 16 + 0.56 p MB for each of 8 processes on a node of 24 GB; measured to fail at 8192 processes.
    verdict = judge_series(series("16 + 0.56 p"), Expected(parse("log p")))
    check = check_limit(Limit("f", "memory_mb", 24e3, times=8, up_to=8192), verdict)
    assert check.broken
    assert check.scale == pytest.approx((24e3 / 8 - 16) / 0.56, abs=1.0)
    assert 4096 < (check.scale or 0.0) < 8192
    assert check.at_target is not None
    assert check.at_target.value == pytest.approx(8 * (16 + 0.56 * 8192))


def test_budget_beyond_the_prediction() -> None:
    check = check_limit(Limit("f", "time_s", 1e6, up_to=4096), judge_series(series("1 + log p")))
    assert (check.scale, check.broken) == (None, False)


def test_measurements_of_zero() -> None:
    assert judge_series(series("0 p + 1")).model.leading == (parse_term("1"),)
    zero = Series("f", "memory_bytes", ("p",), tuple((x,) for x in POWERS), (0.0,) * len(POWERS))
    verdict = judge_series(zero, Expected(parse("1")))
    assert verdict.match is Match.TOTAL
    assert verdict.model.predict(p=1e6).value == 0.0


def test_sums_of_measurements_helper() -> None:
    assert [one.parameters["p"] for one in measurements("f", "p", (1.0, 2.0))] == [1.0, 2.0]
