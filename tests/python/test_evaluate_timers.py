"""Selection of the searches that decide for the evaluated function set: a timer's searches, if there is a timer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from adcl.evaluate._execute import deciding_searches

if TYPE_CHECKING:
    from adcl.trace import TracedSearch


def _search(function_set: str, *candidates: str) -> TracedSearch:
    return cast("TracedSearch", SimpleNamespace(function_set=function_set, candidates=candidates))


def test_a_timer_decides_for_its_requests() -> None:
    own, timer = _search("alltoall", "Native", "Linear"), _search("timer", "Native", "Linear")
    other = _search("allreduce", "Native", "Ring")
    assert deciding_searches([own, other, timer], "alltoall") == (timer,)


def test_without_a_timer_the_searches_of_the_set_decide() -> None:
    first, second = _search("alltoall", "Native", "Linear"), _search("alltoall", "Native")
    other = _search("allreduce", "Native", "Ring")
    assert deciding_searches([first, other, second], "alltoall") == (first, second)


def test_a_timer_of_several_sets_chooses_combinations_and_does_not_count() -> None:
    own, joint = _search("neighborhood", "IsIr_aao"), _search("timer", "IsIr_aao+Native")
    assert deciding_searches([own, joint], "neighborhood") == (own,)
