"""The formulas of ``adcl evaluate``, on numbers that were worked out by hand."""

from __future__ import annotations

import math
import random

import pytest

from adcl.evaluate import (
    Runs,
    change,
    gain,
    instability,
    losers,
    loss_percent,
    overlap,
    ranking_error,
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


def test_a_gain_has_the_uncertainty_of_both() -> None:
    found = gain(Runs((9.0, 10.0, 11.0)), Runs((19.0, 20.0, 21.0)))

    # u = 1 / sqrt(3) for both.
    assert found.percent == pytest.approx(50.0)
    assert found.uncertainty == pytest.approx(
        100 * math.sqrt((10 / 400 / math.sqrt(3)) ** 2 + (1 / 20 / math.sqrt(3)) ** 2)
    )
    assert gain(Runs((1.0,)), Runs((2.0, 2.0))).uncertainty is None


def test_a_change_has_the_bars_of_the_extreme_runs() -> None:
    found = change(Runs((0.8, 1.0)), Runs((1.0, 1.25)))

    assert found.percent == pytest.approx(-20.0)
    assert found.low == pytest.approx(100 * (0.8 / 1.25 - 1))
    assert found.high == pytest.approx(0.0)


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
    # By their averages 1.0 and 1.2, shortest 1.0 and 1.1, longest 1.0 and 1.3.
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
        bars = change(verified["c0"], verified["c1"])
        assert bars.low <= bars.percent <= bars.high
        assert min(loss_percent(name, verified) or 0.0 for name in names) == 0.0
        assert min(verified, key=lambda name: verified[name].low) in winners(verified)


def test_times_must_be_above_zero() -> None:
    for times in ((), (0.0,), (1.0, math.inf)):
        with pytest.raises(ValueError, match="above 0"):
            Runs(times)
