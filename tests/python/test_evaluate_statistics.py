"""Formulas of ``adcl evaluate``, with expected values calculated by hand."""

from __future__ import annotations

import math
import random

import pytest

from adcl.evaluate import (
    Runs,
    TimeChange,
    average,
    change_text,
    instability,
    losers,
    loss_percent,
    over,
    overlap,
    ranking_error,
    share_interval,
    share_text,
    stability,
    winners,
)


def _runs(**times: tuple[float, ...]) -> dict[str, Runs]:
    return {name: Runs(of_one) for name, of_one in times.items()}


def test_those_that_overlap_with_the_shortest_run_win_and_with_the_longest_lose() -> None:
    verified = _runs(a=(1.0, 1.2), b=(1.1, 1.3), c=(1.25, 2.0), d=(1.9, 3.0), e=(1.4, 1.5))

    # c overlaps with b, but not with a, which has the shortest run.
    assert winners(verified) == ("a", "b")
    assert losers(verified) == ("c", "d")
    assert winners({}) == losers({}) == ()


def test_runs_that_only_touch_overlap() -> None:
    assert overlap(Runs((1.0, 2.0)), Runs((2.0, 3.0)))
    assert overlap(Runs((2.0, 3.0)), Runs((1.0, 2.0)))
    assert not overlap(Runs((1.0, 1.9)), Runs((2.0, 3.0)))


def test_instability_is_the_share_of_codelets_that_could_change_places() -> None:
    verified = _runs(a=(1.0, 2.0), b=(1.5, 2.5), c=(2.4, 2.6), d=(9.0, 9.1))

    assert instability(verified) == pytest.approx({"a": 1 / 3, "b": 2 / 3, "c": 1 / 3, "d": 0.0})
    assert [stability(share) for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)] == ["++", "+", "o", "-", "--", "--"]
    assert instability(_runs(a=(1.0,))) == {"a": 0.0}


def test_a_time_over_another_has_an_interval_and_counts() -> None:
    found = over(Runs((9.0, 10.0, 11.0)), Runs((19.0, 20.0, 21.0)))

    # The standard errors are 1 / sqrt(3) of averages 10 and 20; Welch's number of degrees of freedom is 2.94.
    assert found is not None
    assert found.percent == pytest.approx(-50.0)
    width = math.exp(3.2195 * math.hypot(1 / 10, 1 / 20) / math.sqrt(3))
    assert (found.low, found.high) == pytest.approx((100 * (0.5 / width - 1), 100 * (0.5 * width - 1)), rel=1e-3)
    assert (found.runs, found.reference_runs) == (3, 3)
    assert change_text(found) == "-50.0 % (-59.4 to -38.5)"


def test_what_ran_once_is_not_compared() -> None:
    assert over(Runs((1.0,)), Runs((2.0, 2.0))) is None
    assert over(Runs((2.0, 2.0)), Runs((1.0,))) is None
    assert change_text(None) is None


def test_runs_that_differ_sixfold_determine_nothing() -> None:
    """The program without ADCL took 2.5 s and 16.1 s."""
    found = over(Runs((1.40, 1.46)), Runs((2.5, 16.1)))
    assert found is not None
    assert found.percent == pytest.approx(-84.6, abs=0.1)
    assert found.low < -99.0
    assert found.high > 1000.0
    assert change_text(found) == "undetermined"


def test_the_interval_holds_as_often_as_it_says(seed: int) -> None:
    chance = random.Random(seed)
    hits, count = 0, 400
    for _ in range(count):
        ours = Runs(tuple(chance.gauss(8.0, 0.8) for _ in range(4)))
        reference = Runs(tuple(chance.gauss(10.0, 0.4) for _ in range(4)))
        found = over(ours, reference)
        assert found is not None
        hits += found.low <= -20.0 <= found.high
    # 95 % of 400 are 380 with a standard deviation of 4.4.
    assert hits >= 355


