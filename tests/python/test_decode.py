from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from adcl._decode import NAME, DecodeError, decode


@dataclass(frozen=True)
class _Leaf:
    name: str
    size: float | None = None


@dataclass(frozen=True)
class _Tree:
    leaves: tuple[_Leaf, ...]
    kind: Literal["oak", "elm"]
    marks: dict[str, int | None]
    alive: bool
    kept_class: str = field(default="", metadata={NAME: "class"})


def _good(**changes: Any) -> dict[str, Any]:
    return {"leaves": [{"name": "a", "size": 2}], "kind": "oak", "marks": {"x": 1, "y": None}, "alive": True} | changes


def test_valid_document_becomes_records() -> None:
    tree = decode(_Tree, _good(**{"class": "tall", "unknown": 1}))
    assert tree == _Tree((_Leaf("a", 2.0),), "oak", {"x": 1, "y": None}, alive=True, kept_class="tall")
    assert isinstance(tree.leaves[0].size, float)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"leaves": [{"size": 1}]}, r"leaves\[0\]\.name: missing"),
        ({"leaves": {"name": "a"}}, r"leaves: expected a list, found \{'name': 'a'\}"),
        ({"leaves": [{"name": "a", "size": "big"}]}, r"leaves\[0\]\.size: expected a number, found 'big'"),
        ({"kind": "ash"}, r"kind: expected one of oak, elm, found 'ash'"),
        ({"marks": {"x": True}}, r"marks\.x: expected a whole number, found True"),
        ({"marks": []}, r"marks: expected an object"),
        ({"alive": 1}, r"alive: expected true or false, found 1"),
        ({"class": None}, r"class: expected text, found None"),
    ],
)
def test_mismatch_is_reported_with_its_place(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DecodeError, match=message):
        decode(_Tree, _good(**changes))


def test_non_object_is_rejected() -> None:
    with pytest.raises(DecodeError, match="document: expected an object, found 3"):
        decode(_Tree, 3)
