"""Intervals of coefficients and predictions with an error model selected from the measurements."""

from __future__ import annotations

import numpy as np
import pytest
from scale_support import series

from adcl.scale import Expected, Refinement, judge_all, parse, parse_term
from adcl.scale.model._error_model import ErrorModel
from adcl.scale.model._mixture import intervals


def test_intervals_have_the_stated_coverage(seed: int) -> None:
    """With relative noise, intervals cover 94 and 93 % of 2000 series; the test allows five standard deviations.

    If another error model appears to be the most probable by chance (4 % of the series), 80 % are covered; intervals
    from that model alone would cover 40 %.
    """
    rng = np.random.default_rng(seed)
    drawn = [series("20 + 5 p", noise=0.05, seed=int(rng.integers(2**31))) for _ in range(2000)]
    expected = Expected(parse("p"), None, Refinement(terms=(parse_term("p").growth("p"),)))
    slopes, predictions = [], []
    verdicts = judge_all(drawn, expected)
    for verdict in verdicts:
        slope = next(one for one in verdict.model.coefficients if one.term == parse_term("p"))
        slopes.append(slope.low <= 5 <= slope.high)
        new = (20 + 5 * 1024) * (1 + 0.05 * rng.standard_normal())
        one = verdict.model.predict(p=1024.0)
        predictions.append(one.low <= new <= one.high)
    assert 0.912 <= np.mean(slopes) <= 0.966
    assert 0.903 <= np.mean(predictions) <= 0.961
    mistaken = [verdict.model.parts[0].error is not ErrorModel.RELATIVE for verdict in verdicts]
    assert np.mean(np.array(slopes)[mistaken]) >= 0.55


def test_intervals_of_a_mixture() -> None:
    """The intervals of one part or two equal parts are Student's t; those of two distant parts include both parts."""
    one, many = np.array([[1.0]]), np.array([[0.5, 0.5]])

    low, high = intervals(one, np.array([[10.0]]), np.array([[2.0]]), np.array([6.0]))
    same = intervals(many, np.array([[10.0, 10.0]]), np.array([[2.0, 2.0]]), np.array([6.0, 6.0]))
    apart = intervals(many, np.array([[0.0, 100.0]]), np.array([[1.0, 1.0]]), np.array([1e6, 1e6]))

    assert (low[0], high[0]) == pytest.approx((10 - 2 * 2.446912, 10 + 2 * 2.446912))
    assert (same[0][0], same[1][0]) == pytest.approx((low[0], high[0]))
    # Each part has half of the probability, so a twentieth of a part is beyond an end: 1.645 standard deviations.
    assert (apart[0][0], apart[1][0]) == pytest.approx((-1.644854, 101.644854), rel=1e-4)