def test_an_average_of_comparisons_is_as_uncertain_as_they_are() -> None:
    alike = [TimeChange(2.0, 1.0, 3.0, 3, 3)] * 4
    assert average(alike[:1]) is None
    found = average(alike)
    assert found is not None
    assert (found.percent, found.low, found.high, found.count) == (2.0, 1.0, 3.0, 4)
    apart = average([TimeChange(0.0, 0.0, 0.0, 3, 3), TimeChange(10.0, 10.0, 10.0, 3, 3)])
    assert apart is not None
    assert apart.low < -50.0, "two that differ by 10 say little"
    scattered = average([TimeChange(2000.0, 1000.0, 4000.0, 3, 3), TimeChange(0.0, 0.0, 0.0, 3, 3)])
    assert change_text(scattered) == "undetermined"


def test_a_share_has_an_interval() -> None:
    # Wilson's formula, calculated by hand.
    assert share_interval(4, 4) == pytest.approx((0.5101, 1.0), abs=1e-4)
    assert share_interval(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert share_text(1.0, share_interval(4, 4)) == "100 % (51 to 100)"


def test_a_loss_is_over_the_best_average() -> None:
    verified = _runs(a=(1.0, 3.0), b=(1.8, 1.8))

    assert loss_percent("b", verified) == 0.0
    assert loss_percent("a", verified) == pytest.approx(100 * (2.0 / 1.8 - 1))
    assert loss_percent("c", verified) is None


def test_a_pair_in_the_wrong_order_counts_by_how_far_apart_it_is() -> None:
    verified = _runs(a=(1.0, 1.0), b=(1.1, 1.3), c=(2.0, 2.0))

    right = ranking_error(verified, {"a": 5.0, "b": 6.0, "c": 7.0})
    wrong = ranking_error(verified, {"a": 6.0, "b": 5.0, "c": 7.0})
    worse = ranking_error(verified, {"a": 7.0, "b": 6.0, "c": 5.0})

    assert right is not None
    assert (right.worst, right.sum) == (0.0, 0.0)
    assert wrong is not None
    # The averages are 1.0 and 1.2, the shortest times 1.0 and 1.1, the longest 1.0 and 1.3.
    assert wrong.worst == pytest.approx(20.0)
    assert (wrong.worst_low, wrong.worst_high) == pytest.approx((10.0, 30.0))
    assert worse is not None
    assert worse.worst == pytest.approx(100.0)
    assert worse.sum == pytest.approx(20.0 + 100.0 + 80.0)


def test_a_pair_that_overlaps_cannot_be_in_the_wrong_order() -> None:
    verified = _runs(a=(1.0, 1.5), b=(1.4, 1.6))

    found = ranking_error(verified, {"a": 2.0, "b": 1.0})

    assert found is not None
    assert found.sum == 0.0
    assert ranking_error(verified, {"a": 1.0}) is None


def test_whatever_the_times_bars_hold_the_average_and_errors_are_ordered(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        names = [f"c{number}" for number in range(chance.randint(2, 6))]
        verified = {name: Runs(tuple(chance.uniform(1, 2) for _ in range(3))) for name in names}
        found = ranking_error(verified, {name: chance.uniform(1, 2) for name in names})
        assert found is not None
        assert found.worst_low <= found.worst <= found.worst_high + 1e-9
        assert found.worst <= found.sum + 1e-9
        found_change = over(verified["c0"], verified["c1"])
        assert found_change is not None
        assert found_change.low <= found_change.percent <= found_change.high
        assert min(loss_percent(name, verified) or 0.0 for name in names) == 0.0
        assert min(verified, key=lambda name: verified[name].low) in winners(verified)


def test_times_must_be_above_zero() -> None:
    for times in ((), (0.0,), (1.0, math.inf)):
        with pytest.raises(ValueError, match="above 0"):
            Runs(times)
