from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from adcl._decode import DecodeError, decode


@dataclass(frozen=True)
class _Leaf:
    name: str
    size: float | None = None


class _Tree(msgspec.Struct, frozen=True):
    leaves: tuple[_Leaf, ...]
    kind: Literal["oak", "elm"]
    marks: dict[str, int | None]
    alive: bool
    kept_class: str = msgspec.field(default="", name="class")
    place: Path | None = None


def _good(**changes: Any) -> dict[str, Any]:
    return {"leaves": [{"name": "a", "size": 2}], "kind": "oak", "marks": {"x": 1, "y": None}, "alive": True} | changes


def test_valid_document_becomes_records() -> None:
    tree = decode(_Tree, _good(**{"class": "tall", "unknown": 1, "place": "a/b"}))
    assert tree == _Tree((_Leaf("a", 2.0),), "oak", {"x": 1, "y": None}, True, "tall", Path("a/b"))  # noqa: FBT003
    assert isinstance(tree.leaves[0].size, float)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"leaves": [{"size": 1}]}, r"leaves\[0\]: object missing required field `name`"),
        ({"leaves": {"name": "a"}}, r"leaves: expected a list, found \{'name': 'a'\}"),
        ({"leaves": [{"name": "a", "size": "big"}]}, r"leaves\[0\]\.size: expected a number, found 'big'"),
        ({"kind": "ash"}, r"kind: invalid enum value 'ash'"),
        ({"marks": {"x": True}}, r"marks\[\.\.\.\]: expected `int \| null`, got `bool`"),
        ({"marks": []}, r"marks: expected an object, found \[\]"),
        ({"alive": 1}, r"alive: expected true or false, found 1"),
        ({"class": None}, r"class: expected text, found None"),
        ({"place": 3}, r"place: expected text, found 3"),
    ],
)
def test_mismatch_is_reported_with_its_place(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DecodeError, match=message):
        decode(_Tree, _good(**changes))


def test_non_object_is_rejected() -> None:
    with pytest.raises(DecodeError, match="document: expected an object, found 3"):
        decode(_Tree, 3)
