"""Spaces: values, conditions, constraints, and counting of scenarios."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from adcl.errors import UsageError
from adcl.tune.space._space import Choices, Condition, Configuration, Parameter, Space, Steps, Value

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Rule:
    """A constraint as a function."""

    text: str
    test: Callable[[Configuration], bool]

    def holds(self, configuration: Configuration) -> bool:
        return self.test(configuration)


YES_NO = Choices(("yes", "no"))
PAPER = Space(
    (
        Parameter("eager_limit", Steps(1024, 65536, add=8192)),
        Parameter("use_bulk_xfer", YES_NO),
        Parameter("bulk_min_msg_size", Steps(4096, 1048576, add=32768)),
        Parameter("cc_scratch_buf", YES_NO),
    )
)
BULK = Space(
    (
        Parameter("bulk_min_msg_size", Steps(4096, 65536, multiply=2), when=Condition("use_bulk_xfer", ("yes",))),
        Parameter("use_bulk_xfer", YES_NO, default="no"),
        Parameter("affinity", Choices(("core", "socket", "none"))),
    )
)


@pytest.mark.parametrize(
    ("steps", "values"),
    [
        (Steps(1, 10, add=4), (1, 5, 9)),
        (Steps(0, 8, add=4), (0, 4, 8)),
        (Steps(3, 50, multiply=4), (3, 12, 48)),
        (Steps(5, 5), (5,)),
        (Steps(0, 8), (0, 1, 2, 3, 4, 6, 8)),
        (Steps(10, 14), (10, 11, 12, 13, 14)),
        (Steps(-4, 4), (-4, -3, -2, -1, 0, 1, 2, 3, 4)),
        (Steps(4096, 40000), (4096, 6144, 8192, 12288, 16384, 24576, 32768, 40000)),
    ],
)
def test_values_of_steps(steps: Steps, values: tuple[int, ...]) -> None:
    assert steps.values == values


def test_open_ranges_have_few_values_with_both_ends() -> None:
    for start, end in [(0, 1), (1, 2_000_000_000), (4096, 1048576), (1000, 1100), (-1000, 1000)]:
        values = Steps(start, end).values
        assert values[0] == start
        assert values[-1] == end
        assert list(values) == sorted(set(values))
        assert len(values) <= 70


@pytest.mark.parametrize(
    "make",
    [
        lambda: Steps(2, 1),
        lambda: Steps(1, 2, add=0),
        lambda: Steps(1, 2, multiply=1),
        lambda: Steps(1, 2_000_000_000, add=1),
        lambda: Steps(0, 8, multiply=2),
        lambda: Steps(1, 8, add=1, multiply=2),
        lambda: Choices(()),
        lambda: Choices((1, 2, 1)),
        lambda: Space((Parameter("a", YES_NO), Parameter("a", YES_NO))),
        lambda: Space((Parameter("a", YES_NO, when=Condition("b", ("yes",))),)),
        lambda: Space((Parameter("a", YES_NO), Parameter("b", YES_NO, when=Condition("a", ("maybe",))))),
        lambda: Space((Parameter("a", YES_NO, when=Condition("a", ("yes",))),)),
    ],
)
def test_invalid_definitions_are_rejected(make: Callable[[], object]) -> None:
    with pytest.raises(UsageError):
        make()


def test_the_first_listing_of_the_paper_has_1024_scenarios() -> None:
    assert PAPER.size() == 1024
    assert len({tuple(sorted(one.items())) for one in PAPER}) == 1024


def test_inactive_parameters_do_not_multiply_scenarios() -> None:
    assert BULK.size() == (5 + 1) * 3
    assert len(list(BULK)) == 18
    assert {"use_bulk_xfer": "no", "affinity": "core"} in list(BULK)
    assert BULK.active({"use_bulk_xfer": "no", "bulk_min_msg_size": 4096}) == ("use_bulk_xfer", "affinity")
    assert not BULK.contains({"use_bulk_xfer": "no", "affinity": "core", "bulk_min_msg_size": 4096})
    assert BULK.contains({"use_bulk_xfer": "yes", "affinity": "core", "bulk_min_msg_size": 4096})
    assert not BULK.contains({"use_bulk_xfer": "yes", "affinity": "core"})
    assert not BULK.contains({})
    assert BULK.canonical((3, 1, 2)) == BULK.canonical((0, 1, 2))
    assert BULK.canonical((3, 0, 2)) != BULK.canonical((0, 0, 2))


def test_conditions_in_a_chain() -> None:
    space = Space(
        (
            Parameter("c", Steps(1, 4, add=1), when=Condition("b", (2, 3))),
            Parameter("b", Steps(1, 3, add=1), when=Condition("a", ("on",))),
            Parameter("a", Choices(("on", "off"))),
        )
    )

    assert space.size() == 1 + (1 + 2 * 4)
    assert space.active({"a": "off", "b": 2, "c": 1}) == ("a",)
    assert space.active_mask((0, 1, 1)) == (False, False, True)


def test_constraints_remove_scenarios() -> None:
    rule = Rule("buffer >= 2 * eager", lambda one: int(one["buffer"]) >= 2 * int(one["eager"]))
    space = Space((Parameter("eager", Steps(1, 8, multiply=2)), Parameter("buffer", Steps(1, 8, multiply=2))), (rule,))

    assert space.size() == 3 + 2 + 1
    assert space.size_is_exact()
    assert not space.contains({"eager": 8, "buffer": 8})
    assert all(rule.holds(one) for one in space)


def test_large_spaces_are_counted_without_enumeration() -> None:
    wide = tuple(Parameter(f"p{place}", Steps(1, 100, add=1)) for place in range(10))

    assert Space(wide).size() == 100**10
    assert Space(wide, (Rule("never", lambda _: False),)).size() == 100**10
    assert not Space(wide, (Rule("never", lambda _: False),)).size_is_exact()


def test_the_default_has_the_nearest_coordinates() -> None:
    def home(default: Value | None) -> int:
        return Parameter("a", Steps(1024, 8192, multiply=2), default).home

    assert [home(None), home(4096), home(5000), home("auto"), home(10**6)] == [0, 2, 2, 0, 3]


def test_fingerprints_distinguish_spaces() -> None:
    changed = Space((*BULK.parameters[:2], Parameter("affinity", Choices(("core", "none")))))
    again = Space(tuple(BULK.parameters))

    assert BULK.fingerprint() == again.fingerprint()
    assert len({BULK.fingerprint(), changed.fingerprint(), PAPER.fingerprint()}) == 3


def random_space(generator: random.Random) -> Space:
    """Return a space of up to five parameters, with conditions on earlier parameters, and sometimes a constraint."""
    parameters: list[Parameter] = []
    for place in range(generator.randint(1, 5)):
        domain = Steps(1, generator.randint(1, 4), add=1) if generator.random() < 0.5 else Choices(("x", "y", "z"))
        when = None
        if parameters and generator.random() < 0.6:
            master = generator.choice(parameters)
            when = Condition(
                master.name, tuple(generator.sample(master.values, generator.randint(1, len(master.values))))
            )
        parameters.append(Parameter(f"p{place}", domain, when=when))
    generator.shuffle(parameters)
    rules = [Rule("p0 is not 2", lambda one: one.get("p0") != 2)] if generator.random() < 0.5 else []
    return Space(tuple(parameters), tuple(rules))


@pytest.mark.parametrize("seed", range(60))
def test_iteration_visits_every_scenario_once(seed: int) -> None:
    space = random_space(random.Random(seed))
    names = [one.name for one in space.parameters]

    wanted = set()
    for values in itertools.product(*(one.values for one in space.parameters)):
        full = dict(zip(names, values, strict=True))
        reduced = {name: full[name] for name in space.active(full)}
        if space.contains(reduced):
            wanted.add(tuple(reduced.items()))
    found = [tuple(one.items()) for one in space]

    assert len(found) == len(set(found)) == space.size()
    assert set(found) == wanted
    for one in space:
        coordinates = space.coordinates(one)
        assert space.configuration(coordinates) == one
        assert space.canonical(coordinates) == coordinates
