"""Contradicting constraints in spaces that are too large to traverse."""

from __future__ import annotations

import random

import pytest

from adcl.tune.space import Choices, Condition, Constraint, Parameter, Space, Steps, conflict
from adcl.tune.space._conflict import satisfiable

_BIG = tuple(Parameter(f"idle{number}", Choices(tuple(range(50)))) for number in range(8))


def _space(*constraints: str, when: Condition | None = None) -> Space:
    numbers = Steps(1, 64)
    parameters = (
        Parameter("a", numbers),
        Parameter("b", numbers),
        Parameter("c", numbers, when=when),
        Parameter("switch", Choices(("on", "off"))),
    )
    return Space((*_BIG, *parameters), tuple(Constraint(text) for text in constraints))


@pytest.mark.parametrize(
    ("constraints", "blamed"),
    [
        (("a > b",), ()),
        (("a > 64",), ("a > 64",)),
        (("a > b", "b > a"), ("a > b", "b > a")),
        (("a > b", "idle0 < 3", "b > c", "c > a"), ("a > b", "b > c", "c > a")),
        (("a + b == 3", "a > 2", "b > 5"), ("a + b == 3", "b > 5")),
        (("idle1 > idle2", "a > b", "a == b"), ("a > b", "a == b")),
        (("switch == 'on'", "switch == 'off'"), ("switch == 'on'", "switch == 'off'")),
    ],
)
def test_contradicting_constraints_are_named(constraints: tuple[str, ...], blamed: tuple[str, ...]) -> None:
    space = _space(*constraints)
    assert not space.size_is_exact()
    assert tuple(one.text for one in conflict(space)) == blamed


def test_constraint_holds_if_a_parameter_is_inactive() -> None:
    only_where_on = Condition("switch", ("on",))
    assert conflict(_space("c > 100", when=only_where_on)) == ()
    found = conflict(_space("c > 100", "switch == 'on'", when=only_where_on))
    assert [one.text for one in found] == ["c > 100", "switch == 'on'"]


def test_undecided_conflict_is_not_rejected() -> None:
    parameters = tuple(Parameter(name, Choices(tuple(range(1000)))) for name in "abcd")
    assert conflict(Space(parameters, (Constraint("a + b + c + d > 4000"),))) == ()


@pytest.mark.parametrize("seed", range(20))
def test_it_agrees_with_exhaustive_checks_of_small_spaces(seed: int) -> None:
    generator = random.Random(seed)
    names = ("a", "b", "c", "d")
    parameters = [Parameter(name, Choices(tuple(range(1, 5)))) for name in names[:3]]
    parameters.append(Parameter("d", Choices((1, 2, 3)), when=Condition("a", (1, 2))))
    texts = [
        f"{generator.choice(names)} {generator.choice(('<', '==', '>', '!='))} "
        f"{generator.choice(names)} + {generator.randint(-2, 2)}"
        for _ in range(5)
    ]
    space = Space(tuple(parameters), tuple(Constraint(text.replace("+ -", "- ")) for text in texts))

    assert satisfiable(space) is (space.size() > 0), (seed, texts)
