"""Problems of the bench tune_search: tables match their spaces, and optima are reachable."""

from __future__ import annotations

import math
from typing import Any

import pytest
from support import bench_module


@pytest.fixture(scope="module")
def problems() -> Any:
    return bench_module("tune._problems")


def test_recorded_tables_fit_their_spaces(problems: Any) -> None:
    found = problems.recorded()

    assert len(found) >= 3
    for one in found:
        assert len(one.draws) == len(one.scenarios) == one.space.size()
        assert 1 <= len(one.good) < len(one.scenarios) / 2, one.name
        low, high = one.optimum
        assert 0 < low <= high
        assert one.default is not None
        assert one.default > 1.05 * low


def test_artificial_spaces_have_conditions_constraints_and_known_optima(problems: Any) -> None:
    found = problems.made_up()

    assert any(parameter.when for one in found for parameter in one.space.parameters)
    assert any(one.space.constraints for one in found)
    for one in found:
        best = one.optimum[0]
        for place, (time,) in enumerate(one.draws):
            assert (time <= 1.02 * best) == (place in one.good)
        assert one.noise > 0
        assert math.isclose(min(time for (time,) in one.draws), best)


def test_document_for_the_peers_contains_every_scenario(problems: Any) -> None:
    for one in [*problems.recorded(), *problems.made_up()]:
        document = one.document(100)
        assert len(document["index"]) == len(one.scenarios)
        assert {len(document[key]) for key in ("shape", "ordered", "home", "order", "masters")} == {
            len(one.space.parameters)
        }
